"""The aligner as a whole: what it learns, and what must not change what it finds."""

from __future__ import annotations

import random
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mgsa.base.errors import InputError
from mgsa.base.word_links import Link
from pipeline.aligners import hmm_aligner
from pipeline.aligners.hmm_aligner import HmmAligner
from pipeline.aligners.settings import HmmSettings

SETTINGS = HmmSettings(
    kind="hmm",
    symmetrization="intersection",
    fold_case=False,
    ibm1_iterations=4,
    hmm_iterations=4,
    lexical_prior=0.01,
    null_probability=0.2,
    learn_pairs=1000,
    max_words=100,
)
sentences = st.lists(st.sampled_from("abcdef"), min_size=1, max_size=6).map(" ".join)
corpora = st.lists(st.tuples(sentences, sentences), min_size=1, max_size=8)


def translated(count: int, seed: int) -> tuple[list[tuple[str, str]], list[set[Link]]]:
    """Sentences in a made-up language, each word of which has one translation; right links.

    The verb, `v…`, is the second word of a source and the last one of a target. Half of the targets
    have a word `NE` somewhere, that translates nothing.
    """
    generator = random.Random(seed)
    pairs, links = [], []
    for _ in range(count):
        nouns = [f"n{number}" for number in generator.sample(range(20), generator.randint(2, 5))]
        source = [nouns[0], f"v{generator.randrange(10)}", *nouns[1:]]
        order = [0, *range(2, len(source)), 1]
        if generator.random() < 0.5:
            order.insert(generator.randrange(len(order)), -1)
        target = ["NE" if place < 0 else source[place].upper() for place in order]
        pairs.append((" ".join(source), " ".join(target)))
        links.append({(place, i) for i, place in enumerate(order) if place >= 0})
    return pairs, links


def test_it_finds_the_translations_of_words_and_none_for_a_word_that_has_none() -> None:
    pairs, right = translated(300, 1)
    aligner = HmmAligner(pairs, SETTINGS)
    found = aligner.align(pairs)
    assert [forward for forward, _ in found] == right
    wrong = sum(len(reverse ^ links) for (_, reverse), links in zip(found, right, strict=True))
    assert wrong < 0.01 * sum(map(len, right))
    unseen, right = translated(50, 2)
    assert [forward for forward, _ in aligner.align(unseen)] == right


def test_words_that_it_never_saw_are_aligned_by_their_places() -> None:
    generator = random.Random(1)
    texts = [" ".join(generator.sample("abcdefgh", 4)) for _ in range(50)]
    aligner = HmmAligner([(text, text.upper()) for text in texts], SETTINGS)
    ((forward, reverse),) = aligner.align([("a new b", "A neu B")])
    assert forward == reverse == {(0, 0), (1, 1), (2, 2)}


@given(corpora, st.randoms(use_true_random=False))
def test_neither_the_order_of_pairs_nor_the_portion_changes_a_link(
    corpus: list[tuple[str, str]], shuffler: random.Random
) -> None:
    order = list(range(len(corpus)))
    shuffler.shuffle(order)
    shuffled = [corpus[number] for number in order]
    aligner = HmmAligner(corpus, SETTINGS)
    found = aligner.align(corpus)
    assert [aligner.align([pair])[0] for pair in corpus] == found
    again = HmmAligner(shuffled, SETTINGS).align(shuffled)
    assert again == [found[number] for number in order]


@given(corpora)
def test_the_likelihood_never_falls(corpus: list[tuple[str, str]]) -> None:
    """In either model; the second one generates sentence lengths too, so it starts lower."""
    settings = replace(SETTINGS, lexical_prior=0.0, ibm1_iterations=5, hmm_iterations=8)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(hmm_aligner, "JUMP_PRIOR", 0.0)
        aligner = HmmAligner(corpus, settings)
    for direction in (aligner.forward, aligner.reverse):
        assert (np.diff(direction.log_likelihoods[:5]) >= -1e-9).all()
        assert (np.diff(direction.log_likelihoods[5:]) >= -1e-9).all()


def test_long_pairs_have_no_links_and_teach_nothing() -> None:
    pairs, _ = translated(50, 1)
    settings = replace(SETTINGS, max_words=10)
    long = (" ".join(["n1"] * 11), "N1")
    with_long = HmmAligner([*pairs, long], settings)
    assert with_long.align([long, long[::-1]]) == [(set(), set()), (set(), set())]
    assert with_long.align(pairs) == HmmAligner(pairs, settings).align(pairs)


def test_there_must_be_something_to_learn_from() -> None:
    message = "align.max_words: expected a training pair of at most 2 words on either side"
    with pytest.raises(InputError, match=message):
        HmmAligner([("a b c", "d")], replace(SETTINGS, max_words=2))
