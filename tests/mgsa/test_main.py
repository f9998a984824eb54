"""The command `mgsa`: its words, its errors, its exit statuses."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
import torch

from mgsa.__main__ import COMMANDS, main
from mgsa.artifact.weights import load_tensors
from mgsa.cli.files import read_json
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


def test_a_wrong_setting_is_one_line(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert train(folder, "--set", "model.heads=3") == 2
    (line,) = capsys.readouterr().err.splitlines()
    assert line.endswith("settings.yaml: model: heads: expected a divisor of dim (16), got 3")
    assert not (folder / "out.checkpoints").exists()


def test_a_run_that_cannot_go_on_is_one_line_and_status_1(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    settings = ("--set", "train.learning_rate=1.0e+38", "--set", "train.clip_norm=0")
    assert train(folder, *settings) == 1
    (line,) = capsys.readouterr().err.splitlines()
    assert line.startswith("error: epoch 1, micro-batch 1: the loss is")
    assert not (folder / "out").exists()


def test_a_finished_run_gives_the_average_too(folder: Path) -> None:
    """Without the best one, which is kept beside the newest; nothing is trained."""
    best_first = ("--set", "train.validate_every=1", "--set", "train.best_by=bleu")
    assert train(folder, *best_first, "--set", "train.artifact=best") == 0
    kept = [path.stat().st_mtime_ns for path in sorted((folder / "out.checkpoints").iterdir())]
    assert train(folder, *best_first, "--set", "train.artifact=average") == 0
    found = [path.stat().st_mtime_ns for path in sorted((folder / "out.checkpoints").iterdir())]
    assert found == kept
    weights = load_tensors(folder / "out/model.safetensors")
    updates = read_json(folder / "out/config.json")["updates"]
    assert len(updates) == 2
    assert 1 not in updates
    saved = [
        load_tensors(folder / f"out.checkpoints/step-{update:08}/weights.safetensors")
        for update in updates
    ]
    for name, tensor in weights.items():
        expected = torch.stack([each[name].double() for each in saved]).mean(0)
        assert tensor.equal(expected.to(tensor.dtype))
