"""Colours that stand for things side by side are told apart, whatever cones an eye has."""

from __future__ import annotations

import re
from itertools import combinations

import pytest

from pipeline.report_page.page import TEMPLATES
from tests.colour_vision import VISIONS, Triple, ciede2000, contrast, distance

LEAST = 10.0
"""By CIEDE2000, of which 1 is just noticed between large areas side by side: ours are lines."""

CSS = (TEMPLATES / "page.css").read_text("utf-8")
MODES = ("light", "dark")
TEXT_ON_TAGS = "#16191c"

SYSTEMS = [f"system-{number}" for number in range(8)]
TAGS = sorted(set(re.findall(r"--(tag-\w+):", CSS)))
QUADRANTS = [f"{one}-to-{other}" for one in ("token", "phrase") for other in ("token", "phrase")]
MARKS = sorted(set(re.findall(r"\.matrix \.\w+[^{]*\{[^}]*var\(--(system-\d|muted)\)", CSS)))
FIGURES = {"systems": SYSTEMS, "tags": TAGS, "quadrants": QUADRANTS, "marks": MARKS}


def colour(name: str, mode: str) -> str:
    """The value of a variable of the page's styles."""
    value = re.search(rf"--{name}: ([^;]+);", CSS)
    assert value is not None, name
    colours = re.findall("#[0-9a-f]{6}", value[1])
    return colours[MODES.index(mode) if len(colours) == 2 else 0]


def test_the_figures_have_the_colours_that_are_compared() -> None:
    assert [len(names) for names in FIGURES.values()] == [8, 7, 4, 5]
    assert max(map(int, re.findall(r"--system-(\d)", CSS))) == 7


@pytest.mark.parametrize("vision", VISIONS)
@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("figure", FIGURES)
def test_colours_of_a_figure_are_told_apart(figure: str, mode: str, vision: str) -> None:
    apart = {
        (one, other): distance(colour(one, mode), colour(other, mode), vision)
        for one, other in combinations(FIGURES[figure], 2)
    }
    assert {pair: round(d, 1) for pair, d in apart.items() if d < LEAST} == {}


@pytest.mark.parametrize("mode", MODES)
def test_colours_stand_out_from_the_page(mode: str) -> None:
    """By WCAG 2.1: 3 to 1 for what is drawn, 4.5 to 1 for text."""
    page = colour("page", mode)
    assert [name for name in SYSTEMS if contrast(colour(name, mode), page) < 3] == []
    assert [name for name in TAGS if contrast(colour(name, mode), TEXT_ON_TAGS) < 4.5] == []


@pytest.mark.parametrize(
    ("one", "other", "expected"),
    [
        ((50, 2.6772, -79.7751), (50, 0, -82.7485), 2.0425),
        ((50, 2.5, 0), (50, 0, -2.5), 4.3065),
        ((50, 2.5, 0), (73, 25, -18), 27.1492),
        ((50, 0, 0), (50, -1, 2), 2.3669),
        ((60.2574, -34.0099, 36.2677), (60.4626, -34.1751, 39.4387), 1.2644),
        ((22.7233, 20.0904, -46.6940), (23.0331, 14.9730, -42.5619), 2.0373),
    ],
)
def test_distances_are_those_of_the_published_pairs(
    one: Triple, other: Triple, expected: float
) -> None:
    """Sharma, Wu and Dalal (2005), table 1."""
    assert ciede2000(one, other) == pytest.approx(expected, abs=1e-4)


def test_red_and_green_are_alike_where_a_cone_is_missing() -> None:
    """A red looks as dark as an olive to whoever lacks the cone for long waves."""
    assert distance("#c00000", "#4a4a00", "normal") > 30
    assert distance("#c00000", "#4a4a00", "protanopia") < 10
    assert distance("#808080", "#808080", "tritanopia") == pytest.approx(0)
