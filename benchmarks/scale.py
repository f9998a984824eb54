"""Peak memory and speed of every text stage and of the training loader, by the size of the corpus.

    python -m benchmarks.scale --pairs 30000 300000 3000000 --workers 1 --out docs/scale.json
    python -m benchmarks.scale --draw docs/scale.json --plot docs/scale.svg
    python -m benchmarks.scale --set corpus=multi30k corpus.folder=DIR parser=stanza --out real.json

Pairs come from the sample's grammar with their trees and links, so nothing is parsed or aligned by
a model: what is measured is what the stages hold and how they stream. With `--set` it is any other
composition, in its own size. Each stage is the command of dvc.yaml in a process of its own,
start-up and imports included. Seconds are of the wall; beside them stands the processor time of the
stage's own process, which reads, gives out and writes, and of its workers. The loader reads an
epoch of token batches, as training does.
"""

from __future__ import annotations

import argparse
import ctypes
import json
import os
import resource
import shlex
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import yaml

from mgsa.cli.errors import FailedError
from mgsa.cli.files import read_json, write_json
from mgsa.cli.run import run
from mgsa.cli.settings import Count, NonNegative, Positive, from_mapping
from pipeline.charts import Spec, chart, write_figure

ROOT = Path(__file__).parents[1]
STAGES = ("corpus", "tokenize", "parser", "parse", "bpe", "partition", "align", "dataset")
UNMEASURED = ("parser",)
"""It says that trees came with the corpus, whatever the size."""
LOADER = "loader"
"""And, of what reads in windows, how many rows these have."""
WINDOW = 20_000
"""Rows that are shuffled and sorted at once: so few that the smallest corpus fills them."""
COMPOSITION = ("corpus=sample", "parser=trees", "align=corpus")
WORKING = ("tokenize", "parse", "bpe", "partition")
"""Stages that have a number of worker processes."""
_PR_SET_CHILD_SUBREAPER = 36
"""Linux's option by which processes that lose their parent become this one's."""


@dataclass(frozen=True)
class Measurement:
    """Time and memory of a stage."""

    stage: str
    pairs: Positive  #: of the training split.
    words: Positive  #: of the source side, in all splits.
    workers: Positive  #: how many processes the stage could start.
    peak: NonNegative  #: resident memory of the largest process, in MiB.
    seconds: NonNegative  #: of the wall.
    main_seconds: NonNegative  #: of the processor, in the stage's own process.
    worker_seconds: NonNegative  #: of the processor, in the processes that it started.
    output: Count  #: bytes that it wrote.


def commands() -> dict[str, str]:
    """The command line of each stage, as dvc.yaml has it."""
    stages = yaml.safe_load((ROOT / "dvc.yaml").read_text("utf-8"))["stages"]
    return {name: stages[name]["cmd"].removeprefix("python -m ") for name in STAGES}


def write_parameters(folder: Path, overrides: Sequence[str], workers: int) -> None:
    """The parameter file of a composition whose stages have so many workers."""
    from pipeline.params.presets import compose

    params = compose(ROOT / "conf", [*overrides, f"run.workers={workers}"])
    (folder / "params.yaml").write_text(yaml.safe_dump(params), "utf-8")


def measure(folder: Path, command: str) -> dict[str, Any]:
    """Run a stage's command in a process of its own: what it took, of a `Measurement`.

    Raises:
        FailedError: it failed, and has said why.
    """
    before = _size(folder)
    start = time.perf_counter()
    done = subprocess.run(
        [sys.executable, "-m", "benchmarks.scale", "--run", command],
        cwd=folder,
        env=os.environ | {"PYTHONPATH": str(ROOT)},
        stdout=subprocess.PIPE,
        text=True,
        check=False,
    )
    if done.returncode != 0:
        raise FailedError("nothing is measured where a stage fails")
    seconds = time.perf_counter() - start
    peak, main_seconds, worker_seconds = json.loads(done.stdout.splitlines()[-1])
    return {
        "peak": peak,
        "seconds": seconds,
        "main_seconds": main_seconds,
        "worker_seconds": worker_seconds,
        "output": _size(folder) - before,
    }


def run_here(command: str) -> None:
    """Run a command; print its peak in MiB, and seconds of the processor: its own, its workers'.

    Workers are started by a server of multiprocessing's, whom nobody waits for. Here they are.
    """
    if ctypes.CDLL(None, use_errno=True).prctl(_PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0) != 0:
        raise OSError(ctypes.get_errno(), "prctl")
    stage = subprocess.Popen([sys.executable, "-m", *shlex.split(command)], stdout=sys.stderr)
    _, status, usage = os.wait4(stage.pid, 0)
    if status != 0:
        raise FailedError(f"{command}: exit status {os.waitstatus_to_exitcode(status)}")
    with suppress(ChildProcessError):
        while True:
            os.wait()
    everyone = resource.getrusage(resource.RUSAGE_CHILDREN)
    main, total = (one.ru_utime + one.ru_stime for one in (usage, everyone))
    print(json.dumps([everyone.ru_maxrss / 1024, main, total - main]))


