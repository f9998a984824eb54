"""Tables over seeds are those that the experiments collected."""

from __future__ import annotations

import copy
from pathlib import Path
from typing import Any

import pytest

from mgsa.base.errors import InputError
from mgsa.base.io import write_json
from pipeline.report_page.page import render
from pipeline.report_page.sections.tables import Comparison, Spread, context
from tests.collected_table import TABLE
from tests.report_folders import inputs_of, write_run


def test_a_table_is_that_of_its_file(finished_run: Path) -> None:
    shown = context(inputs_of(finished_run))
    assert shown is not None
    (table,) = shown["tables"]
    assert (table["title"], table["baseline"], table["dataset"]) == (
        *("Table 1: <b>composition</b>", "base", "decade"),
    )
    assert list(table["metrics"]) == ["bleu", "chrf"]  # TER was not asked for
    base, new, late = table["rows"]
    assert base.scores == {"bleu": Spread(50.25, 1.5), "chrf": Spread(60.0, 0.5)}
    assert new.comparisons == [
        Comparison(1, 1.5, 0.0217, 0.0431),
        Comparison(2, -0.5, 0.25, None),
    ]
    assert new.difference == (0.5, pytest.approx(2**0.5))
    assert (new.seeds, new.failed, base.not_run, base.num_cells) == ([1, 2], [3], [3], 3)
    assert late.scores == {"bleu": None, "chrf": None}
    assert late.difference is late.parameters is late.minutes is None
    assert [row.system for row in table["compared"]] == ["<i>new"]
    assert table["has_randomization"]
    assert shown["paths"] == [finished_run / "tables/some.json"]


def test_the_page_shows_deviations_and_both_tests(finished_run: Path) -> None:
    html = render(inputs_of(finished_run))
    assert '50.25 <span class="muted">± 1.50</span>' in html
    assert '+0.50 <span class="muted">± 1.41</span>' in html
    assert '<td class="number">0.022</td><td class="number">0.043</td>' in html
    assert '<td class="number">0.250</td><td class="number"></td>' in html
    assert "<td>2 of 3; failed: 3</td>" in html
    assert "<td>0 of 3; not run: 1, 2, 3</td>" in html


def test_without_tables_there_is_no_section(finished_run: Path) -> None:
    assert context(inputs_of(finished_run, "tables")) is None


@pytest.mark.parametrize(
    ("key", "value", "message"),
    [
        ("bleu", 3, r"systems\.base\.bleu: expected an object"),
        ("bleu", {"mean": "x"}, r"systems\.base\.bleu\.mean: expected a number, found 'x'"),
        ("comparisons", {}, r"systems\.base\.comparisons: expected a list"),
        ("comparisons", [{}], r"systems\.base\.comparisons\[0\]\.seed: expected a number"),
        ("seeds", [None], r"systems\.base\.seeds: expected a list of seeds"),
    ],
)
def test_a_damaged_table_is_named(tmp_path: Path, key: str, value: Any, message: str) -> None:
    write_run(tmp_path, ["a b"])
    table = copy.deepcopy(TABLE)
    table["systems"]["base"][key] = value
    write_json(tmp_path / "tables/some.json", table)
    with pytest.raises(InputError, match=rf"some\.json: {message}"):
        context(inputs_of(tmp_path))
