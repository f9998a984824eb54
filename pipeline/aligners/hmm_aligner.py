"""Alignment by a hidden Markov model in each direction, learned from the pairs themselves.

Equal pairs and settings give equal links, whatever the order of the pairs. Memory grows with the
pairs that are learned from; any number can be aligned.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from mgsa.base.cli import progress
from mgsa.base.errors import InputError
from mgsa.word_links import Link
from pipeline.aligners import ibm1
from pipeline.aligners.bitext import IndexedText, WordIndex
from pipeline.aligners.hmm import Jumps, posteriors
from pipeline.aligners.kinds import HmmSettings
from pipeline.aligners.lexical_table import LexicalTable
from pipeline.aligners.word_pairs import Block, blocks

JUMP_PRIOR = 1.0
"""Of each width of a jump, so many of a weight of 1 are taken as seen."""

UNSEEN = 1e-9
"""The probability of a word given one that it never occurred with, and the least of any."""

MERGED_KEYS = 1 << 24
"""Keys of word pairs that are held before equal ones become one."""

TIE_DIGITS = 9
"""Probabilities that differ in later digits are equal: sums depend on the order of summands."""


@dataclass(frozen=True)
class DirectionModel:
    """How the words of one side come from those of the other.

    Attributes:
        key_base: of the keys of the table (see `pipeline.aligners.word_pairs.blocks`).
        log_likelihoods: of what it was learned from, before each iteration.
    """

    table: LexicalTable
    jumps: Jumps
    key_base: int
    null_probability: float
    log_likelihoods: tuple[float, ...]

    def best(
        self, given: IndexedText, generated: IndexedText, pairs: np.ndarray
    ) -> Iterator[tuple[np.ndarray, np.ndarray, np.ndarray]]:
        """The likeliest origin of each generated word, if it is likelier than the null word.

        Yields:
            Arrays of as many words that have one: their sentence pair, the place of the given word
            and their own.
        """
        probabilities = np.append(np.maximum(self.table.probabilities, UNSEEN), UNSEEN)
        for block in blocks(given, generated, pairs, self.key_base):
            entries = block.found_in(self.table.keys).entries
            found = posteriors(
                probabilities[entries][block.cells],
                block.active,
                self.jumps.matrix(block.num_given),
                self.null_probability,
            )
            origin = found.states.round(TIE_DIGITS).argmax(axis=1) - 1
            linked = origin >= 0
            pair, place = block.positions()
            yield pair[linked], origin[linked], place[linked]


class HmmAligner:
    """Two models, of target words given source words and of source words given target words."""

    def __init__(self, pairs: Sequence[tuple[str, str]], settings: HmmSettings) -> None:
        """Learn from pairs of sentences in tokens, with one space between them.

        Raises:
            InputError: all are longer than `max_words`.
        """
        self._settings = settings
        self._indices = [
            WordIndex(side, fold_case=settings.fold_case) for side in zip(*pairs, strict=True)
        ]
        source, target = self._index(pairs)
        learned_from = self._alignable(source, target)
        if not len(learned_from):
            raise InputError(
                f"align.max_words: expected a training pair of at most {settings.max_words} words "
                "on either side, found none"
            )
        self.forward = learn_direction(
            *(source, target, learned_from),
            key_base=self._indices[1].size,
            settings=settings,
            name="target words",
        )
        self.reverse = learn_direction(
            *(target, source, learned_from),
            key_base=self._indices[0].size,
            settings=settings,
            name="source words",
        )

    def align(self, pairs: Sequence[tuple[str, str]]) -> list[tuple[set[Link], set[Link]]]:
        """Of each pair, the links for its target words and those for its source words.

        A pair with a side of more than `max_words` has none.
        """
        source, target = self._index(pairs)
        aligned = self._alignable(source, target)
        links: list[tuple[set[Link], set[Link]]] = [(set(), set()) for _ in pairs]
        for rows in self.forward.best(source, target, aligned):
            for pair, i, j in zip(*(row.tolist() for row in rows), strict=True):
                links[pair][0].add((i, j))
        for rows in self.reverse.best(target, source, aligned):
            for pair, j, i in zip(*(row.tolist() for row in rows), strict=True):
                links[pair][1].add((i, j))
        return links

    def _index(self, pairs: Sequence[tuple[str, str]]) -> tuple[IndexedText, IndexedText]:
        sources, targets = zip(*pairs, strict=True)
        return self._indices[0].index(sources), self._indices[1].index(targets)

    def _alignable(self, source: IndexedText, target: IndexedText) -> np.ndarray:
        longer = np.maximum(source.lengths, target.lengths)
        return np.flatnonzero(longer <= self._settings.max_words)


def learn_direction(
    given: IndexedText,
    generated: IndexedText,
    pairs: np.ndarray,
    *,
    key_base: int,
    settings: HmmSettings,
    name: str,
) -> DirectionModel:
    """Expectation maximisation: IBM model 1, then the hidden Markov model from its table.

    Args:
        pairs: which of the sentence pairs to learn from.
        name: what is generated, as the progress bar shows it.
    """
    keys = _word_pairs(block.entries for block in blocks(given, generated, pairs, key_base))
    laid_out = [block.found_in(keys) for block in blocks(given, generated, pairs, key_base)]
    table, jumps = LexicalTable.uniform(keys, key_base), Jumps.uniform()
    log_likelihoods = []
    iterations = settings.ibm1_iterations + settings.hmm_iterations
    shown = progress(
        range(iterations),
        f"align: learn {name}",
        total=iterations,
        unit="iterations",
        size=lambda _: 1,
    )
    for iteration in shown:
        if iteration < settings.ibm1_iterations:
            counts = ibm1.expected_counts(laid_out, table, settings.null_probability)
            log_likelihoods.append(counts.log_likelihood)
            table = table.estimated(counts.lexical, settings.lexical_prior)
        else:
            lexical, of_jumps, log_likelihood = _expected_counts(
                laid_out, table, jumps, settings.null_probability
            )
            log_likelihoods.append(log_likelihood)
            table = table.estimated(lexical, settings.lexical_prior)
            jumps = jumps.estimated(of_jumps, JUMP_PRIOR)
    return DirectionModel(table, jumps, key_base, settings.null_probability, tuple(log_likelihoods))


def _word_pairs(keys_of_blocks: Iterable[np.ndarray]) -> np.ndarray:
    """The different keys of all blocks, sorted; merged now and then, for most are many times."""
    found = np.empty(0, dtype=np.int64)
    waiting: list[np.ndarray] = []
    for keys in keys_of_blocks:
        waiting.append(keys)
        if sum(map(len, waiting)) > MERGED_KEYS:
            found, waiting = np.unique(np.concatenate([found, *waiting])), []
    return np.unique(np.concatenate([found, *waiting]))


def _expected_counts(
    laid_out: Sequence[Block], table: LexicalTable, jumps: Jumps, null_probability: float
) -> tuple[np.ndarray, dict[int, np.ndarray], float]:
    """Of the entries of the table, of the jumps for each I; and the log likelihood."""
    lexical = np.zeros(len(table.keys))
    of_jumps: dict[int, np.ndarray] = {}
    log_likelihood = 0.0
    for block in laid_out:
        found = posteriors(
            table.probabilities[block.entries][block.cells],
            block.active,
            jumps.matrix(block.num_given),
            null_probability,
        )
        ibm1.add_counts(lexical, block, found.states)
        before = of_jumps.get(block.num_given)
        of_jumps[block.num_given] = found.jumps if before is None else before + found.jumps
        log_likelihood += found.log_likelihood
    return lexical, of_jumps, log_likelihood
