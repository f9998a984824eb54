"""No command removes or overwrites what it did not write: every command, each of its outputs.

The guard itself is tested in `tests/mgsa/base/test_guard.py`; here every command is seen to call it
with all that it reads and all that it writes, before any work.
"""

from __future__ import annotations

import fcntl
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from mgsa.base.cli import BAD_INPUT
from mgsa.base.io import partial_prefix
from tests.all_stages import COMMANDS, WRITING, contents, run_command

OUTPUTS = ("--out", "--report", "--plots", "--weights", "--memory", "--checkpoints")
NO_PATHS = ("--split", "--last", "--baseline", "--accelerator", "--phrases")
NO_PARAMETERS = ("reverse", "alignment error")
READ_TOO = {"average": ["--checkpoints"]}
"""What of `OUTPUTS` a command reads."""


def paths_of(command: str) -> tuple[dict[str, str], list[str]]:
    """The outputs of a command by their options, and what it reads."""
    written, read = {}, []
    option = ""
    for word in COMMANDS[command].split()[1:]:
        if word.startswith("--"):
            option = word
        elif option in OUTPUTS and option not in READ_TOO.get(command, []):
            written[option] = word
        elif option and option not in NO_PATHS:
            read.append(word.rpartition("=")[2])
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
            assert said == (
                "error: theirs: expected a folder of this command's files alone, found thesis.tex\n"
            )
        elif option == "--report":
            said = refused(command, option, "theirs/thesis.tex", capsys=capsys)
            assert "expected no file, or JSON to replace" in said


@contextmanager
def another_run_on(path: Path) -> Iterator[None]:
    """Another process writes an output."""
    lock = path.with_name(f"{partial_prefix(path)}lock")
    with lock.open("w") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield
    lock.unlink()


@pytest.mark.usefixtures("folder")
@pytest.mark.parametrize("command", WRITING)
def test_a_second_run_on_an_output_is_refused(
    command: str, capsys: pytest.CaptureFixture[str]
) -> None:
    """Finding 9."""
    for option, path in paths_of(command)[0].items():
        if option == "--memory":
            continue  # several runs share it
        with another_run_on(Path(path).resolve()):
            assert "another run is writing it" in refused(command, capsys=capsys)


def touch(*names: str) -> Callable[[], None]:
    """Files that are there before."""

    def make() -> None:
        for name in names:
            Path(name).parent.mkdir(parents=True, exist_ok=True)
            Path(name).touch()

    return make


INPUT, OTHER = "apart from the input", "apart from the other output"
INSIDE = "which another command wrote"
NOT_OURS = "expected a folder of this command's files alone"
FINDINGS = [
    ("1", "train", "--plots raw", touch(), NOT_OURS),
    ("1", "train", "--plots dataset", touch(), INPUT),
    ("2", "corpus", "--report raw/train.en", touch(), INPUT),
    ("2", "tokenize", "--report params.yaml", touch(), INPUT),
    ("2", "train", "--report dataset/manifest.json", touch(), INPUT),
    ("2", "mgsa translate", "--out dataset/manifest.json", touch(), INPUT),
    ("2", "mgsa translate", "--out model/model.safetensors", touch(), INPUT),
    ("2", "mgsa translate", "--prefix test.txt", touch(), INPUT),
    ("2", "params", "--report conf/config.yaml", touch(), INPUT),
    ("2", "parse", "--report memory.sqlite", touch(), OTHER),
    ("3", "train", "--out dataset/model", touch(), INPUT),
    ("3", "train", "--checkpoints dataset", touch(), INPUT),
    ("3", "translate", "--out model/translations", touch(), INPUT),
    ("3", "reverse", "--out dataset/rev", touch(), INPUT),
    ("4", "partition", "--plots q --out q/phrases", touch(), OTHER),
    ("4", "partition", "--plots q --out q", touch(), OTHER),
    ("4", "partition", "--plots q --report q/r.json", touch(), OTHER),
    ("4", "translate", "--split valid", touch(), NOT_OURS),
    ("5", "bpe", "--out f", touch("f/bpe.codes", "f/checkpoint_best.pt"), NOT_OURS),
    ("5", "parse", "--out f", touch("f/train.trees", "f/notes.txt"), NOT_OURS),
    ("5", "corpus", "--out f", touch("f/corpus.json", "f/train.source.bak"), NOT_OURS),
    ("5", "tokenize", "--out f", touch("f/languages.json", "f/mine"), NOT_OURS),
    ("5", "translate", "--out f", touch("f/x.hypotheses"), NOT_OURS),
    ("6", "average", "--out model", touch(), INPUT),
    ("in", "tokenize", "--out dataset/z", touch(), INSIDE),
    ("in", "train", "--out words/x", touch(), INSIDE),
    ("in", "mgsa translate", "--out tokenized/train.source", touch(), INSIDE),
    ("in", "evaluate", "--report model/config.json", touch(), INSIDE),
    ("in", "evaluate", "--report corpus/corpus.json", touch(), INSIDE),
    ("in", "evaluate", "--report parser/parser.json", touch(), INSIDE),
]


@pytest.mark.usefixtures("folder")
@pytest.mark.parametrize(
    ("command", "more", "before", "message"),
    [pytest.param(*row[1:], id=f"{row[0]}: {row[1]} {row[2]}") for row in FINDINGS],
)
def test_what_destroyed_files_is_refused(
    command: str,
    more: str,
    before: Callable[[], None],
    message: str,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """Each of these ended with exit status 0 and a file less, or spoiled."""
    before()
    assert message in refused(command, *more.split(), capsys=capsys)


@pytest.mark.usefixtures("folder")
def test_a_link_to_a_folder_is_followed() -> None:
    """Finding 7."""
    Path("disk").mkdir(exist_ok=True)
    Path("linked").symlink_to("disk")
    assert run_command("bpe", "--out", "linked") == 0
    assert Path("linked").is_symlink()
    assert {path.name for path in Path("disk").iterdir()} == {p.name for p in Path("bpe").iterdir()}
