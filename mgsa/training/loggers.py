"""Curves to TensorBoard, Weights & Biases or MLflow, through Lightning's loggers."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any, Literal

from mgsa.base.errors import InputError
from mgsa.base.settings import Logger, to_mapping
from mgsa.training.trainer import OnMetrics, Run

FOLDER = "logs"
"""Within the checkpoints: where TensorBoard's events lie, and what the others keep here."""
PROJECT = "mgsa"


@contextmanager
def logging(run: Run, identity: str, *, since: int) -> Iterator[OnMetrics]:
    """Yield the observer of a run that logs the lines of its curves after update `since`.

    `identity` is that of the run's settings, data and code. An `InputError` is raised if the
    logger is not installed.
    """
    if run.logger == "none":
        yield lambda _: None
        return
    logger = _open(run.logger, run, identity)
    logger.log_hyperparams({"model": to_mapping(run.model), "train": to_mapping(run.train)})

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


def _open(name: Logger, run: Run, identity: str) -> Any:
    folder, title = run.checkpoints / FOLDER, str(run.out)
    folder.mkdir(parents=True, exist_ok=True)
    try:
        match name:
            case "tensorboard":
                from lightning_fabric.loggers.tensorboard import TensorBoardLogger

                return TensorBoardLogger(folder, name, version="", default_hp_metric=False)
            case "wandb":
                from pytorch_lightning.loggers import WandbLogger

                # A resumed run goes on there, too.
                key = hashlib.sha256(f"{identity} {run.out.resolve()}".encode()).hexdigest()[:16]
                return WandbLogger(title, folder, id=key, project=PROJECT)
            case _:
                from pytorch_lightning.loggers import MLFlowLogger

                here = f"sqlite:///{folder.resolve() / 'mlflow.db'}"
                return MLFlowLogger(PROJECT, title, os.environ.get("MLFLOW_TRACKING_URI", here))
    except ModuleNotFoundError as error:
        message = f"logger: expected {name} to be installed (pip install 'mgsa[{name}]')"
        raise InputError(f"{message}: {error}") from None
