"""Charts of tables: which cells are drawn, and what stands where."""

from __future__ import annotations

from pathlib import Path
from typing import Any
from xml.etree import ElementTree

from pipeline.charts import write_figure
from pipeline.phrasal_patterns.figures import FEWEST, MOST_CATEGORIES, drawn_panels, pattern_chart

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
    rows = [row for some in drawn_panels("ngrams", ngram_rows()).values() for row in some]
    write_figure(pattern_chart("ngrams", rows, "base"), path)
    written = texts(path)
    assert {"$ new", "newer", "n-gram precision", "BLEU restricted to n"} <= set(written)
    assert written.count("points above base") == 2
    assert "base" not in written
    write_figure(pattern_chart("ngrams", rows, None), path)
    assert "base" in texts(path)


def test_lengths_of_every_power_of_two_that_enough_sentences_have() -> None:
    rows: list[dict[str, Any]] = [
        {"n": n, "measure": measure, "source_words": words, "sentences": sentences}
        for words, sentences in (("1-5", FEWEST["sentences"]), ("6+", FEWEST["sentences"] - 1))
        for measure in ("precision", "bleu")
        for n in range(1, 7)
    ]
    drawn = drawn_panels("lengths", rows)
    assert list(drawn) == [f"BLEU restricted to {n}" for n in (1, 2, 4)]
    for n, some in zip((1, 2, 4), drawn.values(), strict=True):
        assert [(row["n"], row["measure"], row["source_words"]) for row in some] == [
            (n, "bleu", "1-5")
        ]
    rare = [row for row in rows if row["source_words"] == "6+"]
    assert [len(some) for some in drawn_panels("lengths", rare).values()] == [
        1,
        1,
        1,
    ]  # rather than none


def test_categories_of_each_size_the_most_frequent_first_and_system_by_system() -> None:
    rows: list[dict[str, Any]] = [
        {"system": system, "n": size, "category": f"C{i}", "ngrams": FEWEST["ngrams"] + i - 1}
        for system in ("one", "other")
        for size in ("1", "phrase")
        for i in range(MOST_CATEGORIES + 3)
    ]
    drawn = drawn_panels("categories", rows)
    assert list(drawn) == ["Recall of 1-grams", "Recall of whole phrases"]
    for some in drawn.values():
        assert [(row["category"], row["system"]) for row in some] == [
            (f"C{i}", system)
            for i in range(MOST_CATEGORIES + 2, 2, -1)
            for system in ("one", "other")
        ]
    few = [row for row in rows if row["category"] in ("C0", "C1")]
    assert {
        row["category"] for some in drawn_panels("categories", few).values() for row in some
    } == {"C1"}
