"""A disk that really has no room left under every command: one line, and all as it was.

`tests/system/test_full_disk.py` does the same with a limit of the size of files, which nobody needs
to be root for; here files that are far smaller share what is left, and SQLite finds none either.
"""

from __future__ import annotations

import math
import os
import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

from mgsa.base.cli import FAILED
from tests.all_stages import COMMANDS, GOES_ON, WRITING, outputs
from tests.finished_folder import finished, folder
from tests.imports import ROOT
from tests.own_mounts import with_own_mounts

__all__ = ["finished", "folder"]
pytestmark = pytest.mark.soak

PAGE = 4096
"""What a file of a disk in memory takes at least."""
GROWING = "curves.jsonl"
"""A log that grows in the folder of checkpoints: no output, unlike the checkpoints."""

# `$FULL` becomes a small disk with a copy of the folder and `$ROOM` bytes to spare.
SCRIPT = f"""
set -e
mount -t tmpfs -o size=64m none "$FULL"
cp -a . "$FULL"
cd "$FULL"
unlike() {{ find . -type f ! -name {GROWING} ! -name filler -exec sha256sum {{}} + | sort; }}
unlike > "$FULL.before"
dd if=/dev/zero of=filler bs={PAGE} 2> "$FULL.filled" || true
truncate -s -$ROOM filler
set +e
"$@"
status=$?
unlike > "$FULL.after"
exit $status
"""


@pytest.mark.parametrize("left", [0, 0.5])
@pytest.mark.parametrize("command", WRITING)
def test_a_full_disk_is_one_line_and_changes_nothing(
    folder: Path, tmp_path: Path, command: str, left: float
) -> None:
    taken = sum(math.ceil(file.stat().st_size / PAGE) for file in outputs(command))
    pages = int(left * (taken - 1))  # what is replaced may make room for another page
    disk = tmp_path / "disk"
    disk.mkdir()
    more = ["--set", GOES_ON[command]] if command in GOES_ON else []
    done = subprocess.run(
        [
            *with_own_mounts(SCRIPT),
            *[sys.executable, "-B", "-m", *shlex.split(COMMANDS[command]), *more],
        ],
        cwd=folder,
        env=os.environ
        | {"PYTHONPATH": str(ROOT), "FULL": str(disk), "ROOM": str(pages * PAGE)}
        | {"OMP_NUM_THREADS": "1"},
        text=True,
        capture_output=True,
        check=False,
    )
    before, after = (tmp_path / f"disk.{name}" for name in ("before", "after"))
    assert before.read_text() == after.read_text()
    assert done.returncode == FAILED, done.stderr
    assert re.fullmatch(r"error: \S+: No space left on device", done.stderr.splitlines()[-1])
    assert "Traceback" not in done.stderr
