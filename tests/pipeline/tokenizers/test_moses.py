"""Moses text: sacremoses' own results, on everything, and tokens that hold no white space."""

from __future__ import annotations

from functools import cache

import pytest
from hypothesis import given
from hypothesis import strategies as st
from sacremoses import MosesPunctNormalizer, MosesTokenizer

from pipeline.tokenizers.moses import MosesText, clean

TRICKY = [
    *"aZßé0 .,'\"`()[]{}<>%:;?!-_/\\|&@#$€°„“”–—´‘‚’…«»\xa0\u3000中ーก\u0301",
    *("Mr.", "U.S.", "No.", "z.B.", "bzw.", "e.g.", "n't", "'s", "''", "´´", "...", "..", "  "),
    *("nº\xa0", "\xa0ºC", "\xa0cm", "3.5", "1,000", "DOTMULTI", "-LRB-", "http://x.y", "@-@", "s'"),
    *("\x01", "\x1f"),
]
"""What the rules of Moses look for, alone and beside each other."""


@cache
def moses(language: str) -> MosesText:
    return MosesText(language)


@cache
def sacremoses(language: str) -> tuple[MosesPunctNormalizer, MosesTokenizer]:
    return MosesPunctNormalizer(language), MosesTokenizer(language)


def expected(language: str, text: str) -> list[str]:
    normalizer, tokenizer = sacremoses(language)
    tokens = tokenizer.tokenize(normalizer.normalize(text), escape=False)
    assert isinstance(tokens, list)
    return tokens


@pytest.mark.parametrize("language", ["en", "de", "fr", "fi", "xx"])
@given(parts=st.lists(st.sampled_from(TRICKY), max_size=12))
def test_tokens_are_those_of_sacremoses(language: str, parts: list[str]) -> None:
    text = clean("".join(parts))
    assert moses(language).normalize_and_tokenize(text) == expected(language, text)


@given(st.text(st.characters(codec="utf-8")))
def test_no_token_holds_white_space_or_is_empty(text: str) -> None:
    tokens = moses("en").normalize_and_tokenize(text)
    assert " ".join(tokens).split() == tokens


@pytest.mark.parametrize(
    ("text", "cleaned"),
    [
        ("plain text.", "plain text."),
        ("a\tb\u2028c\u2029d\x0be\x85f\rg\x1ch", "a b c d e f g h"),
        ("a\u200bb", "a b"),
        ("a\u200cb\u200dc\ufeffd\xade\u202ef\u2060g", "abcdefg"),
        ("a\x00b\x07c\x7fd\x9fe", "abcde"),
        ("u\u0308ber", "über"),
        ("5\xa0%", "5\xa0%"),
        ("\ue000 \u0378", "\ue000 \u0378"),
    ],
    ids=["plain", "white", "zero-width space", "format", "control", "nfc", "nbsp", "private"],
)
def test_characters_that_nobody_sees_go(text: str, cleaned: str) -> None:
    assert clean(text) == cleaned
