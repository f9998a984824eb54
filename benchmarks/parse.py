"""Speed of the stage `parse`, beside one plain `stanza.Pipeline` call over the same sentences.

    python -m benchmarks.parse --shared DIR --sentences 6000 --workers 2 --repeats 3

Sentences are the first of Multi30k's English training side, tokenised. Both are commands in
processes of their own on the same cores, start-up included, and take turns: the stage with an
empty memory and a thread a worker, the plain pipeline with stanza's own batches and torch's own
number of threads. The ratio is the median of each repetition's own; the trees are compared too.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import sys
import tempfile
from collections.abc import Sequence
from itertools import islice
from pathlib import Path
from shutil import copyfile

import yaml

from benchmarks.machine import device_parser
from benchmarks.text_stages import ROOT, Command, stage_command
from mgsa.cli.files import write_json
from mgsa.cli.outputs import write_manifest
from mgsa.cli.run import run
from mgsa.decoding.opened import choose_device
from pipeline.formats.text import SPLITS, read_sentences
from pipeline.formats.text_settings import TEXT
from pipeline.params.presets import compose

PACKAGE = "ptbsample"
RESOURCES = "stanza_resources"


def prepare(work: Path, shared: Path, sentences: int, workers: int, *, gpu: bool) -> None:
    """Write parameters, tokenised text, and a folder with stanza's models."""
    options = ["corpus=multi30k", "parser=stanza"]
    params = compose(ROOT / "conf", options)
    params["corpus"]["folder"] = str(shared / "multi30k")
    params["parser"] |= {"package": PACKAGE, "resources": str(shared / RESOURCES)}
    params["run"] |= {"workers": workers, "parse_gpu": gpu}
    (work / "params.yaml").write_text(yaml.safe_dump(params))
    stage_command("corpus", work, {"out": str(work / "corpus")}).seconds()
    paths = {"corpus": str(work / "corpus"), "out": str(work / "all")}
    stage_command("tokenize", work, paths).seconds()
    paths["out"] = str(work / "parser")
    stage_command("parser", work, paths).seconds()
    (work / "tokenized").mkdir()
    copyfile(work / "all" / TEXT, work / "tokenized" / TEXT)
    for split in SPLITS:
        # The stage wants every split: one sentence will do for those that are not measured.
        kept = islice(read_sentences(work / f"all/{split}.source"), sentences)
        lines = list(kept if split == "train" else islice(kept, 1))
        (work / f"tokenized/{split}.source").write_text("".join(f"{s}\n" for s in lines), "utf-8")
    write_manifest(work / "tokenized", {"kind": "mgsa tokenised text"})


def stage(work: Path, repetition: int) -> Command:
    """The stage's command, with a memory of its own."""
    paths = {name: str(work / name) for name in ("tokenized", "parser")}
    memory = str(work / f"memory-{repetition}.sqlite")
    return stage_command("parse", work, {**paths, "out": str(work / "parsed"), "memory": memory})


def plain(work: Path, shared: Path, *, gpu: bool) -> Command:
    """This module run for the plain pipeline alone."""
    words = (sys.executable, "-m", "benchmarks.parse", "--accelerator", "gpu" if gpu else "cpu")
    return Command((*words, "--plain", str(work), "--shared", str(shared)))


def run_plain(work: Path, shared: Path, *, gpu: bool) -> None:
    """Parse as a user of stanza would: one pipeline, one call."""
    import stanza

    pipeline = stanza.Pipeline(
        "en",
        dir=str(shared / RESOURCES),
        package=PACKAGE,
        processors="tokenize,pos,constituency",
        tokenize_pretokenized=True,
        download_method=None,
        use_gpu=gpu,
        verbose=False,
    )
    sentences = [line.split(" ") for line in read_sentences(work / "tokenized/train.source")]
    trees = [str(sentence.constituency) for sentence in pipeline(sentences).sentences]
    (work / "plain.trees").write_text("".join(f"{tree}\n" for tree in trees), "utf-8")


def main(argv: Sequence[str] | None = None) -> None:
    """Measure, and print the figures as JSON."""
    parser = device_parser(__doc__)
    shared = Path(os.environ.get("MGSA_SHARED", ROOT.parent / "shared"))
    parser.add_argument("--shared", type=Path, default=shared, metavar="DIR")
    parser.add_argument("--sentences", type=int, default=6000)
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--plain", type=Path, metavar="FOLDER", help=argparse.SUPPRESS)
    arguments = parser.parse_args(argv)
    gpu = choose_device(arguments.accelerator).type == "cuda"
    if arguments.plain is not None:
        run_plain(arguments.plain, arguments.shared, gpu=gpu)
        return
    seconds: dict[str, list[float]] = {"stage": [], "plain": []}
    with tempfile.TemporaryDirectory(prefix="parse-") as name:
        work = Path(name)
        prepare(work, arguments.shared, arguments.sentences, arguments.workers, gpu=gpu)
        for repetition in range(arguments.repeats):
            seconds["stage"].append(stage(work, repetition).seconds())
            seconds["plain"].append(plain(work, arguments.shared, gpu=gpu).seconds())
        ours, theirs = (
            (work / path).read_text("utf-8").splitlines()
            for path in ("parsed/train.trees", "plain.trees")
        )
    ratios = [p / s for s, p in zip(*seconds.values(), strict=True)]
    result = {
        "sentences": len(ours),
        "workers": arguments.workers,
        "gpu": gpu,
        "stage_sentences_per_second": round(len(ours) / statistics.median(seconds["stage"]), 1),
        "plain_sentences_per_second": round(len(ours) / statistics.median(seconds["plain"]), 1),
        "times_as_fast": round(statistics.median(ratios), 2),
        "trees_that_differ": sum(a != b for a, b in zip(ours, theirs, strict=True)),
        "seconds": seconds,
    }
    print(json.dumps(result))
    if arguments.json:
        write_json(arguments.json, result)


if __name__ == "__main__":
    sys.exit(run(main))
