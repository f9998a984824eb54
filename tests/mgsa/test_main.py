"""The command `mgsa`: its words, its errors, its exit statuses."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
import yaml

from mgsa.__main__ import COMMANDS, main
from mgsa.base.cli import run
from mgsa.base.settings import read_yaml
from tests.copy_task import write_copy_task
from tests.full_disk import room_for
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


@pytest.mark.parametrize("override", ["max_updates=2", "translate.beam=2"])
def test_train_takes_no_key_that_it_does_not_read(
    folder: Path, override: str, capsys: pytest.CaptureFixture[str]
) -> None:
    content = read_yaml(folder / "settings.yaml")
    (folder / "settings.yaml").write_text(yaml.safe_dump({**content, "translate": {}}), "utf-8")
    assert train(folder, "--set", override) == 2
    said = capsys.readouterr().err
    assert said == f"error: --set {override}: expected a key of model or train: train.KEY=VALUE\n"
    assert not (folder / "out").exists()


@pytest.mark.parametrize("words", [[], ["trian"]])
def test_an_unknown_command_is_an_error_of_usage(
    words: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit, match="2"):
        main(words)
    assert "COMMAND" in capsys.readouterr().err


def test_trains_and_says_how_it_went(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert train(folder, "--set", "train.max_updates=6") == 0
    said = capsys.readouterr()
    assert re.search(r"^updates\t6$", said.out, re.MULTILINE)
    assert [line.split(":")[0] for line in said.err.splitlines()] == ["update 5", "update 6"]
    assert (folder / "out" / "model.safetensors").is_file()
    assert (folder / "out.checkpoints" / "step-00000006").is_dir()


@pytest.mark.parametrize(
    ("setting", "message"),
    [
        ("train.warmpu=4", "settings.yaml: train.warmpu: unknown key"),
        ("train.dropout=1", "settings.yaml: train.dropout: unknown key"),
        ("model.dropout=1.0", "settings.yaml: model.dropout: expected a number"),
        ("model.heads=3", "settings.yaml: model: heads: expected a divisor of dim (16), got 3"),
        ("model.kind=cnn", "model.kind: expected one of transformer, rnn, got 'cnn'"),
        ("trian.seed=3", "--set trian.seed=3: trian is not a section"),
        ("train=null", "settings.yaml: train: expected a section with keys, got None"),
    ],
)
def test_a_wrong_setting_is_one_line(
    folder: Path, setting: str, message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert train(folder, "--set", setting) == 2
    (line,) = capsys.readouterr().err.splitlines()
    assert message in line
    assert not (folder / "out.checkpoints").exists()


def test_a_missing_section_is_named(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (folder / "settings.yaml").write_text("model: {}\n", encoding="utf-8")
    assert train(folder) == 2
    assert "settings.yaml: train: missing section" in capsys.readouterr().err


def test_a_run_that_cannot_go_on_is_one_line_and_status_1(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    settings = ("--set", "train.learning_rate=1.0e+38", "--set", "train.clip_norm=0")
    assert train(folder, *settings) == 1
    (line,) = capsys.readouterr().err.splitlines()
    assert line.startswith("error: update 2: the loss of micro-batch 1 is")
    assert not (folder / "out").exists()


def test_a_full_disk_is_one_line_and_leaves_what_there_was(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert train(folder, "--set", "train.max_updates=6") == 0
    before = {path: path.read_bytes() for path in folder.rglob("step-*/*")}
    capsys.readouterr()
    with room_for(20_000):  # less than the weights
        assert train(folder) == 1
    *_, line = capsys.readouterr().err.splitlines()
    assert re.fullmatch(r"error: .*weights\.safetensors: .*File too large.*", line)
    assert {path: path.read_bytes() for path in folder.rglob("step-*/*")} == before
    assert not list(folder.rglob(".partial-*"))


def average(folder: Path, last: int) -> int:
    """The status of `mgsa average`."""
    words = ["average", "--model", str(folder / "out"), "--out", str(folder / "mean")]
    return run(
        main, [*words, "--checkpoints", str(folder / "out.checkpoints"), "--last", str(last)]
    )


def test_averages_what_the_run_would_have(folder: Path) -> None:
    assert train(folder, "--set", "train.artifact=last", "--set", "train.validate_every=100") == 0
    assert average(folder, 2) == 0
    assert train(folder, "--set", "train.artifact=average", "--restart") == 0
    weights = [folder / name / "model.safetensors" for name in ("mean", "out")]
    assert weights[0].read_bytes() == weights[1].read_bytes()


@pytest.mark.parametrize(
    ("last", "message"),
    [(0, "--last: expected at least 1, got 0"), (9, "expected at least 9 checkpoints, found")],
)
def test_an_average_of_too_many_is_refused(
    folder: Path, last: int, message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert train(folder, "--set", "train.max_updates=4") == 0
    capsys.readouterr()
    assert average(folder, last) == 2
    assert message in capsys.readouterr().err
