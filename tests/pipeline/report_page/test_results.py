"""Numbers at a glance, scores and tables are those of the reports."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from mgsa.base.io import write_json
from pipeline.report_page.blocks import Files, Part
from pipeline.report_page.results import overview, scores, tables
from tests.report_folders import (
    PARAMETERS,
    PLAIN,
    SYSTEM,
    evaluation,
    flat,
    inputs_of,
    tables_of,
    text_of,
    write_run,
    write_system,
)


def tiles(folder: Path, **more: Any) -> dict[str, str]:
    (part,) = (b for b in overview(inputs_of(folder, **more)) if isinstance(b, Part))
    return {label: f"{value} {rest}".strip() for value, rest, label, *_ in part.context["tiles"]}


def test_tiles_and_composition(finished_run: Path) -> None:
    assert tiles(finished_run) == {
        "BLEU": "51.0 ± 2.5",
        "chrF": "61.0",
        "parameters": "2.02 M",
        "training pairs": "2",
        "parser F1": "97.2",
        "AER of the aligner": "3.1",
    }
    assert tiles(finished_run, compared=[finished_run / "second"])["best BLEU of 2 systems"] == (
        "52.0 ± 2.5"
    )
    shown = list(overview(inputs_of(finished_run)))
    assert f"Composed of corpus local model {SYSTEM}" in text_of(shown)
    assert tables_of(shown)["Values that no preset gives"] == [["model.dim", "7", "null"]]


def test_when_and_where_it_was_run(tmp_path: Path) -> None:
    write_run(tmp_path, PLAIN)
    first = {"started": "2026-11-22T23:59:00", "seconds": 63.2, "host": "<b>", "commit": "c0ffee"}
    write_json(tmp_path / "runs/tokenize.json", first)
    last = first | {"started": "2026-11-23T00:01:00", "commit": None}
    write_json(tmp_path / "runs/align.json", last)
    assert (
        "Run on 2026-11-22 to 2026-11-23 on <b>, commit c0ffee; the stages took 2 min 6 s in all."
    ) in text_of(overview(inputs_of(tmp_path)))


def test_without_reports_there_are_no_numbers(finished_run: Path) -> None:
    shown = list(overview(inputs_of(finished_run, "reports")))
    assert not any(isinstance(block, Part) for block in shown)
    assert "Composed" not in text_of(shown)
    assert list(scores(inputs_of(finished_run, "reports"))) == []


def test_scores_are_those_of_the_reports(finished_run: Path) -> None:
    shown = list(scores(inputs_of(finished_run, compared=[finished_run / "second"])))
    found = tables_of(shown)
    assert found["BLEU (higher is better)"] == [
        [SYSTEM, "51.00", "48.75 to 53.75", "−1.00", "0.031", "0.044"],
        ["second", "52.00", "49.75 to 54.75", "−1.00", "0.031", "0.044"],
    ]
    assert found["chrF (higher is better)"] == [[SYSTEM, "61.00"], ["second", "62.00"]]
    (files,) = (block for block in shown if isinstance(block, Files))
    assert files.paths == [
        finished_run / "reports/evaluate.json",
        finished_run / "second/evaluate.json",
    ]
    assert "nrefs:1|&lt;i&gt;" in "".join(str(b) for b in flat(shown))


def test_systems_without_a_baseline_are_tested_against_the_first(tmp_path: Path) -> None:
    """As sacreBLEU tests them: the difference is that of the translations."""
    write_run(tmp_path, PLAIN * 5)
    write_system(tmp_path / "second", PLAIN * 5, dropped=2)
    for path in (tmp_path / "reports/evaluate.json", tmp_path / "second/evaluate.json"):
        kept = {
            k: v for k, v in evaluation(50, 15).items() if not k.endswith(("line", "ence", "lue"))
        }
        write_json(path, kept)
    inputs = inputs_of(tmp_path, compared=[tmp_path / "second"])
    settings = {"metrics": ["bleu"], "bleu_tokenizer": "13a", "bootstrap_samples": 50}
    settings |= {"randomization_trials": 10, "seed": 1}
    inputs.parameters = {**PARAMETERS, "evaluate": settings}
    first, second = tables_of(scores(inputs))["BLEU (higher is better)"]
    assert first[3:] == ["", ""]
    assert second[3].startswith("−")
    assert float(second[4].removeprefix("< ")) < 0.1
    assert f"Where none was named, that is {SYSTEM}" in text_of(scores(inputs))


def test_a_table_over_seeds_is_that_of_its_file(finished_run: Path) -> None:
    found = tables_of(tables(inputs_of(finished_run)))
    title, by_seed = found
    assert title.startswith("Table 1: ")
    assert title.endswith("(baseline: base)")
    assert found[title] == [
        [
            *("base", "50.25 ± 1.50", "60.00 ± 0.50", "", "", "1,766,028", "2,346 ± 10"),
            *("12.3 ± 0.1", "2 of 3; not run: 3"),
        ],
        [
            *("<i>new", "51.00 ± 0.75", "61.00 ± 0.25", "+0.50 ± 1.41", "0.022, 0.250"),
            *("2,018,764", "2,000 ± 20", "15.0 ± 0.2", "2 of 3; failed: 3"),
        ],
        ["late", "", "", "", "", "", "", "", "0 of 3; not run: 1, 2, 3"],
    ]
    assert found[by_seed] == [
        ["<i>new", "1", "+1.50", "0.022", "0.043"],
        ["<i>new", "2", "−0.50", "0.250", ""],
    ]
    assert list(tables(inputs_of(finished_run, "tables"))) == []
