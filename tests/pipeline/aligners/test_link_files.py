"""Files of other aligners: from which number they count, which side is in front, what is wrong."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from mgsa.base.errors import InputError
from mgsa.base.word_links import Link
from pipeline.aligners.link_files import read_link_file, recognise_first


@pytest.fixture
def tokenized(tmp_path: Path) -> Path:
    """Two pairs: of three and two words, and of two and three."""
    (tmp_path / "train.source").write_text("a b c\nd e\n")
    (tmp_path / "train.target").write_text("A B\nD E F\n")
    return tmp_path


def read(folder: Path, text: str, first: int, target_first: bool) -> list[set[Link]]:
    path = folder / "giza.links"
    path.write_text(text)
    return [*read_link_file(path, folder, "train", first=first, target_first=target_first)]


@pytest.mark.parametrize(
    ("text", "first", "target_first"),
    [
        ("0-0 2-1\n1-2\n", 0, False),
        ("1-1 3-2\n2-3\n", 1, False),
        ("0-0 1-2\n2-1\n", 0, True),
        ("1-1 2-3\n3-2\n", 1, True),
    ],
)
def test_the_same_links_in_every_notation(
    tokenized: Path, text: str, first: int, target_first: bool
) -> None:
    assert read(tokenized, text, first, target_first) == [{(0, 0), (2, 1)}, {(1, 2)}]


@pytest.mark.parametrize(
    ("links", "first", "reason"),
    [
        ([[(0, 1)], []], 0, "a 0 occurs"),
        ([[(0, 1), (3, 1)], []], 0, "a 0 occurs"),  # and then 3-1 is wrong
        ([[], [(1, 0)]], 0, "a 0 occurs"),
        ([[(1, 1), (3, 1)], []], 1, "no 0 occurs, but the length of a sentence does"),
        ([[(1, 1)], [(1, 3)]], 1, "no 0 occurs, but the length of a sentence does"),
        ([[(1, 1)], [(1, 1)]], 0, "neither a 0 nor the length of a sentence occurs"),
        ([[], []], 0, "neither a 0 nor the length of a sentence occurs"),
    ],
)
def test_the_first_number_is_recognised(links: list[list[Link]], first: int, reason: str) -> None:
    assert recognise_first(zip([(3, 2), (2, 3)], links, strict=True)) == (first, reason)


@pytest.mark.parametrize(
    ("text", "first", "target_first", "message"),
    [
        ("0-0\n2-0\n", 0, False, ":2: expected links between 2 source and 3 target words, counted "
         "from 0, got 2-0"),
        ("1-1\n0-1\n", 1, False, ":2: expected links between 2 source and 3 target words, counted "
         "from 1, got 0-1"),
        ("0-0\n3-0\n", 0, True, ":2: expected links between 2 source and 3 target words, counted "
         "from 0, got 3-0"),
        ("0-0\n\n\n", 0, False, ": ends after 2 lines; expected as many as in "),
    ],
)  # fmt: skip
def test_what_is_wrong_is_named(
    tokenized: Path, text: str, first: int, target_first: bool, message: str
) -> None:
    named = "giza.links" if not message.startswith(": ") else "train.source:2"
    with pytest.raises(InputError, match=re.escape(named + message)):
        read(tokenized, text, first, target_first)
