"""What sections compute: choices of sentences, differences of words, kinds of tags and links."""

from __future__ import annotations

import re
from html import unescape
from pathlib import Path

import pytest
import sacrebleu
from hypothesis import given
from hypothesis import strategies as st

from mgsa.cli.errors import InputError
from pipeline import charts
from pipeline.report.blocks import TEMPLATES, number, p_value
from pipeline.report.data import kinds_of
from pipeline.report.inputs import System, drawn_sentences
from pipeline.report.sentences import ranked, score_sentences, word_diff
from pipeline.report.syntax import FAMILIES, family, trees
from tests.report_folders import HOSTILE, PLAIN, inputs_of, write_run, write_system


@pytest.mark.parametrize(
    ("value", "form", "expected"),
    [(None, None, ""), (12345, None, "12,345"), (0.12345, None, "0.1235"), (-1, "+.2f", "−1.00")],
)
def test_numbers(value: float | None, form: str | None, expected: str) -> None:
    assert number(value, form) == expected
    assert (p_value(None), p_value(0.0004), p_value(0.5)) == ("", "< 0.001", "0.500")


@pytest.mark.parametrize("metric", ["chrf", "bleu"])
def test_scores_are_sacrebleus(metric: str) -> None:
    hypotheses, first = ["Er sah Hunde .", ""], ["Er sieht den Hund .", "Ja ."]
    score = sacrebleu.sentence_chrf if metric == "chrf" else sacrebleu.sentence_bleu
    references = [*zip(first, ["Er sah einen Hund .", "Nein ."], strict=True)]
    expected = [score(h, r).score for h, r in zip(hypotheses, references, strict=True)]
    found = score_sentences({"a": hypotheses}, references, metric)["a"]
    assert found == pytest.approx(expected, abs=0.005)


def test_lists_of_sentences() -> None:
    assert ranked([50, 10, 90, 10], [0, 0, 0, 0], 1) == {1: ["worst"], 2: ["best"]}
    assert ranked([45, 45, 55], [10, 70, 70], 1) == {0: ["worst"], 1: ["different"], 2: ["best"]}
    assert ranked([50], [1], 0) == {}


@pytest.mark.parametrize(
    ("hypothesis", "reference", "expected"),
    [
        ("a b", "a b", "a b"),
        ("a x c", "a b c", "a <del>b</del><ins>x</ins> c"),
        ("a c", "a b c", "a <del>b</del>c"),
        ("a b c", "a c", "a <ins>b</ins> c"),
        ("Ja.", "Ja!", "Ja<del>!</del><ins>.</ins>"),
        ("", "a b", "<del>a b</del>"),
        ("a b", "", "<ins>a b</ins>"),
        ("a  b", "a b", "a  b"),
        ("<i>", "<i>", "&lt;i&gt;"),
        ("他在北京。", "他在上海。", "他在<del>上海</del><ins>北京</ins>。"),
        ("कुत्ता सो", "बिल्ली सो", "<del>बिल्ली</del><ins>कुत्ता</ins> सो"),
    ],
)
def test_words_too_many_and_too_few(hypothesis: str, reference: str, expected: str) -> None:
    assert word_diff(hypothesis, reference) == expected


TEXTS = st.lists(st.sampled_from(["a", "b", " ", "  ", ".", "\u200b", "é", *HOSTILE[:3]]))


@given(TEXTS.map("".join), TEXTS.map("".join))
def test_without_what_it_lacks_it_is_the_output(hypothesis: str, reference: str) -> None:
    text = word_diff(hypothesis, reference)
    assert unescape(re.sub("<del>.*?</del>|</?ins>", "", text, flags=re.DOTALL)) == hypothesis
    shared = unescape(re.sub("<ins>.*?</ins>|</?del>", "", text, flags=re.DOTALL))
    assert "".join(shared.split()) == "".join(reference.split())


def test_every_link_is_of_a_kind() -> None:
    links, sure, possible = {(0, 0), (1, 1), (2, 2)}, {(0, 0), (3, 3)}, {(1, 1), (4, 4), (0, 0)}
    kinds = {0: "sure", 1: "possible", 2: "wrong", 3: "missed", 4: "unneeded"}
    assert kinds_of(links, (sure, possible)) == {(i, i): kind for i, kind in kinds.items()}
    assert kinds_of(links, None) == dict.fromkeys(links, "link")


