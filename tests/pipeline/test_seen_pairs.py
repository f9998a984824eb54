"""Seen pairs: a set, in little memory."""

from __future__ import annotations

import random

from hypothesis import given
from hypothesis import strategies as st

from pipeline.seen_pairs import SeenPairs, fingerprint


@given(st.lists(st.integers(1, 2**64 - 1) | st.integers(1, 20)))
def test_a_fingerprint_is_new_once(pairs: list[int]) -> None:
    seen, reference = SeenPairs(), set()
    for pair in pairs:
        assert seen.add(pair) == (pair not in reference)
        reference.add(pair)
    assert len(seen) == len(reference)


def test_it_grows_and_forgets_nothing() -> None:
    draw = random.Random(1)
    pairs = [draw.randrange(1, 2**64) for _ in range(20_000)]
    seen = SeenPairs()
    assert all(seen.add(pair) for pair in pairs)
    assert not any(seen.add(pair) for pair in pairs)


def test_fingerprints_tell_sides_apart() -> None:
    pairs = [("a b", "c"), ("a", "b c"), ("c", "a b"), ("a b", "C"), ("", "a b\nc")]
    assert len({fingerprint(*pair) for pair in pairs}) == len(pairs)
    assert fingerprint("a b", "c") == fingerprint("a b", "c")
