"""Subwords are counted as they stand in the segmented text."""

from __future__ import annotations

from pathlib import Path

import pytest

from pipeline.report_page.sections.subwords import MOST, context
from tests.report_folders import inputs_of, write_run


def test_sizes_and_subwords_a_word(finished_run: Path) -> None:
    shown = context(inputs_of(finished_run))
    assert shown is not None
    assert ("merges learned, of both languages", 40) in shown["sizes"]
    assert shown["splits"] == [
        {"split": "train", "side": "source", "subwords": 13, "words": 10, "fertility": 1.3}
    ]


def test_words_by_their_subwords(tmp_path: Path) -> None:
    write_run(tmp_path, ["a b"])
    segmented = "do@@ gs ran\ndo@@ gs a@@ b@@ c @@ a@@ b@@ c@@ d@@ e@@ f@@ g\n"
    (tmp_path / "bpe/test.source").write_text(segmented, "utf-8")
    shown = context(inputs_of(tmp_path))
    assert shown is not None
    source = shown["sides"][0]
    # dogs, ran, dogs, abc; `@@ a@@ … g` is one word of eight subwords.
    assert source.words == 5
    assert source.shares == pytest.approx((0.2, 0.4, 0.2, 0, 0, 0.2))
    assert len(source.shares) == MOST
    assert source.examples[0] == ("do@@ gs", 2)


def test_without_its_inputs_there_is_no_section(finished_run: Path) -> None:
    assert context(inputs_of(finished_run, "reports", "bpe")) is None
