"""Speed of the text stages on Multi30k, beside the plain commands that do the same work.

    python -m benchmarks.text_stages --shared DIR --workers 2 --repeats 3

Every measurement is a command in a process of its own, start-up included. Stages and the peers'
commands take turns, so that whatever else the machine does falls on all of them; a figure is the
median over repetitions. The peers get one file a language, all splits in one: fewer starts. Trees
are drawn at random for the partition, unless `--parsed` gives real ones.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from shutil import copyfile

import yaml

from mgsa.cli.errors import InputError
from mgsa.cli.files import read_lines, write_json
from mgsa.cli.outputs import SETTINGS, WRITTEN_BY, write_manifest
from mgsa.cli.run import run
from mgsa.cli.settings import read_yaml
from pipeline.formats.tables import markdown
from pipeline.formats.text import SIDES, SPLITS
from pipeline.formats.trees import PARSER, escape_token
from pipeline.params.presets import compose

ROOT = Path(__file__).parents[1]
LANGUAGES = {"source": "en", "target": "de"}
SPAN_LABELS = ("NP", "VP", "PP", "SBAR", "S")
WORD_TAGS = ("NN", "DT", "VBZ", "IN", "JJ")


@dataclass(frozen=True)
class Command:
    """A command line; `stdin` and `stdout` are files."""

    words: tuple[str, ...]
    stdin: Path | None = None
    stdout: Path | None = None

    def seconds(self) -> float:
        """How long it takes; a command that fails says why."""
        with (
            Path(self.stdin or os.devnull).open("rb") as source,
            Path(self.stdout or os.devnull).open("wb") as sink,
        ):
            start = time.perf_counter()
            done = subprocess.run(
                self.words,
                stdin=source,
                stdout=sink,
                stderr=subprocess.PIPE,
                cwd=ROOT,
                check=False,
            )
            taken = time.perf_counter() - start
        if done.returncode:
            raise InputError(f"{' '.join(self.words)}: {done.stderr.decode()[-2000:]}")
        return taken


def stage_commands(work: Path) -> dict[str, tuple[Command, ...]]:
    """Each stage's command, in their order; each reads what those before it wrote."""
    paths = {
        "tokenize": {"corpus": "corpus", "out": "tokenized"},
        "bpe": {"tokenized": "tokenized", "out": "bpe"},
        "partition": {
            **{"parsed": "parsed", "tokenized": "tokenized"},
            **{"out": "partitions", "plots": "plots"},
        },
        "dataset": {
            **{name: name for name in ("corpus", "tokenized", "bpe", "partitions", "parser")},
            "out": "dataset",
        },
    }
    return {
        stage: (stage_command(stage, work, {n: str(work / path) for n, path in arguments.items()}),)
        for stage, arguments in paths.items()
    }


def stage_command(stage: str, work: Path, arguments: dict[str, str]) -> Command:
    """The command of one stage, with the parameters of the benchmark."""
    arguments = {
        **arguments,
        "report": str(work / f"{stage}.json"),
        "params": str(work / "params.yaml"),
    }
    words = [word for name, value in arguments.items() for word in (f"--{name}", value)]
    return Command((sys.executable, "-m", f"pipeline.{stage}", *words))


def peer_commands(work: Path, workers: int) -> dict[str, tuple[Command, ...]]:
    """The libraries' own commands for the work of each stage.

    BPE is learned on the training split alone, as in the stage.
    """
    scripts = Path(sys.executable).parent
    sacremoses, subword_nmt = str(scripts / "sacremoses"), str(scripts / "subword-nmt")
    bpe = read_yaml(work / "params.yaml")["bpe"]
    peer = work / "peer"
    codes, processes = str(peer / "codes"), str(workers)
    learn = (
        *(subword_nmt, "learn-joint-bpe-and-vocab", "-o", codes, "--num-workers", processes),
        *("-s", str(bpe["merges"]), "-i"),
        *(str(work / "tokenized" / f"train.{side}") for side in SIDES),
        "--write-vocabulary",
        *(str(peer / f"vocab.{side}") for side in SIDES),
    )
    return {
        "tokenize": tuple(
            Command(
                (sacremoses, "-q", "-l", language, "-j", processes, "normalize", "tokenize"),
                stdin=peer / f"raw.{side}",
                stdout=peer / f"tokenized.{side}",
            )
            for side, language in LANGUAGES.items()
        ),
        "bpe": (
            Command(learn),
            *(
                Command(
                    (
                        *(subword_nmt, "apply-bpe", "-c", codes, "--num-workers", processes),
                        *("--vocabulary", str(peer / f"vocab.{side}"), "--vocabulary-threshold"),
                        str(bpe["vocabulary_threshold"]),
                        *("-i", str(peer / f"tokens.{side}"), "-o", str(peer / f"subwords.{side}")),
                    )
                )
                for side in SIDES
            ),
        ),
    }


