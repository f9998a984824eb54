"""Phrase noise: training rows with other phrases than those of their trees, which may be wrong.

flat    every word is a phrase of each level, as without a parser.
random  as many phrases a level as the tree gives, cut anew between words; levels stay nested.

They have no tags, which are learned from trees alone. The draw is by seed, epoch and row: a resumed
run, or one in more processes, sees the same.
"""

from dataclasses import replace

import numpy as np

from mgsa.config import PhraseNoise
from mgsa.data.batch import NO_PHRASE, RowColumns
from mgsa.data.ragged import Ragged


def with_phrase_noise(
    columns: RowColumns, noise: PhraseNoise, *, seed: int, epoch: int
) -> RowColumns:
    """The rows with the phrases that they have in an epoch; `subwords_per_word` are needed."""
    lengths, tags = (
        [[level[n] for n in range(len(columns))] for level in levels]
        for levels in (columns.phrase_lengths, columns.phrase_tags)
    )
    for n, index in enumerate(columns.index.tolist()):
        generator = np.random.default_rng([seed, epoch, index])
        drawn = generator.random()
        ends = np.cumsum(columns.subwords_per_word[n])
        if drawn >= noise.flat + noise.random or not len(ends):
            continue
        places = ends[generator.permutation(len(ends) - 1)]
        for of_level, of_tags in zip(lengths, tags, strict=True):
            cuts = len(places) if drawn < noise.flat else len(of_level[n]) - 1
            of_level[n] = np.diff([0, *np.sort(places[:cuts]), ends[-1]])
            of_tags[n] = np.full(cuts + 1, NO_PHRASE)
    return replace(
        columns,
        phrase_lengths=tuple(map(Ragged.of, lengths)),
        phrase_tags=tuple(map(Ragged.of, tags)),
    )
