"""Calling eflomal: a script in its place says what it was called with, and fails in every way.

Where the command itself is installed, it is run too.
"""

from __future__ import annotations

import re
import shutil
import sys
from pathlib import Path

import pytest

from mgsa.base.errors import FailedError, InputError
from pipeline.aligners.eflomal_command import COMMAND, run_eflomal
from pipeline.aligners.settings import EflomalSettings

SETTINGS = EflomalSettings(
    kind="eflomal",
    symmetrization="intersection",
    model=3,
    length=0.5,
    samplers=2,
    null_prior=0.1,
)
PAIRS = [("10\u00a0000 b", "A\u2028B B C"), ("c", "D")]
"""It would take U+00A0 and U+2028 for the end of a word."""
WRITES = """
import sys
from pathlib import Path
options = dict(zip(sys.argv[1::2], sys.argv[2::2]))
Path(sys.argv[0]).with_name("called").write_text(" ".join(sys.argv[1:]))
for side in ("source", "target"):
    Path(sys.argv[0]).with_name(side).write_bytes(Path(options["--" + side]).read_bytes())
Path(options["--forward-links"]).write_text({forward!r})
Path(options["--reverse-links"]).write_text({reverse!r})
"""


@pytest.fixture
def search_path(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The only folder in which commands are looked for, with no command in it."""
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setattr(sys, "executable", str(tmp_path / "python"))
    return tmp_path


def install(folder: Path, program: str) -> None:
    """Put a Python program in the command's place."""
    path = folder / COMMAND
    path.write_text(f"#!{Path(sys.base_prefix) / 'bin/python3'}\n{program}")
    path.chmod(0o755)


def test_both_directions_come_back_in_pairs(search_path: Path) -> None:
    install(search_path, WRITES.format(forward="0-0 1-2\n\n", reverse="0-0 1-1\n0-0\n"))
    assert list(run_eflomal(PAIRS, SETTINGS)) == [
        ({(0, 0), (1, 2)}, {(0, 0), (1, 1)}),
        (set(), {(0, 0)}),
    ]
    assert (search_path / "source").read_text() == "10_000 b\nc\n"
    assert (search_path / "target").read_text() == "A_B B C\nD\n"
    called = (search_path / "called").read_text()
    assert called.endswith(" --model 3 --length 0.5 --n-samplers 2 --null-prior 0.1")


def test_what_is_not_installed_is_said_with_how_to(search_path: Path) -> None:
    message = (
        "align.kind: eflomal: no command eflomal-align; pip install eflomal has it, "
        "align=hmm needs none"
    )
    assert not (search_path / COMMAND).exists()
    with pytest.raises(InputError, match=re.escape(message) + "$"):
        next(run_eflomal(PAIRS, SETTINGS))


@pytest.mark.parametrize(
    ("program", "message"),
    [
        ("print('no'); raise SystemExit('out of memory')", r"exit status 1: out of memory$"),
        ("raise SystemExit(3)", r"exit status 3: \(no message\)$"),
        ("", r"wrote no links of these pairs: .*/forward-links: no such file$"),
        (WRITES.format(forward="0-0\n", reverse="\n\n"), r"wrote .* ends after 1 line; expected"),
        (WRITES.format(forward="0_0\n\n", reverse="\n\n"), r"wrote .* expected links such as"),
    ],
)
def test_what_it_does_wrong_is_one_line(search_path: Path, program: str, message: str) -> None:
    install(search_path, program)
    with pytest.raises(FailedError, match=rf"{COMMAND}: {message}"):
        list(run_eflomal(PAIRS, SETTINGS))


@pytest.mark.skipif(shutil.which(COMMAND) is None, reason=f"no command {COMMAND}")
def test_the_command_itself_aligns_words() -> None:
    pairs = [("a b c", "A B C"), ("b a", "B A"), ("c", "C"), ("a", "A"), ("b", "B")] * 20
    found = list(run_eflomal(pairs, SETTINGS))
    assert len(found) == len(pairs)
    assert found[2] == ({(0, 0)}, {(0, 0)})
