"""The merges of byte-pair encoding (Sennrich et al. 2016), learned from counts of words.

The result is that of `subword_nmt.learn_bpe`, whose statistics and their upkeep are used here. It
looks through all frequent pairs for each next merge, most of its time; here a heap knows the pair.
Its bookkeeping of rare pairs (`prune_stats`) is kept to the letter, since it decides about pairs
whose counts grow after they were set aside.
"""

from __future__ import annotations

from collections.abc import Mapping
from heapq import heapify, heappop, heappush
from typing import TypeAlias

Pair: TypeAlias = tuple[str, str]
Word: TypeAlias = tuple[str, ...]

END_OF_WORD = "</w>"

_PRUNE_EVERY = 100


def learn_merges(words: Mapping[str, int], num_merges: int, min_frequency: int) -> list[Pair]:
    """The most frequent pair of symbols, merged wherever it stands, and so on.

    Args:
        words: how often each word of the text occurs.
        num_merges: how many pairs to merge; fewer come back if the text runs out of pairs.
        min_frequency: a pair that is seen less often is not merged.
    """
    from subword_nmt.learn_bpe import get_pair_statistics, prune_stats, update_pair_statistics

    spelled = [((*word[:-1], word[-1] + END_OF_WORD), count) for word, count in words.items()]
    counts, places = get_pair_statistics(spelled)
    if not counts:
        return []
    set_aside = dict(counts)  # the counts of pairs below the threshold
    threshold = max(counts.values()) / 10
    frequent = _Frequencies(counts, threshold)
    merges: list[Pair] = []
    for step in range(num_merges):
        pair = frequent.most_frequent()
        if pair is None:
            prune_stats(frequent, set_aside, threshold)
            top = max(set_aside.values())
            threshold = top * step / (step + 10_000)
            frequent = _Frequencies(
                {pair: count for pair, count in set_aside.items() if count >= threshold}, threshold
            )
            pair = max(pair for pair, count in set_aside.items() if count == top)
        if frequent[pair] < min_frequency:
            break
        merges.append(pair)
        changed = _replace(pair, spelled, places[pair])
        update_pair_statistics(pair, changed, frequent, places)
        frequent[pair] = 0
        if step % _PRUNE_EVERY == 0:
            prune_stats(frequent, set_aside, threshold)
    return merges


class _Greatest:
    """A pair that comes first in a heap when it is the greater one."""

    __slots__ = ("pair",)

    def __init__(self, pair: Pair) -> None:
        self.pair = pair

    def __lt__(self, other: _Greatest) -> bool:
        return self.pair > other.pair


class _Frequencies(dict[Pair, int]):
    """Counts of pairs, 0 for others; of those at or above a threshold, the most frequent.

    The heap may hold counts that are no longer true; they are dropped when they come to its top.
    """

    def __init__(self, counts: Mapping[Pair, int], threshold: float) -> None:
        super().__init__(counts)
        self._threshold = threshold
        self._heap = [
            (-count, _Greatest(pair)) for pair, count in counts.items() if count >= threshold
        ]
        heapify(self._heap)

    def __missing__(self, pair: Pair) -> int:
        return 0

    def __setitem__(self, pair: Pair, count: int) -> None:
        super().__setitem__(pair, count)
        if count >= self._threshold:
            heappush(self._heap, (-count, _Greatest(pair)))

    def most_frequent(self) -> Pair | None:
        """The pair of the highest count, of several the greatest; `None` below the threshold."""
        heap = self._heap
        while heap:
            count, greatest = heap[0]
            if self.get(greatest.pair) == -count:
                return greatest.pair
            heappop(heap)
        return None


def _replace(
    pair: Pair, words: list[tuple[Word, int]], places: Mapping[int, int]
) -> list[tuple[int, Word, Word, int]]:
    """Merge `pair` in the words at `places`; of each its place, new and old spelling, count."""
    first, second = pair
    merged = first + second
    changed = []
    for place, occurrences in places.items():
        if occurrences < 1:
            continue
        old, count = words[place]
        symbols: list[str] = []
        previous = None  # the symbol before, unless it was merged
        for symbol in old:
            if symbol == second and previous == first:
                symbols[-1] = merged
                previous = None
            else:
                symbols.append(symbol)
                previous = symbol
        new = tuple(symbols)
        words[place] = (new, count)
        changed.append((place, new, old, count))
    return changed
