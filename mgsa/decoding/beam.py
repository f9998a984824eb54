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

from mgsa.base.errors import FailedError
from mgsa.config import TranslateConfig
from mgsa.data.batch import Batch
from mgsa.data.vocabulary import BOS, EOS, PAD
from mgsa.model.encoder_decoder import DecoderState, EncoderDecoder

BLOCK = 64
"""Tokens whose maximum is compared first; near √V is fastest."""


@dataclass(frozen=True)
class Hypothesis:
    """A finished translation.

    Attributes:
        ids: tokens with a forced prefix, without end of sentence.
        score: log probability over length penalty.
        log_probability: of all tokens and end of sentence.
        weights: if asked for, of cross-attention by `layer_N.WHAT`: (T, H, S) with end of sentence
            and padding of the source.
    """

    ids: tuple[int, ...]
    score: float
    log_probability: float
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
        models: in evaluation mode; an ensemble averages probabilities.
        batches: the sentences as each model needs them, on its device; targets are ignored.
        prefixes: ids that each translation must begin with, even beyond the longest length.
        need_weights: whether to return weights of cross-attention; of one model only.

    Raises:
        FailedError: all probabilities of a sentence are zero or NaN.
    """
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
    for step in count():
        tokens = torch.from_numpy(search.words).to(device)
        log_probs, states = _step(models, states, tokens)
        if need_weights:
            search.weights.append(states[0].weights)
        candidates = _candidates(log_probs.float(), search, step)
        del log_probs  # frees memory for the next step
        parents = search.advance(step, *candidates)
        if not len(parents):
            break
        if len(parents) < len(tokens) or config.beam > 1:
            index = torch.from_numpy(parents).to(device)
            states = [state.reorder(index) for state in states]
    return search.results()


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
    log_probs: Tensor, search: _Search, step: int
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Log probabilities (rows, V) to the candidates that `_Search.advance` takes."""
    log_probs[:, [PAD, BOS]] = -torch.inf
    forced = search.forced(step)
    if (forced >= 0).any():
        rows = torch.from_numpy(np.flatnonzero(forced >= 0)).to(log_probs.device)
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
    """Live and finished hypotheses, on the CPU.

    Attributes:
        sentences: (B,) those not done.
        scores: (B, live) float32 log probabilities of live hypotheses, −inf for missing ones; live
            is 1 at first, then `beam`.
        words: (B · live,) last words.
        num_candidates: continuations of a sentence that `advance` needs: `beam` of them may end,
            and `beam` others go on, unless `beam` is 1.
        weights: for each step and layer, of cross-attention, (rows, H, 1, S).
    """

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
        self.weights: list[Sequence[dict[str, Tensor]]] = []
        self.sentences = np.arange(B)
        self.scores = np.zeros((B, 1), dtype=np.float32)
        self.words = np.full(B, BOS, dtype=np.int64)
        self.num_candidates = 2 * beam if beam > 1 else 1

    def forced(self, step: int) -> np.ndarray:
        """(B · live,) the only token allowed, −1 for any."""
        return self._forced[self.sentences, step].repeat(self.scores.shape[1])

    def advance(
        self, step: int, values: np.ndarray, hypotheses: np.ndarray, words: np.ndarray
    ) -> np.ndarray:
        """Add a step's candidates; return the rows that the next step continues, (rows',).

        Args:
            values: (B, candidates) log probabilities, best first.
            hypotheses, words: (B, candidates) which hypothesis is continued by which word.
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
        return self._backpointers[-1][0]

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
        return (num_finished >= self.beam) | ~(attainable > worst)  # True for NaN

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
            f"layer_{number}.{name}": np.stack(
                [layers[number - 1][name][row, :, 0].cpu().numpy() for layers, row in path]
            )
            for number, layer in enumerate(self.weights[0] if self.weights else (), start=1)
            for name in layer
        }
        return Hypothesis(tuple(ids[::-1]), score, log_prob, weights)


def length_penalty(length: np.ndarray | int, alpha: float) -> np.ndarray:
    """lp(y) = ((5 + |y|) / (5 + 1))^α (Wu et al. 2016, equation 14)."""
    return ((5.0 + np.asarray(length)) / 6.0) ** alpha


def best_continuations(log_probs: Tensor, scores: Tensor, count: int) -> tuple[Tensor, Tensor]:
    """The `count` best continuations of each sentence's hypotheses, best first.

    Ties are ordered by hypothesis, then token, which `torch.topk` does not promise; and the scores
    are read once, except for the best blocks.

    Args:
        log_probs: (B · beam, V) float32, of the next token.
        scores: (B, beam) float32, of the hypotheses, −inf for missing ones.

    Returns:
        (B, count) scores, −inf for missing continuations; (B, count) hypothesis · V + token.
    """
    B, beam = scores.shape
    vocabulary = log_probs.shape[1]
    maxima = _block_maxima(log_probs)  # (B · beam, blocks)
    num_blocks = maxima.shape[1]
    maxima = (maxima.view(B, beam, num_blocks) + scores[..., None]).flatten(1)
    # The best `count` elements lie in the best `count` blocks, ties included: each of these holds
    # an element before all elements of other blocks. Sorting blocks restores the order of ties.
    blocks = _largest(maxima, min(count, beam * num_blocks)).sort(dim=1).values
    hypotheses = blocks // num_blocks  # (B, blocks)
    within = torch.arange(BLOCK, device=scores.device)
    tokens = (blocks % num_blocks * BLOCK)[..., None] + within  # (B, blocks, BLOCK)
    index = hypotheses[..., None] * vocabulary + tokens.clamp(max=vocabulary - 1)
    index = index.flatten(1)
    values = log_probs.view(B, beam * vocabulary).gather(1, index).view_as(tokens)
    values = values + scores.gather(1, hypotheses)[..., None]
    values = values.masked_fill(tokens >= vocabulary, -torch.inf).flatten(1)
    best = _largest(values, count)
    return values.gather(1, best), index.gather(1, best)


def _block_maxima(log_probs: Tensor) -> Tensor:
    """(rows, V) to the maxima of blocks, (rows, ⌈V / BLOCK⌉)."""
    vocabulary = log_probs.shape[1]
    blocks = vocabulary // BLOCK
    whole = log_probs[:, : blocks * BLOCK].unflatten(1, (blocks, BLOCK))
    maxima = [whole.amax(dim=-1)]
    if blocks * BLOCK < vocabulary:
        maxima.append(log_probs[:, blocks * BLOCK :].amax(dim=1, keepdim=True))
    return torch.cat(maxima, dim=1)


def _largest(values: Tensor, count: int) -> Tensor:
    """(B, n) float32 to (B, count): indices of the largest, ties from the left.

    Value and index are packed into one integer, so there are no ties.
    """
    bits = values.view(torch.int32)
    # Integers in the order of the floats: those of negative floats are inverted.
    ordered = torch.where(bits < 0, bits ^ 0x7FFFFFFF, bits).to(torch.int64)
    index = torch.arange(values.shape[1], device=values.device)
    keys = (ordered << 32) | (0xFFFFFFFF - index)
    return 0xFFFFFFFF - (keys.topk(count, dim=1).values & 0xFFFFFFFF)
