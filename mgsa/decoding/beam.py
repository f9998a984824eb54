"""Batched beam search over a model that says one word at a time; greedy search is a beam of 1.

At every step, of all continuations of a sentence's `beam` hypotheses, those among the best `beam`
that say end of sentence are finished, and the best `beam` others live on. A sentence is done

- once `beam` hypotheses are finished, or
- once no hypothesis that lives can come to be among the `n_best`: if it said no less likely word up
  to the longest length allowed, its score would still be no better. This changes no result, it only
  saves steps that the first rule would take in vain.

Sentences that are done leave the batch. At the longest length only end of sentence may be said.

A finished hypothesis y of log probability log p has the score log p / lp(y) of Wu et al. 2016
(equation 14), coverage left out; |y| counts end of sentence. Equal scores come in the order in
which they were found: by step, then by rank of the hypothesis continued, then by token.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import count
from typing import Protocol, Self, TypeVar

import numpy as np
import torch
from torch import Tensor

from mgsa.base.errors import FailedError
from mgsa.data.vocabulary import BOS, EOS, PAD
from mgsa.decoding.candidates import best_continuations
from mgsa.decoding.trail import Trail

NEVER_SAID = (PAD, BOS)


class State(Protocol):
    """What a model keeps of target sentences decoded so far, one a row."""

    def reorder(self, index: Tensor) -> Self:
        """The state of the rows `index`, (rows',): chosen, repeated, or left out."""


StateT = TypeVar("StateT", bound=State)


class Scorer(Protocol[StateT]):
    """A model, word by word."""

    def step(self, state: StateT, tokens: Tensor) -> tuple[Tensor, StateT]:
        """Log probabilities (rows, V) of the next word once `tokens` (rows,) are said.

        The search writes to what it is given.
        """


@dataclass(frozen=True)
class Hypothesis:
    """A translation that a search found.

    Attributes:
        ids: tokens, a forced prefix included, without end of sentence.
        score: log probability over length penalty.
        log_probability: of all tokens and end of sentence.
        seen: what the steps saw, if they were asked; arrays with an entry for each token and one
            for end of sentence.
    """

    ids: tuple[int, ...]
    score: float
    log_probability: float
    seen: dict[str, np.ndarray] = field(default_factory=dict)


@dataclass(frozen=True)
class SearchOptions:
    """How wide a search is, how many hypotheses it gives, and how it weighs their lengths."""

    beam: int
    n_best: int
    length_penalty: float

    def __post_init__(self) -> None:
        if not 1 <= self.n_best <= self.beam:
            raise ValueError(f"expected 1 to {self.beam} (the beam) of n best, got {self.n_best}")


def length_penalty(length: np.ndarray | int, alpha: float) -> np.ndarray:
    """lp(y) = ((5 + |y|) / (5 + 1))^α (Wu et al. 2016, equation 14)."""
    return ((5.0 + np.asarray(length)) / 6.0) ** alpha


def beam_search(
    scorer: Scorer[StateT],
    state: StateT,
    *,
    options: SearchOptions,
    longest: Sequence[int],
    device: torch.device,
    prefixes: Sequence[Sequence[int]] | None = None,
    see: Callable[[StateT], Mapping[str, Tensor]] | None = None,
) -> list[list[Hypothesis]]:
    """The `n_best` translations found for each sentence, best first, all different.

    Args:
        state: the scorer's before the first word, a row for each sentence.
        longest: the most words of each translation; a longer prefix counts instead.
        device: of the scorer.
        prefixes: the words with which each translation has to begin, none of them special but
            unknown.
        see: what of a state to keep for `Hypothesis.seen`, tensors with rows first.

    Raises:
        FailedError: the scorer gives no sentence any probability, or something that is no number.
    """
    if not longest:
        return []
    search = _Search(options, longest, prefixes or [()] * len(longest))
    for step in count():
        tokens = torch.from_numpy(search.words).to(device)
        values, hypotheses, words, state = _candidates(scorer, state, tokens, search, step, see)
        parents = search.advance(step, values, hypotheses, words)
        if not len(parents):
            break
        if len(parents) < len(tokens) or options.beam > 1:
            state = state.reorder(torch.from_numpy(parents).to(device))
    return search.found()


def _candidates(
    scorer: Scorer[StateT],
    state: StateT,
    tokens: Tensor,
    search: _Search,
    step: int,
    see: Callable[[StateT], Mapping[str, Tensor]] | None,
) -> tuple[np.ndarray, np.ndarray, np.ndarray, StateT]:
    """A step's candidates as `_Search.advance` wants them, and the state after it."""
    log_probs, state = scorer.step(state, tokens)
    if see is not None:
        search.trail.see(see(state))
    log_probs = log_probs.float()
    for token in NEVER_SAID:
        log_probs[:, token] = -torch.inf
    _force(log_probs, search.forced(step))
    scores = torch.from_numpy(search.scores).to(log_probs.device)
    most = scores.shape[1] * log_probs.shape[1]
    values, index = best_continuations(log_probs, scores, min(search.num_candidates, most))
    hypotheses, words = np.divmod(index.cpu().numpy(), log_probs.shape[1])
    return values.cpu().numpy(), hypotheses, words, state


def _force(log_probs: Tensor, forced: np.ndarray | None) -> None:
    """Leave rows whose entry in `forced` (rows,) is a token no other; −1 forces nothing."""
    if forced is None:
        return
    rows = torch.from_numpy((forced >= 0).nonzero()[0]).to(log_probs.device)
    tokens = torch.from_numpy(forced[forced >= 0]).to(log_probs.device)
    kept = log_probs[rows, tokens]
    log_probs[rows] = -torch.inf
    log_probs[rows, tokens] = kept


class _Search:
    """The book of a search: what lives, what is finished, who is done. All of it on the CPU.

    Attributes:
        sentences: (B,) which sentences are not done.
        scores: (B, live) float32 log probabilities of what lives, −inf where nothing does; at
            first one hypothesis, of no words, then `beam`.
        words: (B · live,) the last word of each row.
        num_candidates: how many continuations of a sentence `advance` wants to see. At most `beam`
            of twice as many say end of sentence; one that does ends a beam of 1.
        trail: the way back of every row.
    """

    def __init__(
        self, options: SearchOptions, longest: Sequence[int], prefixes: Sequence[Sequence[int]]
    ) -> None:
        B = len(longest)
        self._options = options
        self._prefixes = np.full((B, max(map(len, prefixes), default=0)), -1, dtype=np.int64)
        for row, prefix in zip(self._prefixes, prefixes, strict=True):
            if not {PAD, BOS, EOS}.isdisjoint(prefix):
                raise ValueError(f"expected words in a prefix, got special symbols: {prefix}")
            row[: len(prefix)] = prefix
        self._longest = np.maximum(longest, [len(prefix) for prefix in prefixes]).astype(np.int64)
        self._num_finished = np.zeros(B, dtype=np.int64)
        self._n_best = np.full((B, options.n_best), -np.inf)  # scores, best first
        self._finished: list[tuple[np.ndarray, ...]] = []  # step, row, sentence, log p, score
        self.sentences = np.arange(B)
        self.scores = np.zeros((B, 1), dtype=np.float32)
        self.words = np.full(B, BOS, dtype=np.int64)
        self.num_candidates = 2 * options.beam if options.beam > 1 else 1
        self.trail = Trail()

    def forced(self, step: int) -> np.ndarray | None:
        """(B · live,) the only token a row may say at this step, −1 for any; `None`: any, all."""
        longest = self._longest[self.sentences]
        if step >= self._prefixes.shape[1] and step < longest.min():
            return None
        forced = np.full(len(longest), -1, dtype=np.int64)
        if step < self._prefixes.shape[1]:
            forced = self._prefixes[self.sentences, step]
        return np.where(step >= longest, EOS, forced).repeat(self.scores.shape[1])

    def advance(
        self, step: int, values: np.ndarray, hypotheses: np.ndarray, words: np.ndarray
    ) -> np.ndarray:
        """Take in the candidates of a step; the rows (rows',) of it that its next rows continue.

        Args:
            values: (B, candidates) log probabilities, best first.
            hypotheses, words: (B, candidates) what each candidate continues, and with what.
        """
        beam, alpha = self._options.beam, self._options.length_penalty
        parents = np.arange(len(values))[:, None] * self.scores.shape[1] + hypotheses
        ends = (words == EOS) & (values > -np.inf)
        ended = ends[:, :beam]
        if ended.any():
            finals = np.where(ended, values[:, :beam].astype(np.float64), -np.inf)
            scores = finals / length_penalty(step + 1, alpha)
            place = ended.nonzero()
            self._finished.append(
                (
                    np.full(len(place[0]), step),
                    parents[place],
                    self.sentences[place[0]],
                    finals[place],
                    scores[place],
                )
            )
            self._num_finished[self.sentences] += ended.sum(axis=1)
            merged = np.concatenate([self._n_best[self.sentences], scores], axis=1)
            self._n_best[self.sentences] = -np.sort(-merged, axis=1)[:, : self._options.n_best]
        live = np.argsort(ends, axis=1, kind="stable")[:, :beam]  # the best that don't end
        values = np.where(ends, np.float32(-np.inf), values)
        # One hypothesis has fewer continuations than a beam that is wider than the vocabulary.
        live = np.pad(live, ((0, 0), (0, beam - live.shape[1])), mode="edge")
        self.scores = np.take_along_axis(values, live, axis=1)
        self.scores[:, ends.shape[1] :] = -np.inf
        going = (~self._done()).nonzero()[0]
        chosen = going[:, None], live[going]
        self.words = words[chosen].flatten()
        self.scores = self.scores[going]
        self.sentences = self.sentences[going]
        self.trail.continue_with(parents[chosen].flatten(), self.words)
        return parents[chosen].flatten()

    def _done(self) -> np.ndarray:
        """(B,) bool: the two rules of the module's docstring."""
        longest = self._longest[self.sentences] + 1
        best = self.scores[:, 0].astype(np.float64)
        if (~(best > -np.inf) & (self._num_finished[self.sentences] == 0)).any():
            raise FailedError("the model gives no word a probability: are its weights NaN?")
        attainable = best / length_penalty(longest, self._options.length_penalty)
        enough = self._num_finished[self.sentences] >= self._options.beam
        return enough | ~(attainable > self._n_best[self.sentences, -1])  # NaN attains nothing

    def found(self) -> list[list[Hypothesis]]:
        """The `n_best` finished hypotheses of every sentence, best first."""
        steps, rows, sentences, log_probs, scores = map(
            np.concatenate, zip(*self._finished, strict=True)
        )
        order = np.lexsort((-scores, sentences))  # stable, so equals stay as they were found
        starts = np.searchsorted(sentences[order], np.arange(len(self._longest)))
        rank = np.arange(len(order)) - starts[sentences[order]]
        best = order[rank < self._options.n_best]
        tokens, passed = self.trail.follow(steps[best], rows[best])
        found: list[list[Hypothesis]] = [[] for _ in self._longest]
        for i, at in enumerate(best.tolist()):
            end = int(steps[at])
            found[sentences[at]].append(
                Hypothesis(
                    ids=tuple(tokens[i, :end].tolist()),
                    score=float(scores[at]),
                    log_probability=float(log_probs[at]),
                    seen=self.trail.recall(passed[i, : end + 1]),
                )
            )
        return found
