"""Widths of text, about."""

from __future__ import annotations

from pipeline.report_page.charts.text_width import shorten, text_width


def test_wide_characters_are_wider_and_combining_ones_have_no_width() -> None:
    assert text_width("你好", 10) == 20
    assert text_width("i", 10) < text_width("a", 10) < text_width("M", 10)
    assert text_width("e\u0301\u200b", 10) == text_width("e", 10)
    assert text_width("", 10) == 0


def test_long_text_is_shortened_visibly() -> None:
    assert shorten("abcdef", 6) == "abcdef"
    assert shorten("abcdefg", 6) == "abcde…"
