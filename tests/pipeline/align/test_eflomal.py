"""Calling eflomal: a script in its place says what it was called with, and fails in every way."""

from __future__ import annotations

import shutil
import sys
from pathlib import Path

import pytest

from mgsa.cli.errors import FailedError, InputError
from pipeline.align.eflomal import COMMAND, run_eflomal
from pipeline.align.settings import EflomalSettings

SETTINGS = EflomalSettings(
    kind="eflomal", symmetrization="intersection", model=3, length=0.5, samplers=2, null_prior=0.1
)
PAIRS = [("10\u00a0000 b", "A\u2028B B C"), ("c", "D")]
"""It would take U+00A0 and U+2028 for the end of a word."""
WRITES = """
import sys
from pathlib import Path
options = dict(zip(sys.argv[1::2], sys.argv[2::2]))
texts = [Path(options["--" + side]).read_text() for side in ("source", "target")]
Path(sys.argv[0]).with_name("called").write_text("".join([*texts, *sys.argv[-8:]]))
Path(options["--forward-links"]).write_text({!r})
Path(options["--reverse-links"]).write_text({!r})
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
    with pytest.raises(InputError, match="no command eflomal-align; pip install eflomal has it"):
        next(run_eflomal(PAIRS, SETTINGS))
    install(search_path, WRITES.format("0-0 1-2\n\n", "0-0 1-1\n0-0\n"))
    found = list(run_eflomal(PAIRS, SETTINGS))
    assert found == [({(0, 0), (1, 2)}, {(0, 0), (1, 1)}), (set(), {(0, 0)})]
    assert (search_path / "called").read_text() == (
        "10_000 b\nc\nA_B B C\nD\n--model3--length0.5--n-samplers2--null-prior0.1"
    )


@pytest.mark.parametrize(
    ("program", "message"),
    [
        ("print('no'); raise SystemExit('out of memory')", r"exit status 1: out of memory$"),
        ("raise SystemExit(3)", r"exit status 3: \(no message\)$"),
        ("", r"wrote no links of these pairs: .*/forward-links: no such file$"),
        (WRITES.format("0-0\n", "\n\n"), r"wrote .* ends after 1 line; expected"),
        (WRITES.format("0_0\n\n", "\n\n"), r"wrote .* expected links such as"),
    ],
)
def test_what_it_does_wrong_is_one_line(search_path: Path, program: str, message: str) -> None:
    install(search_path, program)
    with pytest.raises(FailedError, match=rf"{COMMAND}: {message}"):
        list(run_eflomal(PAIRS, SETTINGS))


@pytest.mark.skipif(shutil.which(COMMAND) is None, reason=f"no command {COMMAND}")
def test_the_command_itself_aligns_words() -> None:
    pairs = [("a b c", "A B C"), ("b a", "B A"), ("c", "C"), ("a", "A"), ("b", "B")] * 20
    assert list(run_eflomal(pairs, SETTINGS))[2] == ({(0, 0)}, {(0, 0)})
