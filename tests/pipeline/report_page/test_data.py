"""Sizes are those of the reports, and examples those of the text."""

from __future__ import annotations

from pathlib import Path

from pipeline import tokenize
from pipeline.report_page.data import MOST_SUBWORDS, REASONS, corpus, subwords
from tests.report_folders import flat, inputs_of, tables_of, text_of, write_run


def test_sizes_and_what_was_dropped(finished_run: Path) -> None:
    shown = list(corpus(inputs_of(finished_run)))
    found = tables_of(shown)
    assert found["Sizes"][0] == ["train", "5", "2", "10", "5.0", "10", "5.0"]
    assert [row[:2] for row in found["Training pairs that cleaning dropped"]] == [
        ["empty", "1"],
        ["long", "2"],
    ]
    assert found["Sentence lengths of train"] == [["1", "1", "2"], ["2", "1", ""]]
    assert "Cleaning dropped 3 of 5 training pairs (60.0%)." in text_of(shown)
    examples = "".join(str(block) for block in flat(shown))
    for text in ("line 1", "leer", "&lt;dropped&gt;", "&lt;b&gt;fort&lt;/b&gt;", "line 5"):
        assert text in examples


def test_without_the_corpus_the_lines_are_still_known(finished_run: Path) -> None:
    assert "line 3" in text_of(corpus(inputs_of(finished_run, "corpus")))
    assert list(corpus(inputs_of(finished_run, "reports"))) == []


def test_every_reason_is_explained() -> None:
    assert tuple(REASONS) == tokenize.REASONS


def test_sizes_and_subwords_a_word(finished_run: Path) -> None:
    found = tables_of(subwords(inputs_of(finished_run)))
    assert ["merges learned, of both languages", "40"] in found["Joint byte-pair encoding"]
    assert found["Subwords of each split"] == [["train", "source", "10", "13", "1.300"]]
    assert list(subwords(inputs_of(finished_run, "reports", "bpe"))) == []


def test_words_by_their_subwords(tmp_path: Path) -> None:
    write_run(tmp_path, ["a b"])
    segmented = "do@@ gs ran\ndo@@ gs a@@ b@@ c @@ a@@ b@@ c@@ d@@ e@@ f@@ g\n"
    (tmp_path / "bpe/test.source").write_text(segmented, "utf-8")
    shown = list(subwords(inputs_of(tmp_path)))
    rows = tables_of(shown)["Words of test, source, by their subwords"]
    # dogs, ran, dogs, abc; `@@ a@@ … g` is one word of eight subwords.
    assert [share for _, share, _ in rows] == ["20.0%", "40.0%", "20.0%", "0.0%", "0.0%", "20.0%"]
    assert len(rows) == MOST_SUBWORDS
    assert "do@@ gs 2×" in text_of(flat(shown))
