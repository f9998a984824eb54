"""The indefinite article."""

from __future__ import annotations

import pytest

from pipeline.sample.noun_phrases import indefinite_article


@pytest.mark.parametrize(
    ("article", "following"),
    [
        ("an", ("apple", "uncle", "unknown", "onion")),
        ("a", ("house", "university", "useful")),
        ("an", ("honest", "herb")),  # American, as the spelling of the tables is: neighbor, gray
    ],
)
def test_the_article_goes_by_the_sound(article: str, following: tuple[str, ...]) -> None:
    assert {word: indefinite_article(word) for word in following} == dict.fromkeys(
        following, article
    )
