"""Batched beam search over a model that predicts one word at a time; greedy is a beam of 1.

At every step, of all continuations of a sentence's `beam` hypotheses, those among the best `beam`
that end in end of sentence are finished, and the best `beam` others live on. A sentence is done

- once `beam` hypotheses are finished, or
- once no live hypothesis can come among the `n_best` any more: even at no further cost up to the
  longest length allowed its score would be no better. This saves steps and changes no result.

Sentences that are done leave the batch. At the longest length only end of sentence is allowed.

A finished hypothesis y of log probability log p has the score log p / lp(y) of Wu et al. 2016
(equation 14), coverage left out; |y| counts end of sentence. Equal scores are in the order in which
they were found: by step, then by rank of the hypothesis continued, then by token.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import count
from typing import Any, Protocol

import numpy as np
import torch
from torch import Tensor

from mgsa.base.errors import FailedError
from mgsa.data.vocabulary import BOS, EOS, PAD
from mgsa.decoding.candidates import best_continuations

NEVER_PREDICTED = (PAD, BOS)


class Scorer(Protocol):
    """A model, word by word. Its states have a method `reorder(index)` that chooses their rows."""

    def step(self, state: Any, tokens: Tensor) -> tuple[Tensor, Any]:
        """Log probabilities (rows, V) of the next word after `tokens` (rows,), and the new state.

        The search overwrites the log probabilities.
        """


@dataclass(frozen=True)
class Hypothesis:
    """A finished translation.

    Attributes:
        ids: tokens, a forced prefix included, without end of sentence.
        score: log probability over length penalty.
        log_probability: of all tokens and end of sentence.
        seen: what `see` kept of the steps, if given: arrays with an entry for each token and one
            for end of sentence.
    """

    ids: tuple[int, ...]
    score: float
    log_probability: float
    seen: dict[str, np.ndarray] = field(default_factory=dict)


@dataclass(frozen=True)
class SearchOptions:
    """The width of a search, the number of its results, and how their lengths are weighed."""

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
    scorer: Scorer,
    state: Any,
    *,
    options: SearchOptions,
    longest: Sequence[int],
    device: torch.device,
    prefixes: Sequence[Sequence[int]] | None = None,
    see: Callable[[Any], Mapping[str, Tensor]] | None = None,
) -> list[list[Hypothesis]]:
    """The `n_best` translations of each sentence, best first, all different.

    Args:
        state: the scorer's before the first word, a row for each sentence.
        longest: the most words of each translation; a longer prefix counts instead.
        device: of the scorer.
        prefixes: the words with which each translation has to begin, none of them special but
            unknown.
        see: what of a state to keep for `Hypothesis.seen`, tensors with rows first.

    Raises:
        FailedError: the scorer gives no sentence any probability, or NaN.
    """
    if not longest:
        return []
    search = _Search(options, longest, prefixes or [()] * len(longest))
    for step in count():
        tokens = torch.from_numpy(search.words).to(device)
        log_probs, state = scorer.step(state, tokens)
        if see is not None:
            search.backpointers.seen.append(see(state))
        candidates = _candidates(log_probs.float(), search, step)
        del log_probs  # its memory is the next step's
        parents = search.advance(step, *candidates)
        if not len(parents):
            break
        if len(parents) < len(tokens) or options.beam > 1:
            state = state.reorder(torch.from_numpy(parents).to(device))
    return search.results()


def _candidates(
    log_probs: Tensor, search: _Search, step: int
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Log probabilities (rows, V) of a step to its candidates, as `_Search.advance` takes them."""
    for token in NEVER_PREDICTED:
        log_probs[:, token] = -torch.inf
    _force(log_probs, search.forced(step))
    scores = torch.from_numpy(search.scores).to(log_probs.device)
    most = scores.shape[1] * log_probs.shape[1]
    values, index = best_continuations(log_probs, scores, min(search.num_candidates, most))
    hypotheses, words = np.divmod(index.cpu().numpy(), log_probs.shape[1])
    return values.cpu().numpy(), hypotheses, words


def _force(log_probs: Tensor, forced: np.ndarray | None) -> None:
    """Allow each row only its token in `forced` (rows,); −1 allows all."""
    if forced is None:
        return
    rows = torch.from_numpy((forced >= 0).nonzero()[0]).to(log_probs.device)
    tokens = torch.from_numpy(forced[forced >= 0]).to(log_probs.device)
    kept = log_probs[rows, tokens]
    log_probs[rows] = -torch.inf
    log_probs[rows, tokens] = kept


