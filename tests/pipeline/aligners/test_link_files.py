"""Files of other aligners: from which number they count, which side is in front, what is wrong."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from mgsa.base.errors import InputError
from pipeline.aligners.link_files import LinkFile, recognise_first

SOURCES = "a b c\nd e\n"
TARGETS = "A B\nD E F\n"


@pytest.fixture
def tokenized(tmp_path: Path) -> Path:
    """Two pairs: of three and two words, and of two and three."""
    (tmp_path / "train.source").write_text(SOURCES)
    (tmp_path / "train.target").write_text(TARGETS)
    return tmp_path


def link_file(folder: Path, text: str, *, target_first: bool = False) -> LinkFile:
    path = folder / "giza.links"
    path.write_text(text)
    return LinkFile(path, "train", target_first)


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
    file = link_file(tokenized, text, target_first=target_first)
    assert list(file.read(tokenized, first=first)) == [{(0, 0), (2, 1)}, {(1, 2)}]


@pytest.mark.parametrize(
    ("text", "first", "reason"),
    [
        ("0-1\n\n", 0, "a 0 occurs"),
        ("1-0\n\n", 0, "a 0 occurs"),
        ("0-1 3-1\n\n", 0, "a 0 occurs"),  # and then 3-1 is wrong
        ("1-1 3-1\n\n", 1, "no 0 occurs, but the length of a sentence does"),
        ("1-1\n1-3\n", 1, "no 0 occurs, but the length of a sentence does"),
        ("1-1\n1-1\n", 0, "neither a 0 nor the length of a sentence occurs"),
        ("\n\n", 0, "neither a 0 nor the length of a sentence occurs"),
    ],
)
def test_the_first_number_is_recognised(
    tokenized: Path, text: str, first: int, reason: str
) -> None:
    assert recognise_first([link_file(tokenized, text)], tokenized) == (first, reason)


def test_files_are_taken_to_count_alike(tokenized: Path) -> None:
    """The second file alone would not tell."""
    (tokenized / "other.links").write_text("1-1\n\n")
    files = [link_file(tokenized, "3-1\n\n"), LinkFile(tokenized / "other.links", "train")]
    assert recognise_first(files, tokenized)[0] == 1
    assert recognise_first(files[1:], tokenized)[0] == 0


@pytest.mark.parametrize(
    ("text", "first", "target_first", "message"),
    [
        ("0-0\n2-0\n", 0, False, ":2: expected links between 2 source and 3 target words, counted "
         "from 0, got 2-0"),
        ("0-0\n0-3\n", 0, False, ":2: expected links between 2 source and 3 target words, counted "
         "from 0, got 0-3"),
        ("1-1\n0-1\n", 1, False, ":2: expected links between 2 source and 3 target words, counted "
         "from 1, got 0-1"),
        ("0-0\n3-0\n", 0, True, ":2: expected links between 2 source and 3 target words, counted "
         "from 0, got 3-0"),
        ("0-0\n0\n", 0, False, ":2: expected links such as 0-0 1-2, got '0'"),
        ("0-0\n", 0, False, ":1: ends after 1 line; expected as many as in "),
        ("0-0\n\n\n", 0, False, ": ends after 2 lines; expected as many as in "),
    ],
)  # fmt: skip
def test_what_is_wrong_is_named(
    tokenized: Path, text: str, first: int, target_first: bool, message: str
) -> None:
    file = link_file(tokenized, text, target_first=target_first)
    named = "giza.links" if not message.startswith(": ") else "train.source:2"
    with pytest.raises(InputError, match=re.escape(named + message)):
        list(file.read(tokenized, first=first))
