from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from torch import Tensor

from mgsa.base.errors import FailedError
from mgsa.decoding.beam import Hypothesis, beam_search, length_penalty, step_ensemble
from tests.reference import beam as reference

CPU = torch.device("cpu")
VOCABULARY = 6  # four special symbols, of which unknown may be said, and two words


@dataclass(frozen=True)
class ToyState:
    """The sentence of each row, and what was said, begin of sentence left out."""

    rows: list[tuple[int, reference.Words]]

    def reorder(self, index: Tensor) -> ToyState:
        return ToyState([self.rows[i] for i in index.tolist()])


class Toy:
    """Log probabilities drawn for every sentence and beginning: eighths, exact and often equal.

    Those that are not `exact` are any numbers, never equal.
    """

    def __init__(self, seed: int, *, exact: bool = True) -> None:
        self.seed = seed
        self.exact = exact

    def log_probs(self, sentence: int, words: reference.Words) -> list[float]:
        generator = np.random.default_rng([self.seed, sentence, len(words), *words])
        if self.exact:
            return (generator.integers(-24, 0, VOCABULARY) / 8).tolist()
        return (-3 * generator.random(VOCABULARY)).tolist()

    def step(self, state: ToyState, tokens: Tensor) -> tuple[Tensor, ToyState]:
        rows = [
            (sentence, (*words, token) if token != reference.BOS else words)
            for (sentence, words), token in zip(state.rows, tokens.tolist(), strict=True)
        ]
        return torch.tensor([self.log_probs(*row) for row in rows]), ToyState(rows)

    def search(
        self,
        sentences: Sequence[int],
        *,
        beam: int,
        n_best: int = 1,
        alpha: float = 0.6,
        longest: Sequence[int],
        prefixes: Sequence[Sequence[int]] | None = None,
    ) -> list[list[Hypothesis]]:
        return beam_search(
            [self],
            [ToyState([(sentence, ()) for sentence in sentences])],
            beam=beam,
            n_best=n_best,
            alpha=alpha,
            longest=longest,
            device=CPU,
            prefixes=prefixes,
        )


def told(found: Sequence[Hypothesis] | Sequence[reference.Found]) -> list[tuple]:
    return [(one.ids, pytest.approx(one.score), one.log_probability) for one in found]


words = st.lists(st.integers(3, VOCABULARY - 1), max_size=4).map(tuple)
alphas = st.sampled_from([0.0, 0.6, 1.0, 2.0])


@given(
    seed=st.integers(0, 100_000),
    beam=st.integers(1, 6),
    alpha=alphas,
    sentences=st.lists(st.tuples(st.integers(0, 9), st.integers(0, 6), words), min_size=1),
    data=st.data(),
)
def test_a_search_is_the_reference_search_of_each_sentence(
    seed: int, beam: int, alpha: float, sentences: list, data: st.DataObject
) -> None:
    toy = Toy(seed)
    n_best = data.draw(st.integers(1, beam))
    numbers, longest, prefixes = zip(*sentences, strict=True)
    found = toy.search(
        numbers, beam=beam, n_best=n_best, alpha=alpha, longest=longest, prefixes=prefixes
    )
    for hypotheses, (number, most, prefix) in zip(found, sentences, strict=True):
        expected = reference.search(
            lambda said, number=number: toy.log_probs(number, said),
            beam=beam,
            n_best=n_best,
            alpha=alpha,
            longest=most,
            prefix=prefix,
        )
        assert [h.ids for h in hypotheses] == [e.ids for e in expected]
        assert told(hypotheses) == told(expected)


@given(seed=st.integers(0, 100_000), alpha=alphas)
@settings(max_examples=20)
def test_a_beam_as_wide_as_the_language_finds_the_best_of_all_sentences(
    seed: int, alpha: float
) -> None:
    toy = Toy(seed)
    sentences = reference.every_sentence(
        lambda said: toy.log_probs(0, said), vocabulary=VOCABULARY, alpha=alpha, longest=4
    )
    assert len(sentences) == 1 + 3 + 9 + 27 + 81
    beam = len(sentences)
    ((*hypotheses,),) = toy.search([0], beam=beam, n_best=beam, alpha=alpha, longest=[4])
    assert {h.ids for h in hypotheses} == {s.ids for s in sentences}
    assert [h.score for h in hypotheses] == pytest.approx([s.score for s in sentences])


