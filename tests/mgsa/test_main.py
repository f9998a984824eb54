"""The command `mgsa`: its words, its errors, its exit statuses."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from mgsa.__main__ import COMMANDS, main
from mgsa.cli.run import run
from tests.copy_task import write_copy_task
from tests.training_settings import write_settings


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder with a dataset and settings."""
    write_copy_task(tmp_path / "dataset")
    write_settings(tmp_path / "settings.yaml", model={}, train={})
    return tmp_path


def train(folder: Path, *more: str) -> int:
    """The status of `mgsa train`."""
    names = {"dataset": "dataset", "config": "settings.yaml", "out": "out"}
    words = [word for name, file in names.items() for word in (f"--{name}", str(folder / file))]
    return run(main, ["train", *words, *more])


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_explains_itself(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit, match="0"):
        main([name, "--help"])
    assert f"usage: mgsa {name}" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("words", "said"),
    [([], "(?m)^  translate +translate a split"), (["--version"], r"mgsa \d+\.\d+")],
)
def test_alone_it_prints_its_help_or_version(
    words: list[str], said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    main(words)
    assert re.search(said, capsys.readouterr().out)


def test_trains_and_says_how_it_went(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert train(folder, "--set", "train.max_updates=6") == 0
    said = capsys.readouterr()
    assert re.search(r"^updates\t6$", said.out, re.MULTILINE)
    assert [line.split(":")[0] for line in said.err.splitlines()] == ["update 5", "update 6"]
    assert (folder / "out" / "model.safetensors").is_file()
    assert (folder / "out.checkpoints" / "step-00000006").is_dir()
