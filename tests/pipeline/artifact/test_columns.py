"""Lines as columns: ids and subwords per word, checked against a row-by-row reading."""

from __future__ import annotations

import itertools
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mgsa.base.errors import InputError
from mgsa.data.schema import LONGEST, SCHEMA
from mgsa.data.vocabulary import UNK, Vocabulary
from pipeline.artifact.columns import Lines, encode_side, make_table
from pipeline.artifact.link_columns import encode_links
from pipeline.artifact.phrase_columns import encode_phrases

SUBWORDS = Vocabulary.of(["a@@", "b@@", "c", "a", "b", "@@", "@@@@"])


def tokens(*lines: str) -> Lines:
    return Lines(Path("train.source"), 11, list(lines))


def segmented(*lines: str) -> Lines:
    return Lines(Path("bpe.source"), 11, list(lines))


def test_two_lines_by_hand() -> None:
    side = encode_side(tokens("abc c", "b"), segmented("a@@ b@@ c c", "b"), SUBWORDS)
    assert side.ids.tolist() == [4, 5, 6, 6, 8]
    assert side.offsets.tolist() == [0, 4, 5]
    assert side.subwords_per_word.tolist() == [3, 1, 1]
    assert side.word_offsets.tolist() == [0, 2, 3]
    assert side.lengths.tolist() == [4, 1]
    assert side.words.tolist() == [2, 1]


def test_unknown_subwords_and_those_spelled_like_special_symbols() -> None:
    side = encode_side(tokens("x <pad> c </s>"), segmented("x <pad> c </s>"), SUBWORDS)
    assert side.ids.tolist() == [UNK, UNK, 6, UNK]


@pytest.mark.parametrize(
    ("words", "subwords", "counts"),
    [
        ("a@@ c", "a@@ c", [1, 1]),  # a word that ends in the mark, and one after it
        ("@@ b", "@@ b", [1, 1]),
        ("a@@ c", "a@@ @@ c", [2, 1]),
        ("c a@@", "c a@@", [1, 1]),  # at the end of the line
        ("@@@@ a", "@@@@ @@ a", [2, 1]),
        ("c@@c", "c@@@@ c", [2]),
    ],
)
def test_words_that_hold_the_mark_themselves(words: str, subwords: str, counts: list[int]) -> None:
    # Between two lines that need no such care.
    side = encode_side(tokens("ab", words, "b"), segmented("a@@ b", subwords, "b"), SUBWORDS)
    assert side.subwords_per_word.tolist() == [2, *counts, 1]


words = st.text("abc", min_size=1, max_size=5)


@st.composite
def sentences(draw: st.DrawFn) -> tuple[list[str], list[list[str]]]:
    """Words, and the pieces of each."""
    chosen = draw(st.lists(words, min_size=1, max_size=6))
    pieces = []
    for word in chosen:
        cuts = sorted(draw(st.sets(st.integers(1, len(word) - 1)))) if len(word) > 1 else []
        bounds = [0, *cuts, len(word)]
        pieces.append([word[a:b] for a, b in itertools.pairwise(bounds)])
    return chosen, pieces


@given(st.lists(sentences(), min_size=1, max_size=5))
def test_subwords_per_word_are_the_pieces(rows: list[tuple[list[str], list[list[str]]]]) -> None:
    marked = [["@@ ".join(word) for word in pieces] for _, pieces in rows]
    side = encode_side(
        tokens(*(" ".join(chosen) for chosen, _ in rows)),
        segmented(*(" ".join(line) for line in marked)),
        SUBWORDS,
    )
    assert side.subwords_per_word.tolist() == [len(word) for _, line in rows for word in line]
    assert side.words.tolist() == [len(chosen) for chosen, _ in rows]
    expected = [SUBWORDS.encode(" ".join(line).split(" ")) for line in marked]
    assert side.ids.tolist() == [index for ids in expected for index in ids]
    assert side.lengths.tolist() == [len(ids) for ids in expected]


@pytest.mark.parametrize("line", ["b c", "a@@ c", "a@@ b@@", "ab c", "a@@ b c", "a b"])
def test_subwords_of_another_text_are_named(line: str) -> None:
    with pytest.raises(
        InputError, match=r"bpe\.source:12: expected the subwords of line 12 of train\.source"
    ):
        encode_side(tokens("c", "ab"), segmented("c", line), SUBWORDS)


@pytest.mark.parametrize("line", ["", "a  b", " a", "a "])
def test_tokens_that_are_not_separated_by_one_space_are_named(line: str) -> None:
    with pytest.raises(
        InputError, match=r"train\.source:12: expected tokens separated by one space"
    ):
        encode_side(tokens("c", line), segmented("c", line or "a"), SUBWORDS)


def test_odd_separators_are_characters_of_a_word() -> None:
    line = "a\u2028b \u00a0 \tc"
    side = encode_side(tokens(line), segmented(line), SUBWORDS)
    assert side.words.tolist() == [3]


def test_a_sentence_too_long_for_its_columns_is_named() -> None:
    line = " ".join(["c"] * (LONGEST + 1))
    with pytest.raises(InputError, match=r"bpe\.source:12: expected at most 32767 subwords"):
        encode_side(tokens("c", line), segmented("c", line), SUBWORDS)


def test_how_often_tokens_occur() -> None:
    assert segmented("a@@ b", "b c b").counted() == {"a@@": 1, "b": 3, "c": 1}


def test_a_table_of_the_schema() -> None:
    source = encode_side(tokens("ab c"), segmented("a@@ b c"), SUBWORDS)
    target = encode_side(tokens("c"), segmented("c"), SUBWORDS)
    phrases = encode_phrases(Lines(Path("p"), 1, ["1:A 1:B ||| 2:A"]), source, {"A": 1}, 2)
    links = encode_links(Lines(Path("l"), 1, ["0-0"]), source, target)
    table = make_table(
        texts=(["Ab, c"], ["C"], ["ab c"], ["c"]),
        source=source,
        target=target,
        phrases=phrases,
        links=links,
    )
    assert table.schema.equals(SCHEMA)
    assert table.to_pylist() == [
        {
            "source_text": "Ab, c",
            "target_text": "C",
            "source_tokens": "ab c",
            "target_tokens": "c",
            "source_ids": [4, 8, 6],
            "target_ids": [6],
            "source_length": 3,
            "target_length": 1,
            "subwords_per_word": [2, 1],
            "target_subwords_per_word": [1],
            "phrase_lengths": [[2, 1], [3]],
            "phrase_tags": [[1, 0], [1]],
            "links": [{"source": 0, "target": 0}, {"source": 1, "target": 0}],
        }
    ]
