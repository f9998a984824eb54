"""A link between words links all their subwords."""

from __future__ import annotations

from itertools import accumulate, pairwise
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mgsa.base.errors import InputError
from pipeline.artifact.columns import Lines, Side
from pipeline.artifact.link_columns import Links, encode_links


def links(*lines: str) -> Lines:
    return Lines(Path("train.links"), 31, list(lines))


def side(*subwords_per_word: list[int]) -> Side:
    """A side of which only the numbers of subwords matter."""
    flat = np.array([count for row in subwords_per_word for count in row])
    words = np.cumsum([0, *map(len, subwords_per_word)])
    subwords = np.cumsum([0, *map(sum, subwords_per_word)])
    return Side(np.zeros(flat.sum(), dtype=np.int32), subwords, flat, words)


def rows_of(found: Links) -> list[list[tuple[int, int]]]:
    bounds = found.offsets.tolist()
    pairs = [(int(i), int(j)) for i, j in found.ends]
    return [pairs[a:b] for a, b in pairwise(bounds)]


def test_by_hand() -> None:
    found = encode_links(
        links("1-0 0-1", "", "0-0 0-0"), side([2, 1], [1], [2]), side([1, 2], [1], [1])
    )
    assert rows_of(found) == [
        [(0, 1), (0, 2), (1, 1), (1, 2), (2, 0)],
        [],
        [(0, 0), (1, 0)],
    ]


def test_no_links_at_all() -> None:
    assert rows_of(encode_links(links("", ""), side([2], [1]), side([1], [1]))) == [[], []]


counts = st.lists(st.integers(1, 3), min_size=1, max_size=5)


@given(st.lists(st.tuples(counts, counts), min_size=1, max_size=4), st.data())
def test_every_subword_of_a_word_is_linked_to_every_subword_of_the_other(
    rows: list[tuple[list[int], list[int]]], data: st.DataObject
) -> None:
    lines, expected = [], []
    for source, target in rows:
        pairs = data.draw(
            st.lists(
                st.tuples(st.integers(0, len(source) - 1), st.integers(0, len(target) - 1)),
                max_size=6,
            )
        )
        lines.append(" ".join(f"{i}-{j}" for i, j in pairs))
        sources, targets = _positions(source), _positions(target)
        expected.append(sorted({(a, b) for i, j in pairs for a in sources[i] for b in targets[j]}))
    found = encode_links(
        links(*lines), side(*(source for source, _ in rows)), side(*(target for _, target in rows))
    )
    assert rows_of(found) == expected


def _positions(counts: list[int]) -> list[range]:
    ends = list(accumulate(counts))
    return [range(end - count, end) for end, count in zip(ends, counts, strict=True)]


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("0-0 2-0", "expected links between 2 and 1 words, counted from 0, got 2-0"),
        ("0-1", "expected links between 2 and 1 words, counted from 0, got 0-1"),
        ("0", "expected links such as 0-0 1-2, got '0'"),
        ("0--1", "expected links such as 0-0 1-2, got '0--1'"),
        ("a-b", "expected links such as 0-0 1-2, got 'a-b'"),
        ("0p0", "expected links such as 0-0 1-2, got '0p0'"),
    ],
)
def test_a_wrong_line_is_named(line: str, message: str) -> None:
    with pytest.raises(InputError, match=rf"train\.links:32: {message}"):
        encode_links(links("0-0", line), side([1], [1, 1]), side([1], [1]))
