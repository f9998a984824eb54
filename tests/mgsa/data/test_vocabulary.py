"""Subwords to ids and back; special symbols are never made by text."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mgsa.cli.errors import InputError
from mgsa.cli.files import write_json
from mgsa.data.vocabulary import (
    BOS,
    EOS,
    PAD,
    SPECIAL_SYMBOLS,
    UNK,
    Vocabulary,
    join_subwords,
    read_vocabularies,
)


def test_text_never_makes_a_special_symbol() -> None:
    vocabulary = Vocabulary.of(["a@@", "</s>", "b"])
    assert vocabulary.symbols == ("<pad>", "<s>", "</s>", "<unk>", "a@@", "b")
    assert (PAD, BOS, EOS, UNK, len(vocabulary)) == (0, 1, 2, 3, 6)
    assert vocabulary.encode(["b", "c", "</s>", "<pad>", "a@@"]) == [5, UNK, UNK, UNK, 4]
    assert vocabulary.decode([BOS, 4, 5, UNK, EOS, PAD, PAD]) == ["a@@", "b", "<unk>"]


words = st.text(st.characters(exclude_characters=" \n"), min_size=1)


@given(st.lists(words.filter(lambda word: word not in SPECIAL_SYMBOLS), unique=True))
def test_decoding_inverts_encoding(subwords: list[str]) -> None:
    vocabulary = Vocabulary.of(subwords)
    assert vocabulary.decode(vocabulary.encode(subwords)) == subwords


def test_a_file_holds_one_vocabulary_or_two(tmp_path: Path) -> None:
    path = tmp_path / "vocab.json"
    write_json(path, {"source": [*SPECIAL_SYMBOLS, "a"], "target": None})
    source, target = read_vocabularies(path)
    assert source is target
    write_json(path, {"source": [*SPECIAL_SYMBOLS, "a"], "target": [*SPECIAL_SYMBOLS, "b"]})
    source, target = read_vocabularies(path)
    assert (source.symbols[4:], target.symbols[4:]) == (("a",), ("b",))


SPECIALS = list(SPECIAL_SYMBOLS)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ([], r"symbols: expected a section with keys, got \[\]"),
        ({"source": SPECIALS}, r"symbols\.target: missing key"),
        ({"source": [], "target": None}, "expected the first symbols to be <pad>"),
        ({"source": [*SPECIALS, 5], "target": None}, r"symbols\.source\[4\]: expected .*, got 5"),
        ({"source": [*SPECIALS, "a", "a"], "target": None}, "expected every symbol once"),
    ],
)
def test_a_malformed_file_is_named(tmp_path: Path, content: object, message: str) -> None:
    write_json(tmp_path / "vocab.json", content)
    with pytest.raises(InputError, match=rf"vocab\.json: .*{message}"):
        read_vocabularies(tmp_path / "vocab.json")


@pytest.mark.parametrize(
    ("subwords", "tokens"),
    [
        ("Bu@@ sh held a talk", "Bush held a talk"),
        ("a@@ b@@ c d", "abc d"),
        ("cut sho@@", "cut sho"),  # a translation may end in the middle of a word
        ("@@ @", "@"),  # a piece of nothing but the mark
        ("me@@you x", "me@@you x"),  # no mark: it does not end the subword
        ("", ""),
    ],
)
def test_subwords_are_joined_to_tokens(subwords: str, tokens: str) -> None:
    assert join_subwords(subwords.split()) == tokens
