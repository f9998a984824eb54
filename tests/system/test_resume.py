"""A run that is killed and stopped ends, once resumed, with the weights of one that was not."""

from __future__ import annotations

import signal
from pathlib import Path
from typing import Any

from tests.copy_task import write_copy_task
from tests.training_runs import finish, start, wait_for_checkpoint
from tests.training_settings import ALIGNMENT

SETTINGS: dict[str, Any] = {"max_updates": 40, "validate_every": 9, "artifact": "average"}
MODEL: dict[str, Any] = {"encoder_layers": 1, "alignment": ALIGNMENT}


def files(folder: Path) -> dict[str, bytes]:
    """Every file of a folder, by name."""
    return {path.name: path.read_bytes() for path in folder.iterdir()}


def test_killed_terminated_and_interrupted_it_writes_the_very_same_artifact(tmp_path: Path) -> None:
    write_copy_task(tmp_path / "dataset", links=True)
    finish(tmp_path, "undisturbed", model=MODEL, **SETTINGS)
    stops = ((signal.SIGKILL, 8, -9), (signal.SIGTERM, 16, 143), (signal.SIGINT, 24, 130))
    for number, update, status in stops:
        process = start(tmp_path, "stopped", model=MODEL, slow_from=update, **SETTINGS)
        wait_for_checkpoint(tmp_path, "stopped", update, process)
        process.send_signal(number)
        _, said = process.communicate()
        assert process.returncode == status, said
        assert not (tmp_path / "stopped").exists()
        if number != signal.SIGKILL:
            (line,) = [line for line in said.splitlines() if number.name in line]
            saved = int(line.split("saved at update ")[1].split(";")[0])
            assert (tmp_path / "stopped.checkpoints" / f"step-{saved:08d}").is_dir()
    said = finish(tmp_path, "stopped", model=MODEL, **SETTINGS)
    assert f"resume from {tmp_path / 'stopped.checkpoints'}/step-{saved:08d}" in said
    assert "start again" not in said
    assert files(tmp_path / "stopped") == files(tmp_path / "undisturbed")
