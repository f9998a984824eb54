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

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import count
from typing import Any

import numpy as np
import torch
from torch import Tensor

from mgsa.base.errors import FailedError
from mgsa.config import TranslateConfig
from mgsa.data.batch import Batch
from mgsa.data.vocabulary import BOS, EOS, PAD
from mgsa.decoding.candidates import best_continuations
from mgsa.model.encoder_decoder import EncoderDecoder


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


@torch.inference_mode()
def search_batch(
    models: Sequence[EncoderDecoder],
    batches: Sequence[Batch],
    config: TranslateConfig,
    *,
    n_best: int = 1,
    prefixes: Sequence[Sequence[int]] | None = None,
    need_weights: bool = False,
) -> list[list[Hypothesis]]:
    """The `n_best` translations of each sentence, best first.

    Args:
        models: in evaluation mode; several translate together.
        batches: the sentences as each model needs them, on its device. Targets are ignored.
        prefixes: target words with which each translation has to begin.
        need_weights: whether `Hypothesis.seen` is to hold the weights of cross-attention: for
            each layer and what it attends to, (T, H, S), padding included. Of one model only.
    """
    lengths = batches[0].source_lengths.cpu().numpy() - 1  # end of sentence not counted
    longest = (config.max_length_ratio * lengths).astype(int) + config.max_length_extra
    if prefixes is not None:
        longest = longest.clip(min=[len(prefix) for prefix in prefixes])
    max_length = int(longest.max()) + 1
    states = [
        model.start(model.encode(batch), max_length=max_length, need_weights=need_weights)
        for model, batch in zip(models, batches, strict=True)
    ]
    return beam_search(
        models,
        states,
        beam=config.beam,
        n_best=n_best,
        alpha=config.length_penalty,
        longest=longest,
        device=batches[0].source.device,
        prefixes=prefixes,
        see=_cross_weights if need_weights else None,
    )


def _cross_weights(states: Sequence[Any]) -> dict[str, Tensor]:
    """(rows, H, S) of the last step, by layer and what it attended to."""
    (state,) = states
    return {
        f"layer_{number}.{name}": weights[:, :, 0]
        for number, layer in enumerate(state.weights, start=1)
        for name, weights in layer.items()
    }


def length_penalty(length: np.ndarray | int, alpha: float) -> np.ndarray:
    """lp(y) = ((5 + |y|) / (5 + 1))^α (Wu et al. 2016, equation 14)."""
    return ((5.0 + np.asarray(length)) / 6.0) ** alpha


def beam_search(
    models: Sequence[Any],
    states: Sequence[Any],
    *,
    beam: int,
    n_best: int,
    alpha: float,
    longest: Sequence[int] | np.ndarray,
    device: torch.device,
    prefixes: Sequence[Sequence[int]] | None = None,
    see: Callable[[Sequence[Any]], Mapping[str, Tensor]] | None = None,
) -> list[list[Hypothesis]]:
    """The `n_best` translations of each sentence, best first, all different.

    Args:
        models: objects with `step` of `EncoderDecoder`; an ensemble predicts the mean of their
            probabilities.
        states: each model's before the first word, a row for each sentence.
        alpha: of the length penalty.
        longest: the most words of each translation; a longer prefix counts instead.
        prefixes: the words with which each translation has to begin, none of them special but
            unknown.
        see: what of the states to keep for `Hypothesis.seen`, tensors with rows first.

    Raises:
        FailedError: the models give no sentence any probability, or NaN.
    """
    if not 1 <= n_best <= beam:
        raise ValueError(f"expected 1 to {beam} (the beam) of n best, got {n_best}")
    if not len(longest):
        return []
    search = _Search(beam, n_best, alpha, longest, prefixes or [()] * len(longest))
    for step in count():
        tokens = torch.from_numpy(search.words).to(device)
        log_probs, states = step_ensemble(models, states, tokens)
        if see is not None:
            search.seen.append(see(states))
        candidates = _candidates(log_probs.float(), search, step)
        del log_probs  # its memory is the next step's
        parents = search.advance(step, *candidates)
        if not len(parents):
            break
        if len(parents) < len(tokens) or beam > 1:
            index = torch.from_numpy(parents).to(device)
            states = [state.reorder(index) for state in states]
    return search.results()


def step_ensemble(
    models: Sequence[Any], states: Sequence[Any], tokens: Tensor
) -> tuple[Tensor, Sequence[Any]]:
    """Log of the mean probability (rows, V) of the word after `tokens` (rows,), and new states."""
    steps = [model.step(state, tokens) for model, state in zip(models, states, strict=True)]
    log_probs, states = zip(*steps, strict=True)
    if len(models) == 1:
        return log_probs[0], states
    return torch.stack(log_probs).logsumexp(dim=0) - math.log(len(models)), states


