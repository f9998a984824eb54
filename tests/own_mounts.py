"""Commands that see mounts of their own: a small disk, folders that are hidden."""

from __future__ import annotations

import subprocess

import pytest


def with_own_mounts(script: str) -> list[str]:
    """A shell that runs `script`, whose mounts nobody else sees; what follows are its arguments.

    The test is skipped where nobody may mount anything.
    """
    command = ["unshare", "--mount", "--map-root-user", "sh", "-c"]
    trial = [*command, "mount -t tmpfs none /mnt"]
    if subprocess.run(trial, check=False, capture_output=True).returncode != 0:
        pytest.skip("this system lets nobody mount a folder (unshare --mount)")
    return [*command, script, "sh"]
