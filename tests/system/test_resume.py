"""A real run, killed: taken up again, it ends with the very weights of one that was not."""

from __future__ import annotations

import signal
from pathlib import Path
from typing import Any

import pytest

from tests.copy_task import write_copy_task
from tests.training_runs import finish, start, wait_for_checkpoint
from tests.training_settings import ALIGNMENT

SETTINGS: dict[str, Any] = {"max_updates": 60, "validate_every": 9, "artifact": "average"}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder with a dataset."""
    write_copy_task(tmp_path / "dataset", links=True)
    return tmp_path


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
    settings = SETTINGS | {"alignment": alignment}
    finish(folder, "undisturbed", **settings)
    for update in (8, 36):
        process = start(folder, "killed", slow_from=update, **settings)
        wait_for_checkpoint(folder, "killed", update, process)
        process.send_signal(signal.SIGKILL)
        process.communicate()
        assert process.returncode == -signal.SIGKILL
        assert not (folder / "killed").exists()
    said = finish(folder, "killed", **settings)
    assert "resume from" in said
    assert "start again" not in said
    assert files(folder / "killed") == files(folder / "undisturbed")


@pytest.mark.slow
@pytest.mark.parametrize(("number", "status"), [(signal.SIGTERM, 143), (signal.SIGINT, 130)])
def test_a_signal_saves_and_leaves(folder: Path, number: signal.Signals, status: int) -> None:
    finish(folder, "undisturbed", **SETTINGS)
    process = start(folder, "stopped", slow_from=4, **SETTINGS)
    wait_for_checkpoint(folder, "stopped", 4, process)
    process.send_signal(number)
    _, said = process.communicate()
    assert process.returncode == status, said
    (line,) = [line for line in said.splitlines() if number.name in line]
    update = int(line.split("saved at update ")[1].split(";")[0])
    assert (folder / "stopped.checkpoints" / f"step-{update:08d}").is_dir()
    said = finish(folder, "stopped", **SETTINGS)
    assert f"resume from {folder / 'stopped.checkpoints'}/step-{update:08d}" in said
    assert files(folder / "stopped") == files(folder / "undisturbed")


@pytest.mark.slow
def test_a_checkpoint_cut_short_is_one_line_and_the_one_before_it_still_serves(
    folder: Path,
) -> None:
    process = start(folder, "cut", slow_from=12, **SETTINGS)
    wait_for_checkpoint(folder, "cut", 12, process)
    process.send_signal(signal.SIGKILL)
    process.communicate()
    (*_, last) = sorted((folder / "cut.checkpoints").glob("step-*"))
    path = last / "optimizer.safetensors"
    path.write_bytes(path.read_bytes()[: path.stat().st_size // 2])
    process = start(folder, "cut", **SETTINGS)
    _, said = process.communicate()
    assert process.returncode == 2
    (line,) = said.splitlines()
    assert line.startswith(f"error: {path}: damaged checkpoint")
    for file in last.iterdir():
        file.unlink()
    last.rmdir()
    assert "resume from" in finish(folder, "cut", **SETTINGS)
