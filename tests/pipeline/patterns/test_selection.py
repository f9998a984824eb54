"""What is drawn of tables: some sizes, and no cell that is too rare."""

from __future__ import annotations

from typing import Any

from pipeline.patterns.selection import FEWEST, MOST_CATEGORIES, drawn_categories, drawn_lengths


def test_lengths_of_every_power_of_two_that_enough_sentences_have() -> None:
    rows: list[dict[str, Any]] = [
        {"n": n, "measure": measure, "source_words": words, "sentences": sentences}
        for words, sentences in (("1-5", FEWEST["sentences"]), ("6+", FEWEST["sentences"] - 1))
        for measure in ("precision", "bleu")
        for n in range(1, 7)
    ]
    drawn = drawn_lengths(rows)
    assert list(drawn) == [f"BLEU restricted to {n}" for n in (1, 2, 4)]
    for n, some in zip((1, 2, 4), drawn.values(), strict=True):
        assert [(row["n"], row["measure"], row["source_words"]) for row in some] == [
            (n, "bleu", "1-5")
        ]
    rare = [row for row in rows if row["source_words"] == "6+"]
    assert [len(some) for some in drawn_lengths(rare).values()] == [1, 1, 1]  # rather than none


def test_categories_of_each_size_the_most_frequent_first_and_system_by_system() -> None:
    rows: list[dict[str, Any]] = [
        {"system": system, "n": size, "category": f"C{i}", "ngrams": FEWEST["ngrams"] + i - 1}
        for system in ("one", "other")
        for size in ("1", "phrase")
        for i in range(MOST_CATEGORIES + 3)
    ]
    drawn = drawn_categories(rows)
    assert list(drawn) == ["recall of 1-grams", "recall of whole phrases"]
    for some in drawn.values():
        assert [(row["category"], row["system"]) for row in some] == [
            (f"C{i}", system)
            for i in range(MOST_CATEGORIES + 2, 2, -1)
            for system in ("one", "other")
        ]
    few = [row for row in rows if row["category"] in ("C0", "C1")]
    assert {row["category"] for some in drawn_categories(few).values() for row in some} == {"C1"}
