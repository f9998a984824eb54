"""Stage `train`: `mgsa train`, with the curves as DVC plots.

Checkpoints lie outside the stage's outputs, which DVC removes before each run, so a killed run can
be resumed.
"""

from __future__ import annotations

import shutil
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, nullcontext
from inspect import getfile
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from mgsa.cli.command import Input, OutputFolder, Report
from mgsa.cli.errors import InputError
from mgsa.cli.run import run, set_omp_wait_policy
from mgsa.config import ModelConfig, TrainConfig
from mgsa.run_config import RunConfig
from mgsa.training.commands import Checkpoints, DatasetFolder, ModelFolder
from pipeline.formats.tables import Record
from pipeline.stage.command import stage

if TYPE_CHECKING:
    from dvclive import Live

    from mgsa.training.trainer import OnMetrics


def train_model(
    train: TrainConfig,
    model: ModelConfig,
    run: RunConfig,
    *,
    dataset: DatasetFolder,
    out: ModelFolder,
    checkpoints: Checkpoints = Path("{out}.checkpoints"),
    plots: Annotated[
        Path | None,
        OutputFolder(
            "where DVCLive's curves go; until the end they grow in CHECKPOINTS/live",
            "curves",
        ),
    ] = None,
    with_parser: Annotated[
        Path | None,
        Input("the parser of the dataset, for the model to carry: it then needs no other"),
    ] = None,
    report: Annotated[Path | None, Report()] = None,
) -> None:
    """Train a translation model on a dataset artifact.

    A killed run resumes from its latest checkpoint, or starts again if settings, data or code have
    changed.
    """
    set_omp_wait_policy()
    from mgsa.cli.outputs import atomic_folder, write_report
    from mgsa.training.checkpoint import code_identity
    from mgsa.training.processes import make_fabric
    from mgsa.training.run import train_model
    from mgsa.training.trainer import Run
    from pipeline import subwords
    from pipeline.train import bpe_dropout

    parts = [Path(getfile(part)) for part in (subwords, bpe_dropout)] if train.bpe_dropout else []
    if with_parser is not None:
        check_parser(with_parser, dataset)
    live = checkpoints / "live"
    with curves_in(live) if plots is not None else nullcontext() as draw:
        metrics = train_model(
            Run(
                dataset,
                model,
                train,
                out=out,
                checkpoints=checkpoints,
                code=code_identity(*parts),
                parser=with_parser,
                logger=run.logger,
                resegment=bpe_dropout.BpeDropout(dataset, train) if train.bpe_dropout else None,
            ),
            make_fabric(run.accelerator, run.devices, run.nodes, precision=train.precision),
            restart="if_changed",
            on_metrics=draw,
        )
    if not metrics:  # not the first process
        return
    if plots is not None:
        with atomic_folder(plots) as folder:
            shutil.copytree(live, folder, dirs_exist_ok=True)
    if report is not None:
        write_report(report, metrics)


def check_parser(folder: Path, dataset: Path) -> None:
    """Check that raw text for models of a dataset is parsed with a parser's folder.

    An `InputError` is raised if not: it is another than made the trees or, for a corpus's own
    trees, which no parser made, has no models.
    """
    from mgsa.artifact.model import PARSER_FILE
    from mgsa.data.schema import PREPROCESSING

    made, found = Record.read(dataset / PREPROCESSING)["parser"], Record.read(folder / PARSER_FILE)
    if made["kind"] == "trees" and found["kind"] in ("trees", "none"):
        raise InputError(f"expected a parser with models, as {dataset} needs", path=folder)
    if made["kind"] != "trees" and found["identity"] != made["identity"]:
        which = f"the parser {made['identity'][:12]}"
        raise InputError(f"expected {which}, as {dataset} needs", path=folder)


@contextmanager
def curves_in(folder: Path) -> Iterator[OnMetrics]:
    """Yield an observer that logs metrics as DVCLive curves.

    DVCLive starts with the first point, since it clears `folder`. A resumed run logs earlier
    points again.
    """
    live: Live | None = None

    def draw(line: Mapping[str, int | float]) -> None:
        nonlocal live
        if live is None:
            from dvclive import Live

            live = Live(str(folder), save_dvc_exp=False, dvcyaml=None, report=None)
        live.step = int(line["update"])
        try:
            for name, value in line.items():
                if name != "update":
                    live.log_metric(name, value)
        except OSError as error:  # DVCLive doesn't say of which file
            raise OSError(error.errno, error.strerror, error.filename or str(folder)) from error

    yield draw
    if live is not None:
        live.end()


main = stage(train_model)

if __name__ == "__main__":
    sys.exit(run(main))
