"""Beam search against a search of one hypothesis at a time, and where the answer is known."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from torch import Tensor

from mgsa.cli.errors import FailedError
from mgsa.config import DEFAULT_TRANSLATE_CONFIG
from mgsa.decoding.beam import Hypothesis, length_penalty, search_batch
from tests.reference import beam as reference

VOCABULARY = 6  # four special symbols, of which unknown may be said, and two words


@dataclass(frozen=True)
class ToyState:
    """The sentence of each row, and what was said, begin of sentence left out."""

    rows: list[tuple[int, reference.Words]]
    sentences: int

    def reorder(self, sentences: Tensor | None, parents: Tensor) -> ToyState:
        kept = list(range(self.sentences)) if sentences is None else sentences.tolist()
        n = len(self.rows) // self.sentences
        index = [b * n + i for b, of in zip(kept, parents.tolist(), strict=True) for i in of]
        return ToyState([self.rows[i] for i in index], len(kept))

    @property
    def weights(self) -> list[dict[str, Tensor]]:
        """(rows, 1, 1, 1): how many fours the words of each row hold."""
        fours = torch.tensor([said.count(4) for _, said in self.rows])
        return [{"fours": fours[:, None, None, None]}]


class Toy:
    """Log probabilities drawn for every sentence and beginning: eighths, exact and often equal."""

    def __init__(self, seed: int) -> None:
        self.seed = seed

    def log_probs(self, sentence: int, words: reference.Words) -> list[float]:
        generator = np.random.default_rng([self.seed, sentence, len(words), *words])
        return [eighths / 8 for eighths in generator.integers(-24, 0, VOCABULARY).tolist()]

    def encode(self, batch: Any) -> Any:
        return batch

    def start(self, encoded: Any, *, need_weights: bool) -> ToyState:
        del need_weights
        return ToyState(
            [(sentence, ()) for sentence in encoded.source.tolist()], len(encoded.source)
        )

    def step(self, state: ToyState, tokens: Tensor) -> tuple[Tensor, ToyState]:
        rows = [
            (sentence, (*words, token) if token != reference.BOS else words)
            for (sentence, words), token in zip(state.rows, tokens.tolist(), strict=True)
        ]
        return torch.tensor([self.log_probs(*row) for row in rows]), ToyState(rows, state.sentences)


def search(
    *models: Any,
    sentences: Sequence[int] = (0,),
    longest: Sequence[int],
    beam: int,
    alpha: float = 0.6,
    **options: Any,
) -> list[list[Hypothesis]]:
    """Sentences go by number; a translation is at most as long as its sentence."""
    lengths = torch.tensor(longest) + 1  # with end of sentence
    batch: Any = SimpleNamespace(source=torch.tensor(sentences), source_lengths=lengths)
    config = replace(
        DEFAULT_TRANSLATE_CONFIG,
        beam=beam,
        length_penalty=alpha,
        max_length_ratio=1.0,
        max_length_extra=0,
    )
    return search_batch(models, [batch] * len(models), config, **options)


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
    seed: int, beam: int, alpha: float, sentences: list[Any], data: st.DataObject
) -> None:
    toy = Toy(seed)
    n_best = data.draw(st.integers(1, beam))
    numbers, longest, prefixes = zip(*sentences, strict=True)
    found = search(
        toy,
        sentences=numbers,
        longest=longest,
        beam=beam,
        alpha=alpha,
        n_best=n_best,
        prefixes=prefixes,
        need_weights=True,
    )
    for hypotheses, (number, most, prefix) in zip(found, sentences, strict=True):
        expected = reference.search(
            partial(toy.log_probs, number),
            beam=beam,
            n_best=n_best,
            alpha=alpha,
            longest=most,
            prefix=prefix,
        )
        assert [(h.ids, h.log_probability) for h in hypotheses] == [
            (e.ids, e.log_probability) for e in expected
        ]
        assert [h.score for h in hypotheses] == pytest.approx([e.score for e in expected])
        for hypothesis in hypotheses:  # each holds the weights of its own rows
            ids, (fours,) = hypothesis.ids, hypothesis.weights.values()
            assert fours.flatten().tolist() == [ids[:t].count(4) for t in range(len(ids) + 1)]


@given(seed=st.integers(0, 100_000), alpha=alphas)
@settings(max_examples=20)
def test_a_beam_as_wide_as_the_language_finds_the_best_of_all_sentences(
    seed: int, alpha: float
) -> None:
    toy = Toy(seed)
    sentences = reference.every_sentence(
        lambda said: toy.log_probs(0, said), vocabulary=VOCABULARY, alpha=alpha, longest=4
    )
    beam = len(sentences)
    assert beam == 1 + 3 + 9 + 27 + 81
    (hypotheses,) = search(toy, longest=[4], beam=beam, alpha=alpha, n_best=beam)
    assert {h.ids for h in hypotheses} == {s.ids for s in sentences}
    assert [h.score for h in hypotheses] == pytest.approx([s.score for s in sentences])


@pytest.mark.parametrize(
    ("length", "alpha", "expected"),
    [
        (7, 0.0, 1.0),  # no penalty
        (1, 0.6, 1.0),  # (5 + 1) / 6
        (13, 1.0, 3.0),  # 18 / 6
        (7, 2.0, 4.0),  # the square of 12 / 6
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


def test_the_longest_translation_follows_the_source() -> None:
    """Ratio times subwords (end of sentence not counted), plus extra."""
    lengths = torch.tensor([1, 2, 3]) + 1
    batch: Any = SimpleNamespace(source=torch.arange(3), source_lengths=lengths)
    config = replace(DEFAULT_TRANSLATE_CONFIG, beam=1, max_length_ratio=2.5, max_length_extra=1)
    chain: Any = Chain()
    found = search_batch([chain], [batch], config)
    assert [len(one.ids) for (one,) in found] == [3, 6, 8]  # 2.5 + 1, 5 + 1, 7.5 + 1


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
    search(chain, sentences=range(len(longest)), longest=longest, beam=beam, alpha=alpha)
    assert chain.rows == rows


def test_an_ensemble_scores_by_the_mean_of_probabilities() -> None:
    first, second = Toy(1), Toy(2)
    ((found,),) = search(first, second, longest=[0], beam=1)  # it must end at once
    both = [np.exp(toy.log_probs(0, ())[reference.EOS]) for toy in (first, second)]
    assert found.log_probability == pytest.approx(np.log(np.mean(both)))


@pytest.mark.parametrize(("beam", "n_best"), [(1, 2), (3, 0)])
def test_more_translations_than_the_beam_are_refused(beam: int, n_best: int) -> None:
    with pytest.raises(ValueError, match=rf"expected 1 to {beam} \(the beam\)"):
        search(Toy(1), longest=[3], beam=beam, n_best=n_best)


@pytest.mark.parametrize("number", [torch.nan, -torch.nan, -torch.inf])
@pytest.mark.parametrize("beam", [1, 3])
def test_a_broken_model_is_an_error(number: float, beam: int) -> None:
    class Broken(Toy):
        def step(self, state: ToyState, tokens: Tensor) -> tuple[Tensor, ToyState]:
            return torch.full((len(tokens), VOCABULARY), number), state

    with pytest.raises(FailedError, match="the model gives no word a probability"):
        search(Broken(0), longest=[3], beam=beam)
