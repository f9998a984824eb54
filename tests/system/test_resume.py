"""A real run, killed: taken up again, it ends with the very weights of one that was not."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from tests.copy_task import write_copy_task
from tests.imports import ROOT
from tests.training_settings import ALIGNMENT, write_settings

SETTINGS: dict[str, Any] = {"max_updates": 60, "validate_every": 9, "artifact": "average"}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder with a dataset and settings."""
    write_copy_task(tmp_path / "dataset", links=True)
    write_settings(tmp_path / "settings.yaml", model={}, train=SETTINGS)
    return tmp_path


def start(folder: Path, name: str) -> subprocess.Popen[str]:
    """`mgsa train` into `folder / name`, in a process of its own."""
    command = [sys.executable, "-m", "mgsa", "train", "--dataset", str(folder / "dataset")]
    command += ["--config", str(folder / "settings.yaml"), "--out", str(folder / name)]
    environment = os.environ | {"OMP_NUM_THREADS": "1"}
    return subprocess.Popen(
        command,
        cwd=ROOT,
        env=environment,
        text=True,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )


def finish(folder: Path, name: str) -> str:
    """Run to the end; give what it says on stderr."""
    process = start(folder, name)
    _, said = process.communicate()
    assert process.returncode == 0, said
    return said


def wait_for(path: Path, process: subprocess.Popen[str]) -> None:
    """Wait until `path` exists, while `process` runs."""
    while not path.exists():
        assert process.poll() is None, process.communicate()
        time.sleep(0.001)


def files(folder: Path) -> dict[str, bytes]:
    """Every file of a folder, by name."""
    return {path.name: path.read_bytes() for path in folder.iterdir()}


@pytest.mark.slow
@pytest.mark.parametrize(
    "alignment",
    [None, ALIGNMENT],
    ids=["MG-SA", "with an alignment head"],
)
def test_killed_twice_and_resumed_it_writes_the_very_same_artifact(
    folder: Path, alignment: dict[str, Any] | None
) -> None:
    write_settings(folder / "settings.yaml", model={"alignment": alignment}, train=SETTINGS)
    finish(folder, "undisturbed")
    for update in (8, 36):
        process = start(folder, "killed")
        wait_for(folder / "killed.checkpoints" / f"step-{update:08d}", process)
        process.send_signal(signal.SIGKILL)
        process.communicate()
        assert process.returncode == -signal.SIGKILL
        assert not (folder / "killed").exists()
    said = finish(folder, "killed")
    assert "resume from" in said
    assert "start again" not in said
    assert files(folder / "killed") == files(folder / "undisturbed")


@pytest.mark.slow
@pytest.mark.parametrize(("number", "status"), [(signal.SIGTERM, 143), (signal.SIGINT, 130)])
def test_a_signal_saves_and_leaves(folder: Path, number: signal.Signals, status: int) -> None:
    finish(folder, "undisturbed")
    process = start(folder, "stopped")
    wait_for(folder / "stopped.checkpoints" / "step-00000004", process)
    process.send_signal(number)
    _, said = process.communicate()
    assert process.returncode == status, said
    (line,) = [line for line in said.splitlines() if number.name in line]
    update = int(line.split("saved at update ")[1].split(";")[0])
    assert (folder / "stopped.checkpoints" / f"step-{update:08d}").is_dir()
    assert f"resume from {folder / 'stopped.checkpoints'}/step-{update:08d}" in finish(
        folder, "stopped"
    )
    assert files(folder / "stopped") == files(folder / "undisturbed")


@pytest.mark.slow
def test_a_checkpoint_cut_short_is_one_line_and_the_one_before_it_still_serves(
    folder: Path,
) -> None:
    process = start(folder, "cut")
    wait_for(folder / "cut.checkpoints" / "step-00000012", process)
    process.send_signal(signal.SIGKILL)
    process.communicate()
    (*_, last) = sorted((folder / "cut.checkpoints").glob("step-*"))
    path = last / "optimizer.safetensors"
    path.write_bytes(path.read_bytes()[: path.stat().st_size // 2])
    process = start(folder, "cut")
    _, said = process.communicate()
    assert process.returncode == 2
    (line,) = said.splitlines()
    assert line.startswith(f"error: {path}: damaged checkpoint")
    for file in last.iterdir():
        file.unlink()
    last.rmdir()
    assert "resume from" in finish(folder, "cut")
