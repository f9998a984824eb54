"""Several processes, one of which is killed: all end, and the same command goes on exactly."""

from __future__ import annotations

import os
import signal
import subprocess
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from tests.copy_task import write_copy_task
from tests.running import PATIENCE, free_port
from tests.text_folders import contents
from tests.training_runs import finish, start, torchrun, wait_for_checkpoint

pytestmark = pytest.mark.slow

LOST = "error: another process of this run has ended, or can't be reached"

LAST: dict[str, Any] = {"max_updates": 40, "artifact": "last"}
SLOW_FROM = 8
"""The update from which on what is to be killed takes its time."""

# Or processes that are started again may read addresses of those that ended.
NEW_STORE = {"TORCH_DISABLE_SHARE_RDZV_TCP_STORE": "1"}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder with a dataset, larger than a round of four processes."""
    write_copy_task(tmp_path / "dataset", train=61, links=True)
    return tmp_path


def ranks(launchers: Sequence[subprocess.Popen[str]]) -> dict[int, int]:
    """The process of each rank that launchers started."""
    found = {}
    for launcher in launchers:
        children = Path(f"/proc/{launcher.pid}/task/{launcher.pid}/children").read_text().split()
        for child in children:
            variables = Path(f"/proc/{child}/environ").read_bytes().split(b"\0")
            named = dict(variable.partition(b"=")[::2] for variable in variables)
            if b"RANK" in named:
                found[int(named[b"RANK"])] = int(child)
    return found


def kill_a_rank(folder: Path, name: str, rank: int, *launchers: subprocess.Popen[str]) -> None:
    """Kill a rank once the first checkpoints are there."""
    wait_for_checkpoint(folder, name, SLOW_FROM, *launchers)
    os.kill(ranks(launchers)[rank], signal.SIGKILL)


@pytest.mark.parametrize(("count", "rank"), [(2, 0), (4, 3)])
def test_a_killed_rank_ends_all_and_the_same_command_goes_on(
    folder: Path, count: int, rank: int
) -> None:
    finish(folder, "undisturbed", torchrun(count), **LAST)
    launcher = start(folder, "killed", torchrun(count), slow_from=SLOW_FROM, **LAST)
    kill_a_rank(folder, "killed", rank, launcher)
    _, said = launcher.communicate(timeout=2 * PATIENCE)
    assert launcher.returncode == 1
    assert said.count(LOST) in range(1, count), said
    assert not [line for line in said.splitlines() if line.startswith("[rank")], said
    assert "Signal 9 (SIGKILL) received by PID" in said  # which one it was, says torchrun
    assert not (folder / "killed").exists()

    said = finish(folder, "killed", torchrun(count), **LAST)
    assert "resume from" in said
    assert contents(folder / "killed") == contents(folder / "undisturbed")


def test_a_killed_process_of_fabric_ends_all(folder: Path) -> None:
    finish(folder, "undisturbed", devices=2, **LAST)
    first = start(folder, "killed", devices=2, slow_from=SLOW_FROM, **LAST)
    wait_for_checkpoint(folder, "killed", SLOW_FROM, first)
    (second,) = Path(f"/proc/{first.pid}/task/{first.pid}/children").read_text().split()
    os.kill(int(second), signal.SIGKILL)
    _, said = first.communicate(timeout=2 * PATIENCE)
    assert first.returncode in (1, -signal.SIGKILL)  # Fabric, if it is first, kills what is left
    assert LOST in said or "terminated with code -9" in said
    said = finish(folder, "killed", devices=2, **LAST)
    assert "resume from" in said
    assert contents(folder / "killed") == contents(folder / "undisturbed")


def test_two_machines_restart_what_was_killed_on_one(folder: Path) -> None:
    """As README has it: a torchrun on each, whose processes find each other at an address."""
    finish(folder, "undisturbed", torchrun(2), **LAST)
    place = f"127.0.0.1:{free_port()}"
    options = ["--nnodes", "2", "--rdzv-backend", "c10d", "--rdzv-endpoint", place]
    machine = ["-m", "torch.distributed.run", *options, "--max-restarts", "2"]
    first, second = (
        start(folder, "restarted", machine, slow_from=SLOW_FROM, variables=NEW_STORE, **LAST)
        for _ in range(2)
    )
    kill_a_rank(folder, "restarted", 1, first, second)
    said = [launcher.communicate(timeout=2 * PATIENCE)[1] for launcher in (first, second)]
    assert (first.returncode, second.returncode) == (0, 0), said
    assert "resume from" in "".join(said)
    assert contents(folder / "restarted") == contents(folder / "undisturbed")
