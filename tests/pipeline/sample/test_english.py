"""The indefinite article."""

from __future__ import annotations

import pytest

from pipeline.sample import english


@pytest.mark.parametrize(
    ("following", "article"),
    [
        ("apple", "an"),
        ("uncle", "an"),
        ("unknown", "an"),
        ("university", "a"),
        ("useful", "a"),
        ("onion", "an"),
        ("house", "a"),
        ("honest", "an"),
        ("herb", "an"),  # American, as the spelling of the tables is: neighbor, gray
    ],
)
def test_the_article_goes_by_the_sound(following: str, article: str) -> None:
    assert english.indefinite_article(following) == article
