"""Moses text: sacremoses' own tokens, but for splits that can't be undone."""

from __future__ import annotations

from functools import cache

import pytest
from hypothesis import given
from hypothesis import strategies as st
from sacremoses import MosesTokenizer

from pipeline.tokenizers.cleaning import clean
from pipeline.tokenizers.moses import MosesText, _Tokenizer

TRICKY = [
    *"aZßé0 .,'\"`()[]{}<>%:;?!-_/\\|&@#$€°„“”–—´‘‚’…«»\u3000中ーก\u0301",
    *("Mr.", "U.S.", "No.", "z.B.", "bzw.", "e.g.", "n't", "'s", "''", "´´", "...", "..", "  "),
    *("nº", "ºC", "cm", "3.5", "1,000", "DOTMULTI", "-LRB-", "http://x.y", "@-@", "s'"),
]
"""What the rules of Moses look for, alone and beside each other."""


@cache
def moses(language: str) -> MosesText:
    return MosesText(language)


@cache
def sacremoses(language: str) -> tuple[MosesTokenizer, _Tokenizer]:
    return MosesTokenizer(language), _Tokenizer(language)


@pytest.mark.parametrize("language", ["en", "de", "fr", "fi"])
@given(parts=st.lists(st.sampled_from(TRICKY), max_size=12))
def test_rules_are_those_of_sacremoses(language: str, parts: list[str]) -> None:
    text = clean("".join(parts))
    theirs, ours = sacremoses(language)
    assert ours.tokenize(text, escape=False) == theirs.tokenize(text, escape=False)


@given(parts=st.lists(st.sampled_from(TRICKY), max_size=12))
def test_tokens_are_those_of_sacremoses_or_several_in_one(parts: list[str]) -> None:
    text = clean("".join(parts))
    tokens = moses("en").tokenize(text)
    assert "".join(tokens) == text.replace(" ", "")
    assert " ".join(tokens).split() == tokens


def test_a_plain_sentence_is_split_as_by_moses() -> None:
    text = "Dr. Smith didn't pay $5, he said."
    tokens = "Dr. Smith didn 't pay $ 5 , he said ."
    assert " ".join(moses("en").tokenize(text)) == tokens
    assert MosesTokenizer("en").tokenize(text, escape=False) == tokens.split()
