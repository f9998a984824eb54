"""Speed and error rate of the aligners: ours, eflomal, and IBM model 2 as NLTK has it.

    python -m benchmarks.aligners --corpus sample --repeats 3
    python -m benchmarks.aligners --corpus multi30k --shared DIR
    python -m benchmarks.aligners --corpus sample --symmetrizations

Every measurement is a command in a process of its own, start-up and symmetrisation included; a
figure is the median over repetitions, in which the aligners take turns. Ours and eflomal (if it is
installed) get the whole corpus. NLTK's would take hours for it, so it gets some of the training
pairs (`--few`), and ours those too. Error rates are against the corpus's gold links, if it has any:
of the test split, and of the few pairs.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import statistics
import sys
import tempfile
from collections.abc import Sequence
from itertools import islice
from pathlib import Path

import numpy as np
import yaml

from benchmarks.text_stages import Command, stage_command
from mgsa.cli.errors import InputError
from mgsa.cli.files import read_json, read_lines, write_json
from mgsa.cli.outputs import write_manifest
from mgsa.cli.run import run
from mgsa.data.word_links import Link, format_links
from pipeline.align.eflomal import find_command
from pipeline.align.symmetrize import SYMMETRIZATIONS, Symmetrization, symmetrize
from pipeline.formats.tables import markdown
from pipeline.formats.text import SIDES, SPLITS, read_pairs
from pipeline.params.presets import compose

ROOT = Path(__file__).parents[1]
SYMMETRIZATION: Symmetrization = "grow-diag-final-and"
NLTK_ITERATIONS = 5
FEW = "few"


def prepare(work: Path, corpus: str, shared: Path, few: int) -> dict[str, int]:
    """Write the tokenised corpus and a part of it; how many pairs each has."""
    composed = compose(ROOT / "conf", [f"corpus={corpus}"])
    if corpus == "multi30k":
        composed["corpus"]["folder"] = str(shared / "multi30k")
    (work / "params.yaml").write_text(yaml.safe_dump(composed))
    stage_command("corpus", work, {"out": str(work / "corpus")}).seconds()
    paths = {"corpus": str(work / "corpus"), "out": str(work / "tokenized")}
    stage_command("tokenize", work, paths).seconds()
    (work / FEW).mkdir()
    for split in SPLITS:
        for name in (*SIDES, "links"):
            whole = work / f"tokenized/{split}.{name}"
            if whole.exists():
                some = islice(read_lines(whole), few if split == "train" else 1)
                (work / FEW / whole.name).write_text("".join(f"{line}\n" for line in some))
    write_manifest(work / FEW, {"kind": "mgsa tokenised text"})
    return {
        folder: sum(1 for split in SPLITS for _ in read_pairs(work / folder, split))
        for folder in ("tokenized", FEW)
    }


def output(work: Path, option: str, folder: str, how: str = SYMMETRIZATION) -> Path:
    """Where `stage` writes links."""
    return work / f"{option}_{folder}_{how}" / "out"


def stage(work: Path, option: str, folder: str, how: str = SYMMETRIZATION) -> Command:
    """The command that aligns a folder of tokenised text with an option of the group `align`."""
    own = output(work, option, folder, how).parent
    own.mkdir()
    settings = compose(ROOT / "conf", [f"align={option}"])["align"]
    settings["symmetrization"] = how
    (own / "params.yaml").write_text(yaml.safe_dump({"align": settings}))
    return stage_command("align", own, {"tokenized": str(work / folder), "out": str(own / "out")})


def align_with_nltk(tokenized: Path, out: Path) -> None:
    """IBM model 2 in both directions, symmetrised; the training split's links."""
    from nltk.translate import AlignedSent, IBMModel2

    pairs = [(s.split(" "), t.split(" ")) for s, t in read_pairs(tokenized, "train")]
    directions: list[list[set[Link]]] = []
    for generated in (1, 0):
        text = [AlignedSent(pair[generated], pair[1 - generated]) for pair in pairs]
        IBMModel2(text, NLTK_ITERATIONS)  # leaves each pair's alignment with it
        directions.append(
            [
                {(j, i) if generated else (i, j) for i, j in sentence.alignment if j is not None}
                for sentence in text
            ]
        )
    with out.open("w") as file:
        for forward, reverse in zip(*directions, strict=True):
            file.write(f"{format_links(symmetrize(forward, reverse, SYMMETRIZATION))}\n")