def test_a_tag_has_the_family_of_its_phrase() -> None:
    families = {
        **dict.fromkeys(("NP", "NP-SBJ", "NP=2", "NNS", "PRP", "WHNP", "PROPN"), "noun"),
        **dict.fromkeys(("VP", "VBD", "MD", "AUX"), "verb"),
        **dict.fromkeys(("S", "SBAR", "ROOT"), "clause"),
        **dict.fromkeys(("PP", "IN", "TO", "ADP"), "preposition"),
        **dict.fromkeys(("ADJP", "JJR", "RB", "WRB", "ADV"), "modifier"),
        **dict.fromkeys(("DT", "PRP$", "CC", "SCONJ"), "function"),
        **dict.fromkeys(("-LRB-", ".", "", "<b>", "SYM"), "other"),
    }
    assert {tag: family(tag) for tag in families} == families


def test_every_node_and_phrase_is_drawn(finished_run: Path) -> None:
    inputs = inputs_of(finished_run)
    drawn = "".join(trees(inputs))
    brackets = (finished_run / "parsed/test.trees").read_text("utf-8").split("\n")
    levels = (finished_run / "partitions/test.phrases").read_text("utf-8").split("\n")
    assert drawn.count("<li>") == sum(brackets[index].count("(") for index in inputs.drawn)
    phrases = [re.split(r" \|\|\| | ", levels[index]) for index in inputs.drawn]
    assert drawn.count('class="phrase') == sum(map(len, phrases))


@pytest.mark.parametrize(
    ("count", "longest", "expected"),
    [
        (3, 60, [1, 3, 0]),
        (1, 60, [3]),
        (0, 60, []),
        (9, 60, [1, 4, 3, 5, 0]),
        (2, 100, [1, 2]),
        (2, 0, []),
    ],
)
def test_drawn_sentences_are_spread_over_the_lengths(
    count: int, longest: int, expected: list[int]
) -> None:
    assert drawn_sentences([5, 1, 99, 3, 2, 4], count=count, longest=longest) == expected


def test_a_system_is_known_by_its_folder(tmp_path: Path) -> None:
    write_run(tmp_path, PLAIN)
    second = write_system(tmp_path / "second", [PLAIN[0], "Another .", PLAIN[2]])
    system = System.in_folder("a", second)
    assert (system.outputs["model"], system.report("probe")) == (second / "model", None)
    with pytest.raises(InputError, match=r"second/translations/test.references: expected the ref"):
        _ = inputs_of(tmp_path, compared=[second]).translations
    (tmp_path / "empty").mkdir()
    with pytest.raises(InputError, match="empty: --system a: expected evaluate"):
        System.in_folder("a", tmp_path / "empty")


CSS = TEMPLATES.get_template("page.css").render()
SYSTEMS = [f"system-{number}" for number in range(8)]


def colour(name: str, mode: str) -> str:
    """The value of a variable of the page's styles."""
    colours: list[str] = re.findall("#[0-9a-f]{6}", re.search(rf"--{name}: ([^;]+);", CSS)[1])  # type: ignore[index]
    return colours[-1] if mode == "dark" else colours[0]


def contrast(one: str, other: str) -> float:
    """By WCAG 2.1."""
    luminances = []
    for text in (one, other):
        channels = [int(text[i : i + 2], 16) / 255 for i in (1, 3, 5)]
        linear = [c / 12.92 if c <= 0.03928 else ((c + 0.055) / 1.055) ** 2.4 for c in channels]
        luminances.append(0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2])
    return (max(luminances) + 0.05) / (min(luminances) + 0.05)


@pytest.mark.parametrize("mode", ["light", "dark"])
def test_colours_stand_out_from_the_page(mode: str) -> None:
    """By WCAG 2.1: 3 to 1 for what is drawn, 4.5 to 1 for text."""
    page = colour("page", mode)
    assert [name for name in SYSTEMS if contrast(colour(name, mode), page) < 3] == []
    texts = [(colour(name, mode), page) for name in ("text", "muted", "accent")]
    texts += [(colour(f"tag-{name}", mode), "#16191c") for name in FAMILIES]
    assert [pair for pair in texts if contrast(*pair) < 4.5] == []


def test_charts_have_the_colours_of_the_styles() -> None:
    for variable in (*charts.SYSTEMS, charts.TEXT, charts.MUTED, charts.RULE):
        name, value = re.fullmatch(r"var\(--([\w-]+), (#\w+)\)", variable).groups()  # type: ignore[union-attr]
        assert colour(name, "light") == value
