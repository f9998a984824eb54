"""Batched beam search; greedy is a beam of 1.

At every step, of all continuations of a sentence's `beam` hypotheses, those among the best `beam`
that end in end of sentence are finished, and the best `beam` others stay live. A sentence is done

- once `beam` hypotheses are finished, or
- once no live hypothesis can come among the `n_best`, even at no further cost up to the longest
  length allowed. This saves steps and changes no result.

Sentences that are done leave the batch. At the longest length only end of sentence is allowed.

The score of a finished hypothesis y is log p / lp(y) (Wu et al. 2016, equation 14) without coverage
penalty; |y| counts end of sentence. Ties are ordered by step, then rank of the hypothesis
continued, then token.
"""

from __future__ import annotations

import math
from bisect import insort
from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import count

import numpy as np
import torch
from torch import Tensor

from mgsa.cli.errors import FailedError
from mgsa.config import TranslateConfig
from mgsa.data.batch import Batch
from mgsa.data.vocabulary import BOS, EOS, PAD
from mgsa.decoding.continuations import best_continuations
from mgsa.model.encoder_decoder import DecoderState, EncoderDecoder


@dataclass(frozen=True)
class Hypothesis:
    """A finished translation."""

    ids: tuple[int, ...]  #: tokens with a forced prefix, without end of sentence.
    score: float  #: log probability over length penalty.
    log_probability: float  #: of all tokens and end of sentence.
    #: if asked for, of cross-attention by `layer_N.WHAT`: (T, H, S) with end of sentence and
    #: padding of the source.
    weights: dict[str, np.ndarray] = field(default_factory=dict)


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
    """The `n_best` different translations of each sentence, best first.

    Args:
        models: in evaluation mode, prepared for the precision (`mgsa.decoding.precision`), which is
            not looked at here; an ensemble averages probabilities.
        batches: the sentences as each model needs them, on its device; targets are ignored.
        prefixes: ids that each translation must begin with, even beyond the longest length.
        need_weights: whether to return weights of cross-attention; of one model only.

    Raises:
        FailedError: all probabilities of a sentence are zero or NaN.
    """
    if config.beam < 1:
        raise ValueError(f"beam: expected at least 1, got {config.beam}")
    if not 1 <= n_best <= config.beam:
        raise ValueError(f"expected 1 to {config.beam} (the beam) of n best, got {n_best}")
    lengths = batches[0].source_lengths.cpu().numpy() - 1  # without end of sentence
    longest = (config.max_length_ratio * lengths).astype(int) + config.max_length_extra
    prefixes = prefixes or [()] * len(longest)
    search = _Search(config.beam, n_best, config.length_penalty, longest, prefixes)
    device = batches[0].source.device
    states: Sequence[DecoderState] = [
        model.start(model.encode(batch), need_weights=need_weights)
        for model, batch in zip(models, batches, strict=True)
    ]
    words, scores, *forced = _moved(search.inputs(0), device)
    for step in count():
        log_probs, states = _step(models, states, words)
        if need_weights:
            search.weights.append(states[0].weights)
        bits = scores.to(torch.int32)
        candidates = _candidates(log_probs.float(), bits.view(torch.float32), forced, search)
        del log_probs  # frees memory for the next step
        before = len(search.sentences)
        going, parents = search.advance(step, *candidates)
        if not len(going):
            break
        arrays = [*search.inputs(step + 1), going, parents]
        words, scores, *forced, kept, rows = _moved(arrays, device)
        if len(going) < before or config.beam > 1:
            left = kept if len(going) < before else None
            states = [state.reorder(left, rows) for state in states]
    return search.results()


def _moved(arrays: Sequence[np.ndarray], device: torch.device) -> list[Tensor]:
    """Integers on the device, by one copy."""
    flat = np.concatenate([array.ravel() for array in arrays], dtype=np.int64)
    parts = torch.from_numpy(flat).to(device).split([array.size for array in arrays])
    return [part.view(array.shape) for part, array in zip(parts, arrays, strict=True)]


def _step(
    models: Sequence[EncoderDecoder], states: Sequence[DecoderState], tokens: Tensor
) -> tuple[Tensor, Sequence[DecoderState]]:
    """Log of the mean probability (rows, V) of the word after `tokens` (rows,); new states."""
    steps = [model.step(state, tokens) for model, state in zip(models, states, strict=True)]
    log_probs, states = zip(*steps, strict=True)
    if len(models) == 1:
        return log_probs[0], states
    return torch.stack(log_probs).logsumexp(dim=0) - math.log(len(models)), states


