"""Merges: by hand on words one can count, and subword-nmt's own on all others."""

from __future__ import annotations

import contextlib
import gzip
import io
from collections import Counter
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from subword_nmt.learn_bpe import learn_bpe

from pipeline.merges import learn_merges
from pipeline.moses import MosesText


def subword_nmt_merges(words: dict[str, int], num_merges: int, min_frequency: int) -> list[str]:
    lines = [f"{word} {count}" for word, count in words.items()]
    codes = io.StringIO()
    with contextlib.redirect_stderr(io.StringIO()):
        learn_bpe(lines, codes, num_merges, min_frequency, is_dict=True)
    return codes.getvalue().splitlines()[1:]


@pytest.mark.parametrize(
    ("words", "num_merges", "min_frequency", "merges"),
    [
        # The example of Sennrich et al. 2016, whose end of word is part of the last letter here.
        (
            {"low": 5, "lower": 2, "newest": 6, "widest": 3},
            4,
            1,
            ["s t</w>", "e st</w>", "l o", "w est</w>"],
        ),
        ({"ab": 3, "cd": 3}, 1, 1, ["c d</w>"]),  # of equals, the greater pair
        ({"ab": 3, "cd": 2}, 5, 3, ["a b</w>"]),  # `c d` is too rare
        ({"aaaa": 1}, 5, 1, ["a a", "aa a", "aaa a</w>"]),
        ({"a": 9, "b": 4}, 5, 1, []),
        ({}, 5, 1, []),
    ],
)
def test_merges(
    words: dict[str, int], num_merges: int, min_frequency: int, merges: list[str]
) -> None:
    assert [" ".join(pair) for pair in learn_merges(words, num_merges, min_frequency)] == merges


@settings(max_examples=150, deadline=None)
@given(
    words=st.dictionaries(
        st.text("abcd", min_size=1, max_size=12), st.integers(1, 200), min_size=3
    ),
    num_merges=st.integers(1, 300),
    min_frequency=st.integers(1, 3),
)
def test_merges_are_those_of_subword_nmt(
    words: dict[str, int], num_merges: int, min_frequency: int
) -> None:
    words["ab"] = 1  # subword-nmt fails where no word has two letters
    found = [" ".join(pair) for pair in learn_merges(words, num_merges, min_frequency)]
    assert found == subword_nmt_merges(words, num_merges, min_frequency)


@pytest.mark.real
@pytest.mark.slow
def test_merges_of_multi30k_are_those_of_subword_nmt(shared: Path) -> None:
    words: Counter[str] = Counter()
    for language in ("en", "de"):
        moses = MosesText(language)
        with gzip.open(shared / f"multi30k/train.{language}.gz", "rt", encoding="utf-8") as file:
            for _, line in zip(range(5000), file, strict=False):
                words.update(moses.normalize_and_tokenize(line))
    found = [" ".join(pair) for pair in learn_merges(words, 8000, 2)]
    assert found == subword_nmt_merges(words, 8000, 2)
