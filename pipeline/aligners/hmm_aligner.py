"""Word links by a hidden Markov model in each direction, learned from the pairs themselves.

Equal pairs and settings give equal links, whatever the order of the pairs.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

import numpy as np

from mgsa.base.cli import progress
from mgsa.base.errors import InputError
from mgsa.base.word_links import Link
from pipeline.aligners.bitext import Block, Sentences, WordIndex, blocks
from pipeline.aligners.hmm import (
    UNIFORM_JUMPS,
    estimated_jumps,
    estimated_lexicon,
    hmm_posteriors,
    ibm1_posteriors,
    jump_matrix,
)
from pipeline.aligners.settings import HmmSettings
from pipeline.base.text import Pair

JUMP_PRIOR = 1.0
"""Pseudo-count of each jump width."""
UNSEEN = 1e-9
"""Probability of a word pair that was never seen, and the least of any when aligning."""
MERGED_KEYS = 1 << 24
"""Keys of word pairs in memory before duplicates are merged."""
TIE_DIGITS = 9
"""Probabilities that differ in later digits are equal: sums depend on the order of summands."""


def expected_counts(
    laid_out: Iterable[Block],
    lexicon: np.ndarray,
    jumps: np.ndarray | None,
    null_probability: float,
) -> tuple[np.ndarray, float, dict[int, np.ndarray]]:
    """A pass over the blocks, by the hidden Markov model; without weights of jumps, by IBM model 1.

    Returns:
        (entries,) the expected count of each word pair; the log likelihood; (I + 1, I + 1) the
        expected numbers of jumps, for each I.
    """
    counts, log_likelihood = np.zeros(len(lexicon)), 0.0
    jump_counts: dict[int, np.ndarray] = {}
    for block in laid_out:
        emissions = lexicon[block.entries][block.cells]
        if jumps is None:
            states, likelihood = ibm1_posteriors(emissions, block.exists, null_probability)
        else:
            size = block.num_given
            states, likelihood, jumped = hmm_posteriors(
                emissions, block.exists, jump_matrix(jumps, size), null_probability
            )
            jump_counts[size] = jump_counts.get(size, 0) + jumped
        found = np.bincount(block.cells.ravel(), states.ravel(), minlength=len(block.entries))
        counts[block.entries] += found
        log_likelihood += likelihood
    return counts, log_likelihood, jump_counts


class DirectionModel:
    """How the words of one side come from those of the other.

    Attributes:
        keys: (entries,) of the word pairs that were seen, sorted (`bitext.blocks`).
        lexicon: (entries,) p(generated word | given word).
        jumps: weights of jumps by width.
        log_likelihoods: of the training pairs, before each iteration.
    """

    def __init__(
        self,
        given: Sentences,
        generated: Sentences,
        pairs: Sequence[int],
        key_base: int,
        settings: HmmSettings,
    ) -> None:
        """Expectation maximisation: IBM model 1, then the hidden Markov model from its lexicon."""
        self._key_base, self._null = key_base, settings.null_probability
        self.keys = _different(block.entries for block in blocks(given, generated, pairs, key_base))
        laid_out = [
            block.found_in(self.keys) for block in blocks(given, generated, pairs, key_base)
        ]
        given_words = self.keys // key_base
        self.lexicon = 1 / np.bincount(given_words)[given_words]
        self.jumps = UNIFORM_JUMPS
        self.log_likelihoods = []
        models = [*[False] * settings.ibm1_iterations, *[True] * settings.hmm_iterations]
        for is_hmm in progress(
            models, "align: learn", total=len(models), unit="iterations", size=lambda _: 1
        ):
            counts, log_likelihood, jumps = expected_counts(
                laid_out, self.lexicon, self.jumps if is_hmm else None, self._null
            )
            self.log_likelihoods.append(log_likelihood)
            self.lexicon = estimated_lexicon(counts, given_words, settings.lexical_prior)
            if is_hmm:
                self.jumps = estimated_jumps(self.jumps, jumps, JUMP_PRIOR)

    def best(
        self, given: Sentences, generated: Sentences, pairs: Sequence[int]
    ) -> Iterator[tuple[int, int, int]]:
        """The likeliest origin of each generated word, if it is likelier than the null word.

        Yields:
            The sentence pair, the place of the given word and that of the generated one.
        """
        probabilities = np.append(np.maximum(self.lexicon, UNSEEN), UNSEEN)
        for block in blocks(given, generated, pairs, self._key_base):
            emissions = probabilities[block.found_in(self.keys).entries][block.cells]
            matrix = jump_matrix(self.jumps, block.num_given)
            states, *_ = hmm_posteriors(emissions, block.exists, matrix, self._null)
            origins = states.round(TIE_DIGITS).argmax(axis=-1) - 1  # (J, P)
            place, row = np.nonzero(origins >= 0)
            linked = (block.pairs[row], origins[place, row], place)
            yield from zip(*(column.tolist() for column in linked), strict=True)


def _different(keys_of_blocks: Iterable[np.ndarray]) -> np.ndarray:
    """The different keys of all blocks, sorted; merged now and then, for most are many times."""
    found = [np.empty(0, dtype=np.int64)]
    for keys in keys_of_blocks:
        found.append(keys)
        if sum(map(len, found[1:])) > MERGED_KEYS:
            found = [np.unique(np.concatenate(found))]
    return np.unique(np.concatenate(found))


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
        self.forward = DirectionModel(source, target, alignable, sizes[1], settings)
        self.reverse = DirectionModel(target, source, alignable, sizes[0], settings)

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
        source, target = (
            [index.ids(pair[side]) for pair in pairs] for side, index in enumerate(self._indices)
        )
        sizes = (max(len(s), len(t)) for s, t in zip(source, target, strict=True))
        return source, target, [n for n, size in enumerate(sizes) if size <= self._max_words]
