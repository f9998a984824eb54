"""Batches of random sentences with random trees and links, to measure models by."""

from __future__ import annotations

import random
from collections.abc import Sequence

from mgsa.data.batch import Batch, Row, make_batch
from mgsa.data.vocabulary import SPECIAL_SYMBOLS

LEVELS = 3
NUM_TAGS = 70  # labels and parts of speech of the Penn Treebank, about


def make_batches(tokens: int, vocabulary: int, count: int) -> list[Batch]:
    """Batches of about `tokens` target positions, each of sentences of similar length."""
    generator = random.Random(0)
    batches = []
    for number in range(count):
        longest = (24, 36, 16)[number % 3]
        lengths = [
            generator.randint(longest - 4, longest - 1) for _ in range(max(1, tokens // longest))
        ]
        batches.append(batch_of_lengths(lengths, vocabulary, seed=number))
    return batches


def batch_of_lengths(lengths: Sequence[int], vocabulary: int, *, seed: int = 0) -> Batch:
    """A batch of pairs, both sides of so many subwords."""
    generator = random.Random(seed)
    granularities = [
        *(f"syntactic_{k + 1}" for k in range(LEVELS)),
        "ngram_2",
        "ngram_3",
        "ngram_4",
    ]
    rows = [_row(generator, length, vocabulary) for length in lengths]
    return make_batch(rows, granularities, ngram_unit="subword")


def _row(generator: random.Random, length: int, vocabulary: int) -> Row:
    levels = []
    phrases = [length]
    for _ in range(LEVELS):
        phrases = [part for phrase in phrases for part in _children(generator, phrase)]
        levels.append(phrases)

    def sentence() -> list[int]:
        return [generator.randrange(len(SPECIAL_SYMBOLS), vocabulary) for _ in range(length)]

    return Row(
        index=0,
        source=sentence(),
        target=sentence(),
        subwords_per_word=[1] * length,
        phrase_lengths=levels,
        phrase_tags=[[generator.randrange(NUM_TAGS) for _ in level] for level in levels],
        links=[(generator.randrange(length), target) for target in range(length)],
    )


def _children(generator: random.Random, length: int) -> list[int]:
    """Lengths of the two to four children of a node over `length` positions."""
    if length == 1:
        return [1]
    count = min(length, generator.randint(2, 4))
    cuts = sorted(generator.sample(range(1, length), count - 1))
    return [end - start for start, end in zip([0, *cuts], [*cuts, length], strict=True)]
