"""`mgsa train` on a small dataset, in processes of its own: one, or several under torchrun."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from mgsa.training.checkpoint import saved_updates
from tests.imports import ROOT
from tests.running import wait_until
from tests.training_settings import write_settings

# Few rows a batch: epochs end with an odd micro-batch, which one of two processes lacks.
# Validation by BLEU too, so that translations are gathered.
SETTINGS: dict[str, Any] = {"batch_tokens": 30, "max_updates": 20, "best_by": "bleu"}


def torchrun(count: int, *options: str) -> list[str]:
    """What is put before `-m mgsa` so that it runs in so many processes."""
    start = ["-m", "torch.distributed.run", "--standalone", "--nproc-per-node", str(count)]
    return [*start, *options]


def start(
    folder: Path,
    name: str,
    launcher: Sequence[str] = (),
    *,
    model: dict[str, Any] | None = None,
    slow_from: int | None = None,
    devices: int = 1,
    variables: dict[str, str] | None = None,
    **settings: object,
) -> subprocess.Popen[str]:
    """`mgsa train` into `folder / name`, in processes of its own.

    Args:
        model: settings that differ from the usual ones.
        slow_from: the update from which on there is time to kill it after a checkpoint.
        devices: processes that Fabric starts.
        variables: for its environment.
        settings: of the training, but for `SETTINGS`.
    """
    config = write_settings(folder / f"{name}.yaml", model=model or {}, train=SETTINGS | settings)
    mgsa = ["mgsa"] if slow_from is None else ["tests.slow_training", str(slow_from)]
    command = [sys.executable, *launcher, "-m", *mgsa, "train", "--config", str(config)]
    command += ["--dataset", str(folder / "dataset"), "--out", str(folder / name)]
    command += ["--accelerator", "cpu", "--devices", str(devices)]
    return subprocess.Popen(
        command,
        cwd=ROOT,
        env=os.environ | {"OMP_NUM_THREADS": "1"} | (variables or {}),
        text=True,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )


def finish(folder: Path, name: str, launcher: Sequence[str] = (), **settings: Any) -> str:
    """Run to the end; what was said on stderr."""
    process = start(folder, name, launcher, **settings)
    _, said = process.communicate()
    assert process.returncode == 0, said
    return said


def wait_for_checkpoint(
    folder: Path, name: str, update: int, *processes: subprocess.Popen[str]
) -> None:
    """Return when there is a checkpoint of this update, or a later one; no process may end."""
    checkpoints = folder / f"{name}.checkpoints"
    wait_until(
        lambda: max(saved_updates(checkpoints), default=0) >= update, "no checkpoint", *processes
    )
