"""Figures of tables: what stands where, and the same bytes twice."""

from __future__ import annotations

from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import numpy as np
import pytest

from pipeline.patterns.drawn import FEWEST, MOST_CATEGORIES
from pipeline.patterns.figures import (
    COLOURS,
    MARKS,
    Panel,
    draw_categories,
    draw_lengths,
    draw_ngrams,
    pattern_figure,
)

COLUMNS = ("score", "score_low", "score_high", "difference", "difference_low", "difference_high")


def row(system: str, numbers: tuple[float | None, ...], **cell: Any) -> dict[str, Any]:
    return {"system": system, **cell, **dict(zip(COLUMNS, numbers, strict=True))}


def ngram_rows() -> list[dict[str, Any]]:
    return [
        row(system, (10 * n, 9 * n, 11 * n, n, 0, 2 * n), n=n, measure=measure)
        for system in ("base", "$ new", "newer")
        for measure in ("precision", "bleu")
        for n in (1, 2, 3)
    ]


def texts(path: Path) -> list[str]:
    root = ElementTree.fromstring(path.read_bytes())
    return [element.text or "" for element in root.iter() if element.tag.endswith("text")]


def test_marks_stand_at_their_scores_and_intervals() -> None:
    curves = {
        "one": np.array([[10.0, 20, 30], [9, 18, 27], [12, 22, 33]]),
        "other": np.array([[1.0, np.nan, 3], [0, np.nan, 2], [2, np.nan, 4]]),
    }
    panels = [Panel("first", ["1", "2", "3"], curves), Panel("second", ["a"], curves)]
    figure = pattern_figure([panels[0]], "n", None, connected=True)
    (axes,) = figure.axes
    assert [label.get_text() for label in axes.get_xticklabels()] == ["1", "2", "3"]
    one, other = axes.get_lines()
    assert one.get_ydata().tolist() == [10, 20, 30]
    # Side by side, as far to the left of the tick as to the right of it.
    assert np.allclose(one.get_xdata() + other.get_xdata(), [0, 2, 4])
    assert (one.get_xdata() < other.get_xdata()).all()
    intervals = [
        path.vertices[:, 1].tolist()
        for collection in axes.collections
        for path in collection.get_paths()
    ]
    assert intervals[:3] == [[9, 12], [18, 22], [27, 33]]
    assert axes.get_title() == "first"
    assert axes.get_ylabel() == "per cent"
    (legend,) = figure.legends
    assert [text.get_text() for text in legend.get_texts()] == ["one", "other"]


def test_differences_have_a_line_at_zero_and_say_to_what() -> None:
    curves = {"one": np.array([[1.0], [0.5], [2.0]])}
    axes = pattern_figure([Panel("p", ["1"], curves)], "n", "$base", connected=False).axes[0]
    assert axes.get_ylabel() == "points above $base"
    *_, zero = axes.get_lines()
    assert list(zero.get_ydata()) == [0, 0]


def test_systems_differ_in_colour_and_mark() -> None:
    curves = {f"system {i}": np.ones((3, 1)) for i in range(len(COLOURS) * len(MARKS))}
    axes = pattern_figure([Panel("p", ["1"], curves)], "n", None, connected=True).axes[0]
    assert len({(line.get_color(), line.get_marker()) for line in axes.get_lines()}) == len(curves)


def test_a_baseline_is_not_drawn_but_named(tmp_path: Path) -> None:
    path = tmp_path / "ngrams.svg"
    draw_ngrams(ngram_rows(), path, "base")
    written = texts(path)
    assert {"$ new", "newer", "n-gram precision", "BLEU restricted to n"} <= set(written)
    assert written.count("points above base") == 2
    assert "base" not in written
    draw_ngrams(ngram_rows(), path, None)
    assert "base" in texts(path)


def test_lengths_have_a_panel_for_every_power_of_two_and_no_rare_bin(tmp_path: Path) -> None:
    path = tmp_path / "lengths.svg"
    rows = [
        row("one", (n, n, n, 0, 0, 0), n=n, measure="bleu", source_words=name, sentences=count)
        for name, count in (("1-5", FEWEST["sentences"]), ("6+", FEWEST["sentences"] - 1))
        for n in range(1, 7)
    ]
    draw_lengths(rows, path, None)
    written = texts(path)
    assert [text for text in written if text.startswith("BLEU")] == [
        f"BLEU restricted to {n}" for n in (1, 2, 4)
    ]
    assert "1-5" in written
    assert "6+" not in written
    draw_lengths([one for one in rows if one["source_words"] == "6+"], path, None)
    assert "6+" in texts(path)  # rather than nothing


def test_of_many_categories_the_most_frequent_are_drawn(tmp_path: Path) -> None:
    path = tmp_path / "categories.svg"
    rows = [
        row("one", (1, None, None, 0, 0, 0), n=size, category=f"C{i}", ngrams=FEWEST["ngrams"] + i)
        for size in ("1", "phrase")
        for i in range(MOST_CATEGORIES + 3)
    ]
    draw_categories(rows, path, None)
    written = texts(path)
    shown = [text for text in written if text.startswith("C") and text[1:].isdigit()]
    assert shown == [f"C{i}" for i in range(MOST_CATEGORIES + 2, 2, -1)] * 2
    assert {"recall of 1-grams", "recall of whole phrases"} <= set(written)


@pytest.mark.parametrize("baseline", ["base", None])
def test_the_same_rows_are_the_same_bytes(tmp_path: Path, baseline: str | None) -> None:
    paths = [tmp_path / "one.svg", tmp_path / "two.svg"]
    for path in paths:
        draw_ngrams(ngram_rows(), path.with_name("ngrams.svg"), baseline)
        path.with_name("ngrams.svg").rename(path)
    assert paths[0].read_bytes() == paths[1].read_bytes()
