"""Rows of a table from what cells wrote, and the table as text."""

from __future__ import annotations

import csv
import io
import shutil
from collections.abc import Sequence
from pathlib import Path

import pytest
import yaml

from mgsa.base.errors import InputError
from mgsa.base.io import write_json
from pipeline.composition import compose
from pipeline.evaluate import EvaluateSettings, evaluate
from pipeline.experiment.plan import Cell, Table
from pipeline.experiment.results import MODEL_MANIFEST, PARTS, Row, Spread, read_rows
from pipeline.experiment.table import FAILED, NOT_RUN, Missing, to_csv, to_mapping, to_markdown
from tests.imports import ROOT

REFERENCES = [f"the {word} sat on the {word} mat {i}" for i, word in enumerate("abcdefgh")]
SETTINGS = EvaluateSettings(("bleu", "chrf", "ter"), "13a", 50, 60, 1)
DATASET = "c0ffee"
TABLE = Table("Two systems", "base", ("new", "late"), 2, False)


def nothing() -> None:
    """Show no progress."""


def write_cell(runs: Path, system: str, seed: int, hypotheses: Sequence[str]) -> None:
    """What DVC leaves of a finished cell."""
    folder = runs / f"{system}-{seed}"
    (folder / "translations").mkdir(parents=True)
    for name, lines in {"references": REFERENCES, "hypotheses": hypotheses}.items():
        text = "".join(f"{line}\n" for line in lines)
        (folder / f"translations/test.{name}").write_text(text, "utf-8")
    write_json(folder / "model/manifest.json", {"dataset": {"identity": DATASET}})
    write_json(folder / "evaluate.json", evaluate(hypotheses, REFERENCES, SETTINGS).scores)
    write_json(
        folder / "train.json",
        {"parameters": 1000 + seed, "target_tokens": 6000, "tokens_per_second": 50.0},
    )
    section = compose(ROOT / "conf", [])["evaluate"] | {
        "bootstrap_samples": 50,
        "randomization_trials": 60,
        "seed": 1,
    }
    params = runs / system / "params.yaml"
    params.parent.mkdir(exist_ok=True)
    params.write_text(yaml.safe_dump({"evaluate": section}), "utf-8")


def worse(count: int) -> list[str]:
    """Translations of which the first `count` are wrong."""
    return [*["no"] * count, *REFERENCES[count:]]


@pytest.fixture
def runs(tmp_path: Path) -> Path:
    """Two seeds of the baseline, one of a better system, none of a third."""
    write_cell(tmp_path, "base", 1, worse(4))
    write_cell(tmp_path, "base", 2, worse(5))
    write_cell(tmp_path, "new", 2, worse(1))
    return tmp_path


def cells() -> dict[str, list[Cell]]:
    return {name: [Cell(name, 1), Cell(name, 2)] for name in ("base", "new", "late")}


def read(runs: Path, *, unfinished: Sequence[Cell] = ()) -> list[Row]:
    """The rows, where DVC takes all cells but these for finished."""
    finished = {cell for of in cells().values() for cell in of} - set(unfinished)
    return read_rows(runs, cells(), finished, on_comparison=nothing)


def test_a_system_is_compared_with_the_baseline_of_the_same_seed(runs: Path) -> None:
    base, new, late = read(runs)
    expected = evaluate(worse(1), REFERENCES, SETTINGS, baseline=worse(5)).scores
    (comparison,) = new.comparisons
    assert comparison.seed == 2
    assert comparison.difference == pytest.approx(expected["bleu_difference"])
    assert comparison.bootstrap == expected["bleu_p_value"]
    assert comparison.randomization == expected["bleu_randomization_p_value"]
    assert base.comparisons == late.comparisons == ()
    assert [cell.name for cell in new.missing] == ["new-1"]
    assert len(late.missing) == 2
    assert new.results[0].minutes == pytest.approx(2)


def test_means_and_deviations_are_over_seeds() -> None:
    assert Spread.of([1.0, 2.0, 4.0]).mean == pytest.approx(7 / 3)
    assert Spread.of([1.0, 2.0, 4.0]).deviation == pytest.approx((7 / 3) ** 0.5)  # of a sample
    assert Spread.of([3.0]).deviation is None