@pytest.mark.parametrize(
    ("length", "alpha", "expected"),
    [
        (1, 0.0, 1.0),  # no penalty
        (7, 0.0, 1.0),
        (1, 0.6, 1.0),  # (5 + 1) / 6
        (7, 1.0, 2.0),  # 12 / 6
        (13, 1.0, 3.0),  # 18 / 6
        (7, 2.0, 4.0),
        (19, 0.5, 2.0),  # the root of 24 / 6
    ],
)
def test_length_penalty(length: int, alpha: float, expected: float) -> None:
    assert length_penalty(length, alpha) == pytest.approx(expected)


class Chain(Toy):
    """Says 4 at −1 or ends at −2.5, up to anything; other words are far behind."""

    def __init__(self) -> None:
        super().__init__(0)
        self.rows: list[int] = []

    def step(self, state: ToyState, tokens: Tensor) -> tuple[Tensor, ToyState]:
        self.rows.append(len(tokens))
        log_probs = torch.full((len(tokens), VOCABULARY), -50.0)
        log_probs[:, 4] = -1.0
        log_probs[:, reference.EOS] = -2.5
        return log_probs, state


@pytest.mark.parametrize(("alpha", "expected"), [(0.0, 0), (3.0, 5)])
def test_length_penalty_decides_between_short_and_long(alpha: float, expected: int) -> None:
    """log p of n words and the end is −n − 2.5: the longest is best once lp grows faster."""
    ((found,),) = Chain().search([0], beam=6, alpha=alpha, longest=[5])
    assert found.ids == (4,) * expected


@pytest.mark.parametrize(
    ("beam", "alpha", "longest", "rows"),
    [
        # Without length penalty the first end, at −2.5, can't be beaten once three words cost −3.
        (6, 0.0, [50], [1, 6, 6]),
        (1, 0.6, [3, 0, 1], [3, 2, 1, 1]),
    ],
)
def test_sentences_that_are_done_leave_the_batch(
    beam: int, alpha: float, longest: list[int], rows: list[int]
) -> None:
    chain = Chain()
    chain.search(range(len(longest)), beam=beam, alpha=alpha, longest=longest)
    assert chain.rows == rows


def test_an_ensemble_scores_by_the_mean_of_probabilities() -> None:
    first, second = Toy(1), Toy(2)
    start = ToyState([(0, ())])
    begin = torch.tensor([reference.BOS])
    log_probs, _ = step_ensemble([first, second], [start, start], begin)
    expected = np.log((np.exp(first.log_probs(0, ())) + np.exp(second.log_probs(0, ()))) / 2)
    assert log_probs[0].tolist() == pytest.approx(expected.tolist())


def test_what_the_steps_saw_is_told_along_the_hypothesis() -> None:
    """Each row sees how many fours its words hold; a hypothesis tells it of its own words."""
    toy = Toy(5)

    def see(states: Sequence[ToyState]) -> dict[str, Tensor]:
        (state,) = states
        return {"fours": torch.tensor([said.count(4) for _, said in state.rows])}

    found = beam_search(
        [toy],
        [ToyState([(i, ()) for i in range(4)])],
        beam=4,
        n_best=3,
        alpha=0.6,
        longest=[7, 2, 0, 5],
        device=CPU,
        see=see,
    )
    for hypothesis in (hypothesis for hypotheses in found for hypothesis in hypotheses):
        ids = hypothesis.ids
        expected = [ids[:place].count(4) for place in range(len(ids) + 1)]
        assert hypothesis.seen["fours"].tolist() == expected


def test_no_sentences_have_no_translations() -> None:
    assert Toy(1).search([], beam=3, longest=[]) == []


@pytest.mark.parametrize(("beam", "n_best"), [(1, 2), (3, 0)])
def test_more_translations_than_the_beam_are_refused(beam: int, n_best: int) -> None:
    with pytest.raises(ValueError, match=rf"expected 1 to {beam} \(the beam\)"):
        Toy(1).search([0], beam=beam, n_best=n_best, longest=[3])


@pytest.mark.parametrize("number", [torch.nan, -torch.nan, -torch.inf])
@pytest.mark.parametrize("beam", [1, 3])
def test_a_broken_model_is_an_error(number: float, beam: int) -> None:
    class Broken(Toy):
        def step(self, state: ToyState, tokens: Tensor) -> tuple[Tensor, ToyState]:
            return torch.full((len(tokens), VOCABULARY), number), state

    with pytest.raises(FailedError, match="the model gives no word a probability"):
        Broken(0).search([0], beam=beam, longest=[3])
