"""No permission, under every command: one line that names what it was not given, all as it was."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from mgsa.base.cli import DONE, FAILED
from tests.all_stages import (
    CHECKPOINTS,
    COMMANDS,
    GOES_ON,
    WRITING,
    contents,
    in_a_process,
    run_command,
)
from tests.file_permissions import mode

READ = {
    "corpus": "raw/train.en",
    "tokenize": "corpus/corpus.json",
    "parser": "params.yaml",
    "parse": "tokenized/train.trees",
    "bpe": "tokenized/train.source",
    "partition": "parsed/train.trees",
    "align": "tokenized/train.target",
    "alignment error": "alignments/valid.links",
    "dataset": "bpe/bpe.codes",
    "probe data": "dataset/manifest.json",
    "verify": "dataset/train.parquet",
    "info": "dataset/manifest.json",
    "reverse": "dataset/bpe.codes",
    "diff": "reversed/manifest.json",
    "train": "dataset/vocab.json",
    "mgsa train": "params.yaml",
    "average": "model/model.safetensors",
    "mgsa translate": "model/config.json",
    "translate": "dataset/test.parquet",
    "evaluate": "translations/test.hypotheses",
    "phrasal patterns": "parsed/test.trees",
    "analyze": "model/model.safetensors",
    "probe": "probing/manifest.json",
    "report": "parser/parser.json",
    "params": "conf/config.yaml",
}
"""A file that each command reads."""


def said(capsys: pytest.CaptureFixture[str]) -> str:
    """The last line on stderr."""
    *_, line = capsys.readouterr().err.splitlines()
    return line


@pytest.mark.parametrize("command", [name for name in WRITING if "--out" in COMMANDS[name]])
def test_a_read_only_folder_is_one_line_and_changes_nothing(
    folder: Path, command: str, capsys: pytest.CaptureFixture[str]
) -> None:
    before = contents(folder)
    with mode(folder, 0o555):
        assert run_command(command) == FAILED
    match = re.fullmatch(r"error: (\S+): Permission denied", said(capsys))
    assert match
    assert match[1] in COMMANDS[command].split()
    assert contents(folder) == before


@pytest.mark.parametrize("command", GOES_ON)
def test_a_run_whose_checkpoints_are_read_only_is_one_line(
    folder: Path, command: str, capsys: pytest.CaptureFixture[str]
) -> None:
    before = contents(folder)
    with mode(folder / CHECKPOINTS[command], 0o555):
        assert run_command(command, "--set", GOES_ON[command]) == FAILED
    assert said(capsys) == f"error: {CHECKPOINTS[command]}/curves.jsonl: Permission denied"
    assert contents(folder) == before


@pytest.mark.parametrize("command", READ)
def test_a_file_that_may_not_be_read_is_one_line(
    folder: Path, command: str, capsys: pytest.CaptureFixture[str]
) -> None:
    before = contents(folder)
    with mode(folder / READ[command], 0):
        assert run_command(command) == FAILED
    assert re.fullmatch(rf"error: (\S+/)?{READ[command]}: Permission denied", said(capsys))
    assert contents(folder) == before


@pytest.mark.usefixtures("folder")
@pytest.mark.parametrize("command", ["tokenize", "train"])
def test_a_read_only_home_is_no_obstacle(command: str, tmp_path: Path) -> None:
    """These import the libraries that like to keep something there."""
    home = tmp_path / "home"
    home.mkdir(mode=0o555)
    done = in_a_process(command, home=home)
    assert done.returncode == DONE, done.stderr
    assert "error: " not in done.stderr
    assert list(home.iterdir()) == []
