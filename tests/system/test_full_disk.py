"""A full disk under every command: one line that names what there was no room for, all as it was.

A limit of the size of files (`RLIMIT_FSIZE`) stands in for the disk: the system refuses to write,
in the middle of a file, and nobody needs to be root.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import pytest

from mgsa.cli.run import DONE, FAILED
from tests.all_stages import AGAIN, GOES_ON, WRITING, contents, in_a_process, outputs, run_command
from tests.full_disk import room_for

NEARLY_FULL: dict[str, Callable[[list[int]], int]] = {
    "at once": lambda _: 10,
    "half way": lambda sizes: max(sizes) // 2,
}


@pytest.mark.parametrize("limit", NEARLY_FULL)
@pytest.mark.parametrize("command", WRITING)
def test_a_full_disk_is_one_line_and_changes_nothing(
    folder: Path, command: str, limit: str, capsys: pytest.CaptureFixture[str]
) -> None:
    written = outputs(command)
    num_bytes = NEARLY_FULL[limit]([file.stat().st_size for file in written])
    more = ["--set", GOES_ON[command]] if command in GOES_ON else []
    before = lasting(folder)
    with room_for(num_bytes):
        assert run_command(command, *more) == FAILED
    *_, said = capsys.readouterr().err.splitlines()
    match = re.fullmatch(r"error: (\S+): .*File too large", said)
    assert match, said
    assert is_output(Path(match[1].removesuffix(AGAIN)), command, written), said
    assert lasting(folder) == before


def lasting(folder: Path) -> dict[str, bytes | None]:
    """All but the curves of a training that is under way."""
    files = contents(folder)
    return {name: files[name] for name in files if not name.startswith("checkpoints/live")}


def is_output(named: Path, command: str, written: list[Path]) -> bool:
    """Whether a command writes what an error named: a file, or the folder of one."""
    if command in GOES_ON:
        return "checkpoints" in named.parts[0]
    return any(named == file or named in file.parents for file in written)


@pytest.mark.usefixtures("folder")
@pytest.mark.parametrize("command", ["bpe", "train"])
def test_a_process_of_its_own_says_no_more_of_a_full_disk(command: str) -> None:
    """It takes the same line, and nothing that the interpreter or a library adds at the end."""
    largest = max(file.stat().st_size for file in outputs(command))
    more = ["--set", GOES_ON[command]] if command in GOES_ON else []
    done = in_a_process(command, *more, largest=largest // 2)
    assert done.returncode == FAILED
    errors = [line for line in done.stderr.splitlines() if line.startswith("error: ")]
    assert done.stderr.splitlines()[-1:] == errors
    assert "Traceback" not in done.stderr
    assert "Warning" not in done.stderr


@pytest.mark.usefixtures("folder")
@pytest.mark.parametrize("command", ["tokenize", "train"])
def test_a_home_that_nobody_can_write_to_is_no_obstacle(command: str) -> None:
    """These import the libraries that like to keep something there."""
    done = in_a_process(command)
    assert (done.returncode, "error: " in done.stderr) == (DONE, False), done.stderr