class _Search:
    """The state of a search, on the CPU: live and finished hypotheses, sentences that are done.

    Attributes:
        sentences: (B,) which sentences are not done.
        scores: (B, live) float32 log probabilities of live hypotheses, −inf where there is none; at
            first one, of no words, then `beam`.
        words: (B · live,) the last word of each row.
        num_candidates: how many continuations of a sentence `advance` needs. At most `beam` of
            twice as many end; one that does ends a beam of 1.
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
        self.backpointers = Backpointers()

    def forced(self, step: int) -> np.ndarray | None:
        """(B · live,) the only token allowed to a row, −1 for any; `None`: any token to all."""
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
            hypotheses, words: (B, candidates) the hypothesis continued, and with which word.
        """
        beam = self._options.beam
        parents = np.arange(len(values))[:, None] * self.scores.shape[1] + hypotheses
        ends = (words == EOS) & (values > -np.inf)
        if ends[:, :beam].any():
            self._finish(step, ends[:, :beam], values[:, :beam], parents[:, :beam])
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
        self.backpointers.append(parents[chosen].flatten(), self.words)
        return parents[chosen].flatten()

    def _finish(
        self, step: int, ended: np.ndarray, values: np.ndarray, parents: np.ndarray
    ) -> None:
        """Keep the candidates, (B, beam), of which `ended` says that they are finished."""
        log_probs = np.where(ended, values.astype(np.float64), -np.inf)
        scores = log_probs / length_penalty(step + 1, self._options.length_penalty)
        at = ended.nonzero()
        steps = np.full(len(at[0]), step)
        self._finished.append(
            (steps, parents[at], self.sentences[at[0]], log_probs[at], scores[at])
        )
        self._num_finished[self.sentences] += ended.sum(axis=1)
        merged = np.concatenate([self._n_best[self.sentences], scores], axis=1)
        self._n_best[self.sentences] = -np.sort(-merged, axis=1)[:, : self._options.n_best]

    def _done(self) -> np.ndarray:
        """(B,) bool: the two rules of the module's docstring."""
        longest = self._longest[self.sentences] + 1
        best = self.scores[:, 0].astype(np.float64)
        if (~(best > -np.inf) & (self._num_finished[self.sentences] == 0)).any():
            raise FailedError("the model gives no word a probability: are its weights NaN?")
        attainable = best / length_penalty(longest, self._options.length_penalty)
        enough = self._num_finished[self.sentences] >= self._options.beam
        return enough | ~(attainable > self._n_best[self.sentences, -1])  # NaN attains nothing

    def results(self) -> list[list[Hypothesis]]:
        """The `n_best` finished hypotheses of every sentence, best first."""
        steps, rows, sentences, log_probs, scores = map(
            np.concatenate, zip(*self._finished, strict=True)
        )
        order = np.lexsort((-scores, sentences))  # stable, so equals stay as they were found
        starts = np.searchsorted(sentences[order], np.arange(len(self._longest)))
        rank = np.arange(len(order)) - starts[sentences[order]]
        best = order[rank < self._options.n_best]
        tokens, path = self.backpointers.follow(steps[best], rows[best])
        results: list[list[Hypothesis]] = [[] for _ in self._longest]
        for i, at in enumerate(best.tolist()):
            end = int(steps[at])
            results[sentences[at]].append(
                Hypothesis(
                    ids=tuple(tokens[i, :end].tolist()),
                    score=float(scores[at]),
                    log_probability=float(log_probs[at]),
                    seen=self.backpointers.seen_along(path[i, : end + 1]),
                )
            )
        return results


class Backpointers:
    """For each step of a search, which row of the step before each row continues, and its token.

    Attributes:
        seen: for each step what `see` gave, tensors whose first axis is its rows.
    """

    def __init__(self) -> None:
        self._parents: list[np.ndarray] = []
        self._tokens: list[np.ndarray] = []
        self.seen: list[Mapping[str, Tensor]] = []

    def append(self, parents: np.ndarray, tokens: np.ndarray) -> None:
        """Add a step: of each of its rows the row before it and its token, (rows,) each."""
        self._parents.append(parents)
        self._tokens.append(tokens)

    def follow(self, steps: np.ndarray, rows: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """The tokens and rows that led to some hypotheses.

        Args:
            steps, rows: (n,) the step that ended each, and its row of that step.

        Returns:
            (n, T) tokens, `PAD` from the end on; (n, T + 1) the row at each step, the last one
            included, −1 after it.
        """
        longest = int(steps.max(initial=0))
        tokens = np.full((len(steps), longest), PAD, dtype=np.int64)
        path = np.full((len(steps), longest + 1), -1, dtype=np.int64)
        path[np.arange(len(steps)), steps] = rows
        for step in range(longest - 1, -1, -1):
            going = (steps > step).nonzero()[0]
            after = path[going, step + 1]
            tokens[going, step] = self._tokens[step][after]
            path[going, step] = self._parents[step][after]
        return tokens, path

    def seen_along(self, path: np.ndarray) -> dict[str, np.ndarray]:
        """What was seen at each step in the row of one hypothesis, `path` (steps,)."""
        steps = list(zip(self.seen, path.tolist(), strict=False))
        names = self.seen[0] if self.seen else ()
        return {
            name: np.stack([seen[name][row].cpu().numpy() for seen, row in steps]) for name in names
        }
