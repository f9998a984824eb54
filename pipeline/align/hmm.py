"""Word links by IBM model 1 (Brown et al. 1993), then a hidden Markov model (Vogel et al. 1996).

The hidden state is the given word that generated each word. A jump from place k to place i has a
weight of its width i - k; the weights of all jumps from k are normalised. The first jump is from
the place before the sentence, the last one to the place after it: without that one, a full stop is
lost whose neighbour comes from somewhere else. Each place has a null state (Och & Ney 2003): a word
of the null word leaves the place as it was.

Legend: see `pipeline.align.bitext`. Jumps are from I + 1 places, the one before the sentence and
each word, and to I + 1 places, each word and the one after the sentence.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import partial
from itertools import chain

import numpy as np

from mgsa.cli.errors import InputError
from mgsa.cli.progress import progress
from mgsa.cli.workers import chunks, forked, map_chunks
from mgsa.data.word_links import Link
from pipeline.align.bitext import Sentences, blocks
from pipeline.align.settings import HmmSettings
from pipeline.formats.text import Pair

BLOCKS_COUNTED = 8
"""Blocks whose counts a process finds at once."""
BLOCKS_MERGED = 64
"""Blocks whose word pairs are in memory before duplicates are merged."""
LONGEST_JUMP = 20
"""Jumps of this width and beyond, in each direction, have one weight."""
UNIFORM_JUMPS = np.ones(2 * LONGEST_JUMP + 1)
"""Weights of the widths -LONGEST_JUMP to LONGEST_JUMP by which all places are equally likely."""
JUMP_PRIOR = 1.0
"""Pseudo-count of each jump width."""
SMALLEST = 1e-30
"""Least translation probability while learning, so that every word can be generated."""
UNSEEN = 1e-9
"""Probability of a word pair that was never seen, and the least of any when aligning."""
TIE_DIGITS = 9
"""Probabilities that differ in later digits are equal: sums depend on the order of summands."""


def ibm1_posteriors(
    emissions: np.ndarray, exists: np.ndarray, null_probability: float
) -> tuple[np.ndarray, float]:
    """IBM model 1 with a fixed share of the null word; the I given words share the rest.

    Args:
        emissions: (J, P, I + 1) the probabilities of each word, given the null word and each word.
        exists: (J, P) which words there are; pairs with fewer words come last.

    Returns:
        (J, P, I + 1) the probability that each word comes from the null word (first) and from each
        given word; the log likelihood of all words.
    """
    joint = np.where(exists[..., None], emissions, 0)
    joint[..., 0] *= null_probability
    joint[..., 1:] *= (1 - null_probability) / (joint.shape[-1] - 1)
    likelihood = np.where(exists, joint.sum(axis=-1), 1)
    joint /= likelihood[..., None]
    return joint, float(np.log(likelihood).sum())


def hmm_posteriors(
    emissions: np.ndarray, exists: np.ndarray, jumps: np.ndarray, null_probability: float
) -> tuple[np.ndarray, float, np.ndarray]:
    """The forward-backward algorithm, for all pairs of a block at once.

    What follows a place does not depend on whether the word there or the null word generated the
    last word, so the two states share their memory, and a step is one product of matrices.

    Given the probabilities of `jumps` (I + 1, I + 1), it returns the expected numbers of jumps
    too; otherwise as `ibm1_posteriors`.
    """
    null = null_probability * emissions[..., :1]
    real = (1 - null_probability) * emissions[..., 1:]
    to_words, to_end = jumps[:, :-1], jumps[:, -1]
    steps = list(enumerate(exists.sum(axis=1)))  # word j, and how many pairs have one

    # The place of each pair before word j, given the words so far, and the jumps to word j.
    forward = np.zeros((len(emissions) + 1, *emissions.shape[1:]))
    forward[0, :, 0] = 1
    states, counts = np.zeros_like(emissions), np.zeros_like(jumps)
    scale = np.ones((*exists.shape, 1))
    for j, n in steps:
        jumped = real[j, :n] * (forward[j, :n] @ to_words)
        now = null[j, :n] * forward[j, :n]
        now[:, 1:] += jumped
        scale[j, :n] = now.sum(axis=1, keepdims=True)
        states[j, :n, 1:] = jumped
        forward[j + 1, :n] = now / scale[j, :n]
        forward[j + 1, n:] = forward[j, n:]
    states, null, real = states / scale, null / scale, real / scale
    ends = forward[-1] @ to_end
    log_likelihood = float(np.log(scale).sum() + np.log(ends).sum())

    # `future` has for each place how much likelier it makes what is still to come.
    future = to_end / ends[:, None]
    counts[:, -1] = (forward[-1] * future).sum(axis=0)
    for j, n in reversed(steps):
        after = future[:n]
        states[j, :n, 0] = (null[j, :n] * forward[j, :n] * after).sum(axis=1)
        states[j, :n, 1:] *= after[:, 1:]
        ahead = real[j, :n] * after[:, 1:]
        counts[:, :-1] += to_words * (forward[j, :n].T @ ahead)
        future[:n] = ahead @ to_words.T + null[j, :n] * after
    return states, log_likelihood, counts


def jump_matrix(weights: np.ndarray, num_places: int) -> np.ndarray:
    """(I + 1, I + 1) jump probabilities."""
    chosen = weights[_widths(num_places)]
    jumps: np.ndarray = chosen / chosen.sum(axis=1, keepdims=True)
    return jumps


def _widths(num_places: int) -> np.ndarray:
    """(I + 1, I + 1) indices of jump widths."""
    places = np.arange(num_places)
    widths: np.ndarray = places + 1 - places[:, None]
    return widths.clip(-LONGEST_JUMP, LONGEST_JUMP) + LONGEST_JUMP


def estimated_jumps(
    weights: np.ndarray, counts: Mapping[int, np.ndarray], prior: float
) -> np.ndarray:
    """Weights under which the expected counts are likelier than under these.

    A step of the minorisation-maximisation algorithm of Bradley-Terry models (Hunter 2004):
    sentences have ends, so a weight is in every sum that it shares, and relative counts alone could
    lower the likelihood.

    Args:
        counts: (I + 1, I + 1) expected numbers of jumps, by I + 1.
        prior: pseudo-count of each width at a weight of 1 (a gamma prior).
    """
    seen, shares = np.full_like(weights, prior), np.full_like(weights, prior)
    for num_places, jumps in counts.items():
        widths = _widths(num_places)
        share = (jumps.sum(axis=1) / weights[widths].sum(axis=1)).repeat(num_places)
        seen += np.bincount(widths.ravel(), jumps.ravel(), minlength=len(weights))
        shares += np.bincount(widths.ravel(), share, minlength=len(weights))
    # A width that fits into no sentence keeps its weight.
    new: np.ndarray = np.divide(seen, shares, out=weights.copy(), where=shares > 0)
    return new


def estimated_lexicon(counts: np.ndarray, given: np.ndarray, prior: float) -> np.ndarray:
    """p(generated word | given word) from expected counts, (entries,).

    `prior` 0 is maximum likelihood, under which rare words collect the translations of their
    neighbours; otherwise variational Bayes with a symmetric Dirichlet prior (Riley & Gildea 2012).
    `given` (entries,) holds given-word ids.
    """
    totals = np.maximum(np.bincount(given, counts + prior), SMALLEST)  # 0 for words of no pair
    if prior:
        found: np.ndarray = np.exp(_digamma(counts + prior) - _digamma(totals)[given])
    else:
        found = counts / totals[given]
    return found.clip(SMALLEST)


def _digamma(x: np.ndarray) -> np.ndarray:
    """Abramowitz & Stegun 1964: recurrence 6.3.5, then series 6.3.18."""
    below = sum(1 / (x + k) for k in range(6))
    x = x + 6
    square = 1 / (x * x)
    series = square * (1 / 12 - square * (1 / 120 - square * (1 / 252 - square / 240)))
    return np.asarray(np.log(x) - 0.5 / x - series - below)


class DirectionModel:
    """A model of one direction."""

    def __init__(
        self,
        given: Sentences,
        generated: Sentences,
        key_base: int,
        settings: HmmSettings,
        *,
        workers: int = 1,
        shown: bool = True,
    ) -> None:
        """Expectation maximisation: IBM model 1, then the hidden Markov model from its lexicon.

        Counts are found by `workers` processes, and added in the order of the blocks; progress is
        `shown`.
        """
        self._key_base, self._null, self._workers = key_base, settings.null_probability, workers
        laid_out = list(blocks(given, generated, key_base))
        #: (entries,) sorted keys of the training word pairs (see `Block`).
        self.keys = np.empty(0, dtype=np.int64)
        for some in chunks(laid_out, BLOCKS_MERGED):
            keys = np.concatenate([self.keys, *(block.entries for block in some)])
            # To count keys, it sorts them, which is faster than to hash them.
            self.keys, _ = np.unique(keys, return_counts=True)
        self._blocks = [block.found_in(self.keys) for block in laid_out]
        given_words = self.keys // key_base
        #: (entries,) p(generated word | given word).
        self.lexicon = 1 / np.bincount(given_words)[given_words]
        self.jumps = UNIFORM_JUMPS  #: weights by jump width.
        self.log_likelihoods: list[float] = []  #: of the training pairs, before each iteration.
        models = [*[False] * settings.ibm1_iterations, *[True] * settings.hmm_iterations]
        for is_hmm in progress(models, "align: learn", unit="iterations") if shown else models:
            counts, jump_counts = self._expected_counts(is_hmm=is_hmm)
            self.lexicon = estimated_lexicon(counts, given_words, settings.lexical_prior)
            if is_hmm:
                self.jumps = estimated_jumps(self.jumps, jump_counts, JUMP_PRIOR)
        del self._blocks

    def _expected_counts(self, *, is_hmm: bool) -> tuple[np.ndarray, dict[int, np.ndarray]]:
        """Expected counts of word pairs (entries,), and of jumps (I + 1, I + 1) by I + 1."""
        counts, log_likelihood = np.zeros(len(self.lexicon)), 0.0
        jump_counts: dict[int, np.ndarray] = {}
        found = map_chunks(
            partial(self._counts_of, is_hmm=is_hmm),
            range(len(self._blocks)),
            workers=self._workers,
            chunk_size=BLOCKS_COUNTED,
            fork=True,
        )
        for number, (in_block, likelihood, jumps) in enumerate(chain.from_iterable(found)):
            counts[self._blocks[number].entries] += in_block
            log_likelihood += likelihood
            jump_counts[len(jumps)] = jump_counts.get(len(jumps), 0) + jumps
        self.log_likelihoods.append(log_likelihood)
        return counts, jump_counts

    def _counts_of(
        self, numbers: Iterable[int], *, is_hmm: bool
    ) -> list[tuple[np.ndarray, float, np.ndarray]]:
        """For each of some blocks, counts of its entries, their log likelihood, and jumps."""
        results = []
        for block in (self._blocks[number] for number in numbers):
            emissions = self.lexicon[block.entries][block.cells]
            matrix = jump_matrix(self.jumps, emissions.shape[-1])
            if is_hmm:
                states, likelihood, jumps = hmm_posteriors(
                    emissions, block.exists, matrix, self._null
                )
            else:
                states, likelihood = ibm1_posteriors(emissions, block.exists, self._null)
                jumps = np.zeros_like(matrix)
            found = np.bincount(block.cells.ravel(), states.ravel(), minlength=len(block.entries))
            results.append((found, likelihood, jumps))
        return results

    def best(self, given: Sentences, generated: Sentences) -> Iterator[tuple[int, int, int]]:
        """Yield (pair, given word, generated word) for each most probable non-null origin."""
        probabilities = np.append(np.maximum(self.lexicon, UNSEEN), UNSEEN)
        for block in blocks(given, generated, self._key_base):
            emissions = probabilities[block.found_in(self.keys).entries][block.cells]
            matrix = jump_matrix(self.jumps, emissions.shape[-1])
            states, *_ = hmm_posteriors(emissions, block.exists, matrix, self._null)
            origins = states.round(TIE_DIGITS).argmax(axis=-1) - 1  # (J, P)
            place, row = np.nonzero(origins >= 0)
            linked = (block.pairs[row], origins[place, row], place)
            yield from zip(*(column.tolist() for column in linked), strict=True)


class HmmAligner:
    """Models of both directions, deterministic and independent of the order of pairs."""

    def __init__(self, pairs: Sequence[Pair], settings: HmmSettings, workers: int = 1) -> None:
        """Learn from sentence pairs, on `workers` processes; memory grows with the pairs.

        Raises:
            InputError: all are longer than `max_words`.
        """
        self._settings = settings
        sides = list(zip(*(words for _, words in self._alignable(pairs)), strict=True))
        if not sides:
            raise InputError(
                f"align.max_words: expected a training pair of at most {settings.max_words} words "
                "on either side, found none"
            )
        self._ids = [
            {word: number for number, word in enumerate(sorted({*chain(*side)}), start=1)}
            for side in sides
        ]
        _, source, target = self._indexed(pairs)
        bases = [len(ids) + 2 for ids in self._ids]  # the last id is any other word's
        learn = partial(DirectionModel, settings=settings, workers=max(1, workers // 2))
        forward = partial(learn, source, target, bases[1])
        reverse = partial(learn, target, source, bases[0], shown=workers == 1)
        if workers == 1:
            self.forward, self.reverse = forward(), reverse()
        else:
            with forked(reverse) as result:
                self.forward, self.reverse = forward(), result()

    def align(self, pairs: Sequence[Pair]) -> list[tuple[set[Link], set[Link]]]:
        """Forward and reverse links of each pair; none if a side exceeds `max_words`."""
        numbers, source, target = self._indexed(pairs)
        links: list[tuple[set[Link], set[Link]]] = [(set(), set()) for _ in pairs]
        for pair, i, j in self.forward.best(source, target):
            links[numbers[pair]][0].add((i, j))
        for pair, j, i in self.reverse.best(target, source):
            links[numbers[pair]][1].add((i, j))
        return links

    def _alignable(self, pairs: Iterable[Pair]) -> Iterator[tuple[int, list[list[str]]]]:
        """Indices and words of the pairs within `max_words`."""
        for number, pair in enumerate(pairs):
            words = [
                (text.lower() if self._settings.fold_case else text).split(" ") for text in pair
            ]
            if max(map(len, words)) <= self._settings.max_words:
                yield number, words

    def _indexed(self, pairs: Sequence[Pair]) -> tuple[list[int], Sentences, Sentences]:
        """Indices of the pairs within `max_words`, and both sides as ids."""
        numbers: list[int] = []
        sides: tuple[Sentences, Sentences] = ([], [])
        for number, words in self._alignable(pairs):
            numbers.append(number)
            for side, ids, sentence in zip(sides, self._ids, words, strict=True):
                side.append([ids.get(word, len(ids) + 1) for word in sentence])
        return numbers, *sides
