"""Rows of a table from what cells wrote, and the table as text."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import yaml

from mgsa.cli.files import write_json
from pipeline.contrast.accuracies import accuracies, is_right
from pipeline.evaluate.means import mean_over_sets
from pipeline.evaluate.scores import score
from pipeline.evaluate.settings import EvaluateSettings
from pipeline.experiment.plan import Cell, Table
from pipeline.experiment.results import collect, spread, table_rows, to_markdown, write_table
from pipeline.formats.tables import write_csv
from pipeline.formats.translations import Translations, find_references
from pipeline.params.presets import compose
from tests.imports import ROOT
from tests.lines import write_lines

REFERENCES = [f"the {word} sat on the {word} mat {i}" for i, word in enumerate("abcdefgh")]
ONE_EACH = [[text] for text in REFERENCES]
SETTINGS = EvaluateSettings(("bleu", "chrf", "ter"), "13a", 50, 60, 1, ())
DATASET = "c0ffee"
CONTRASTS = [(line, "a" if line % 2 else "b", 1) for line in range(1, 9)]
TABLE = Table(("new", "late"), "Two systems", "base", 2)


def write_contrasts(folder: Path, wrong: int, kinds: Sequence[str]) -> None:
    """Scores and report of a cell that has the first `wrong` contrasts wrong."""
    rows = [
        {"line": line, "category": category, "depth": depth, "target": "a"}
        | {f"{kind}_reference": -2.0 for kind in kinds}
        | {f"{kind}_variant": -1.0 if line <= wrong else -3.0 for kind in kinds}
        for line, category, depth in CONTRASTS
    ]
    (folder / "contrast").mkdir()
    write_csv(rows, folder / "contrast/test.csv")
    right = {kind: [is_right(row, kind) for row in rows] for kind in kinds}
    write_json(
        folder / "contrast.json", {"contrasts": 8, **accuracies(rows, right, samples=9, seed=1)}
    )


def write_cell(
    runs: Path,
    system: str,
    seed: int,
    hypotheses: Sequence[str],
    *kinds: str,
    sets: Sequence[str] = ("test",) * len(REFERENCES),
) -> None:
    """What DVC leaves of a finished cell; it has as many contrasts wrong as translations."""
    folder = runs / f"{system}-{seed}"
    texts = {"references": REFERENCES, "hypotheses": hypotheses, "sets": sets}
    for name, of_file in texts.items():
        write_lines(folder / f"translations/test.{name}", of_file)
    wrong = sum(one != other for one, other in zip(hypotheses, REFERENCES, strict=True))
    write_contrasts(folder, wrong, ("parsed", *kinds))
    write_json(folder / "model/manifest.json", {"dataset": {"identity": DATASET}})
    languages = {"source_language": "de", "target_language": "en"}
    write_json(folder / "model/preprocessing.json", languages)
    files = {"hypotheses": folder / "translations/test.hypotheses"}
    references = find_references(folder / "translations", "test")
    parts = Translations.read(files, references, folder / "translations/test.sets").by_set()
    reports = {n: score(p.texts["hypotheses"], p.references, SETTINGS) for n, p in parts.items()}
    write_json(folder / "evaluate.json", mean_over_sets(reports))
    write_json(
        folder / "train.json",
        {"parameters": 1000 + seed, "target_tokens": 6000, "tokens_per_second": 50.0},
    )
    given = {"bootstrap_samples": 50, "randomization_trials": 60, "seed": 1}
    composed = compose(ROOT / "conf", [])
    sections = {name: composed[name] | given for name in ("evaluate", "contrast")}
    params = runs / system / "params.yaml"
    params.parent.mkdir(exist_ok=True)
    params.write_text(yaml.safe_dump(sections), "utf-8")


def worse(count: int) -> list[str]:
    """Translations of which the first `count` are wrong."""
    return [*["no"] * count, *REFERENCES[count:]]


CELLS = {name: [Cell(name, 1), Cell(name, 2)] for name in ("base", "new", "late")}
FINISHED = {Cell("base", 1), Cell("base", 2), Cell("new", 2)}


@pytest.fixture
def runs(tmp_path: Path) -> Path:
    """Two seeds of the baseline, one of a better system, none of a third."""
    write_cell(tmp_path, "base", 1, worse(4))
    write_cell(tmp_path, "base", 2, worse(5))
    write_cell(tmp_path, "new", 2, worse(1), "shuffled")
    return tmp_path


def read(runs: Path, finished: Collection[Cell] = FINISHED, table: Table = TABLE) -> dict[str, Any]:
    return collect(runs, "two", table, CELLS, finished, "not_run")


def test_a_system_is_compared_with_the_baseline_of_the_same_seed(runs: Path) -> None:
    base, new, late = read(runs)["systems"].values()
    expected = score(worse(1), ONE_EACH, SETTINGS, baseline=worse(5))
    assert new["comparisons"] == [
        {
            "seed": 2,
            "difference": pytest.approx(expected["bleu_difference"]),
            "bootstrap": expected["bleu_p_value"],
            "randomization": expected["bleu_randomization_p_value"],
            "contrast": new["over_seeds"]["contrast"],
        }
    ]
    assert base["comparisons"] == late["comparisons"] == []
    assert (new["seeds"], new["not_run"], new["failed"]) == ([2], [1], [])
    assert late["not_run"] == [1, 2]
    assert new["minutes"]["mean"] == pytest.approx(2)
    # What lies there of an unfinished cell is no result.
    base, new, _ = read(runs, FINISHED - {Cell("base", 2)})["systems"].values()
    assert (base["seeds"], base["not_run"], new["comparisons"]) == ([1], [2], [])


def test_means_and_deviations_are_over_seeds() -> None:
    deviation = (7 / 3) ** 0.5  # of a sample
    assert spread([1.0, 2.0, 4.0]) == pytest.approx({"mean": 7 / 3, "deviation": deviation})
    assert spread([3.0]) == {"mean": 3.0, "deviation": None}
    assert spread([]) is None


def test_the_table_shows_what_is_missing(runs: Path, tmp_path: Path) -> None:
    content = read(runs)
    write_table(tmp_path, "table", content)
    lines = (tmp_path / "table.md").read_text("utf-8").splitlines()
    assert lines[0] == "Two systems; differences and p-values: to base."
    base, new, late = lines[4:7]
    assert base.startswith("| base |")
    assert "±" in base
    assert "1 of 2" in new
    assert late == f"| late |{'  |' * 14} 0 of 2 |"
    assert "| 43.75 ± 8.84 |  |" in base
    assert "| 87.50 | 87.50 |" in new
    assert list(filter(None, lines[7:])) == [
        *("new-1: not run", "late-1: not run", "late-2: not run")
    ]


SETS = ["mt02"] * 3 + ["mt03"] * 5


def test_of_several_test_sets_there_are_means_and_columns(tmp_path: Path) -> None:
    """Of eight sentences, the baseline has five wrong: all three of one set, two of the other."""
    for seed in (1, 2):
        write_cell(tmp_path, "base", seed, worse(5), sets=SETS)
        write_cell(tmp_path, "new", seed, worse(1), sets=SETS)
    finished = {Cell(name, seed) for name in ("base", "new") for seed in (1, 2)}
    base, new, _ = read(tmp_path, finished)["systems"].values()
    for system, wrong in ((base, 5), (new, 1)):
        parts = [
            score(worse(wrong)[rows], ONE_EACH[rows], SETTINGS)["bleu"]
            for rows in (slice(3), slice(3, None))
        ]
        found = {name: spread["mean"] for name, spread in system["scores"].items()}
        assert [found["BLEU mt02"], found["BLEU mt03"]] == pytest.approx(parts)
        assert found["bleu"] == pytest.approx(sum(parts) / 2)
    (one, _) = new["comparisons"]
    means = (system["scores"]["bleu"]["mean"] for system in (new, base))
    assert one["difference"] == pytest.approx(next(means) - next(means))
    assert one["bootstrap"] is None
    assert one["randomization"] == pytest.approx(2 / 2**4, abs=0.08)  # four sentences are better
    assert new["over_seeds"]["bleu"] == one["randomization"]
    assert {"BLEU mt02", "BLEU mt03"} < table_rows(read(tmp_path, finished))[0].keys()


def test_error_rates_and_shares_of_attention_are_means_over_seeds(runs: Path) -> None:
    words = {"token_to_token": 1.0}
    for seed, share in ((1, 0.2), (2, 0.4)):
        folder = runs / f"base-{seed}"
        write_json(folder / "alignment.json", {"aer": 10.0 + seed})
        shares = {"token_to_token": 1 - share, "token_to_phrase": share}
        layers = {"layer_1": shares, "layer_2": words}
        write_json(folder / "attention.json", {"encoder": layers, "cross": {"layer_1": words}})
    table = replace(TABLE, analyze=True, align=True)
    content = read(runs, {Cell("base", 1), Cell("base", 2)}, table)
    assert table_rows(content)[0]["AER"] == "11.50 ± 0.71"
    assert "AER" not in table_rows(read(runs))[0]
    assert to_markdown(content).splitlines()[-3:] == [
        "| system | attention | layer 1 | layer 2 |",
        "| --- | ---: | ---: | ---: |",
        "| base | encoder | 70/30 | 100 |",
    ]
