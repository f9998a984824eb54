"""From how much each target subword is aligned to each source subword, to links between words.

A target subword is linked to the source subword that it is aligned to most (Garg et al. 2019,
section 4.1); words are linked if any of their subwords are (section 5.4). End of sentence is no
word: nothing is linked to it.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np

from mgsa.alignment.pharaoh import Link


def strongest(matrix: np.ndarray) -> list[Link]:
    """(T, S) to the link of each row: to the source position that has most, the first of equals."""
    if not matrix.size:
        return []
    return [(int(source), target) for target, source in enumerate(matrix.argmax(axis=1))]


def word_links(
    links: Iterable[Link], *, source_words: Sequence[int], target_words: Sequence[int]
) -> list[Link]:
    """Links between subwords as links between their words, sorted, each once.

    Args:
        source_words, target_words: the subwords of each word.
    """
    source, target = _word_of(source_words), _word_of(target_words)
    return sorted({(int(source[i]), int(target[j])) for i, j in links})


def word_matrix(
    matrix: np.ndarray, *, source_words: Sequence[int], target_words: Sequence[int]
) -> np.ndarray:
    """(T, S) of subwords to that of words: summed over a source word, the mean of a target word."""
    summed = _summed(matrix, source_words, axis=1)
    return _summed(summed, target_words, axis=0) / np.asarray(target_words)[:, None]


def _word_of(subwords_per_word: Sequence[int]) -> np.ndarray:
    """(subwords,) the word of each."""
    return np.repeat(np.arange(len(subwords_per_word)), subwords_per_word)


def _summed(matrix: np.ndarray, subwords_per_word: Sequence[int], *, axis: int) -> np.ndarray:
    """The subwords of each word added up along an axis."""
    if not len(subwords_per_word):
        return matrix
    starts = np.cumsum([0, *subwords_per_word[:-1]])
    return np.add.reduceat(matrix, starts, axis=axis)
