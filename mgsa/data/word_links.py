"""Word alignments as links, from those of subwords, and as text.

A target subword is linked to its most probable source subword (Garg et al. 2019, section 4.1);
words are linked if any of their subwords are (section 5.4). End of sentence has no links.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import accumulate
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy as np

Link = tuple[int, int]
"""A source and a target word, or subword, counted from 0."""


def format_links(links: Iterable[Link]) -> str:
    """Links in Pharaoh format, `0-0 1-2`: sorted, each once."""
    return " ".join(f"{source}-{target}" for source, target in sorted(set(links)))


def strongest(matrix: np.ndarray) -> list[Link]:
    """(T, S) to a link for each row, to the first of its largest values."""
    if not matrix.size:
        return []
    return [(int(source), target) for target, source in enumerate(matrix.argmax(axis=1))]


def word_links(
    links: Iterable[Link], *, source_words: Sequence[int], target_words: Sequence[int]
) -> list[Link]:
    """Links between subwords to links between words, sorted, each once.

    `source_words` and `target_words` are the numbers of subwords of each word.
    """
    source, target = _word_of(source_words), _word_of(target_words)
    return sorted({(source[i], target[j]) for i, j in links})


def subword_links(
    links: Iterable[Link], *, source_words: Sequence[int], target_words: Sequence[int]
) -> list[Link]:
    """Links between words to links between all their subwords, sorted; arguments as before."""
    sources, targets = _subwords_of(source_words), _subwords_of(target_words)
    words = set(links)
    return sorted([(i, j) for word, other in words for i in sources[word] for j in targets[other]])


def word_matrix(
    matrix: np.ndarray, *, source_words: Sequence[int], target_words: Sequence[int]
) -> np.ndarray:
    """(T, S) of subwords to that of words: the sum over a source word, the mean over a target."""
    import numpy as np

    summed = _summed(_summed(matrix, source_words, axis=1), target_words, axis=0)
    mean: np.ndarray = summed / np.asarray(target_words)[:, None]
    return mean


def _word_of(subwords_per_word: Sequence[int]) -> list[int]:
    """The word of each subword."""
    return [word for word, count in enumerate(subwords_per_word) for _ in range(count)]


def _subwords_of(subwords_per_word: Sequence[int]) -> list[range]:
    bounds = [0, *accumulate(subwords_per_word)]
    return [*map(range, bounds, bounds[1:])]


def _summed(matrix: np.ndarray, subwords_per_word: Sequence[int], *, axis: int) -> np.ndarray:
    """Sums over the subwords of each word, along an axis."""
    import numpy as np

    if not len(subwords_per_word):
        return matrix
    starts = np.cumsum([0, *subwords_per_word[:-1]])
    return np.add.reduceat(matrix, starts, axis=axis)