def test_other_references_are_no_baseline(runs: Path) -> None:
    path = runs / "base-2/translations/test.references"
    path.write_text(path.read_text("utf-8").replace("mat 3", "mat 9"), "utf-8")
    with pytest.raises(InputError, match=r"base-2/translations/test\.references: expected the ref"):
        read(runs)


@pytest.mark.parametrize("part", [*PARTS, "model", "translations"])
def test_a_cell_that_lacks_a_part_is_missing(runs: Path, part: str) -> None:
    """DVC deletes the outputs of a stage before it runs it, and leaves those of later stages."""
    path = runs / "new-2" / part
    shutil.rmtree(path) if path.is_dir() else path.unlink()
    base, new, _ = read(runs)
    assert [cell.name for cell in new.missing] == ["new-1", "new-2"]
    assert new.results == new.comparisons == ()
    assert len(base.results) == 2


def test_a_cell_whose_parameters_are_gone_is_missing(runs: Path) -> None:
    (runs / "new/params.yaml").unlink()
    assert len(read(runs)[1].missing) == 2


def test_what_lies_there_of_an_unfinished_cell_is_no_result(runs: Path) -> None:
    base, new, _ = read(runs, unfinished=[Cell("base", 2)])
    assert [result.cell.seed for result in base.results] == [1]
    assert [cell.name for cell in base.missing] == ["base-2"]
    assert new.comparisons == ()


def test_cells_of_two_datasets_are_not_set_side_by_side(runs: Path) -> None:
    write_json(runs / "new-2" / MODEL_MANIFEST, {"dataset": {"identity": "other"}})
    with pytest.raises(InputError, match=r"new-2/model/manifest\.json: .* base-1 was trained on"):
        read(runs)
    write_json(runs / "new-2" / MODEL_MANIFEST, {"dataset": "other"})
    with pytest.raises(InputError, match=r"manifest\.json: dataset\.identity: expected text"):
        read(runs)


@pytest.mark.parametrize("missing", [FAILED, NOT_RUN])
def test_the_table_shows_what_is_missing(runs: Path, missing: Missing) -> None:
    rows = read(runs)
    lines = to_markdown(TABLE, rows, missing).splitlines()
    assert lines[0] == "Two systems; differences and p-values: to base."
    widths = {line.count("|") for line in lines if line.startswith("|")}
    assert len(widths) == 1
    named = {line.split(" | ")[0].strip("| "): line for line in lines[4:] if line.startswith("|")}
    assert list(named) == ["base", "new", "late"]
    assert "±" in named["base"]
    assert "1 of 2" in named["new"]
    assert named["late"].count(missing) == 3
    assert lines[-5:] == [f"new-1: {missing}", "", f"late-1: {missing}", "", f"late-2: {missing}"]

    parsed = list(csv.DictReader(io.StringIO(to_csv(rows))))
    assert [(line["system"], line["seed"]) for line in parsed] == [
        *(("base", "1"), ("base", "2"), ("new", "2"), ("new", "1"), ("late", "1"), ("late", "2"))
    ]
    assert float(parsed[2]["difference"]) == rows[1].comparisons[0].difference
    assert parsed[3]["bleu"] == ""
    content = to_mapping(TABLE, rows, missing)
    assert content["dataset"] == DATASET
    assert content["systems"]["late"] == {
        "parameters": None,
        "tokens_per_second": None,
        "minutes": None,
        "comparisons": [],
        "seeds": [],
        "failed": [1, 2] if missing == FAILED else [],
        "not_run": [1, 2] if missing == NOT_RUN else [],
        **dict.fromkeys(("bleu", "chrf", "ter")),
    }


def test_a_table_of_nothing_has_all_columns(tmp_path: Path) -> None:
    rows = read(tmp_path)
    lines = to_markdown(TABLE, rows, NOT_RUN).splitlines()
    assert lines[2].startswith("| system | BLEU | chrF | TER | Δ BLEU |")
    assert lines[4].startswith("| base | not run | not run | not run |")
    assert to_csv(rows).startswith("system,seed,bleu,chrf,ter,difference,")
    assert to_mapping(TABLE, rows, NOT_RUN)["dataset"] is None
