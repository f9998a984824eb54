"""Trees and phrases are those of the files; counts are those of `parse` and `partition`."""

from __future__ import annotations

from pathlib import Path

from mgsa.base.io import read_json, write_json
from pipeline.report_page.blocks import Details
from pipeline.report_page.syntax import FAMILIES, family, parsing, phrases, trees
from tests.report_folders import PLAIN, flat, inputs_of, tables_of, text_of, titles_of, write_run


def test_scores_and_what_has_no_parse(finished_run: Path) -> None:
    shown = list(parsing(inputs_of(finished_run)))
    found = tables_of(shown)
    assert [row[:2] for row in found["On 200 held-out trees, in per cent"]] == [
        ["labelled bracketing F1", "97.16"],
        ["accuracy of parts of speech", "98.61"],
    ]
    assert [row[1:] for row in found["Of 100 source sentences"]] == [
        ["3", "3.0%"],
        ["1", "1.0%"],
        ["96", "96.0%"],
    ]
    assert "A stanza parser, package pack<age>." in text_of(shown)
    assert list(parsing(inputs_of(finished_run, "reports", "parser"))) == []
    assert tables_of(parsing(inputs_of(finished_run, "reports"))) == {}


def test_without_a_parser_nothing_is_said_of_syntax(tmp_path: Path) -> None:
    write_run(tmp_path, PLAIN)
    path = tmp_path / "parser/parser.json"
    write_json(path, read_json(path) | {"kind": "none"})
    for section in (parsing, trees, phrases):
        assert list(section(inputs_of(tmp_path))) == []


def test_sentences_have_their_tree_and_their_phrases(finished_run: Path) -> None:
    shown = [block for block in trees(inputs_of(finished_run)) if isinstance(block, Details)]
    levels = (finished_run / "partitions/test.phrases").read_text("utf-8").split("\n")
    brackets = (finished_run / "parsed/test.trees").read_text("utf-8").split("\n")
    drawn = inputs_of(finished_run).drawn
    assert len(shown) == len(drawn) == 3
    assert [sentence.opened for sentence in shown] == [True, True, False]  # as in the middle
    for index, sentence in zip(drawn, shown, strict=True):
        tree, spans, as_text = sentence.blocks
        assert str(tree).count("<li>") == brackets[index].count("(")
        assert str(spans).count('class="phrase') == sum(
            len(level.split(" ")) for level in levels[index].split(" ||| ")
        )
        assert text_of([as_text]).endswith(" ".join(brackets[index].split()))


def test_either_trees_or_phrases_will_do(finished_run: Path) -> None:
    for without, kept in (("parsed", 'class="phrase'), ("partitions", 'class="tree"')):
        shown = "".join(map(str, flat(trees(inputs_of(finished_run, without)))))
        assert [name in shown for name in ('class="phrase', 'class="tree"')].count(True) == 1
        assert kept in shown
    assert list(trees(inputs_of(finished_run, "parsed", "partitions"))) == []
    assert list(trees(inputs_of(finished_run, "tokenized"))) == []
    assert list(trees(inputs_of(finished_run, sentences=0))) == []


def test_counts_by_level_length_and_tag(finished_run: Path) -> None:
    shown = list(phrases(inputs_of(finished_run)))
    found = tables_of(shown)
    assert found["Partitions of 10 sentences, with 35 different tags"] == [
        ["2-grams", "5.98", "1.92"],
        ["syntactic, level 1", "3.48", "3.29"],
    ]
    assert found["Phrases by length"] == [["1", "40", "70"], ["2", "9", ""]]
    first, second = (rows for title, rows in found.items() if title.startswith("Level"))
    assert first == [["<b>", "9", "75.0%"], [",", "3", "25.0%"]]
    assert second == [["NP-SBJ", "5", "100.0%"]]
    assert titles_of(shown)[1:] == ["Level 1: 12 phrases by tag", "Level 2: 5 phrases by tag"]
    assert list(phrases(inputs_of(finished_run, "reports", "phrase-counts"))) == []


def test_a_tag_has_the_family_of_its_phrase() -> None:
    nouns, others = ("NP", "NP-SBJ", "NP=2"), ("-LRB-", ".", "", "<b>")
    assert {family(tag) for tag in nouns} == {"noun"}
    assert {family(tag) for tag in others} == {"other"}
    assert (family("VBD"), family("PRP$")) == ("verb", "function")
    tags = [tag for tags in FAMILIES.values() for tag in tags]
    assert len(tags) == len(set(tags))  # none is in two families
