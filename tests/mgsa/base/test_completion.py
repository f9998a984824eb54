"""What may follow `mgsa` on a command line, as bash asks for it."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

pytest.importorskip("argcomplete")


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("mgsa tra", {"train", "translate"}),
        ("mgsa train --de", {"--devices"}),
        ("mgsa translate --phrases ", {"parsed", "shuffled", "random"}),
    ],
)
def test_words_that_may_follow(tmp_path: Path, line: str, expected: set[str]) -> None:
    asked = {"_ARGCOMPLETE": "1", "COMP_LINE": line, "COMP_POINT": str(len(line)), "IFS": "\013"}
    asked |= {"COMP_TYPE": "9", "_ARGCOMPLETE_STDOUT_FILENAME": str(tmp_path / "words")}
    command = str(Path(sys.executable).with_name("mgsa"))
    subprocess.run([command], env=os.environ | asked, check=True)
    found = (tmp_path / "words").read_text("utf-8").split("\013")
    assert {word.strip() for word in found} == expected
