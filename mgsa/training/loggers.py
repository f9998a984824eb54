"""Curves to TensorBoard or Weights & Biases, through Lightning's loggers."""

import hashlib
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from importlib.util import find_spec
from typing import Any, Literal

from mgsa.cli.errors import FailedError, InputError
from mgsa.cli.settings import to_mapping
from mgsa.run_config import Logger
from mgsa.training.trainer import OnMetrics, Run

FOLDER = "logs"
"""Within the checkpoints: where TensorBoard's events lie, and what W&B keeps here."""


@contextmanager
def sending_curves(run: Run, identity: str, *, since: int) -> Iterator[OnMetrics]:
    """Yield the observer of a run that logs the lines of its curves after update `since`.

    `identity` is that of the run's settings, data and code. A `FailedError` is raised if the logger
    can't begin.
    """
    if run.logger == "none":
        yield lambda _: None
        return
    try:
        logger = _open(run, identity, since)
        logger.log_hyperparams({"model": to_mapping(run.model), "train": to_mapping(run.train)})
    except Exception as error:  # whatever a service raises that can't be reached
        raise FailedError(f"logger: {run.logger}: {error}") from error

    def log(line: Mapping[str, int | float]) -> None:
        metrics = dict(line)
        if (update := int(metrics.pop("update"))) > since:
            logger.log_metrics(metrics, step=update)

    status: Literal["success", "failed"] = "failed"
    try:
        yield log
        status = "success"
    finally:
        logger.finalize(status)


def check_installed(logger: Logger) -> None:
    """Raise an `InputError` if what a logger needs is not installed."""
    needed = {"none": [], "tensorboard": ["tensorboard"], "wandb": ["wandb", "pytorch_lightning"]}
    for package in needed[logger]:
        if find_spec(package) is None:
            message = f"expected {package} to be installed (pip install 'mgsa[{logger}]')"
            raise InputError(f"logger: {message}")


def _open(run: Run, identity: str, since: int) -> Any:
    folder, title = run.checkpoints / FOLDER, str(run.out)
    folder.mkdir(parents=True, exist_ok=True)
    if run.logger == "tensorboard":
        from lightning_fabric.loggers.tensorboard import TensorBoardLogger

        # What was logged after the checkpoint that a run goes on from is not shown.
        return TensorBoardLogger(
            folder, run.logger, version="", default_hp_metric=False, purge_step=since + 1
        )
    from pytorch_lightning.loggers import WandbLogger

    # A resumed run goes on there, too.
    key = hashlib.sha256(f"{identity} {run.out.resolve()}".encode()).hexdigest()[:16]
    return WandbLogger(title, folder, id=key, project="mgsa")
