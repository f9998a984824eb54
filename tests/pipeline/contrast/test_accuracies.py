"""Accuracies against hand-made tables; which contrasts are right, and which files are compared."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product
from pathlib import Path

import numpy as np
import pytest

from mgsa.cli.errors import InputError
from pipeline.contrast.accuracies import (
    accuracies,
    comparison,
    is_right,
    kinds_of,
    read_scores,
    sentence_counts,
)
from pipeline.formats.tables import Row, write_csv

CONTRASTS = [(1, "noun", 2), (1, "verb", 2), (4, "verb", None), (9, "verb", 3)]
"""Line, category and depth."""


def table(*right: bool, contrasts: Sequence[tuple[int, str, int | None]] = CONTRASTS) -> list[Row]:
    """Scores by which these contrasts are right, of parsed phrases; of random ones none is."""
    return [
        {
            **dict(zip(("line", "category", "depth"), contrast, strict=True)),
            "target": f"variant {number}",
            "parsed_reference": -1.0,
            "parsed_variant": -2.0 if is_told else -1.0,  # equal scores are wrong
            "random_reference": -3.0,
            "random_variant": -2.5,
        }
        for number, (contrast, is_told) in enumerate(zip(contrasts, right, strict=True))
    ]


def test_accuracies_are_shares_of_all_and_by_category_and_depth() -> None:
    rows = table(True, True, False, True)
    right = {kind: [is_right(row, kind) for row in rows] for kind in kinds_of(rows)}
    found = accuracies(rows, right, samples=200, seed=1)
    assert list(found) == ["parsed", "random"]
    parsed, random = found.values()
    assert (parsed["contrasts"], parsed["accuracy"]) == (4, 75)
    blocks = {**parsed["by_category"], **parsed["by_depth"]}
    assert {name: (block["contrasts"], block["accuracy"]) for name, block in blocks.items()} == {
        "noun": (1, 100),
        "verb": (3, pytest.approx(200 / 3, abs=1e-4)),
        "2": (2, 100),
        "3": (1, 100),
    }
    assert (random["accuracy"], random["low"], random["high"]) == (0, 0, 0)


def test_an_interval_is_of_resampled_sentences() -> None:
    """Of each sentence all contrasts are drawn together: twenty of one are one observation."""
    contrasts = [(line, "a", None) for line in (1, 2) for _ in range(20)]
    rows = table(*(line == 1 for line, _, _ in contrasts), contrasts=contrasts)
    found = accuracies(
        rows, {"parsed": [is_right(row, "parsed") for row in rows]}, samples=200, seed=1
    )
    assert (found["parsed"]["low"], found["parsed"]["accuracy"], found["parsed"]["high"]) == (
        0,
        50,
        100,
    )


def test_a_difference_is_tested_by_swapping_sentences() -> None:
    contrasts = [(line, "a", None) for line in (1, 1, 2, 3, 4, 5, 6)]
    ours = table(*[True] * 7, contrasts=contrasts)
    theirs = table(False, True, False, True, False, False, False, contrasts=contrasts)
    differences = (sentence_counts(ours, "parsed") - sentence_counts(theirs, "parsed"))[:, 0]
    swaps = [abs(np.dot(signs, differences)) for signs in product((1, -1), repeat=6)]
    exact = np.mean([swap >= differences.sum() for swap in swaps])
    found = comparison(ours, theirs, "parsed", trials=20_000, seed=1)
    assert found["baseline"] == pytest.approx(200 / 7, abs=1e-4)
    assert found["difference"] == pytest.approx(500 / 7, abs=1e-4)
    assert found["p_value"] == pytest.approx(exact, abs=0.01)
    assert comparison(ours, ours, "parsed", trials=10, seed=1)["p_value"] == 1


def test_scores_of_other_contrasts_are_refused(tmp_path: Path) -> None:
    rows, path = table(True, True, False, True), tmp_path / "test.csv"
    write_csv(rows, path)
    assert read_scores(path, same=rows) == rows
    with pytest.raises(InputError, match=r"test\.csv: expected the 3 contrasts .* got 4"):
        read_scores(path, same=rows[:3])
    for change in ({"category": "verb"}, {"target": "a variant that was corrected"}):
        with pytest.raises(InputError, match=r"expected the 4 contrasts .* got 4, or others"):
            read_scores(path, same=[rows[0] | change, *rows[1:]])
    path.write_text("line,category,depth,target\n1,noun,2,a\n", "utf-8")
    with pytest.raises(InputError, match="expected columns parsed_reference and"):
        read_scores(path)


def test_contrasts_of_a_sentence_that_is_in_no_resample_have_no_interval() -> None:
    rows = table(True, True, contrasts=[(1, "noun", 1), (2, "verb", 1)])
    found = [accuracies(rows, {"parsed": [True, True]}, samples=2, seed=s) for s in range(10)]
    ends = [of["low"] for f in found for of in f["parsed"]["by_category"].values()]
    assert set(ends) == {None, 100.0}
