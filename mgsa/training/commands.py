"""`mgsa train`."""

from pathlib import Path
from typing import Annotated

from mgsa.cli.command import Input, Option, OutputFolder
from mgsa.cli.run import set_omp_wait_policy
from mgsa.cli.settings import Positive
from mgsa.config import ModelConfig, TrainConfig
from mgsa.run_config import Accelerator, Logger

DatasetFolder = Annotated[Path, Input("dataset artifact")]
ModelFolder = Annotated[Path, OutputFolder("model artifact to write", "model")]
Checkpoints = Annotated[
    Path,
    OutputFolder("folder of checkpoints (default: OUT.checkpoints)", "checkpoints", growing=True),
]


def train(
    train: TrainConfig,
    model: ModelConfig,
    *,
    dataset: DatasetFolder,
    out: ModelFolder,
    checkpoints: Checkpoints = Path("{out}.checkpoints"),
    restart: Annotated[bool, Option("remove the checkpoints and start again")] = False,
    accelerator: Annotated[Accelerator, Option("device (default: auto)")] = "auto",
    devices: Annotated[Positive, Option("processes of each machine (default: 1)", "N")] = 1,
    nodes: Annotated[Positive, Option("machines, each with its torchrun (default: 1)", "N")] = 1,
    logger: Annotated[Logger, Option("where curves go, too (default: none)")] = "none",
) -> None:
    """Train a model on a dataset artifact.

    The same command resumes a stopped or killed run from its latest checkpoint, and ends with the
    same weights as an uninterrupted one. SIGTERM and SIGINT save a checkpoint and exit (status 143
    and 130). Under torchrun, --devices and --nodes are torchrun's.
    """
    set_omp_wait_policy()
    from mgsa.training.processes import make_fabric
    from mgsa.training.run import train_model
    from mgsa.training.trainer import Run

    metrics = train_model(
        Run(dataset, model, train, out=out, checkpoints=checkpoints, logger=logger),
        make_fabric(accelerator, devices, nodes, precision=train.precision),
        restart="always" if restart else "never",
    )
    for name, value in metrics.items():
        print(f"{name}\t{value:.6g}")
