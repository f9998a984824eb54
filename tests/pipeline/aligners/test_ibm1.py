"""IBM model 1 against plain loops; it learns what it should."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pipeline.aligners.bitext import Block, Sentences, WordIndex, blocks
from pipeline.aligners.hmm import LexicalTable
from pipeline.aligners.hmm_aligner import expected_counts
from tests.reference import alignment as reference

NULL_SHARE = 0.2
sentences = st.lists(st.sampled_from("abcd"), min_size=1, max_size=4)
corpora = st.lists(st.tuples(sentences, sentences), min_size=1, max_size=5)
Corpus = list[tuple[list[str], list[str]]]


def prepared(corpus: Corpus) -> tuple[list[Block], LexicalTable, list[Sentences], int]:
    """Blocks of a corpus with a table of random probabilities, and the text in ids."""
    texts, sizes = [], []
    for side in (0, 1):
        lines = [" ".join(pair[side]) for pair in corpus]
        index = WordIndex(lines, fold_case=False)
        texts.append([index.ids(line) for line in lines])
        sizes.append(index.size)
    keyed = list(blocks(texts[0], texts[1], range(len(corpus)), sizes[1]))
    keys = np.unique(np.concatenate([block.entries for block in keyed]))
    table = LexicalTable.uniform(keys, sizes[1])
    table = table.estimated(np.random.default_rng(1).random(len(keys)), prior=0)
    return [block.found_in(keys) for block in keyed], table, texts, sizes[1]


@given(corpora)
def test_counts_are_those_of_plain_loops(corpus: Corpus) -> None:
    made, table, texts, base = prepared(corpus)
    found = expected_counts(made, table, None, NULL_SHARE)
    lexical = {
        divmod(int(k), base): p for k, p in zip(table.keys, table.probabilities, strict=True)
    }
    expected = reference.ibm1(list(zip(*texts, strict=True)), lexical, NULL_SHARE)
    assert found.log_likelihood == pytest.approx(expected.log_likelihood)
    counts = {divmod(int(k), base): c for k, c in zip(table.keys, found.lexical, strict=True)}
    assert counts == pytest.approx(expected.lexical)


@given(corpora)
def test_the_likelihood_never_falls(corpus: Corpus) -> None:
    made, table, *_ = prepared(corpus)
    likelihoods = []
    for _ in range(6):
        found = expected_counts(made, table, None, NULL_SHARE)
        likelihoods.append(found.log_likelihood)
        table = table.estimated(found.lexical, prior=0)
    assert (np.diff(likelihoods) >= -1e-9).all()


def test_it_learns_from_words_that_stay_together() -> None:
    """The example of Koehn 2010, chapter 4: `the house`, `the book` and `a book`."""
    made, table, *_ = prepared(
        [(["das", "haus"], ["the", "house"]), (["das", "buch"], ["the", "book"]),
         (["ein", "buch"], ["a", "book"])]
    )  # fmt: skip
    for _ in range(50):
        table = table.estimated(expected_counts(made, table, None, 0.0).lexical, prior=0)
    # By the alphabet: buch, das, ein, haus; a, book, house, the.
    best = {}
    for key, probability in zip(table.keys.tolist(), table.probabilities.tolist(), strict=True):
        source, target = divmod(key, 6)
        if source and probability > 0.9:
            best[source] = target
    assert best == {1: 2, 2: 4, 3: 1, 4: 3}
