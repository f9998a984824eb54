"""The processes of a run: how many, what runs the loop in each, and what if one is lost."""

from __future__ import annotations

import inspect
import logging
import os
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

import torch
from lightning_fabric import Fabric
from lightning_fabric.strategies.ddp import DDPStrategy
from torch.nn.parallel import DistributedDataParallel

from mgsa.base.errors import FailedError, InputError
from mgsa.config import TrainConfig


def processes(config: TrainConfig) -> tuple[int, int]:
    """Devices of each node, and nodes: those that `torchrun` started, or else the settings'.

    Raises:
        InputError: there is no GPU, or there are too few, or nobody started the other nodes, or
            torchrun's restarts would hang.
    """
    devices, nodes = config.devices, config.nodes
    if torch.distributed.is_torchelastic_launched():
        _check_restarts(os.environ)
        devices = int(os.environ["LOCAL_WORLD_SIZE"])
        nodes = int(os.environ["WORLD_SIZE"]) // devices
    elif nodes > 1:
        raise InputError(f"train.nodes: {nodes} nodes need torchrun to be started on each of them")
    if config.accelerator == "gpu" and torch.cuda.device_count() < devices:
        raise InputError(
            f"train.devices: train.accelerator is gpu, of which there are "
            f"{torch.cuda.device_count()}; {devices} are needed"
        )
    return devices, nodes


def _check_restarts(variables: Mapping[str, str]) -> None:
    """Refuse restarts in which new processes meet in the store of those that ended.

    There they may read the addresses of those, and wait for half an hour for nobody
    (pytorch/pytorch#135712).

    Raises:
        InputError: torchrun would restart processes, and shares its store with them.
    """
    restarts = variables.get("TORCHELASTIC_MAX_RESTARTS", "0")
    if restarts != "0" and variables.get("TORCHELASTIC_USE_AGENT_STORE") == "True":
        raise InputError(
            f"--max-restarts {restarts}: set TORCH_DISABLE_SHARE_RDZV_TCP_STORE=1 for torchrun, "
            f"or processes that it starts again may wait for those that ended"
        )


def several_devices(config: TrainConfig, devices: int, nodes: int) -> Fabric:
    """What runs a loop on the devices of the settings, in a process for each."""
    # Where Fabric starts them, it looks every few seconds, and kills the others if one has ended.
    observer = logging.getLogger("lightning_fabric.strategies.launchers.subprocess_script")
    observer.setLevel(logging.INFO)
    observer.addFilter(_say_lost)
    return Fabric(
        accelerator=config.accelerator,
        devices=devices,
        num_nodes=nodes,
        precision=config.precision,
        strategy=_several_processes() if devices * nodes > 1 else "auto",
    )


def _several_processes() -> DDPStrategy:
    """DDP that doesn't exchange buffers: no model here has one that training changes.

    To exchange them is a meeting of processes in the forward pass, where one that leaves a batch
    out comes twice.
    """
    known = inspect.signature(DistributedDataParallel).parameters
    new, old = "forward_sync_buffers", "broadcast_buffers"  # newer releases of torch, and older
    options: dict[str, Any] = {new if new in known else old: False}
    return DDPStrategy(**options)


_LOST = (
    "another process of this run has ended, or can't be reached; the same command goes on from the "
    "last checkpoint"
)


@contextmanager
def naming_lost_processes(world_size: int) -> Iterator[None]:
    """What the backend says when another process of the run is gone, in one line.

    Raises:
        FailedError: another one was killed, or can't be reached any more.
    """
    try:
        yield
    except RuntimeError as error:
        # NCCL has errors of its own; gloo's are plain ones that name its source.
        if world_size > 1 and (
            isinstance(error, torch.distributed.DistError) or "gloo" in str(error)
        ):
            raise FailedError(_LOST) from error
        raise


def _say_lost(record: logging.LogRecord) -> bool:
    """Say in our words what Fabric says before it kills what is left."""
    lost = "terminated with code" in record.getMessage()
    if lost:
        print(f"error: {_LOST}", file=sys.stderr, flush=True)
    return not lost
