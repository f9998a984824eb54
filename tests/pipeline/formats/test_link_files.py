"""Files of links of every tool, and of which words they seem to count."""

from __future__ import annotations

import gzip
import re
from pathlib import Path

import pytest

from mgsa.cli.errors import InputError
from mgsa.data.word_links import Link
from pipeline.formats.link_files import corpus_links, link_lines, read_link_file
from pipeline.formats.links import PHARAOH, Notation, read_gold_links
from pipeline.formats.text import SIDES
from tests.lines import write_lines


@pytest.fixture
def tokenized(tmp_path: Path) -> Path:
    """Two pairs: of three and two words, and of two and three."""
    (tmp_path / "train.source").write_text("a b c\nd e\n")
    (tmp_path / "train.target").write_text("v w\nx y z\n")
    return tmp_path


def read_file(folder: Path, text: str, notation: Notation) -> list[set[Link]]:
    (folder / "links").write_text(text)
    return [*read_link_file(folder / "links", folder, "train", notation)]


@pytest.mark.parametrize(
    ("gold", "lines", "notation"),
    [
        ("0-0 1-2 2p1", "0-0 2-1\n1-2\n", Notation(0, target_first=False)),
        ("1-1 2-3 3p2", "1-1 3-2\n2-3\n", Notation(1, target_first=False)),
        ("0-0 2-1 1p2", "0-0 1-2\n2-1\n", Notation(0, target_first=True)),
        ("1-1 3-2 2p3", "1-1 2-3\n3-2\n", Notation(1, target_first=True)),
    ],
)
def test_the_same_links_in_every_notation(
    tokenized: Path, gold: str, lines: str, notation: Notation
) -> None:
    assert read_gold_links(gold, notation) == ({(0, 0), (1, 2)}, {(2, 1)})
    assert read_file(tokenized, lines, notation) == [{(0, 0), (2, 1)}, {(1, 2)}]


@pytest.mark.parametrize(
    ("text", "notation", "message"),
    [
        ("0-0\n2-0\n", Notation(), "links:2: expected links between 2 source and 3 target words, "
         "counted from 0, got 2-0"),
        ("1-1\n4-1\n", Notation(1, target_first=True), "links:2: expected links between 2 source "
         "and 3 target words, counted from 1, got 1-4"),
        ("0-0\n\n\n", Notation(), "train.source:2: ends after 2 lines; expected as many as in "),
    ],
)  # fmt: skip
def test_links_outside_their_pairs_are_named(
    tokenized: Path, text: str, notation: Notation, message: str
) -> None:
    with pytest.raises(InputError, match=re.escape(message)):
        read_file(tokenized, text, notation)


GIVEN_SOURCE = """\
# Sentence pair (1) source length 3 target length 2 alignment score : 0.0291545
V W
NULL ({ }) A ({ 1 }) B ({ }) C ({ 2 })
# Sentence pair (2) source length 2 target length 3 alignment score : 1.7e-05
X Y Z
NULL ({ 2 }) D ({ 1 3 }) E ({ })
"""
GIVEN_TARGET = """\
# Sentence pair (1) source length 2 target length 3 alignment score : 0.0291545
a b c
NULL ({ 2 }) v ({ 1 }) w ({ 3 })
# Sentence pair (2) source length 3 target length 2 alignment score : 1.7e-05
d e
NULL ({ 2 }) x ({ 1 }) y ({ }) z ({ })
""".replace("})\n", "}) \n")  # as GIZA++ ends its lines
NAACL = "1 1 1 S\n1 2 2 P\n0001 3 2\n2 1 1 S 0.98\n2 0 3 S\n"
"""Sentence, source, target, sure or possible, confidence; 0 is the null word."""
NOTATIONS = [PHARAOH, Notation(1), Notation(1, target_first=True)]


@pytest.mark.parametrize("notation", NOTATIONS)
@pytest.mark.parametrize(
    ("text", "second"), [(GIVEN_SOURCE, {(0, 0), (0, 2)}), (GIVEN_TARGET, {(0, 0)})]
)
def test_giza_files_are_read_in_either_direction_and_from_1(
    tokenized: Path, text: str, second: set[Link], notation: Notation
) -> None:
    """Whatever the notation of other files: their own words tell whose sides they are."""
    assert read_file(tokenized, text, notation) == [{(0, 0), (2, 1)}, second]
    (tokenized / "links").write_bytes(gzip.compress(text.encode()))
    (tokenized / "links").rename(tokenized / "links.gz")
    found = read_link_file(tokenized / "links.gz", tokenized, "train", notation)
    assert [*found] == [{(0, 0), (2, 1)}, second]