def loaders(windows: Sequence[int]) -> dict[str, str]:
    """The command that reads an epoch in windows of each size."""
    load = "benchmarks.scale --load data/dataset --window"
    return {f"{LOADER} {rows}": f"{load} {rows}" for rows in windows}


def load_epoch(folder: Path, window: int) -> None:
    """Read an epoch of training batches, from windows of so many rows."""
    from mgsa.data.batching import Position, TrainBatches
    from mgsa.data.dataset import open_dataset
    from pipeline.params.presets import compose

    config = compose(ROOT / "conf", [])["train"]
    batches = TrainBatches(
        open_dataset(folder),
        batch_tokens=config["batch_tokens"],
        batch_sentences=None,
        seed=config["seed"],
        shuffle_window=window,
        granularities=["syntactic_1", "syntactic_2", "syntactic_3"],
        ngram_unit="subword",
    )
    for update in batches.updates(Position(0, 0), rank=0, world_size=1, accumulate=1):
        if update.position_after.micro_batch == 0:
            return


def measure_stages(
    overrides: Sequence[str],
    workers: int,
    parent: Path | None = None,
    windows: Sequence[int] = (WINDOW,),
) -> list[Measurement]:
    """Time and memory of every stage of a composition, printed as it ends.

    Raises:
        FailedError: a stage failed.
    """
    with tempfile.TemporaryDirectory(dir=parent) as name:
        folder = Path(name)
        write_parameters(folder, overrides, workers)
        taken = {}
        for stage, command in {**commands(), **loaders(windows)}.items():
            taken[stage] = one = measure(folder, command)
            print(
                f"{stage:>17} {one['peak']:>9,.0f} {one['seconds']:>9.1f} "
                f"{one['main_seconds']:>9.1f} {one['worker_seconds']:>9.1f}",
                flush=True,
            )
        counts = read_json(folder / "data/reports/dataset.json")
    pairs = counts["train_rows"]
    words = sum(counts[f"{split}_source_words"] for split in ("train", "valid", "test"))
    return [
        Measurement(stage, pairs, words, workers, **one)
        for stage, one in taken.items()
        if stage not in UNMEASURED
    ]


def measure_all(
    compositions: Sequence[Sequence[str]],
    workers: int,
    folder: Path | None,
    windows: Sequence[int],
) -> list[Measurement]:
    """Every stage of every composition."""
    found: list[Measurement] = []
    for overrides in compositions:
        print(" ".join(overrides))
        print(f"{'stage':>17} {'peak MiB':>9} {'seconds':>9} {'main':>9} {'workers':>9}")
        found += measure_stages(overrides, workers, folder, windows)
        print(f"{found[-1].pairs:,} pairs, {found[-1].words:,} words of the source side\n")
    return found


def chart_of(measurements: Sequence[Measurement]) -> Spec:
    """Peak memory against the size of the corpus, a line a stage."""
    rows = [{"rev": one.stage, "pairs": one.pairs, "peak": one.peak} for one in measurements]
    spec = chart(
        "curves", rows, x="pairs", y="peak", x_label="sentence pairs", y_label="peak memory, MiB"
    )
    spec["encoding"]["x"]["scale"] = {"type": "log"}
    return spec


def main(argv: Sequence[str] | None = None) -> None:
    """Measure, or draw what was measured."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--pairs", type=int, nargs="+", default=[30_000, 300_000, 3_000_000])
    parser.add_argument(
        "--set", nargs="+", metavar="KEY=VALUE", help="another composition, and no sizes of pairs"
    )
    parser.add_argument("--workers", type=int, default=1, help="processes of a stage")
    parser.add_argument(
        "--windows", type=int, nargs="+", default=[WINDOW], help="of the loader, in rows"
    )
    parser.add_argument("--folder", type=Path, help="where the generated files lie meanwhile")
    parser.add_argument("--out", type=Path, metavar="FILE", help="the measurements, as JSON")
    parser.add_argument("--draw", type=Path, metavar="FILE", help="measure nothing, draw these")
    parser.add_argument("--plot", type=Path, metavar="SVG", help="where to draw them")
    parser.add_argument("--run", help=argparse.SUPPRESS)
    parser.add_argument("--load", type=Path, help=argparse.SUPPRESS)
    parser.add_argument("--window", type=int, help=argparse.SUPPRESS)
    arguments = parser.parse_args(argv)
    if arguments.run:
        run_here(arguments.run)
        return
    if arguments.load:
        load_epoch(arguments.load, arguments.window)
        return
    if arguments.draw:
        label = f"{arguments.draw}: measurements"
        found = from_mapping(list[Measurement], read_json(arguments.draw), label)
    else:
        sizes = [[*COMPOSITION, f"corpus.train={pairs}"] for pairs in arguments.pairs]
        compositions = [arguments.set] if arguments.set else sizes
        found = measure_all(compositions, arguments.workers, arguments.folder, arguments.windows)
    if arguments.out:
        write_json(arguments.out, [asdict(one) for one in found])
    if arguments.plot:
        write_figure(chart_of(found), arguments.plot)


def _size(folder: Path) -> int:
    return sum(path.stat().st_size for path in folder.rglob("*") if path.is_file())


if __name__ == "__main__":
    sys.exit(run(main))