def error_rate(work: Path, links: Path, gold: Path) -> float | None:
    """The AER of a file in per cent, if there are gold links."""
    if not gold.exists():
        return None
    report = work / "aer.json"
    words = ("--alignments", str(links), "--gold", str(gold), "--report", str(report))
    Command((sys.executable, "-m", "pipeline.align.error_rate", *words)).seconds()
    rate: float = read_json(report)["aer"]
    return rate


def measure(work: Path, pairs: dict[str, int], repeats: int) -> list[dict[str, object]]:
    """A row an aligner: seconds, pairs a second, AER."""
    nltk = (sys.executable, "-m", "benchmarks.aligners", "--nltk", str(work / FEW))
    contestants = {
        "ours": (
            "tokenized",
            stage(work, "hmm", "tokenized"),
            output(work, "hmm", "tokenized"),
        ),
        "ours, few pairs": (FEW, stage(work, "hmm", FEW), output(work, "hmm", FEW)),
        "NLTK's IBM model 2, few pairs": (FEW, Command(nltk), work / f"{FEW}/nltk"),
    }
    if eflomal_is_installed():
        command = stage(work, "eflomal", "tokenized")
        contestants["eflomal"] = (
            "tokenized",
            command,
            output(work, "eflomal", "tokenized"),
        )
    (work / f"{FEW}/nltk").mkdir()
    seconds: dict[str, list[float]] = {name: [] for name in contestants}
    for _ in range(repeats):
        for name, (_, command, _) in contestants.items():
            seconds[name].append(command.seconds())
    rows: list[dict[str, object]] = []
    for name, (folder, _, out) in contestants.items():
        split = "train" if folder == FEW else "test"
        middle = statistics.median(seconds[name])
        rows.append(
            {
                "aligner": name,
                "pairs": pairs[folder],
                "seconds": round(middle, 1),
                "pairs_per_second": round(pairs[folder] / middle),
                "aer": error_rate(work, out / f"{split}.links", work / folder / f"{split}.links"),
            }
        )
    return rows


def eflomal_is_installed() -> bool:
    """Whether there is the command, which is said if there isn't."""
    try:
        find_command()
    except InputError as error:
        print(f"left out: {error}", file=sys.stderr)
        return False
    return True


def by_symmetrization(work: Path) -> list[dict[str, object]]:
    """A row for each way to put two directions together: error rates on the test split."""
    options = ["hmm", *(["eflomal"] if eflomal_is_installed() else [])]
    rows: list[dict[str, object]] = []
    for how in SYMMETRIZATIONS:
        row: dict[str, object] = {"links": how}
        for option in options:
            command = stage(work, option, "tokenized", how)
            command.seconds()
            report = read_json(output(work, option, "tokenized", how).with_name("align.json"))
            row |= {f"{option} {x}": report[f"test_{x}"] for x in ("precision", "recall", "aer")}
        rows.append(row)
    return rows


def main(argv: Sequence[str] | None = None) -> None:
    """Measure, and print a Markdown table and JSON."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.aligners", description=__doc__)
    shared = Path(os.environ.get("MGSA_SHARED", ROOT.parent / "shared"))
    parser.add_argument("--corpus", choices=["sample", "multi30k"], default="sample")
    parser.add_argument("--shared", type=Path, default=shared, metavar="DIR", help="has multi30k/")
    parser.add_argument("--few", type=int, default=1000, help="training pairs for NLTK")
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument(
        "--symmetrizations",
        action="store_true",
        help="precision, recall and AER of every symmetrisation instead of speed",
    )
    parser.add_argument("--json", type=Path, metavar="FILE", help="write the figures here too")
    parser.add_argument("--nltk", type=Path, help=argparse.SUPPRESS)
    arguments = parser.parse_args(argv)
    if arguments.nltk:
        align_with_nltk(arguments.nltk, arguments.nltk / "nltk/train.links")
        return
    with tempfile.TemporaryDirectory(prefix="aligners-") as name:
        work = Path(name)
        pairs = prepare(work, arguments.corpus, arguments.shared, arguments.few)
        if arguments.symmetrizations:
            rows = by_symmetrization(work)
        else:
            rows = measure(work, pairs, arguments.repeats)
    result = {
        "corpus": arguments.corpus,
        "rows": rows,
        "python": platform.python_version(),
        "numpy": np.__version__,
    }
    shown = [["" if value is None else value for value in row.values()] for row in rows]
    print(*markdown([*rows[0]], shown), sep="\n")
    print(json.dumps(result))
    if arguments.json:
        write_json(arguments.json, result)


if __name__ == "__main__":
    sys.exit(run(main))
