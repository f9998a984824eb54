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
"""Neighbours of which only the largest is looked at first; near √V costs least."""


@dataclass(frozen=True)
class Hypothesis:
    """A finished translation.

    Attributes:
        ids: tokens, a forced prefix included, without end of sentence.
        score: log probability over length penalty.
        log_probability: of all tokens and end of sentence.
        weights: if asked for, those of cross-attention by `layer_N.WHAT`, (T, H, S): of each token
            and of end of sentence, padding of the source included.
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
    """The `n_best` translations of each sentence, best first, all different.

    Args:
        models: in evaluation mode; several translate together, by the mean of their probabilities.
        batches: the sentences as each model needs them, on its device. Targets are ignored.
        prefixes: the words with which each translation has to begin, none of them special but
            unknown; they may be longer than the longest translation allowed.
        need_weights: whether hypotheses are to hold weights of cross-attention; of one model only.

    Raises:
        FailedError: the models give no sentence any probability, or NaN.
    """
    if not 1 <= n_best <= config.beam:
        raise ValueError(f"expected 1 to {config.beam} (the beam) of n best, got {n_best}")
    lengths = batches[0].source_lengths.cpu().numpy() - 1  # end of sentence not counted
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
        del log_probs  # its memory is the next step's
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
    """The state of a search, on the CPU: live and finished hypotheses, sentences that are done.

    Attributes:
        sentences: (B,) which sentences are not done.
        scores: (B, live) float32 log probabilities of live hypotheses, −inf where there is none; at
            first one, of no words, then `beam`.
        words: (B · live,) the last word of each row.
        num_candidates: how many continuations of a sentence `advance` needs. At most `beam` of
            twice as many end; one that does ends a beam of 1.
        weights: for each step those of cross-attention, (rows, H, 1, S), of each layer.
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
        self._forced = np.full((B, self._longest.max() + 1), -1)  # tokens of each sentence
        for row, prefix, last in zip(self._forced, prefixes, self._longest, strict=True):
            row[: len(prefix)] = prefix
            row[last] = EOS
        # Score, log probability, step and row of each finished hypothesis, best first.
        self._finished: list[list[tuple[float, float, int, int]]] = [[] for _ in range(B)]
        self._backpointers: list[tuple[np.ndarray, np.ndarray]] = []  # rows before, and tokens
        self.weights: list[Sequence[dict[str, Tensor]]] = []
        self.sentences = np.arange(B)
        self.scores = np.zeros((B, 1), dtype=np.float32)
        self.words = np.full(B, BOS, dtype=np.int64)
        self.num_candidates = 2 * beam if beam > 1 else 1

    def forced(self, step: int) -> np.ndarray:
        """(B · live,) the only token allowed to a row, −1 for any."""
        return self._forced[self.sentences, step].repeat(self.scores.shape[1])

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
        scores = values.astype(np.float64) / length_penalty(step + 1, self.alpha)
        for at in zip(*ends[:, :beam].nonzero(), strict=True):
            finished = float(scores[at]), float(values[at]), step, int(parents[at])
            insort(self._finished[self.sentences[at[0]]], finished, key=lambda one: -one[0])
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

    def _done(self) -> np.ndarray:
        """(B,) bool: the two rules of the module's docstring."""
        finished = [self._finished[sentence] for sentence in self.sentences]
        num_finished = np.array([len(found) for found in finished])
        best = self.scores[:, 0].astype(np.float64)
        if (~(best > -np.inf) & (num_finished == 0)).any():
            raise FailedError("the model gives no word a probability: are its weights NaN?")
        attainable = best / length_penalty(self._longest[self.sentences] + 1, self.alpha)
        n = self.n_best
        worst = [found[n - 1][0] if len(found) >= n else -np.inf for found in finished]
        return (num_finished >= self.beam) | ~(attainable > worst)  # NaN attains nothing

    def results(self) -> list[list[Hypothesis]]:
        """The `n_best` finished hypotheses of every sentence, best first."""
        n = self.n_best
        return [[self._hypothesis(*one) for one in found[:n]] for found in self._finished]

    def _hypothesis(self, score: float, log_prob: float, step: int, row: int) -> Hypothesis:
        """Follow the backpointers from the row of `step` that end of sentence continued."""
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
    """The `count` best of all continuations of each sentence's hypotheses, best first.

    Equal scores come in the order of hypothesis, then token. `torch.topk` promises no such order
    and reads all the beam times V scores several times; here all but the best blocks are read once.

    Args:
        log_probs: (B · beam, V) float32, of the next token.
        scores: (B, beam) float32, of the hypotheses so far, −inf where there is none.

    Returns:
        (B, count) scores, and (B, count) hypothesis · V + token. Where there are fewer
        continuations, scores are −inf.
    """
    B, beam = scores.shape
    vocabulary = log_probs.shape[1]
    maxima = _block_maxima(log_probs)  # (B · beam, blocks)
    num_blocks = maxima.shape[1]
    maxima = (maxima.view(B, beam, num_blocks) + scores[..., None]).flatten(1)
    # The best elements lie in the best blocks, ties included: as many blocks as are wanted
    # elements hold one each that comes before all elements of the blocks left out. Blocks are
    # put back in order, so that elements of equal score are too.
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
    """(rows, V) to (rows, V / BLOCK, rounded up)."""
    vocabulary = log_probs.shape[1]
    blocks = vocabulary // BLOCK
    whole = log_probs[:, : blocks * BLOCK].unflatten(1, (blocks, BLOCK))
    maxima = [whole.amax(dim=-1)]
    if blocks * BLOCK < vocabulary:
        maxima.append(log_probs[:, blocks * BLOCK :].amax(dim=1, keepdim=True))
    return torch.cat(maxima, dim=1)


def _largest(values: Tensor, count: int) -> Tensor:
    """(B, n) float32 to (B, count): the indices of the largest, equals from the left.

    Value and index make one integer, so no two are equal.
    """
    bits = values.view(torch.int32)
    # Integers in the order of the floats: the bits of negative ones count the other way round.
    ordered = torch.where(bits < 0, bits ^ 0x7FFFFFFF, bits).to(torch.int64)
    index = torch.arange(values.shape[1], device=values.device)
    keys = (ordered << 32) | (0xFFFFFFFF - index)
    return 0xFFFFFFFF - (keys.topk(count, dim=1).values & 0xFFFFFFFF)