def _candidates(
    log_probs: Tensor, scores: Tensor, forced: Sequence[Tensor], search: _Search
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Log probabilities (rows, V) to the candidates that `_Search.advance` takes.

    `scores` and `forced` are those of `_Search.inputs`.
    """
    log_probs[:, PAD] = log_probs[:, BOS] = -torch.inf
    rows, tokens = forced
    if len(rows):
        kept = log_probs[rows, tokens]
        log_probs[rows] = -torch.inf
        log_probs[rows, tokens] = kept
    most = scores.shape[1] * log_probs.shape[1]
    values, index = best_continuations(log_probs, scores, min(search.num_candidates, most))
    # One copy from the device, the only time that a step waits for it.
    packed = (values.view(torch.int32).to(torch.int64) << 32 | index).cpu().numpy()
    hypotheses, words = np.divmod(packed & 0xFFFFFFFF, log_probs.shape[1])
    return (packed >> 32).astype(np.int32).view(np.float32), hypotheses, words


class _Search:
    """Live and finished hypotheses, on the CPU."""

    def __init__(
        self,
        beam: int,
        n_best: int,
        alpha: float,
        longest: np.ndarray,
        prefixes: Sequence[Sequence[int]],
    ) -> None:
        B = len(longest)
        self.beam, self.n_best, self.alpha = beam, n_best, alpha
        self._longest = np.maximum(longest, [len(prefix) for prefix in prefixes])
        self._forced = np.full((B, self._longest.max() + 1), -1)  # prefix, end of sentence, or -1
        for row, prefix, last in zip(self._forced, prefixes, self._longest, strict=True):
            row[: len(prefix)] = prefix
            row[last] = EOS
        # Score, log probability, step and row of each finished hypothesis, best first.
        self._finished: list[list[tuple[float, float, int, int]]] = [[] for _ in range(B)]
        self._backpointers: list[tuple[np.ndarray, np.ndarray]] = []  # parent rows, tokens
        #: for each step and layer, of cross-attention, (rows, H, 1, S).
        self.weights: list[Sequence[dict[str, Tensor]]] = []
        self.sentences = np.arange(B)  #: (B,) those not done.
        #: (B, live) float32 log probabilities of live hypotheses, −inf for missing ones; live is 1
        #: at first, then `beam`.
        self.scores = np.zeros((B, 1), dtype=np.float32)
        self.words = np.full(B, BOS, dtype=np.int64)  #: (B · live,) last words.
        #: continuations of a sentence that `advance` needs: `beam` of them may end, and `beam`
        #: others go on, unless `beam` is 1.
        self.num_candidates = 2 * beam if beam > 1 else 1

    def inputs(self, step: int) -> list[np.ndarray]:
        """Inputs of a step: words, bits of scores, and the tokens that rows are forced to."""
        only = self._forced[self.sentences, step].repeat(self.scores.shape[1])
        rows = np.flatnonzero(only >= 0)
        return [self.words, self.scores.view(np.int32), rows, only[rows]]

    def advance(
        self, step: int, values: np.ndarray, hypotheses: np.ndarray, words: np.ndarray
    ) -> tuple[np.ndarray, np.ndarray]:
        """Add a step's candidates.

        Args:
            values: (B, candidates) log probabilities, best first.
            hypotheses, words: (B, candidates) which hypothesis is continued by which word.

        Returns:
            (B',) which sentences go on; (B', live) which of its hypotheses each live one continues.
        """
        beam = self.beam
        parents = np.arange(len(values))[:, None] * self.scores.shape[1] + hypotheses
        ends = (words == EOS) & (values > -np.inf)
        scores = values.astype(np.float64) / length_penalty(step + 1, self.alpha)
        for at in zip(*ends[:, :beam].nonzero(), strict=True):
            finished = float(scores[at]), float(values[at]), step, int(parents[at])
            insort(self._finished[self.sentences[at[0]]], finished, key=lambda entry: -entry[0])
        live = np.argsort(ends, axis=1, kind="stable")[:, :beam]  # the best unfinished ones
        values = np.where(ends, np.float32(-np.inf), values)
        # A beam wider than the vocabulary has too few continuations at first.
        live = np.pad(live, ((0, 0), (0, beam - live.shape[1])), mode="edge")
        self.scores = np.take_along_axis(values, live, axis=1)
        self.scores[:, ends.shape[1] :] = -np.inf
        going = (~self._done()).nonzero()[0]
        chosen = going[:, None], live[going]
        self.words = words[chosen].flatten()
        self.scores = self.scores[going]
        self.sentences = self.sentences[going]
        self._backpointers.append((parents[chosen].flatten(), self.words))
        return going, hypotheses[chosen]

    def _done(self) -> np.ndarray:
        """(B,) bool: the two rules in the module's docstring."""
        finished = [self._finished[sentence] for sentence in self.sentences]
        num_finished = np.array([len(entries) for entries in finished])
        best = self.scores[:, 0].astype(np.float64)
        if (~(best > -np.inf) & (num_finished == 0)).any():
            raise FailedError("the model gives no word a probability: are its weights NaN?")
        attainable = best / length_penalty(self._longest[self.sentences] + 1, self.alpha)
        n = self.n_best
        worst = [entries[n - 1][0] if len(entries) >= n else -np.inf for entries in finished]
        done: np.ndarray = (num_finished >= self.beam) | ~(attainable > worst)  # True for NaN
        return done

    def results(self) -> list[list[Hypothesis]]:
        """The `n_best` finished hypotheses of every sentence, best first."""
        n = self.n_best
        return [[self._hypothesis(*entry) for entry in entries[:n]] for entries in self._finished]

    def _hypothesis(self, score: float, log_prob: float, step: int, row: int) -> Hypothesis:
        """Follow the backpointers from a row of `step`."""
        rows, ids = [row], []
        for parents, tokens in reversed(self._backpointers[:step]):
            ids.append(int(tokens[rows[-1]]))
            rows.append(int(parents[rows[-1]]))
        path = list(zip(self.weights, rows[::-1], strict=False))
        weights = {
            f"layer_{number}.{name}": torch.stack(
                [layers[number - 1][name][row, :, 0] for layers, row in path]
            )
            .float()
            .numpy(force=True)
            for number, layer in enumerate(self.weights[0] if self.weights else (), start=1)
            for name in layer
        }
        return Hypothesis(tuple(ids[::-1]), score, log_prob, weights)


def length_penalty(length: np.ndarray | int, alpha: float) -> np.ndarray:
    """lp(y) = ((5 + |y|) / (5 + 1))^α (Wu et al. 2016, equation 14)."""
    return ((5.0 + np.asarray(length)) / 6.0) ** alpha
