"""Colours stand out from the page, and are the same in `charts` as in the styles."""

from __future__ import annotations

import re

import pytest

from pipeline.base import charts
from pipeline.report_page.page import TEMPLATES

CSS = (TEMPLATES / "page.css").read_text("utf-8")
MODES = ("light", "dark")
TEXT_ON_TAGS = "#16191c"
SYSTEMS = [f"system-{number}" for number in range(8)]
TAGS = sorted(set(re.findall(r"--(tag-\w+):", CSS)))


def colour(name: str, mode: str) -> str:
    """The value of a variable of the page's styles."""
    value = re.search(rf"--{name}: ([^;]+);", CSS)
    assert value is not None, name
    colours = re.findall("#[0-9a-f]{6}", value[1])
    return colours[MODES.index(mode) if len(colours) == 2 else 0]


def luminance(colour: str) -> float:
    """By WCAG 2.1."""
    channels = [int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5)]
    linear = [c / 12.92 if c <= 0.03928 else ((c + 0.055) / 1.055) ** 2.4 for c in channels]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def contrast(one: str, other: str) -> float:
    lighter, darker = sorted((luminance(one), luminance(other)), reverse=True)
    return (lighter + 0.05) / (darker + 0.05)


@pytest.mark.parametrize("mode", MODES)
def test_colours_stand_out_from_the_page(mode: str) -> None:
    """By WCAG 2.1: 3 to 1 for what is drawn, 4.5 to 1 for text."""
    page = colour("page", mode)
    assert [name for name in SYSTEMS if contrast(colour(name, mode), page) < 3] == []
    assert [name for name in TAGS if contrast(colour(name, mode), TEXT_ON_TAGS) < 4.5] == []
    for name in ("text", "muted", "accent"):
        assert contrast(colour(name, mode), page) >= 4.5, name


def test_charts_have_the_colours_of_the_styles() -> None:
    variables = [*charts.SYSTEMS, charts.TEXT, charts.MUTED, charts.RULE]
    for variable in variables:
        match = re.fullmatch(r"var\(--([\w-]+), (#\w+)\)", variable)
        assert match is not None
        assert colour(match[1], "light") == match[2]
    assert len({colour(name, mode) for name in SYSTEMS for mode in MODES}) == 16
