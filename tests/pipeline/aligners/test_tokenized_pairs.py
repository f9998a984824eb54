"""Pairs of tokenised text."""

from __future__ import annotations

from pathlib import Path

import pytest

from mgsa.base.errors import InputError
from pipeline.aligners.tokenized_pairs import lengths, read_pairs


def test_pairs_are_read_in_order(tmp_path: Path) -> None:
    (tmp_path / "valid.source").write_text("a b\nc\n")
    (tmp_path / "valid.target").write_text("d\ne f g\n")
    pairs = list(read_pairs(tmp_path, "valid"))
    assert pairs == [("a b", "d"), ("c", "e f g")]
    assert [lengths(pair) for pair in pairs] == [(2, 1), (1, 3)]


@pytest.mark.parametrize(
    ("target", "message"),
    [
        ("d\n\n", r"valid\.target:2: expected tokens with one space between them, found an empty"),
        ("d\ne  f\n", r"valid\.target:2: expected tokens with one space between them$"),
        ("d\n", r"valid\.target:1: ends after 1 line"),
    ],
)
def test_what_is_no_pair_is_named(tmp_path: Path, target: str, message: str) -> None:
    (tmp_path / "valid.source").write_text("a b\nc\n")
    (tmp_path / "valid.target").write_text(target)
    with pytest.raises(InputError, match=message):
        list(read_pairs(tmp_path, "valid"))
