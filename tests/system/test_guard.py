"""No command removes or overwrites what it did not write: every command, each of its outputs.

The guard itself is tested in `tests/mgsa/cli/test_guard.py`; here every command is seen to call it
with all that it reads and all that it writes, before any work.
"""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from mgsa.cli.run import BAD_INPUT
from pipeline.report.inputs import FOLDERS
from tests.all_stages import AGAIN, COMMANDS, TEXT, WRITING, contents, run_command

OUTPUTS = ("--out", "--report", "--plots", "--weights", "--memory", "--checkpoints")
NO_PARAMETERS = ("reverse", "alignment error")


def paths_of(command: str) -> tuple[dict[str, str], list[str]]:
    """The outputs of a command by their options, and what it reads."""
    written: dict[str, str] = {}
    read: list[str] = []
    option = ""
    for word in COMMANDS[command].split()[1:]:
        path = re.sub("^data/", "", word.rpartition("=")[2])
        if word.startswith("--"):
            option = word
        elif option in OUTPUTS:
            written[option] = f"{path}{AGAIN}" if path in TEXT else path
        elif option == "--data":
            read += FOLDERS.values()
        elif path != word:
            read.append(path)
    if command == "params":
        written["--params"] = "params.yaml"
    elif command not in NO_PARAMETERS and COMMANDS[command].startswith("pipeline"):
        read.append("params.yaml")
    return written, read


def refused(command: str, *more: str, capsys: pytest.CaptureFixture[str]) -> str:
    """The line with which a command refuses, which leaves all files as they were."""
    folder = Path()
    before = contents(folder)
    capsys.readouterr()
    assert run_command(command, *more) == BAD_INPUT, (command, more)
    assert contents(folder) == before
    said = capsys.readouterr()
    assert said.out == ""
    return said.err


@pytest.mark.usefixtures("folder")
@pytest.mark.parametrize("command", WRITING)
def test_no_output_is_an_input_or_another_output(
    command: str, capsys: pytest.CaptureFixture[str]
) -> None:
    written, read = paths_of(command)
    assert written
    for option in written:
        for path in read:
            if Path(path).exists() and path != ".":
                said = refused(command, option, path, capsys=capsys)
                assert "expected an output apart from the input" in said, (option, path)
        for other, path in written.items():
            if other != option:
                said = refused(command, option, path, capsys=capsys)
                assert "expected an output apart from the other output" in said, (option, path)


@pytest.mark.usefixtures("folder")
@pytest.mark.parametrize("command", WRITING)
def test_no_file_of_somebody_elses_is_replaced(
    command: str, capsys: pytest.CaptureFixture[str]
) -> None:
    Path("theirs").mkdir(exist_ok=True)
    Path("theirs/thesis.tex").write_text("years of work")
    for option, path in paths_of(command)[0].items():
        if Path(path).is_dir():
            said = refused(command, option, "theirs", capsys=capsys)
            assert NOT_OURS in said
        elif option != "--memory":  # without a parser it isn't opened
            said = refused(command, option, "theirs/thesis.tex", capsys=capsys)
            assert "expected " in said


INPUT = "apart from the input"
INSIDE = "which another command wrote"
NOT_OURS = " to replace, found"
FINDINGS = [
    ("1", "train", "--plots raw", NOT_OURS),
    ("1", "train", "--plots dataset", INPUT),
    ("2", "corpus", "--report raw/train.en", INPUT),
    ("2", "mgsa translate", "--prefix test.txt.again", INPUT),
    ("3", "train", "--checkpoints dataset", INPUT),
    ("4", "translate", "--split valid", NOT_OURS),
    ("in", "tokenize", "--out dataset/z", INSIDE),
    ("in", "train", "--out words/x", INSIDE),
    ("in", "mgsa translate", "--out tokenized/train.source", INSIDE),
    ("in", "evaluate", "--report model/config.json", INSIDE),
    (
        "in",
        "evaluate",
        "--report corpus/corpus.json",
        "expected an output apart from the input corpus",
    ),
    ("in", "evaluate", "--report parser/parser.json", INSIDE),
]


@pytest.mark.usefixtures("folder")
@pytest.mark.parametrize(
    ("command", "more", "message"),
    [pytest.param(*row[1:], id=f"{row[0]}: {row[1]} {row[2]}") for row in FINDINGS],
)
def test_what_destroyed_files_is_refused(
    command: str, more: str, message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    """Each of these ended with exit status 0 and a file less, or spoiled."""
    assert message in refused(command, *more.split(), capsys=capsys)
