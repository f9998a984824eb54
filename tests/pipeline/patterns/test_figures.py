"""Charts of tables: what stands where."""

from __future__ import annotations

from pathlib import Path
from typing import Any
from xml.etree import ElementTree

from pipeline.patterns.figures import draw_categories, draw_lengths, draw_ngrams, pattern_chart
from pipeline.patterns.selection import FEWEST, MOST_CATEGORIES

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


def test_differences_take_the_place_of_scores_with_a_line_at_zero() -> None:
    spec = pattern_chart("ngrams", ngram_rows(), "base")
    first = spec["data"]["values"][0]
    assert [first[name] for name in ("system", "score", "score_low", "score_high")] == [
        *("$ new", 1),
        *(0, 2),
    ]
    *_, zero = spec["spec"]["layer"]
    assert zero["encoding"]["y"] == {"datum": 0}


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
    assert {text for text in written if text in "123456"} == {"1", "2", "4"}
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
    shown = [text for text in texts(path) if text.startswith("C") and text[1:].isdigit()]
    assert shown == [f"C{i}" for i in range(MOST_CATEGORIES + 2, 2, -1)] * 2
