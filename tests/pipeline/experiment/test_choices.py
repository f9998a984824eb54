"""What a command chooses stands in the parameter file, and all else of it as before."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
import yaml
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from mgsa.base.cli import BAD_INPUT, DONE, run
from pipeline.experiment.__main__ import main
from pipeline.experiment.choices import write_values
from pipeline.experiment.plan import read_plan
from tests.imports import ROOT


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """The project's own parameter file."""
    return Path(shutil.copy(ROOT / "experiments/params.yaml", tmp_path))


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=50)
@given(
    overrides=st.text(st.characters(codec="utf-8", exclude_characters="\0")), count=st.integers()
)
def test_values_change_and_nothing_else(path: Path, overrides: str, count: int) -> None:
    before = path.read_text("utf-8")
    expected = yaml.safe_load(before)
    expected["overrides"] = overrides
    expected["tables"]["partition"]["num_seeds"] = count
    write_values(path, {("tables", "partition", "num_seeds"): count, ("overrides",): overrides})
    after = path.read_text("utf-8")
    assert yaml.safe_load(after) == expected
    old, new = before.split("\n"), after.split("\n")
    assert len(old) == len(new)
    assert sum(a != b for a, b in zip(old, new, strict=True)) <= 2
    assert "# of conf/, separated by spaces" in after


def test_a_key_that_there_is_not_is_no_place(path: Path) -> None:
    before = path.read_bytes()
    for keys in [("override",), ("overrides", "seeds"), ("tables", "nothing", "num_seeds")]:
        with pytest.raises(KeyError):
            write_values(path, {keys: 1})
    assert path.read_bytes() == before


def test_the_command_writes_them_for_the_tables_that_it_names(path: Path) -> None:
    """There is no `dvc.yaml` beside the file, so nothing runs."""
    argv = ["--folder", str(path.parent), "layers", "main", "--collect-only"]
    run(main, [*argv, "--seeds", "2", "--overrides", "train.max_epochs=3 'a=[1, 2]'"])
    tables = read_plan(path).tables
    assert {name for name in tables if tables[name].num_seeds == 2} == {"layers", "main"}
    assert yaml.safe_load(path.read_text("utf-8"))["overrides"] == "train.max_epochs=3 'a=[1, 2]'"


@pytest.mark.parametrize(
    ("more", "message"),
    [
        (
            ["main", "--seeds", "4"],
            "--seeds: expected 1 to 3, for so many there are in seeds, got 4",
        ),
        (["main", "--seeds", "0"], "--seeds: expected 1 to 3"),
        (["--seeds", "1"], "--seeds: expected a TABLE"),
        (["mian", "--seeds", "1"], "mian: no such table"),
    ],
)
def test_a_mistake_changes_nothing(
    path: Path, more: list[str], message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    before = path.read_bytes()
    assert run(main, ["--folder", str(path.parent), *more]) == BAD_INPUT
    said = capsys.readouterr().err
    assert message in said
    assert said.count("\n") == 1
    assert path.read_bytes() == before


def test_overrides_alone_are_written_and_the_tables_listed(
    path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(main, ["--folder", str(path.parent), "--overrides", "seed=2"]) == DONE
    assert capsys.readouterr().out.startswith("composition: MG-SA, Table 1")
    assert yaml.safe_load(path.read_text("utf-8"))["overrides"] == "seed=2"