def _candidates(
    log_probs: Tensor, search: _Search, step: int
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Log probabilities (rows, V) of a step to its candidates, as `_Search.advance` takes them."""
    log_probs[:, [PAD, BOS]] = -torch.inf
    if (forced := search.forced(step)) is not None:
        rows = torch.from_numpy((forced >= 0).nonzero()[0]).to(log_probs.device)
        tokens = torch.from_numpy(forced[forced >= 0]).to(log_probs.device)
        kept = log_probs[rows, tokens]
        log_probs[rows] = -torch.inf
        log_probs[rows, tokens] = kept
    scores = torch.from_numpy(search.scores).to(log_probs.device)
    most = scores.shape[1] * log_probs.shape[1]
    values, index = best_continuations(log_probs, scores, min(search.num_candidates, most))
    hypotheses, words = np.divmod(index.cpu().numpy(), log_probs.shape[1])
    return values.cpu().numpy(), hypotheses, words


class _Search:
    """The state of a search, on the CPU: live and finished hypotheses, sentences that are done.

    Attributes:
        sentences: (B,) which sentences are not done.
        scores: (B, live) float32 log probabilities of live hypotheses, −inf where there is none; at
            first one, of no words, then `beam`.
        words: (B · live,) the last word of each row.
        num_candidates: how many continuations of a sentence `advance` needs. At most `beam` of
            twice as many end; one that does ends a beam of 1.
        seen: for each step what `see` gave.
    """

    def __init__(
        self,
        beam: int,
        n_best: int,
        alpha: float,
        longest: Sequence[int] | np.ndarray,
        prefixes: Sequence[Sequence[int]],
    ) -> None:
        B = len(longest)
        self.beam, self.alpha = beam, alpha
        self._prefixes = np.full((B, max(map(len, prefixes))), -1, dtype=np.int64)
        for row, prefix in zip(self._prefixes, prefixes, strict=True):
            row[: len(prefix)] = prefix
        self._longest = np.maximum(longest, [len(prefix) for prefix in prefixes])
        self._num_finished = np.zeros(B, dtype=np.int64)
        self._n_best = np.full((B, n_best), -np.inf)  # scores, best first
        self._finished: list[list[tuple[float, float, int, int]]] = [[] for _ in range(B)]
        self._backpointers: list[tuple[np.ndarray, np.ndarray]] = []  # rows before, and tokens
        self.seen: list[Mapping[str, Tensor]] = []
        self.sentences = np.arange(B)
        self.scores = np.zeros((B, 1), dtype=np.float32)
        self.words = np.full(B, BOS, dtype=np.int64)
        self.num_candidates = 2 * beam if beam > 1 else 1

    def forced(self, step: int) -> np.ndarray | None:
        """(B · live,) the only token allowed to a row, −1 for any; `None`: any token to all."""
        longest, width = self._longest[self.sentences], self._prefixes.shape[1]
        if width <= step < longest.min():
            return None
        forced = self._prefixes[self.sentences, step] if step < width else -1
        return np.where(step >= longest, EOS, forced).repeat(self.scores.shape[1])

    def advance(
        self, step: int, values: np.ndarray, hypotheses: np.ndarray, words: np.ndarray
    ) -> np.ndarray:
        """Take in the candidates of a step; the rows (rows',) of it that its next rows continue.

        Args:
            values: (B, candidates) log probabilities, best first.
            hypotheses, words: (B, candidates) the hypothesis continued, and with which word.
        """
        beam = self.beam
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
        self._backpointers.append((parents[chosen].flatten(), self.words))
        return self._backpointers[-1][0]

    def _finish(
        self, step: int, ended: np.ndarray, values: np.ndarray, parents: np.ndarray
    ) -> None:
        """Keep the candidates, (B, beam), of which `ended` says that they are finished."""
        log_probs = np.where(ended, values.astype(np.float64), -np.inf)
        scores = log_probs / length_penalty(step + 1, self.alpha)
        for at in zip(*ended.nonzero(), strict=True):
            finished = float(scores[at]), float(log_probs[at]), step, int(parents[at])
            self._finished[self.sentences[at[0]]].append(finished)
        self._num_finished[self.sentences] += ended.sum(axis=1)
        merged = np.concatenate([self._n_best[self.sentences], scores], axis=1)
        self._n_best[self.sentences] = -np.sort(-merged, axis=1)[:, : self._n_best.shape[1]]

    def _done(self) -> np.ndarray:
        """(B,) bool: the two rules of the module's docstring."""
        longest = self._longest[self.sentences] + 1
        best = self.scores[:, 0].astype(np.float64)
        num_finished = self._num_finished[self.sentences]
        if (~(best > -np.inf) & (num_finished == 0)).any():
            raise FailedError("the model gives no word a probability: are its weights NaN?")
        attainable = best / length_penalty(longest, self.alpha)
        # NaN attains nothing.
        return (num_finished >= self.beam) | ~(attainable > self._n_best[self.sentences, -1])

    def results(self) -> list[list[Hypothesis]]:
        """The `n_best` finished hypotheses of every sentence, best first."""
        n_best = self._n_best.shape[1]
        ranked = [sorted(finished, key=lambda f: -f[0])[:n_best] for finished in self._finished]
        return [[self._hypothesis(*finished) for finished in best] for best in ranked]

    def _hypothesis(self, score: float, log_prob: float, step: int, row: int) -> Hypothesis:
        """Follow the backpointers from the row of `step` that end of sentence continued."""
        rows, ids = [row], []
        for parents, tokens in reversed(self._backpointers[:step]):
            ids.append(int(tokens[row]))
            row = int(parents[row])
            rows.append(row)
        seen = {
            name: np.stack(
                [
                    at[name][row].cpu().numpy()
                    for at, row in zip(self.seen, rows[::-1], strict=False)
                ]
            )
            for name in (self.seen[0] if self.seen else ())
        }
        return Hypothesis(tuple(ids[::-1]), score, log_prob, seen)
