"""The processes of a run: devices, signals, a lost process, and random numbers.

Dropout's generator is seeded before every micro-batch by seed and position, so masks depend neither
on the number of processes nor on resuming, and no generator state is saved.
"""

import hashlib
import logging
import os
import signal
import socket
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType

import torch
from lightning_fabric import Fabric
from lightning_fabric.plugins.environments.lightning import LightningEnvironment
from lightning_fabric.strategies.ddp import DDPStrategy
from torch import Tensor

from mgsa.attention.attend import pass_cudnn_by
from mgsa.cli.errors import FailedError, InputError
from mgsa.cli.run import handling_signals
from mgsa.config import Precision
from mgsa.run_config import Accelerator

LOOPBACK = "127.0.0.1"


def make_fabric(
    accelerator: Accelerator, devices: int, nodes: int, *, precision: Precision
) -> Fabric:
    """Fabric for `devices` processes on each of `nodes` machines; under torchrun, for its own.

    An `InputError` is raised for too few GPUs or cores, or several machines without torchrun.
    """
    if torch.distributed.is_torchelastic_launched():
        devices = int(os.environ["LOCAL_WORLD_SIZE"])
        nodes = int(os.environ["WORLD_SIZE"]) // devices
    elif nodes > 1:
        raise InputError(f"nodes: {nodes} machines need torchrun to be started on each of them")
    gpus, cores = torch.cuda.device_count(), os.cpu_count() or 1
    on_gpus = accelerator == "gpu" or (accelerator == "auto" and gpus > 0)
    limit, what = (gpus, "GPUs") if on_gpus else (cores, "cores")
    if devices > limit and (on_gpus or not torch.distributed.is_torchelastic_launched()):
        raise InputError(f"devices: expected at most {limit} ({what} here), got {devices}")
    pass_cudnn_by()
    logging.getLogger("lightning_fabric").setLevel(logging.WARNING)
    # Fabric's launcher reports which process has ended, at level INFO.
    launcher = logging.getLogger("lightning_fabric.strategies.launchers.subprocess_script")
    launcher.setLevel(logging.INFO)
    externally = torch.distributed.is_torchelastic_launched()
    return Fabric(
        accelerator=accelerator,
        devices=devices,
        num_nodes=nodes,
        precision=precision,
        strategy="auto" if devices * nodes == 1 else "ddp" if externally else LoopbackStrategy(),
        # Or Fabric takes the variables of a SLURM job for those of srun.
        plugins=None if externally else LightningEnvironment(),
    )


class LoopbackStrategy(DDPStrategy):
    """DDP on one machine, whose processes are reached by its loopback interface alone.

    torch's store would listen on all interfaces, and takes what anybody sends.
    """

    def _setup_distributed(self) -> None:
        interface = next((name for _, name in socket.if_nameindex() if name in ("lo", "lo0")), None)
        if interface is not None:
            os.environ.update(GLOO_SOCKET_IFNAME=interface, NCCL_SOCKET_IFNAME=interface)
        self._set_world_ranks()
        assert self.cluster_environment is not None
        place = (LOOPBACK, self.cluster_environment.main_port)
        listens = self.global_rank == 0
        store = torch.distributed.TCPStore(  # type: ignore[attr-defined]
            *place,
            self.world_size,
            is_master=listens,
            master_listen_fd=socket.create_server(place).detach() if listens else None,
        )
        torch.distributed.init_process_group(
            self._get_process_group_backend(),
            store=store,
            rank=self.global_rank,
            world_size=self.world_size,
            device_id=None if self.root_device.type == "cpu" else self.root_device,
        )
        super()._setup_distributed()


def sum_over_processes(fabric: Fabric, own: Tensor) -> Tensor:
    """The sum of a tensor over processes."""
    total = fabric.all_reduce(own, reduce_op="sum")
    assert isinstance(total, Tensor)
    return total


def mean_over_processes(fabric: Fabric, own: float) -> float:
    """The mean of a number over processes, the same in each."""
    if fabric.world_size == 1:
        return own
    numbers = torch.tensor(own, dtype=torch.float64, device=fabric.device)
    return sum_over_processes(fabric, numbers).item() / fabric.world_size


def in_any_process(fabric: Fabric, flag: bool) -> bool:
    """Whether `flag` is set in any process."""
    return mean_over_processes(fabric, float(flag)) > 0


@contextmanager
def naming_lost_processes() -> Iterator[None]:
    """Turn the backend's error about a lost process into a `FailedError`."""
    try:
        yield
    except RuntimeError as error:
        # NCCL raises `DistError`; gloo's errors are plain and name its source files.
        if isinstance(error, torch.distributed.DistError) or "gloo" in str(error):
            raise FailedError(
                "another process of this run has ended, or can't be reached; the same command goes "
                "on from the last checkpoint"
            ) from error
        raise


@contextmanager
def remembering_signals() -> Iterator[list[signal.Signals]]:
    """Collects the SIGTERMs and SIGINTs that come; a second SIGINT interrupts at once."""
    received: list[signal.Signals] = []

    def remember(number: int, _frame: FrameType | None) -> None:
        if number == signal.SIGINT and number in received:
            raise KeyboardInterrupt
        received.append(signal.Signals(number))

    with handling_signals(remember, signal.SIGTERM, signal.SIGINT):
        yield received


def place_seed(seed: int, place: str) -> int:
    """A seed of 63 bits for a place in a run, such as `EPOCH/MICRO_BATCH`, by hashing."""
    digest = hashlib.blake2b(f"{seed}/{place}".encode(), digest_size=8).digest()
    return int.from_bytes(digest, "big") >> 1
