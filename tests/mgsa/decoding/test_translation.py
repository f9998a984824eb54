from __future__ import annotations

import pytest

from mgsa.decoding.translation import NOTHING, Candidate, Translation, join_subwords


@pytest.mark.parametrize(
    ("subwords", "tokens"),
    [
        ("Bu@@ sh held a talk", "Bush held a talk"),
        ("a@@ b@@ c d", "abc d"),
        ("a b", "a b"),
        ("cut sho@@", "cut sho"),  # a translation may end in the middle of a word
        ("@@ @", "@"),  # a piece of nothing but the mark
        ("me@@you x", "me@@you x"),  # no mark: it does not end the subword
        ("", ""),
    ],
)
def test_subwords_are_joined_to_tokens(subwords: str, tokens: str) -> None:
    assert join_subwords(subwords.split()) == tokens


def test_a_translation_speaks_for_its_best_candidate() -> None:
    best, other = Candidate(("a@@", "b"), "ab", -1.0), Candidate(("c",), "c", -2.0)
    translation = Translation((best, other))
    assert (translation.subwords, translation.text, translation.score) == (("a@@", "b"), "ab", -1.0)


def test_nothing_is_translated_to_nothing() -> None:
    assert (NOTHING.text, NOTHING.subwords, NOTHING.score) == ("", (), 0.0)
