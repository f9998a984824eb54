"""BPE-dropout: training rows that are segmented anew in every epoch (Provilkov et al. 2020).

A row's segmentation is drawn by seed, epoch and the row's place, so that a resumed run, or one in
more processes, sees the same. Phrases, words and links follow their words.
"""

from collections.abc import Sequence
from dataclasses import replace
from itertools import accumulate
from pathlib import Path
from random import Random

import numpy as np

from mgsa.config import TrainConfig
from mgsa.data.batch import RowColumns, subwords_per_word
from mgsa.data.ragged import Ragged
from mgsa.data.schema import VOCABULARY
from mgsa.data.vocabulary import UNK, Vocabulary, join_subwords, read_vocabularies
from mgsa.data.word_links import subword_links, word_links
from mgsa.training.processes import place_seed
from pipeline.subwords import SubwordSplitter


class BpeDropout:
    """Segments rows of a dataset's training split, by its own codes and vocabularies."""

    def __init__(self, dataset: Path, config: TrainConfig) -> None:
        self._splitters = SubwordSplitter.load_recorded(dataset)
        self._vocabularies = read_vocabularies(dataset / VOCABULARY)
        self._dropout, self._seed = config.bpe_dropout, config.seed

    def __call__(self, columns: RowColumns, epoch: int) -> RowColumns:
        """The rows as they are segmented in an epoch; `subwords_per_word` are needed."""
        before = [columns.subwords_per_word[n].tolist() for n in range(len(columns))]
        source, target, after, links = [], [], [], []
        for n, index in enumerate(columns.index.tolist()):
            old = columns.target[n].tolist()
            old_words = subwords_per_word([self._vocabularies[1].symbols[i] for i in old])
            generator = Random(place_seed(self._seed, f"segments/{epoch}/{index}"))
            source_ids, words = self._side(0, columns.source[n].tolist(), before[n], generator)
            target_ids, target_words = self._side(1, old, old_words, generator)
            source.append(source_ids)
            after.append(words)
            target.append(target_ids)
            linked = zip(*(side[n].tolist() for side in columns.links), strict=True)
            of_words = word_links(linked, source_words=before[n], target_words=old_words)
            links.append(subword_links(of_words, source_words=words, target_words=target_words))
        counts = list(zip(before, after, strict=True))
        of_source, of_target = (
            Ragged.of([[link[side] for link in row] for row in links]) for side in (0, 1)
        )
        return replace(
            columns,
            source=Ragged.of(source),
            target=Ragged.of(target),
            subwords_per_word=Ragged.of(after),
            phrase_lengths=tuple(
                Ragged.of([_moved(level[n], *pair) for n, pair in enumerate(counts)])
                for level in columns.phrase_lengths
            ),
            links=(of_source, of_target),
        )

    def _side(
        self, side: int, ids: Sequence[int], counts: Sequence[int], generator: Random
    ) -> tuple[list[int], list[int]]:
        """New ids of a sentence, and numbers of each word; a word stays rather than have `UNK`."""
        vocabulary: Vocabulary = self._vocabularies[side]
        words = []
        for end, count in zip(accumulate(counts), counts, strict=True):
            word = list(ids[end - count : end])
            if UNK not in word:
                text = join_subwords(vocabulary.symbols[i] for i in word)
                drawn = self._splitters[side].segment(text, self._dropout, generator)
                spelled = vocabulary.encode(drawn)
                word = word if UNK in spelled else spelled
            words.append(word)
        return [i for word in words for i in word], list(map(len, words))


def _moved(lengths: np.ndarray, before: Sequence[int], after: Sequence[int]) -> np.ndarray:
    """Lengths of phrases in new subwords, given the numbers of subwords of each word."""
    words = np.searchsorted(np.cumsum(before), np.cumsum(lengths))  # the last of each phrase
    return np.diff(np.cumsum(after)[words], prepend=0)
