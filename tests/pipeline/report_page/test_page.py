"""The page as HTML: whole, safe, and of its inputs alone."""

from __future__ import annotations

import base64
import hashlib
import re
from html.parser import HTMLParser
from pathlib import Path

import pytest

from mgsa.base.errors import InputError
from pipeline.report_page.page import SECTIONS, render
from tests.report_folders import HOSTILE, PLAIN, inputs_of, write_run

NEEDS_NOTHING = {"overview", "provenance"}
VOID = {"meta", "link", "input", "br", "img", "wbr"}


class Outline(HTMLParser):
    """What tests ask of a page: elements with their attributes, names, headings, balance."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.elements: list[tuple[str, dict[str, str | None]]] = []
        self.headings: list[int] = []
        self._open: list[str] = []
        self.feed(html)
        self.close()
        assert self._open == []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append((tag, dict(attrs)))
        if re.fullmatch("h[1-6]", tag):
            self.headings.append(int(tag[1]))
        if tag not in VOID:
            self._open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append((tag, dict(attrs)))

    def handle_endtag(self, tag: str) -> None:
        assert self._open.pop() == tag, tag

    def values(self, attribute: str) -> list[str]:
        return [value for _, attrs in self.elements if (value := attrs.get(attribute))]


@pytest.fixture(scope="module")
def html(finished_run: Path) -> str:
    return render(inputs_of(finished_run, compared=[finished_run / "second"], ranked=5))


@pytest.fixture(scope="module")
def outline(html: str) -> Outline:
    return Outline(html)


def test_every_section_is_there_once_and_in_the_contents(outline: Outline) -> None:
    names = [section.name for section in SECTIONS]
    sections = [attrs["id"] for tag, attrs in outline.elements if tag == "section"]
    assert sections == names
    links = [value for value in outline.values("href") if value.startswith("#")]
    assert {f"#{name}" for name in names} <= set(links)
    assert set(links) - {"#main"} <= {f"#{name}" for name in outline.values("id")}


def test_names_are_unique_and_every_reference_has_its_target(outline: Outline) -> None:
    names = outline.values("id")
    assert len(names) == len(set(names))
    for attribute in ("aria-labelledby", "aria-controls"):
        for value in outline.values(attribute):
            assert set(value.split()) <= set(names), value


def test_headings_are_in_order(outline: Outline) -> None:
    assert outline.headings[0] == 1
    assert outline.headings.count(1) == 1
    for before, after in zip(outline.headings, outline.headings[1:], strict=False):
        assert after <= before + 1


def test_nothing_is_loaded_and_only_the_pages_script_may_run(html: str, outline: Outline) -> None:
    assert all(value.startswith(("#", "data:")) for value in outline.values("href"))
    assert all(value.startswith("data:image/") for value in outline.values("src"))
    assert not re.search(r"@import|url\((?!#)", html)
    assert not [name for _, attrs in outline.elements for name in attrs if name.startswith("on")]
    scripts = re.findall(r"<script>(.*?)</script>", html, re.DOTALL)
    assert len(scripts) == 1
    digest = base64.b64encode(hashlib.sha256(scripts[0].encode()).digest()).decode()
    assert f"script-src 'sha256-{digest}'" in html
    assert "default-src 'none'" in html


def test_hostile_text_is_text(html: str, outline: Outline) -> None:
    tags = {tag for tag, _ in outline.elements}
    assert not tags & {"b", "iframe", "object", "embed", "base"}
    assert not [
        a for tag, a in outline.elements if tag == "img" and not a["src"].startswith("data:")
    ]  # type: ignore[union-attr]
    escaped = HOSTILE[0].split(" &")[0].replace("<", "&lt;").replace(">", "&gt;")
    assert escaped.replace('"', "&#34;") in html
    assert "{{ 7 * 7 }}" in html
    assert "word299" in html
    assert HOSTILE[1] in html


def test_foreign_text_says_its_language_and_tables_what_they_are(outline: Outline) -> None:
    assert {"en", "de"} <= set(outline.values("lang"))
    tables = sum(tag == "table" for tag, _ in outline.elements)
    assert tables == sum(tag == "caption" for tag, _ in outline.elements) > 10
    assert all(a.get("scope") or a.get("aria-hidden") for t, a in outline.elements if t == "th")
    for _, attrs in outline.elements:
        if "plot" in (attrs.get("class") or "").split():
            assert attrs["role"] == "img"
            assert attrs["aria-label"]
        if "scroll" in (attrs.get("class") or "").split():
            assert attrs["tabindex"] == "0"
            assert attrs["role"] == "region"
            assert attrs["aria-label"]


def test_what_is_not_given_is_left_out(finished_run: Path) -> None:
    data = ("reports", "corpus", "tokenized", "parser", "parsed", "bpe", "partitions")
    data += ("phrase-counts", "alignments", "dataset", "patterns", "tables")
    own = ("translations", "curves", "attention", "model")
    outline = Outline(render(inputs_of(finished_run, *data, *own)))
    sections = {attrs["id"] for tag, attrs in outline.elements if tag == "section"}
    assert sections == NEEDS_NOTHING
    outline = Outline(render(inputs_of(finished_run, *own)))
    sections = {attrs["id"] for tag, attrs in outline.elements if tag == "section"}
    assert sections == {section.name for section in SECTIONS} - {"sentences", "curves", "attention"}


def test_with_no_sentence_to_list_the_charts_stay(finished_run: Path) -> None:
    html = render(inputs_of(finished_run, ranked=0, sentences=0))
    assert "Sentences by score" in html
    assert '<form class="filters"' not in html
    assert '<section id="trees"' not in html


def test_the_same_inputs_are_the_same_page(finished_run: Path, html: str) -> None:
    again = inputs_of(finished_run, compared=[finished_run / "second"], ranked=5)
    assert render(again) == html


CURVE = "own/curves/plots/metrics/valid_nll.tsv"
NGRAMS = "system,measure,n,ngrams,score,score_low,score_high"


@pytest.mark.parametrize(
    ("section", "file", "line", "text", "message"),
    [
        ("curves", CURVE, 1, "step\tloss", ":1: expected a column valid_nll"),
        ("curves", CURVE, 2, "1\tlow", ":2: valid_nll: expected a number, found 'low'"),
        ("curves", CURVE, 2, "1", ":2: valid_nll: expected a number, found None"),
        ("phrases", "phrase-counts/tags.csv", 2, "1,NP,x", ":2: count: expected a whole number, f"),
        ("patterns", "patterns/ngrams.csv", 1, "system", ":1: expected a column measure"),
        ("patterns", "patterns/ngrams.csv", 1, f"{NGRAMS},baseline", ":1: expected a column diff"),
        ("trees", "parsed/test.trees", 2, "(S (NP A", ":2: column 8: expected"),
        ("trees", "parsed/test.trees", 2, "(S (NP A))", ":2: leaf 1 of the tree is 'A'"),
        ("trees", "partitions/test.phrases", 2, "2:NP", ":2: level 1: lengths add up to 2 words"),
        ("trees", "partitions/test.phrases", 2, "", ":2: expected phrases, found an empty line"),
        ("trees", "tokenized/test.source", 2, "", ":2: expected tokens .* found an empty line"),
        ("alignments", "alignments/test.links", 2, "9-0", ":2: expected links between 4 source"),
        ("sentences", "tokenized/test.lines", 3, "4", ":3: expected the number of one of 3 lines"),
        ("sentences", "tokenized/test.lines", 3, None, ":2: ends after 2 lines; expected as many"),
        ("scores", "reports/evaluate.json", 1, '{"bleu": "x"}', ": bleu: expected a number, fo"),
        ("overview", "reports/evaluate.json", 1, "{", ":2: expected JSON"),
        ("probing", "reports/probe.json", 1, "{}", ": cells: expected a value, found none"),
        ("tables", "tables/some.json", 1, '{"systems": {}}', ": title: expected a value, found no"),
        ("parsing", "parser/parser.json", 1, "[]", ": expected an object"),
    ],
)
def test_what_is_wrong_with_a_file_is_named(
    tmp_path: Path, section: str, file: str, line: int, text: str | None, message: str
) -> None:
    write_run(tmp_path, PLAIN)
    path = tmp_path / file
    lines = path.read_text("utf-8").split("\n")[:-1] if path.suffix != ".json" else [""]
    lines[line - 1 : line] = [] if text is None else [text]
    path.write_text("".join(f"{one}\n" for one in lines), "utf-8")
    (blocks,) = (one.blocks for one in SECTIONS if one.name == section)
    name = re.escape(path.name if text is not None else "test.source")
    with pytest.raises(InputError, match=rf"{name}{message}"):
        list(blocks(inputs_of(tmp_path)))
