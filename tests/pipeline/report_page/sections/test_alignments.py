"""Matrices hold the links of the files, against the gold links that came with the corpus."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from mgsa.base.errors import InputError
from mgsa.base.io import write_json
from pipeline.report_page.sections.alignments import context
from tests.report_folders import PLAIN, inputs_of, write_run


def test_links_against_gold(finished_run: Path) -> None:
    shown = context(inputs_of(finished_run))
    assert shown is not None
    for sentence in shown["sentences"]:
        ((name, matrix),) = sentence["matrices"]
        assert name == "hmm"
        words = len(sentence["source"])
        expected = {"sure": words - 1, "missed": 1}
        assert matrix.counts == {kind: n for kind, n in expected.items() if n}
    assert shown["scores"] == [
        {"name": "aligner", "split": "test", "precision": 98.07, "recall": 95.79, "aer": 3.08}
    ]
    assert shown["splits"][0]["links"] == 40


def test_possible_gold_links_from_a_file_and_links_of_a_system(tmp_path: Path) -> None:
    write_run(tmp_path, PLAIN)
    gold = tmp_path / "gold"
    gold.write_text("0-0 1p1 5p5\n" * 3, "utf-8")
    second = tmp_path / "second"
    second.mkdir()
    write_json(second / "evaluate.json", {"bleu": 1})
    write_json(second / "alignment.json", {"precision": 50, "recall": 25, "aer": 66.67})
    (second / "test.links").write_text("0-0 1-1\n" * 3, "utf-8")
    inputs = replace(inputs_of(tmp_path, compared=[second], max_words=6), gold=gold)
    with pytest.raises(InputError, match=r"gold:2: expected links between 4 source .* got 5-5"):
        context(inputs)
    gold.write_text("0-0 1p1 2p2\n" * 3, "utf-8")
    shown = context(replace(inputs_of(tmp_path, compared=[second], max_words=6), gold=gold))
    assert shown is not None
    names = [name for name, _ in shown["sentences"][0]["matrices"]]
    assert names == ["hmm", "second"]
    _, matrix = shown["sentences"][0]["matrices"][1]
    assert matrix.counts == {"sure": 1, "possible": 1, "unneeded": 1}
    assert shown["scores"][-1]["aer"] == 66.67


def test_links_of_the_corpus_are_not_compared_with_themselves(tmp_path: Path) -> None:
    write_run(tmp_path, PLAIN)
    aligner = {"kind": "corpus", "deterministic": True, "splits": ["test"]}
    write_json(tmp_path / "alignments/aligner.json", aligner)
    shown = context(inputs_of(tmp_path))
    assert shown is not None
    assert shown["gold"] is None
    assert set(shown["kinds"]) == {"link"}


def test_without_its_inputs_there_is_no_section(finished_run: Path) -> None:
    assert context(inputs_of(finished_run, "reports", "alignments")) is None
    only_numbers = context(inputs_of(finished_run, "tokenized"))
    assert only_numbers is not None
    assert only_numbers["sentences"] == []


def test_without_an_aligner_there_is_no_section(tmp_path: Path) -> None:
    """`align=none` leaves a folder and a report, with nothing in them."""
    write_run(tmp_path, PLAIN)
    aligner = {"kind": "none", "deterministic": True, "splits": []}
    write_json(tmp_path / "alignments/aligner.json", aligner)
    write_json(tmp_path / "reports/align.json", {})
    assert context(inputs_of(tmp_path)) is None


def test_links_outside_a_sentence_are_named(tmp_path: Path) -> None:
    write_run(tmp_path, PLAIN)
    (tmp_path / "alignments/test.links").write_text("0-0\n9-0\n0-0\n", "utf-8")
    with pytest.raises(InputError, match=r"test.links:2: expected links between 4 source"):
        context(inputs_of(tmp_path))
