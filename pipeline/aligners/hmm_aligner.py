"""Word links by a hidden Markov model in each direction, learned from the pairs themselves.

Equal pairs and settings give equal links, whatever the order of the pairs.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from mgsa.base.cli import progress
from mgsa.base.errors import InputError
from mgsa.base.word_links import Link
from pipeline.aligners.aligner import HmmSettings, Pair
from pipeline.aligners.bitext import Block, Sentences, WordIndex, blocks
from pipeline.aligners.hmm import Jumps, LexicalTable, hmm_posteriors, ibm1_posteriors

JUMP_PRIOR = 1.0
"""Pseudo-count of each jump width."""
UNSEEN = 1e-9
"""Probability of a word pair that was never seen, and the least of any when aligning."""
MERGED_KEYS = 1 << 24
"""Keys of word pairs in memory before duplicates are merged."""
TIE_DIGITS = 9
"""Probabilities that differ in later digits are equal: sums depend on the order of summands."""


@dataclass(frozen=True)
class ExpectedCounts:
    """Of the entries of a table, of the jumps for each I, and the log likelihood."""

    lexical: np.ndarray
    jumps: dict[int, np.ndarray]
    log_likelihood: float


def expected_counts(
    laid_out: Iterable[Block], table: LexicalTable, jumps: Jumps | None, null_probability: float
) -> ExpectedCounts:
    """A pass over the blocks, by the hidden Markov model; without jumps, by IBM model 1."""
    lexical = np.zeros(len(table.keys))
    jump_counts: dict[int, np.ndarray] = {}
    log_likelihood = 0.0
    for block in laid_out:
        emissions = table.probabilities[block.entries][block.cells]
        if jumps is None:
            found = ibm1_posteriors(emissions, block.exists, null_probability)
        else:
            matrix = jumps.matrix(block.num_given)
            found = hmm_posteriors(emissions, block.exists, matrix, null_probability)
            assert found.jumps is not None
            jump_counts[block.num_given] = jump_counts.get(block.num_given, 0) + found.jumps
        counts = np.bincount(
            block.cells.ravel(), found.states.ravel(), minlength=len(block.entries)
        )
        lexical[block.entries] += counts
        log_likelihood += found.log_likelihood
    return ExpectedCounts(lexical, jump_counts, log_likelihood)


@dataclass(frozen=True)
class DirectionModel:
    """How the words of one side come from those of the other.

    Attributes:
        key_base: of the keys of the table (see `pipeline.aligners.bitext.blocks`).
        log_likelihoods: of the training pairs, before each iteration.
    """

    table: LexicalTable
    jumps: Jumps
    key_base: int
    null_probability: float
    log_likelihoods: tuple[float, ...]

    @classmethod
    def learn(
        cls,
        given: Sentences,
        generated: Sentences,
        pairs: Sequence[int],
        key_base: int,
        settings: HmmSettings,
    ) -> DirectionModel:
        """Expectation maximisation: IBM model 1, then the hidden Markov model from its table."""
        keys = _different(block.entries for block in blocks(given, generated, pairs, key_base))
        laid_out = [block.found_in(keys) for block in blocks(given, generated, pairs, key_base)]
        table, jumps = LexicalTable.uniform(keys, key_base), Jumps.uniform()
        log_likelihoods = []
        iterations = settings.ibm1_iterations + settings.hmm_iterations
        for iteration in progress(
            range(iterations), "align: learn", total=iterations, unit="iterations", size=lambda _: 1
        ):
            is_hmm = iteration >= settings.ibm1_iterations
            counts = expected_counts(
                laid_out, table, jumps if is_hmm else None, settings.null_probability
            )
            log_likelihoods.append(counts.log_likelihood)
            table = table.estimated(counts.lexical, settings.lexical_prior)
            if is_hmm:
                jumps = jumps.estimated(counts.jumps, JUMP_PRIOR)
        return cls(table, jumps, key_base, settings.null_probability, tuple(log_likelihoods))

    def best(
        self, given: Sentences, generated: Sentences, pairs: Sequence[int]
    ) -> Iterator[tuple[int, int, int]]:
        """The likeliest origin of each generated word, if it is likelier than the null word.

        Yields:
            The sentence pair, the place of the given word and that of the generated one.
        """
        probabilities = np.append(np.maximum(self.table.probabilities, UNSEEN), UNSEEN)
        for block in blocks(given, generated, pairs, self.key_base):
            entries = block.found_in(self.table.keys).entries
            emissions = probabilities[entries][block.cells]
            matrix = self.jumps.matrix(block.num_given)
            found = hmm_posteriors(emissions, block.exists, matrix, self.null_probability)
            origins = found.states.round(TIE_DIGITS).argmax(axis=-1) - 1  # (J, P)
            place, row = np.nonzero(origins >= 0)
            linked = (block.pairs[row], origins[place, row], place)
            yield from zip(*(column.tolist() for column in linked), strict=True)


def _different(keys_of_blocks: Iterable[np.ndarray]) -> np.ndarray:
    """The different keys of all blocks, sorted; merged now and then, for most are many times."""
    found = np.empty(0, dtype=np.int64)
    waiting: list[np.ndarray] = []
    for keys in keys_of_blocks:
        waiting.append(keys)
        if sum(map(len, waiting)) > MERGED_KEYS:
            found, waiting = np.unique(np.concatenate([found, *waiting])), []
    return np.unique(np.concatenate([found, *waiting]))


class HmmAligner:
    """Two models, of target words given source words and of source words given target words."""

    def __init__(self, pairs: Sequence[Pair], settings: HmmSettings) -> None:
        """Learn from sentence pairs; memory grows with them.

        Raises:
            InputError: all are longer than `max_words`.
        """
        self._max_words = settings.max_words
        self._indices = [
            WordIndex(side, fold_case=settings.fold_case) for side in zip(*pairs, strict=True)
        ]
        source, target, alignable = self._index(pairs)
        if not alignable:
            raise InputError(
                f"align.max_words: expected a training pair of at most {settings.max_words} words "
                "on either side, found none"
            )
        sizes = [index.size for index in self._indices]
        self.forward = DirectionModel.learn(source, target, alignable, sizes[1], settings)
        self.reverse = DirectionModel.learn(target, source, alignable, sizes[0], settings)

    def align(self, pairs: Sequence[Pair]) -> list[tuple[set[Link], set[Link]]]:
        """Of each pair, the links for its target words and those for its source words.

        A pair with a side of more than `max_words` has none.
        """
        source, target, alignable = self._index(pairs)
        links: list[tuple[set[Link], set[Link]]] = [(set(), set()) for _ in pairs]
        for pair, i, j in self.forward.best(source, target, alignable):
            links[pair][0].add((i, j))
        for pair, j, i in self.reverse.best(target, source, alignable):
            links[pair][1].add((i, j))
        return links

    def _index(self, pairs: Sequence[Pair]) -> tuple[Sentences, Sentences, list[int]]:
        """Both sides in ids, and the indices of the pairs that are not too long."""
        source = [self._indices[0].ids(text) for text, _ in pairs]
        target = [self._indices[1].ids(text) for _, text in pairs]
        sizes = (max(len(s), len(t)) for s, t in zip(source, target, strict=True))
        return source, target, [n for n, size in enumerate(sizes) if size <= self._max_words]
