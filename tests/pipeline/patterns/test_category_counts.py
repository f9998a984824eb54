"""N-grams by category: by hand, and all of them together."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from mgsa.analysis.ngrams import matches, ngram_statistics
from pipeline.links import read_links
from pipeline.patterns.category_counts import ALL, CategoryCounts, Translated, count_categories
from pipeline.patterns.source_phrases import Occurrence, occurrences
from pipeline.trees import read_tree

TREE = "(S (NP (DT the) (NN dog)) (VP (VBZ sees) (NP (DT the) (NN cat))))"
REFERENCE = ["der", "Hund", "sieht", "der", "Katze"]  # with one word too often


def by_cell(counts: CategoryCounts, row: int) -> dict[tuple[str, str], list[float]]:
    """Of a sentence and each cell: its n-grams, and those that each system found."""
    return {
        cell: [counts.counted[row, f].item(), *counts.found[row, :, f].tolist()]
        for f, cell in enumerate(counts.cells)
    }


def test_a_sentence_by_hand() -> None:
    """Links: the-der, dog-Hund, sees-sieht; cat-Katze; nothing-der."""
    links = set(read_links("0-0 1-1 2-2 4-4"))
    systems = [["der", "Hund", "sieht", "Katze"], ["Hund", "sieht", "der", "der"]]
    sentence = Translated(occurrences(read_tree(TREE), links, 5, [2, 1]), REFERENCE, systems)
    other = Translated([Occurrence("1", 0, 1, "NN")], ["ja"], [["ja"], []])
    counts = count_categories([sentence, other], 2)
    assert list(counts.cells) == [
        *(("1", ALL), ("1", "DT"), ("1", "NN"), ("1", "VBZ"), ("1", "unaligned")),
        *(("2", ALL), ("2", "NN"), ("2", "NP"), ("2", "S"), ("2", "VBZ")),
        *(("phrase", ALL), ("phrase", "NP"), ("phrase", "S"), ("phrase", "VP")),
    ]
    assert by_cell(counts, 0) == {
        # "der" twice: one that a system has is half of each; two are all of each
        ("1", ALL): [5, 4, 4],
        ("1", "DT"): [1, 0.5, 1],
        ("1", "NN"): [2, 2, 1],
        ("1", "VBZ"): [1, 1, 1],
        ("1", "unaligned"): [1, 0.5, 1],
        # der Hund: NP, Hund sieht: S, sieht der: VBZ, der Katze: NN
        ("2", ALL): [4, 2, 2],
        ("2", "NN"): [1, 0, 0],
        ("2", "NP"): [1, 1, 0],
        ("2", "S"): [1, 1, 1],
        ("2", "VBZ"): [1, 0, 1],
        # der Hund: NP, Katze: NP, sieht der Katze: VP, all: S
        ("phrase", ALL): [4, 2, 0],
        ("phrase", "NP"): [2, 2, 0],
        ("phrase", "S"): [1, 0, 0],
        ("phrase", "VP"): [1, 0, 0],
    }
    assert {cell: n for cell, n in by_cell(counts, 1).items() if n[0]} == {
        ("1", ALL): [1, 1, 0],
        ("1", "NN"): [1, 1, 0],
    }


@given(
    st.sets(st.tuples(st.integers(0, 4), st.integers(0, 4))),
    st.lists(st.lists(st.sampled_from(REFERENCE), max_size=7), min_size=1, max_size=3),
)
def test_categories_add_up_to_the_ngrams_of_a_reference_and_to_bleus_matches(
    links: set[tuple[int, int]], systems: list[list[str]]
) -> None:
    sentence = Translated(occurrences(read_tree(TREE), links, 5, [1, 2, 3]), REFERENCE, systems)
    counts = count_categories([sentence], len(systems))
    for size in (1, 2, 3):
        of_size = [category != ALL and which == str(size) for which, category in counts.cells]
        everything = counts.cells.index((str(size), ALL))
        assert counts.counted[0, of_size].sum() == counts.counted[0, everything] == 6 - size
        statistics = ngram_statistics(
            [" ".join(system) for system in systems],
            [" ".join(REFERENCE)] * len(systems),
            tokenizer="none",
            max_ngram=3,
        )
        found = counts.found[0][:, of_size].sum(axis=1)
        assert np.allclose(found, counts.found[0, :, everything])
        assert np.allclose(found, matches(statistics)[:, size - 1])
