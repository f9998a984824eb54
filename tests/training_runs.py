"""`mgsa train` on a small dataset, in processes of its own: one, or several under torchrun."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

from tests.imports import ROOT
from tests.training_settings import write_settings

# Twenty-seven rows of unlike lengths: epochs end with an odd micro-batch, which one process lacks.
# Validation by BLEU too, so that translations are gathered.
SETTINGS: dict[str, Any] = {"batch_tokens": 30, "max_updates": 20, "best_by": "bleu"}


def torchrun(count: int, *options: str) -> list[str]:
    """What is put before `-m mgsa` so that it runs in so many processes."""
    start = ["-m", "torch.distributed.run", "--standalone", "--nproc-per-node", str(count)]
    return [*start, *options]


def start(
    folder: Path,
    name: str,
    launcher: list[str],
    *,
    alignment: dict[str, Any] | None = None,
    variables: dict[str, str] | None = None,
    **settings: object,
) -> subprocess.Popen[str]:
    """`mgsa train` into `folder / name`, in processes of its own."""
    config = write_settings(
        folder / f"{name}.yaml", model={"alignment": alignment}, train=SETTINGS | settings
    )
    command = [sys.executable, *launcher, "-m", "mgsa", "train", "--config", str(config)]
    command += ["--dataset", str(folder / "dataset"), "--out", str(folder / name)]
    return subprocess.Popen(
        command,
        cwd=ROOT,
        env=os.environ | {"OMP_NUM_THREADS": "1"} | (variables or {}),
        text=True,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )


def finish(folder: Path, name: str, launcher: list[str], **settings: Any) -> str:
    """Run to the end; what was said on stderr."""
    process = start(folder, name, launcher, **settings)
    _, said = process.communicate()
    assert process.returncode == 0, said
    return said
