"""What a killed process left is removed by the next one; what a living one works on never is."""

from __future__ import annotations

import signal
import subprocess
import sys
from collections.abc import Callable
from contextlib import AbstractContextManager
from pathlib import Path

import pytest

from mgsa.temporary import PREFIX, temporary_file, temporary_folder

Make = Callable[[Path], AbstractContextManager[Path]]

HOLD = """
import sys
from pathlib import Path
from mgsa.temporary import temporary_file, temporary_folder
with {make}(Path(sys.argv[1])) as temporary:
    print(temporary, flush=True)
    sys.stdin.read()
"""


def hold(make: Make, path: Path) -> tuple[subprocess.Popen[str], Path]:
    """A process that holds a temporary name beside `path` until its input ends; and the name."""
    process = subprocess.Popen(
        [sys.executable, "-c", HOLD.format(make=make.__name__), str(path)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    assert process.stdout is not None
    return process, Path(process.stdout.readline().removesuffix("\n"))


@pytest.mark.parametrize("make", [temporary_file, temporary_folder])
def test_what_a_killed_process_left_is_removed(make: Make, tmp_path: Path) -> None:
    living, used = hold(make, tmp_path / "out[1]")
    killed, left = hold(make, tmp_path / "out[1]")
    other, elsewhere = hold(make, tmp_path / "other")
    killed.send_signal(signal.SIGKILL)
    other.send_signal(signal.SIGKILL)
    killed.communicate()
    other.communicate()
    assert left.exists()
    with make(tmp_path / "out[1]") as mine:
        assert mine.name.startswith(f"{PREFIX}out[1]-")
        assert set(tmp_path.iterdir()) == {mine, used, elsewhere}
    living.communicate()
    assert living.returncode == 0


def test_a_folder_with_files_is_removed_as_a_whole(tmp_path: Path) -> None:
    killed, left = hold(temporary_folder, tmp_path / "out")
    (left / "inner").mkdir()
    (left / "inner" / "file").touch()
    killed.kill()
    killed.communicate()
    with temporary_folder(tmp_path / "out") as mine:
        assert list(tmp_path.iterdir()) == [mine]


def test_the_longest_name_has_a_temporary_one(tmp_path: Path) -> None:
    with temporary_file(tmp_path / ("ö" * 120)) as temporary:
        assert temporary.exists()