def test_without_texts_the_links_of_a_giza_file_begin_with_its_given_words(tmp_path: Path) -> None:
    (tmp_path / "links").write_text(GIVEN_TARGET)
    for notation in NOTATIONS:
        first = notation.first
        expected = [f"{first}-{first} {first + 1}-{first + 2}", f"{first}-{first}"]
        assert [*link_lines(tmp_path / "links", notation)] == expected


@pytest.mark.parametrize("notation", NOTATIONS)
def test_links_of_the_naacl_shared_task_are_gold_links_from_1(
    tmp_path: Path, notation: Notation
) -> None:
    (tmp_path / "gold").write_text(f"{NAACL}4 1 2 P\n")
    found = [read_gold_links(text, notation) for text in link_lines(tmp_path / "gold", notation)]
    sides = [({(0, 0), (2, 1)}, {(1, 1)}), ({(0, 0)}, set()), (set(), set()), (set(), {(0, 1)})]
    turned = [tuple({(j, i) for i, j in links} for links in pair) for pair in sides]
    assert found == (turned if notation.target_first else sides)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (
            GIVEN_SOURCE.replace("(2)", "(3)"),
            "4: expected three lines of GIZA++'s sentence pair (",
        ),
        (GIVEN_SOURCE.replace("({ 1 3 })", "1 3"), "4: expected three lines of GIZA++'s sentence"),
        ("".join(GIVEN_SOURCE.splitlines(keepends=True)[:5]), "4: expected three lines of GIZA++"),
        ("2 1 1 S\n1 1 1 S\n", "2: expected links such as 2 3 4 S, by pair, got '1 1 1 S'"),
        ("1 1 1 S\n1-1\n", "2: expected links such as 1 3 4 S, by pair, got '1-1'"),
        ("1 9 1 S\n2 1 1 P\n", "1: expected links between 3 source and 2 target words"),
    ],
)
def test_what_is_wrong_in_files_of_other_formats_is_named(
    tokenized: Path, text: str, message: str
) -> None:
    with pytest.raises(InputError, match=re.escape(f"links:{message}")):
        read_file(tokenized, text, PHARAOH)


def test_the_last_pair_of_the_naacl_shared_task_has_links(tokenized: Path) -> None:
    assert read_file(tokenized, "1 1 1 S\n2 1 0\n", PHARAOH) == [{(0, 0)}, set()]
    with pytest.raises(InputError, match="links:1: ends after 1 line; expected as many as in "):
        read_file(tokenized, "1 1 1 S\n", PHARAOH)


def test_possible_links_of_a_corpus_are_gold_and_none_to_learn_from(tokenized: Path) -> None:
    write_lines(tokenized / "train.links", ["0-0 2p1", "1p2"])
    assert [*corpus_links(tokenized)["train"]] == [({(0, 0)}, {(2, 1)}), (set(), {(1, 2)})]
    assert [*read_link_file(tokenized / "train.links", tokenized, "train")] == [{(0, 0)}, set()]


FROM_0, FROM_1 = [{(0, 0), (1, 1)}, {(2, 1)}], [{(1, 1), (2, 2)}, {(3, 2)}]


@pytest.mark.parametrize(
    ("links", "notation", "told"),
    [
        (FROM_0, PHARAOH, False),
        (FROM_1, PHARAOH, True),
        (FROM_1, Notation(1), False),  # it was said
        ([{(1, 1), (2, 2)}, set()], PHARAOH, False),  # too few
        ([{(1, 0), (2, 2)}, {(3, 2)}], PHARAOH, False),
    ],
)
def test_links_that_seem_to_count_from_1_are_told(
    links: list[set[Link]],
    notation: Notation,
    told: bool,
    capsys: pytest.CaptureFixture[str],
    tmp_path: Path,
) -> None:
    for side in SIDES:
        write_lines(tmp_path / f"train.{side}", ["a b c d", "a b c d"])
    path, first = tmp_path / "links", notation.first
    lines = [" ".join(f"{i + first}-{j + first}" for i, j in sorted(some)) for some in links]
    write_lines(path, lines)
    assert [*read_link_file(path, tmp_path, "train", notation, mend="mend it")] == links
    message = f"{path}: no link has a word 0 on either side: if words are counted from 1, mend it\n"
    assert capsys.readouterr().err == (message if told else "")
