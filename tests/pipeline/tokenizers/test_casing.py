"""Case in languages whose letters have their own; sacremoses is the peer in `test_tokenize.py`."""

from __future__ import annotations

from pathlib import Path

import pytest

from pipeline.tokenizers.casing import Truecaser, capitalized, lowered


@pytest.mark.parametrize(
    ("language", "text", "expected"),
    [
        ("en", "INK", "ink"),
        ("tr", "ILIK İNCİR", "ılık incir"),
        ("az", "QIZIL", "qızıl"),
        ("el", "ΟΔΟΣ", "οδος"),
    ],
)
def test_lower_case_is_the_languages(language: str, text: str, expected: str) -> None:
    assert lowered(text, language) == expected


@pytest.mark.parametrize(
    ("language", "word", "expected"),
    [
        ("en", "ink", "Ink"),
        ("tr", "incir", "İncir"),
        ("tr", "ılık", "Ilık"),
        ("nl", "ijs", "IJs"),
        ("en", "iPhone", "IPhone"),
        ("hr", "ǆep", "ǅep"),
        ("en", "", ""),
    ],
)
def test_capitals_are_the_languages(language: str, word: str, expected: str) -> None:
    assert capitalized(word, language) == expected


def test_a_capital_begins_each_sentence_of_a_translation(tmp_path: Path) -> None:
    learned = tmp_path / "truecase.target"
    learned.write_text("the (5/5)\n", encoding="utf-8")
    lines = '" the man : he sleeps . 3 men sleep !', '" The man : he sleeps . 3 Men sleep !'
    tokens, expected = (line.split() for line in lines)
    assert Truecaser(learned).undo(tokens, "en") == expected
