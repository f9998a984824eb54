"""Matrices hold the links of the files, against the gold links that came with the corpus."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from mgsa.base.errors import InputError
from mgsa.base.io import write_json
from pipeline.report_page.alignments import alignments, kinds_of
from tests.report_folders import PLAIN, inputs_of, tables_of, text_of, titles_of, write_run


def test_every_link_is_of_a_kind() -> None:
    links, sure, possible = {(0, 0), (1, 1), (2, 2)}, {(0, 0), (3, 3)}, {(1, 1), (4, 4), (0, 0)}
    assert kinds_of(links, (sure, possible)) == {
        (0, 0): "sure",
        (1, 1): "possible",
        (2, 2): "wrong",
        (3, 3): "missed",
        (4, 4): "unneeded",
    }
    assert kinds_of(links, None) == dict.fromkeys(links, "link")


def test_links_against_gold(finished_run: Path) -> None:
    inputs = inputs_of(finished_run)
    shown = list(alignments(inputs))
    found = tables_of(shown)
    assert found["Against gold links, in per cent"] == [
        ["aligner", "test", "98.07", "95.79", "3.08"]
    ]
    assert found["Links of the aligner"][0][2] == "40"
    tokens = inputs.tokens("source") or []
    lengths = [len(tokens[index]) for index in inputs.drawn]
    expected = [f"hmm: {n - 1} right, 1 missed" if n > 1 else "hmm: 1 missed" for n in lengths]
    assert titles_of(shown) == expected


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
        list(alignments(inputs))
    gold.write_text("0-0 1p1 2p2\n" * 3, "utf-8")
    shown = list(alignments(inputs))
    assert titles_of(shown)[1] == "second: 1 right, 1 possible, 1 possible left out"
    rates = tables_of(shown)["Against gold links, in per cent"]
    assert rates[-1] == ["second", "test", "50.00", "25.00", "66.67"]


def test_links_of_the_corpus_are_not_compared_with_themselves(tmp_path: Path) -> None:
    write_run(tmp_path, PLAIN)
    aligner = {"kind": "corpus", "deterministic": True, "splits": ["test"]}
    write_json(tmp_path / "alignments/aligner.json", aligner)
    shown = list(alignments(inputs_of(tmp_path)))
    assert all(title.endswith(" links") for title in titles_of(shown))
    assert "gold" not in text_of(shown)


def test_without_links_there_is_no_section(finished_run: Path, tmp_path: Path) -> None:
    assert list(alignments(inputs_of(finished_run, "reports", "alignments"))) == []
    assert titles_of(alignments(inputs_of(finished_run, "tokenized"))) == []
    # `align=none` leaves a folder and a report, with nothing in them.
    write_run(tmp_path, PLAIN)
    aligner = {"kind": "none", "deterministic": True, "splits": []}
    write_json(tmp_path / "alignments/aligner.json", aligner)
    write_json(tmp_path / "reports/align.json", {})
    assert list(alignments(inputs_of(tmp_path))) == []
