"""What DVC knows of cells and does for them: which are out of date, and running those.

A cell is finished when every stage of it is of the present dataset and parameters. DVC alone tells
that: what a stage that failed, or was never asked for, has left behind looks like a result.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from mgsa.base.errors import FailedError

if TYPE_CHECKING:
    from dvc.exceptions import DvcException
    from dvc.stage import PipelineStage


def unfinished_stages(folder: Path, stages: Sequence[str]) -> frozenset[str]:
    """Which of some stages and of all that they depend on are out of date, failed or under way.

    Args:
        folder: where `dvc.yaml` lies.

    Raises:
        FailedError: DVC can't say: it has no project there, its files are broken, or it is locked.
    """
    from dvc.exceptions import DvcException
    from dvc.repo import Repo, lock_repo

    known: dict[str, bool] = {}
    try:
        with Repo(str(folder)) as repo, lock_repo(repo):
            for name in stages:
                target = f"{folder / 'dvc.yaml'}:{name}"
                for stage in repo.stage.collect(target, with_deps=True):
                    if stage.name not in known:
                        known[stage.name] = _is_unfinished(stage)
    except DvcException as error:
        raise FailedError(f"dvc: {_in_one_line(error)}") from None
    return frozenset(name for name, unfinished in known.items() if unfinished)


def _in_one_line(error: DvcException) -> str:
    """What DVC says, and what to do if it was killed while it wrote a file of its own in place."""
    said = str(error).splitlines()[0]
    for name, file in (("dvc.lock", "dvc.lock"), ("RWLock-file", ".dvc/tmp/rwlock")):
        if name in said:
            return f"{said} (if DVC was killed while it wrote that: rm {file})"
    return said


def _is_unfinished(stage: PipelineStage) -> bool:
    from dvc.lock import LockError

    try:
        return bool(stage.status())
    except LockError:  # another process runs it, or what it depends on
        return True


def run_stages(folder: Path, stages: Sequence[str]) -> bool:
    """Let DVC run what is unfinished of some stages, whatever becomes of the others.

    Returns:
        Whether DVC was content: no stage failed, nor DVC itself. It has said why not.

    Raises:
        FailedError: DVC can't be run, or was killed.
    """
    command = [sys.executable, "-m", "dvc", "repro", "--keep-going", *stages]
    dvc = None
    try:
        dvc = subprocess.Popen(command, cwd=folder, process_group=0)
        status = dvc.wait()
    except OSError as error:
        raise FailedError(f"dvc: {error.strerror}") from None
    except BaseException:
        if dvc is not None and dvc.returncode is None:
            # A training saves its state, and is gone on with by the same command.
            os.killpg(dvc.pid, signal.SIGTERM)
            dvc.wait()
        raise
    if status < 0:
        raise FailedError(f"dvc repro: ended by signal {-status}")
    return status == 0
