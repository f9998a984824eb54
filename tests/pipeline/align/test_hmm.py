"""Both models against all alignments of short sentences; what the aligner learns and finds."""

from __future__ import annotations

import random
from collections import Counter
from dataclasses import replace

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from mgsa.cli.errors import InputError
from mgsa.data.word_links import Link
from pipeline.align import bitext, hmm
from pipeline.align.hmm import (
    LONGEST_JUMP,
    SMALLEST,
    UNIFORM_JUMPS,
    HmmAligner,
    estimated_jumps,
    estimated_lexicon,
    hmm_posteriors,
    ibm1_posteriors,
    jump_matrix,
)
from pipeline.align.settings import HmmSettings
from tests.reference import alignment as reference

NULL_SHARE = 0.3
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
lengths = st.lists(st.integers(1, 4), min_size=1, max_size=3)


def random_jumps(seed: int) -> np.ndarray:
    return np.random.default_rng(seed).random(2 * LONGEST_JUMP + 1) + 0.1


@given(num_given=st.integers(1, 3), generated=lengths, seed=st.integers(0, 99))
def test_posteriors_are_those_of_all_alignments(
    num_given: int, generated: list[int], seed: int
) -> None:
    """A block of pairs with the same number of given words; every word has its own id."""
    generated = sorted(generated, reverse=True)
    draw = np.random.default_rng(seed)
    exists = np.array([[n > place for n in generated] for place in range(generated[0])])
    emissions = draw.random((*exists.shape, num_given + 1)) + 0.01
    weights = random_jumps(seed)
    matrix = jump_matrix(weights, num_given + 1)
    by_width = dict(zip(range(-LONGEST_JUMP, LONGEST_JUMP + 1), weights.tolist(), strict=True))
    jump = reference.jump_probabilities(by_width, num_given)
    assert matrix == pytest.approx(np.array(jump))

    states, log_likelihood, jumps = hmm_posteriors(emissions, exists, matrix, NULL_SHARE)
    ibm1_states, ibm1_likelihood = ibm1_posteriors(emissions, exists, NULL_SHARE)
    expected_likelihoods, of_jumps = [0.0, 0.0], Counter[tuple[int, int]]()
    for pair, length in enumerate(generated):
        lexical = {
            (origin, place): float(emissions[place, pair, origin])
            for place in range(length)
            for origin in range(num_given + 1)
        }
        words = range(1, num_given + 1), range(length)
        expected, origins = reference.hmm(*words, lexical, jump, NULL_SHARE)
        assert states[:length, pair] == pytest.approx(np.array(origins))
        assert not states[length:, pair].any()
        of_jumps.update(expected.jumps)
        ibm1 = reference.ibm1(*words, lexical, NULL_SHARE)
        for (origin, place), count in ibm1.lexical.items():
            assert ibm1_states[place, pair, origin] == pytest.approx(count)
        assert not ibm1_states[length:, pair].any()
        for model, likelihood in enumerate((expected.log_likelihood, ibm1.log_likelihood)):
            expected_likelihoods[model] += likelihood
    assert (log_likelihood, ibm1_likelihood) == pytest.approx(tuple(expected_likelihoods))
    for (start, end), count in of_jumps.items():
        assert jumps[start, end] == pytest.approx(count)
    assert jumps.sum() == pytest.approx(sum(of_jumps.values()))


def test_a_long_sentence_does_not_underflow() -> None:
    num_given, length = 40, 500
    emissions = np.full((length, 1, num_given + 1), 1e-30)
    exists = np.ones((length, 1), dtype=bool)
    matrix = jump_matrix(UNIFORM_JUMPS, num_given + 1)
    states, log_likelihood, _ = hmm_posteriors(emissions, exists, matrix, 0.1)
    assert states.sum(axis=-1) == pytest.approx(np.ones((length, 1)))
    assert np.isfinite(log_likelihood)


def test_long_jumps_have_one_weight() -> None:
    row = jump_matrix(random_jumps(1), 3 * LONGEST_JUMP)[0]
    assert row[LONGEST_JUMP - 1 :] == pytest.approx(row[-1])
    assert row[LONGEST_JUMP - 2] != pytest.approx(row[-1])


@given(seed=st.integers(0, 99), prior=st.sampled_from([0.0, 1.0]))
def test_an_estimate_makes_the_jumps_seen_likelier(seed: int, prior: float) -> None:
    """With a gamma prior, whose logarithm is `log w - w`, the sum of both."""
    draw = np.random.default_rng(seed)
    counts = {n: draw.random((n, n)) for n in (2, 3, 6)}

    def likelihood(weights: np.ndarray) -> float:
        seen = sum(float((c * np.log(jump_matrix(weights, n))).sum()) for n, c in counts.items())
        return seen + prior * float((np.log(weights) - weights).sum())

    weights, values = random_jumps(seed), []
    for _ in range(20):
        values.append(likelihood(weights))
        weights = estimated_jumps(weights, counts, prior)
    assert (np.diff(values) >= -1e-9).all()
    assert values[-1] > values[0]
    if not prior:  # no sentence is long enough for the widest jump, whose weight stays
        assert weights[0] == random_jumps(seed)[0]


def test_a_lexicon_is_of_the_counts_of_each_given_word() -> None:
    """Given word 1 with three words, given word 2 with two."""
    given, counts = np.array([1, 1, 1, 2, 2]), np.array([1.0, 3, 0, 0, 2])
    assert estimated_lexicon(counts, given, 0).tolist() == [0.25, 0.75, SMALLEST, SMALLEST, 1]
    totals = np.array([4.03, 4.03, 4.03, 2.02, 2.02])
    ours, whole = (torch.from_numpy(numbers).digamma() for numbers in (counts + 0.01, totals))
    expected = (ours - whole).exp().clamp(min=SMALLEST).numpy()
    np.testing.assert_allclose(estimated_lexicon(counts, given, 0.01), expected, rtol=1e-9)


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


@given(corpora, st.randoms(use_true_random=False))
def test_neither_the_order_of_pairs_nor_portions_and_blocks_change_a_link(
    corpus: list[tuple[str, str]], shuffler: random.Random
) -> None:
    order = list(range(len(corpus)))
    shuffler.shuffle(order)
    shuffled = [corpus[number] for number in order]
    aligner = HmmAligner(corpus, SETTINGS)
    found = aligner.align(corpus)
    assert [aligner.align([pair])[0] for pair in corpus] == found
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(bitext, "BLOCK_CELLS", 15)
        again = HmmAligner(shuffled, SETTINGS).align(shuffled)
    assert again == [found[number] for number in order]


@pytest.mark.parametrize("workers", [2, 5])
def test_processes_change_no_link(workers: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bitext, "BLOCK_CELLS", 15)
    pairs, _ = translated(100, 1)
    one, several = HmmAligner(pairs, SETTINGS), HmmAligner(pairs, SETTINGS, workers)
    for direction, other in ((one.forward, several.forward), (one.reverse, several.reverse)):
        np.testing.assert_array_equal(direction.lexicon, other.lexicon)
        np.testing.assert_array_equal(direction.jumps, other.jumps)


@given(corpora)
def test_the_likelihood_never_falls(corpus: list[tuple[str, str]]) -> None:
    """In either model; the second one generates sentence lengths too, so it starts lower."""
    settings = replace(SETTINGS, lexical_prior=0.0, ibm1_iterations=5, hmm_iterations=8)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(hmm, "JUMP_PRIOR", 0.0)
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
    message = "align.max_words: expected a training pair of at most 10 words on either side"
    with pytest.raises(InputError, match=message):
        HmmAligner([long], settings)
