"""The sentence pairs of tokenised text, as the aligners read them."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from pipeline.base.stage import SIDES
from pipeline.base.text import read_parallel, split_tokens

Pair = tuple[str, str]
"""Source and target, tokens with one space between them."""


def read_pairs(tokenized: Path, split: str) -> Iterator[Pair]:
    """The pairs of a split, in order.

    Raises:
        InputError: as `read_parallel` and `split_tokens`.
    """
    paths = [tokenized / f"{split}.{side}" for side in SIDES]
    for line, (source, target) in enumerate(read_parallel(paths), start=1):
        for path, text in zip(paths, (source, target), strict=True):
            split_tokens(text, path=path, line=line)
        yield source, target


def lengths(pair: Pair) -> tuple[int, int]:
    """How many words each side has."""
    source, target = pair
    return source.count(" ") + 1, target.count(" ") + 1
