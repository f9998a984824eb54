"""The section `run`: processes and devices, on which no output depends."""

import re
from dataclasses import dataclass
from typing import Literal

from mgsa.cli.settings import Positive

Accelerator = Literal["cpu", "gpu", "auto"]
Logger = Literal["none", "tensorboard", "wandb"]


@dataclass(frozen=True)
class RunConfig:
    """Processes and devices, on which no stage's output depends; keys are in `conf/config.yaml`."""

    workers: Positive
    executor: Literal["processes", "ray"]
    ray_address: str | None
    parse_gpu: bool
    accelerator: Accelerator
    devices: Positive
    nodes: Positive
    logger: Logger

    def __post_init__(self) -> None:
        # ray://HOST:PORT is left out: Ray's client hangs at every other connection.
        known = re.fullmatch(r"auto|[^/\s]+:\d+", self.ray_address or "auto")
        if not known or (self.ray_address and self.executor != "ray"):
            expected = "null, or with executor: ray auto or HOST:PORT, on a machine of the cluster"
            raise ValueError(f"ray_address: expected {expected}, got {self.ray_address!r}")


DEFAULT_RUN_CONFIG = RunConfig(
    workers=1,
    executor="processes",
    ray_address=None,
    parse_gpu=False,
    accelerator="auto",
    devices=1,
    nodes=1,
    logger="none",
)
"""Where no parameter file is given."""
