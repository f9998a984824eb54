"""Phrases under a sentence: each word once, each tag once, nothing that a word could break."""

from __future__ import annotations

import re
from html import unescape

from pipeline.partition import Phrase
from pipeline.report_page.charts.spans import draw_spans
from tests.report_folders import HOSTILE, tokens_of

_WORD = re.compile(r'<span class="word">(.*?) <span class="bar', re.DOTALL)
_LABEL = re.compile(r'<span class="label">(.*?)</span>')
_BAR = re.compile(r'class="bar tag-([^"]*)"')


def test_words_and_tags_of_a_level() -> None:
    words = ["Bush", "held", "a", "talk"]
    drawn = str(draw_spans(words, [Phrase(0, 1, "NP"), Phrase(1, 4, "VP")]))
    assert _WORD.findall(drawn) == words
    assert _LABEL.findall(drawn) == ["NP", "VP"]
    assert _BAR.findall(drawn) == ["noun", "verb", "verb", "verb"]


def test_tags_of_one_family_are_coloured_alike_and_unknown_ones_as_others() -> None:
    phrases = [Phrase(0, 1, "NP-SBJ"), Phrase(1, 2, "nn"), Phrase(2, 3, "ß")]
    drawn = str(draw_spans(["a", "b", "c"], phrases))
    assert _BAR.findall(drawn) == ["noun", "other", "other"]


def test_hostile_words_and_tags_are_text() -> None:
    for sentence in HOSTILE:
        words = tokens_of(sentence)
        phrases = [Phrase(i, i + 1, f'<b a="{word}">') for i, word in enumerate(words)]
        drawn = str(draw_spans(words, phrases))
        found = [unescape(word) for word in _WORD.findall(drawn)]
        assert found == [word if word.strip() else "␣" for word in words]
        assert [unescape(tag) for tag in _LABEL.findall(drawn)] == [tag for _, _, tag in phrases]
        assert set(re.findall(r"<(\w+)", drawn)) <= {"div", "span"}