def prepare(work: Path, shared: Path, parsed: Path | None, workers: int) -> int:
    """Write what the stages start from; how many pairs there are in all."""
    composed = compose(ROOT / "conf", ["corpus=multi30k"])
    composed["corpus"]["folder"] = str(shared / "multi30k")
    composed["run"]["workers"] = workers
    (work / "params.yaml").write_text(yaml.safe_dump(composed))
    stage_command("corpus", work, {"out": str(work / "corpus")}).seconds()
    stage_commands(work)["tokenize"][0].seconds()
    (work / "peer").mkdir()
    for side in SIDES:
        for folder, name in (("corpus", "raw"), ("tokenized", "tokens")):
            texts = [(work / folder / f"{split}.{side}").read_bytes() for split in SPLITS]
            (work / "peer" / f"{name}.{side}").write_bytes(b"".join(texts))
    (work / "parser").mkdir()
    write_json(work / "parser" / PARSER, {"kind": "trees", "identity": "benchmark"})
    write_manifest(work / "parser", {"kind": "mgsa parser"})
    if parsed is None:
        (work / "parsed").mkdir()
        for split in SPLITS:
            write_random_trees(work / f"tokenized/{split}.source", work / f"parsed/{split}.trees")
        copyfile(work / "parser" / PARSER, work / "parsed" / PARSER)
        made = {"kind": "mgsa trees", SETTINGS: {"parse": composed["parse"]}}
        write_manifest(work / "parsed", made)
    else:
        (work / "parsed").symlink_to(parsed.resolve())
    counts = json.loads((work / "corpus.json").read_text())
    del counts[WRITTEN_BY]
    return sum(counts.values())


def write_random_trees(tokens: Path, trees: Path) -> None:
    """A tree for each sentence, with the labels of a treebank in random places."""
    draw = random.Random(1)
    with trees.open("w", encoding="utf-8", newline="\n") as file:
        for line in read_lines(tokens):
            nodes = [f"({draw.choice(WORD_TAGS)} {escape_token(t)})" for t in line.split(" ")]
            while len(nodes) > 1:
                start = draw.randrange(len(nodes) - 1)
                end = min(start + draw.choice((2, 2, 2, 3)), len(nodes))
                nodes[start:end] = [f"({draw.choice(SPAN_LABELS)} {' '.join(nodes[start:end])})"]
            file.write(f"(ROOT {nodes[0]})\n")


def measure(
    commands: dict[str, dict[str, tuple[Command, ...]]], repeats: int
) -> dict[str, dict[str, list[float]]]:
    """Seconds of every stage, ours and the peers', in every repetition."""
    seconds: dict[str, dict[str, list[float]]] = {
        name: {stage: [] for stage in stages} for name, stages in commands.items()
    }
    for _ in range(repeats):
        for stage in commands["ours"]:
            for name, stages in commands.items():
                if stage in stages:
                    taken = sum(command.seconds() for command in stages[stage])
                    seconds[name][stage].append(taken)
    return seconds


def summarize(seconds: dict[str, dict[str, list[float]]], pairs: int) -> list[dict[str, object]]:
    """A row a stage and one for all together: pairs a second, and times as fast as the peer.

    The ratio is the median of each repetition's own.
    """
    rows = []
    ours, peers = seconds["ours"], seconds["peer"]
    together = {"all": [sum(times) for times in zip(*ours.values(), strict=True)]}
    for stage, times in (ours | together).items():
        row: dict[str, object] = {
            "stage": stage,
            "seconds": round(statistics.median(times), 2),
            "pairs_per_second": round(pairs / statistics.median(times)),
        }
        if stage in peers:
            ratios = [peer / own for peer, own in zip(peers[stage], times, strict=True)]
            row["peer_seconds"] = round(statistics.median(peers[stage]), 2)
            row["peer_pairs_per_second"] = round(pairs / statistics.median(peers[stage]))
            row["times_as_fast"] = round(statistics.median(ratios), 2)
        rows.append(row)
    return rows


def main(argv: Sequence[str] | None = None) -> None:
    """Measure, and print a Markdown table and JSON."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.text_stages", description=__doc__)
    shared = Path(os.environ.get("MGSA_SHARED", ROOT.parent / "shared"))
    parser.add_argument("--shared", type=Path, default=shared, metavar="DIR", help="has multi30k/")
    parser.add_argument("--parsed", type=Path, metavar="DIR", help="trees of the stage parse")
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--json", type=Path, metavar="FILE", help="write the figures here too")
    arguments = parser.parse_args(argv)
    with tempfile.TemporaryDirectory(prefix="text-stages-") as name:
        work = Path(name)
        pairs = prepare(work, arguments.shared, arguments.parsed, arguments.workers)
        commands = {
            "ours": stage_commands(work),
            "peer": peer_commands(work, arguments.workers),
        }
        seconds = measure(commands, arguments.repeats)
    rows = summarize(seconds, pairs)
    result = {"pairs": pairs, "workers": arguments.workers, "rows": rows, "seconds": seconds}
    shown = [(dict.fromkeys(rows[0], "") | row).values() for row in rows]
    print(*markdown([*rows[0]], shown), sep="\n")
    print(json.dumps(result))
    if arguments.json:
        write_json(arguments.json, result)


if __name__ == "__main__":
    sys.exit(run(main))
