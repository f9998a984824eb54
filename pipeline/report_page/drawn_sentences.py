"""Which sentences of the split are drawn: a few, from a short one to a long one."""

from __future__ import annotations

from collections.abc import Sequence


def drawn_sentences(lengths: Sequence[int], *, count: int, longest: int) -> list[int]:
    """The indices of `count` sentences of at most `longest` words, spread evenly over the lengths.

    The shortest and the longest are among them; all come in the order of their lengths.
    """
    fitting = [index for index, length in enumerate(lengths) if length <= longest]
    fitting.sort(key=lambda index: (lengths[index], index))
    if count >= len(fitting):
        return fitting
    if count == 1:
        return [fitting[len(fitting) // 2]]
    return [fitting[i * (len(fitting) - 1) // (count - 1)] for i in range(count)]
