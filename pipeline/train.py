"""Train a translation model on the dataset artifact, with its curves as DVC plots.

What `mgsa train` does, and one rule more: the checkpoints lie outside the stage's outputs, so that
a killed run can go on; when settings, data or code are no longer theirs, the run starts again. DVC
runs the stage anew when the code is another one, and then means it.
"""

from __future__ import annotations

import argparse
import shutil
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from mgsa.base.cli import run
from mgsa.config import MODEL_KINDS, TrainConfig
from pipeline.base.stage import argument_parser, read_settings

if TYPE_CHECKING:
    from dvclive import Live

LIVE = "live"
"""The curves of a training that runs, beside its checkpoints."""


def main(argv: Sequence[str] | None = None) -> None:
    """Run the stage."""
    arguments = _parser().parse_args(argv)
    config = read_settings(arguments, "train", TrainConfig)
    of_model = argparse.Namespace(params=arguments.params, set=[])  # --set is for `train`
    model = read_settings(of_model, "model", MODEL_KINDS)

    from mgsa.base.io import atomic_folder, write_json
    from mgsa.training.identity import code_identity
    from mgsa.training.run import Run, train

    out: Path = arguments.out
    checkpoints = arguments.checkpoints or out.with_name(out.name + ".checkpoints")
    training = Run(
        arguments.dataset,
        model,
        config,
        out=out,
        checkpoints=checkpoints,
        code=code_identity(),
    )
    live = checkpoints / LIVE if arguments.plots is not None else None
    with curves_in(live) as draw:
        metrics = train(training, restart="if_changed", on_metrics=draw)
    if not metrics:  # of several processes, the first has them
        return
    if live is not None:
        with atomic_folder(arguments.plots) as folder:
            shutil.copytree(live, folder, dirs_exist_ok=True)
    write_json(arguments.report, metrics)


def _parser() -> argparse.ArgumentParser:
    parser = argument_parser("train", "Train a translation model on the dataset artifact.")
    parser.add_argument(
        "--dataset", type=Path, required=True, metavar="DIR", help="dataset artifact"
    )
    parser.add_argument(
        "--out", type=Path, required=True, metavar="DIR", help="where the model artifact goes"
    )
    parser.add_argument(
        "--checkpoints",
        type=Path,
        metavar="DIR",
        help="where checkpoints are kept, from which a killed run goes on "
        "(without it: DIR of --out with `.checkpoints` added)",
    )
    parser.add_argument(
        "--plots",
        type=Path,
        metavar="DIR",
        help="where the curves go that DVCLive draws (without it: nowhere); until the training is "
        f"over, they grow in the folder {LIVE} of the checkpoints",
    )
    parser.add_argument(
        "--report", type=Path, required=True, metavar="FILE", help="how the run went, as JSON"
    )
    return parser


@contextmanager
def curves_in(folder: Path | None) -> Iterator[Callable[[int, Mapping[str, float]], None]]:
    """Give what draws metrics of an update: a point on the DVCLive curve of each.

    DVCLive is started by the first point, so that it clears `folder` when there is something to
    draw, and in the one process that draws. A resumed run draws its earlier points again. Without
    a `folder` nothing is drawn.
    """
    live: list[Live] = []

    def draw(update: int, metrics: Mapping[str, float]) -> None:
        if folder is None:
            return
        if not live:
            from dvclive import Live

            live.append(Live(str(folder), save_dvc_exp=False, dvcyaml=None, report=None))
        live[0].step = update
        try:
            for name, value in metrics.items():
                live[0].log_metric(name, value)
        except OSError as error:  # DVCLive doesn't say of which file
            where = error.filename or str(folder)
            raise OSError(error.errno, error.strerror, where) from error

    yield draw
    for opened in live:
        opened.end()


if __name__ == "__main__":
    sys.exit(run(main))
