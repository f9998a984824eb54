"""A run that is killed ends, once resumed, with the weights of one that was not."""

from __future__ import annotations

import signal
from pathlib import Path
from typing import Any

from tests.copy_task import write_copy_task
from tests.text_folders import contents
from tests.training_runs import finish, start, wait_for_checkpoint
from tests.training_settings import ALIGNMENT

SETTINGS: dict[str, Any] = {"max_updates": 40, "validate_every": 9, "artifact": "average"}
MODEL: dict[str, Any] = {"encoder_layers": 1, "alignment": ALIGNMENT}


def test_killed_it_writes_the_very_same_artifact(tmp_path: Path) -> None:
    write_copy_task(tmp_path / "dataset", links=True)
    finish(tmp_path, "undisturbed", model=MODEL, **SETTINGS)
    process = start(tmp_path, "killed", model=MODEL, slow_from=8, **SETTINGS)
    wait_for_checkpoint(tmp_path, "killed", 8, process)
    process.kill()
    _, said = process.communicate()
    assert process.returncode == -signal.SIGKILL, said
    assert not (tmp_path / "killed").exists()
    said = finish(tmp_path, "killed", model=MODEL, **SETTINGS)
    assert f"resume from {tmp_path / 'killed.checkpoints'}/step-" in said
    assert "start again" not in said
    assert contents(tmp_path / "killed") == contents(tmp_path / "undisturbed")
