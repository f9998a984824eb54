"""The page as HTML: whole, safe, and of its inputs alone."""

from __future__ import annotations

import base64
import hashlib
import re
from html.parser import HTMLParser
from pathlib import Path

import pytest

from mgsa.cli.errors import InputError
from pipeline.report.inputs import FOLDERS, OUTPUTS
from pipeline.report.page import SECTIONS, render
from tests.report_folders import HOSTILE, PLAIN, inputs_of, write_run

VOID = {"meta", "link", "input", "br", "img", "wbr"}


class Outline(HTMLParser):
    """What tests ask of a page: elements with their attributes, headings, balance."""

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

    def values(self, attribute: str, of: str | None = None) -> list[str]:
        elements = [attrs for tag, attrs in self.elements if of in (None, tag)]
        return [value for attrs in elements if (value := attrs.get(attribute))]


@pytest.fixture(scope="module")
def html(finished_run: Path) -> str:
    return render(inputs_of(finished_run, compared=[finished_run / "second"], ranked=5))


@pytest.fixture(scope="module")
def outline(html: str) -> Outline:
    return Outline(html)


def test_every_section_is_there_once_and_in_the_contents(outline: Outline) -> None:
    names = [section.name for section in SECTIONS]
    assert outline.values("id", "section") == names
    links = [value for value in outline.values("href") if value.startswith("#")]
    assert {f"#{name}" for name in names} <= set(links)
    ids = outline.values("id")
    assert len(ids) == len(set(ids))
    targets = [value.removeprefix("#") for value in links]
    for attribute in ("aria-labelledby", "aria-controls"):
        targets += outline.values(attribute)
    assert set(targets) <= set(ids)


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
    (script,) = re.findall(r"<script>(.*?)</script>", html, re.DOTALL)
    digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
    assert f"script-src 'sha256-{digest}'" in html
    assert "default-src 'none'" in html


def test_hostile_text_is_text(html: str, outline: Outline) -> None:
    assert not {tag for tag, _ in outline.elements} & {"b", "iframe", "object", "embed", "base"}
    escaped = HOSTILE[0].split(" &")[0].replace("<", "&lt;").replace(">", "&gt;")
    for text in (escaped.replace('"', "&#34;"), "{{ 7 * 7 }}", "word299", HOSTILE[1]):
        assert text in html


def test_foreign_text_says_its_language_and_tables_what_they_are(outline: Outline) -> None:
    assert {"en", "de"} <= set(outline.values("lang"))
    tags = [tag for tag, _ in outline.elements]
    assert tags.count("table") == tags.count("caption") > 10
    assert tags.count("th") == len(outline.values("scope", "th"))
    for _, attrs in outline.elements:
        classes = (attrs.get("class") or "").split()
        if "plot" in classes:
            assert attrs["role"] == "img"
            assert attrs["aria-label"]
        if "scroll" in classes:
            assert (attrs["tabindex"], attrs["role"]) == ("0", "region")
            assert attrs["aria-label"]


def test_what_is_not_given_is_left_out(finished_run: Path) -> None:
    outline = Outline(render(inputs_of(finished_run, *FOLDERS, "tables")))
    assert outline.values("id", "section") == ["overview", "provenance"]
    outline = Outline(render(inputs_of(finished_run, *OUTPUTS, ranked=0, sentences=0)))
    missing = {"sentences", "curves", "attention", "trees"}
    assert set(outline.values("id", "section")) == {s.name for s in SECTIONS} - missing


CURVE = "plots/train/plots/metrics/valid_nll.tsv"


@pytest.mark.parametrize(
    ("section", "file", "line", "text", "message"),
    [
        ("curves", CURVE, 2, "1\tlow", ":2: could not convert string to float: 'low'"),
        ("trees", "parsed/test.trees", 2, "(S (NP A))", ":2: leaf 1 of the tree is 'A'"),
        ("trees", "partitions/test.phrases", 2, "2:NP", ":2: level 1: lengths add up to 2 words"),
        ("alignments", "alignments/test.links", 2, "9-0", ":2: expected links between 4 source"),
        ("sentences", "translations/test.sources", 3, None, ":2: ends after 2 lines; expected as"),
        ("overview", "reports/evaluate.json", 1, "{", ":2: expected JSON"),
        ("probing", "reports/probe.json", 1, "{}", ": cells: expected a value, found none"),
        ("tables", "tables/some.json", 1, '{"systems": {}}', ": title: expected a value, found no"),
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
    with pytest.raises(InputError, match=rf"{path.name}{re.escape(message)}"):
        list(blocks(inputs_of(tmp_path)))
