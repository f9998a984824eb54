"""The processes of a run: devices, signals, a lost process, and random numbers.

Dropout is drawn from a generator that is seeded before every micro-batch from the run's seed and
the micro-batch's position. So masks depend neither on the process that computes the micro-batch nor
on where a run was resumed, and no generator state is saved.
"""

from __future__ import annotations

import hashlib
import inspect
import logging
import os
import signal
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from types import FrameType, TracebackType
from typing import Literal

import torch
from lightning_fabric import Fabric
from lightning_fabric.strategies.ddp import DDPStrategy
from torch.nn.parallel import DistributedDataParallel

from mgsa.base.errors import FailedError, InputError
from mgsa.base.settings import Accelerator

_LOST = (
    "another process of this run has ended, or can't be reached; the same command goes on from the "
    "last checkpoint"
)


@dataclass(frozen=True)
class Devices:
    """What a run computes on: `devices` processes on each of `nodes` machines."""

    accelerator: Accelerator
    devices: int
    nodes: int

    @property
    def total(self) -> int:
        """The processes of a run."""
        return self.devices * self.nodes

    def started(self) -> Devices:
        """Those that torchrun started, or else these.

        Raises:
            InputError: there are too few GPUs, or several machines without torchrun.
        """
        devices, nodes = self.devices, self.nodes
        if torch.distributed.is_torchelastic_launched():
            devices = int(os.environ["LOCAL_WORLD_SIZE"])
            nodes = int(os.environ["WORLD_SIZE"]) // devices
        elif nodes > 1:
            raise InputError(f"nodes: {nodes} machines need torchrun to be started on each of them")
        if self.accelerator == "gpu" and torch.cuda.device_count() < devices:
            count = torch.cuda.device_count()
            raise InputError(f"devices: expected at most {count} (GPUs here), got {devices}")
        return Devices(self.accelerator, devices, nodes)

    def fabric(self, precision: Literal["32-true", "bf16-mixed"]) -> Fabric:
        """What runs a loop in a process for each device."""
        logging.getLogger("lightning_fabric").setLevel(logging.WARNING)
        # Fabric kills the processes that it started when one of them has ended, and logs it.
        launcher = logging.getLogger("lightning_fabric.strategies.launchers.subprocess_script")
        launcher.setLevel(logging.INFO)
        launcher.addFilter(_say_lost)
        return Fabric(
            accelerator=self.accelerator,
            devices=self.devices,
            num_nodes=self.nodes,
            precision=precision,
            strategy=_ddp() if self.total > 1 else "auto",
        )


def _ddp() -> DDPStrategy:
    """DDP without exchange of buffers: no model here has one that training changes.

    The exchange is collective and in the forward pass, which is repeated after lack of memory.
    """
    names = inspect.signature(DistributedDataParallel).parameters
    new, old = "forward_sync_buffers", "broadcast_buffers"  # newer releases of torch, and older
    return DDPStrategy(**{new if new in names else old: False})  # type: ignore[arg-type]


def _say_lost(record: logging.LogRecord) -> bool:
    lost = "terminated with code" in record.getMessage()
    if lost:
        print(f"error: {_LOST}", file=sys.stderr, flush=True)
    return not lost


@contextmanager
def naming_lost_processes(world_size: int) -> Iterator[None]:
    """Turn the backend's error about a lost process into one line.

    Raises:
        FailedError: another process was killed, or can't be reached any more.
    """
    try:
        yield
    except RuntimeError as error:
        # NCCL has errors of its own; gloo's are plain ones that name its source.
        of_backend = isinstance(error, torch.distributed.DistError) or "gloo" in str(error)
        if world_size > 1 and of_backend:
            raise FailedError(_LOST) from error
        raise


class Interrupted(SystemExit):
    """A run saved a checkpoint and left on a signal: exit status 128 + its number."""

    def __init__(self, number: int) -> None:
        super().__init__(128 + number)


class Interruption:
    """While in use, remembers the first SIGTERM or SIGINT; a second SIGINT interrupts at once."""

    def __init__(self) -> None:
        self.signal: int | None = None
        self._previous: dict[int, signal._HANDLER] = {}

    def __enter__(self) -> Interruption:
        if threading.current_thread() is threading.main_thread():  # others may set no handler
            for number in (signal.SIGTERM, signal.SIGINT):
                self._previous[number] = signal.signal(number, self._handle)
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        for number, handler in self._previous.items():
            signal.signal(number, handler)

    def _handle(self, number: int, _frame: FrameType | None) -> None:
        if number == signal.SIGINT and self.signal == signal.SIGINT:
            raise KeyboardInterrupt
        self.signal = number


def seed_weights(seed: int) -> None:
    """Seed torch's generators before a model is built."""
    torch.manual_seed(place_seed(seed, "weights"))


def seed_micro_batch(seed: int, *, epoch: int, micro_batch: int) -> None:
    """Seed torch's generators (all devices) for a micro-batch, given by its index in the epoch."""
    torch.manual_seed(place_seed(seed, f"{epoch}/{micro_batch}"))


def place_seed(seed: int, place: str) -> int:
    """The seed of a place in a run, 63 bits; neighbouring places have unrelated ones."""
    digest = hashlib.blake2b(f"{seed}/{place}".encode(), digest_size=8).digest()
    return int.from_bytes(digest, "big") >> 1
