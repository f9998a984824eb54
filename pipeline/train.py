"""Train a translation model on the dataset artifact, with its curves as DVC plots.

What `mgsa train` does, and one rule more: the checkpoints lie outside the stage's outputs, so that
a killed run can go on; when settings or data are no longer theirs, the run starts again.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path

from mgsa.command import run
from mgsa.config import ModelConfig, TrainConfig
from pipeline.stage import argument_parser, read_settings


def main(argv: Sequence[str] | None = None) -> None:
    """Run the stage."""
    parser = argument_parser("train", "Train a translation model on the dataset artifact.")
    folders = {
        "dataset": "dataset artifact",
        "out": "where the model artifact goes",
        "checkpoints": "where checkpoints are kept; a killed run goes on from them",
        "plots": "where DVCLive draws the curves",
    }
    for name, meaning in folders.items():
        parser.add_argument(f"--{name}", type=Path, required=True, metavar="DIR", help=meaning)
    parser.add_argument(
        "--report", type=Path, required=True, metavar="FILE", help="how the run went, as JSON"
    )
    arguments = parser.parse_args(argv)
    config = read_settings(arguments, "train", TrainConfig)
    of_model = argparse.Namespace(params=arguments.params, set=[])  # --set is for `train`
    model = read_settings(of_model, "model", ModelConfig)

    from mgsa.files import write_json
    from mgsa.training.run import Run, train

    training = Run(
        arguments.dataset, model, config, out=arguments.out, checkpoints=arguments.checkpoints
    )
    with curves_in(arguments.plots) as draw:
        metrics = train(training, restart="if_changed", on_metrics=draw)
    if metrics:  # of several processes, the first has them
        write_json(arguments.report, metrics)


@contextmanager
def curves_in(folder: Path) -> Iterator[Callable[[int, Mapping[str, float]], None]]:
    """Give what draws metrics of an update: a point on the DVCLive curve of each.

    DVCLive is started by the first point, so that it clears `folder` when there is something to
    draw, and in the one process that draws. A resumed run draws its earlier points again.
    """
    from dvclive import Live

    live: list[Live] = []

    def draw(update: int, metrics: Mapping[str, float]) -> None:
        if not live:
            live.append(Live(str(folder), save_dvc_exp=False, dvcyaml=None, report=None))
        live[0].step = update
        for name, value in metrics.items():
            live[0].log_metric(name, value)

    yield draw
    for opened in live:
        opened.end()


if __name__ == "__main__":
    sys.exit(run(main))
