"""The stage: curves, report, and when it starts again."""

from __future__ import annotations

import csv
import json
from pathlib import Path

import pytest

from mgsa.cli.errors import FailedError
from pipeline.train.__main__ import curves_in, main
from tests.copy_task import write_copy_task
from tests.full_disk import room_for
from tests.training_settings import write_settings


def run_stage(folder: Path, *overrides: str) -> dict[str, float]:
    """Run the stage in `folder`; give its report."""
    settings = [word for override in overrides for word in ("--set", override)]
    names = ("dataset", "out", "checkpoints", "plots", "report", "params")
    paths = [word for name in names for word in (f"--{name}", str(folder / name))]
    main([*paths, *settings])
    report: dict[str, float] = json.loads((folder / "report").read_text(encoding="utf-8"))
    return report


def curve(folder: Path, name: str) -> dict[int, float]:
    """A DVCLive curve as its value at each update."""
    path = folder / "plots" / "plots" / "metrics" / f"{name}.tsv"
    with path.open(encoding="utf-8", newline="") as file:
        return {int(row["step"]): float(row[name]) for row in csv.DictReader(file, delimiter="\t")}


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with a dataset and settings, where no repository is."""
    monkeypatch.chdir(tmp_path)
    write_copy_task(tmp_path / "dataset")
    write_settings(tmp_path / "params", model={}, train={})
    return tmp_path


def test_curves_and_report_of_a_run_that_goes_on(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    run_stage(folder, "max_updates=6")
    report = run_stage(folder)
    assert "start again" not in capsys.readouterr().err
    assert (report["updates"], report["parameters"] > 1000) == (12, True)
    assert report["valid_nll"] == curve(folder, "valid_nll")[int(report["best_update"])]
    assert list(curve(folder, "train_loss")) == [2, 4, 6, 8, 10, 12]
    assert list(curve(folder, "valid_nll")) == [5, 10, 12]
    assert (folder / "out" / "model.safetensors").is_file()


def test_curves_are_whole_or_those_of_before(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """They grow beside the checkpoints, where they can be watched."""
    run_stage(folder, "max_updates=6")
    before = curve(folder, "train_loss")
    watched: list[str] = []

    def save_nothing(*_args: object, **_options: object) -> None:
        path = folder / "checkpoints" / "live" / "plots" / "metrics" / "train_loss.tsv"
        watched.extend(path.read_text(encoding="utf-8").splitlines())
        raise FailedError("the training has not ended")

    monkeypatch.setattr("mgsa.training.run.save_model", save_nothing)
    with pytest.raises(FailedError, match="not ended"):
        run_stage(folder)
    assert len(watched) == 1 + 6
    assert curve(folder, "train_loss") == before


def test_a_full_disk_under_the_curves_names_their_folder(folder: Path) -> None:
    def draw_twice() -> None:
        with curves_in(folder / "plots") as draw:
            draw({"update": 1, "train_loss": 1.0})
            with room_for(10):
                draw({"update": 2, "train_loss": 1.0})

    with pytest.raises(OSError, match=r"File too large: '\S+/plots'$"):
        draw_twice()


@pytest.mark.parametrize("change", ["seed=4", "max_updates=3", "code"])
def test_starts_again_when_settings_or_code_are_no_longer_the_checkpoints(
    folder: Path, change: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    run_stage(folder, "max_updates=6")
    if change == "code":
        monkeypatch.setattr("mgsa.training.checkpoint.code_identity", lambda: "other code")
        change = "max_updates=6"
    report = run_stage(folder, *["max_updates=6"] * (change == "seed=4"), change)
    assert "start again" in capsys.readouterr().err
    assert report["updates"] == (3 if change == "max_updates=3" else 6)
