"""The list of sentences: their texts, their scores, what an output has too much and too little."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
import sacrebleu
from hypothesis import given
from hypothesis import strategies as st

from pipeline.report_page.blocks import Part
from pipeline.report_page.inputs import Inputs
from pipeline.report_page.sentences import (
    Piece,
    length_buckets,
    means,
    ranked,
    score_sentences,
    sentences,
    spreads,
    word_diff,
)
from tests.report_folders import HOSTILE, PLAIN, SYSTEM, inputs_of, tables_of

SENTENCES = [*PLAIN, *HOSTILE]
REFERENCES = ["Die Katze schläft .", "Er sieht den Hund .", "Ja ."]
HYPOTHESES = {
    "a": ["Die Katze schläft .", "Er sah Hunde .", ""],
    "b": ["Der Hund", "Er sieht", "Ja ."],
}


def listed(inputs: Inputs) -> dict[str, Any]:
    (part,) = (block for block in sentences(inputs) if isinstance(block, Part))
    return dict(part.context)


@pytest.mark.parametrize("metric", ["chrf", "bleu"])
def test_scores_are_sacrebleus(metric: str) -> None:
    found = score_sentences(HYPOTHESES, REFERENCES, metric)
    score = sacrebleu.sentence_chrf if metric == "chrf" else sacrebleu.sentence_bleu
    for name, hypotheses in HYPOTHESES.items():
        expected = [score(h, [r]).score for h, r in zip(hypotheses, REFERENCES, strict=True)]
        assert found[name] == pytest.approx(expected, abs=0.005)


def test_lists_of_sentences() -> None:
    one = {"a": [50.0, 10.0, 90.0, 10.0]}
    assert ranked(one, 1) == {1: {"worst": ["all"]}, 2: {"best": ["all"]}}
    assert ranked(one, 0) == {}
    two = {"a": [50.0, 10.0, 90.0], "b": [40.0, 80.0, 20.0]}
    assert (means(two), spreads(two)) == ([45, 45, 55], [10, 70, 70])
    assert ranked(two, 1) == {
        0: {"worst": ["all"]},
        1: {"worst": ["0"], "best": ["1"], "different": ["all"]},
        2: {"best": ["all", "0"], "worst": ["1"]},
    }
    alike = ranked({"a": [50.0, 10.0], "b": [50.0, 10.0]}, 2)
    assert not any("different" in lists for lists in alike.values())


@pytest.mark.parametrize(
    ("hypothesis", "reference", "expected"),
    [
        ("a b", "a b", [("same", "a b")]),
        ("a x c", "a b c", [("same", "a "), ("missing", "b"), ("added", "x"), ("same", " c")]),
        ("a c", "a b c", [("same", "a "), ("missing", "b"), ("same", "c")]),
        ("a b c", "a c", [("same", "a "), ("added", "b"), ("same", " c")]),
        ("Ja.", "Ja!", [("same", "Ja"), ("missing", "!"), ("added", ".")]),
        ("", "a b", [("missing", "a b")]),
        ("a b", "", [("added", "a b")]),
        ("", "", []),
        ("a  b", "a b", [("same", "a  b")]),
    ],
)
def test_pieces(hypothesis: str, reference: str, expected: list[Any]) -> None:
    assert word_diff(hypothesis, reference) == [Piece(*piece) for piece in expected]


TEXTS = st.lists(st.sampled_from(["a", "b", " ", "  ", ".", "\u200b", "é", *HOSTILE[:3]])).map(
    "".join
)


@given(TEXTS, TEXTS)
def test_the_pieces_are_the_output_and_the_words_of_the_reference(one: str, other: str) -> None:
    pieces = word_diff(one, other)
    assert "".join(text for kind, text in pieces if kind != "missing") == one
    shared = "".join(text for kind, text in pieces if kind != "added")
    assert "".join(shared.split()) == "".join(other.split())
    assert all(first.kind != second.kind for first, second in pairwise(pieces))


def test_listed_sentences_have_their_texts_and_scores(finished_run: Path) -> None:
    shown = listed(inputs_of(finished_run, compared=[finished_run / "second"], ranked=2))
    assert shown["systems"] == [SYSTEM, "second"]
    means = [sentence["mean"] for sentence in shown["sentences"]]
    assert means == sorted(means)
    for sentence in shown["sentences"]:
        text = SENTENCES[sentence["index"]]
        assert sentence["source"] == sentence["reference"] == text
        assert sentence["length"] == len(text.split())
        for output, dropped in zip(sentence["outputs"], (1, 2), strict=True):
            translated = " ".join(text.split(" ")[dropped:])
            kept = "".join(piece.text for piece in output["pieces"] if piece.kind != "missing")
            assert kept == translated
            assert output["score"] == score_sentences({"": [translated]}, [text], "chrf")[""][0]
        assert sentence["lists"]


def test_the_distribution_counts_every_sentence(finished_run: Path) -> None:
    distribution, by_length = tables_of(sentences(inputs_of(finished_run))).values()
    assert sum(int(count) for _, count in distribution) == len(SENTENCES)
    assert [x for x, _ in distribution] == [str(10 * i) for i in range(11)]
    assert by_length[-1][0] == "300"


def test_buckets_hold_each_sentence_once_and_keep_lengths_together() -> None:
    lengths = [3, 1, 2, 2, 2, 9, 4, 5]
    buckets = length_buckets(lengths, 4)
    assert sorted(i for bucket in buckets for i in bucket) == list(range(len(lengths)))
    assert [sorted(lengths[i] for i in bucket) for bucket in buckets] == [
        *([1, 2, 2, 2], [3, 4], [5, 9]),
    ]


def test_without_text_sources_are_unknown(finished_run: Path) -> None:
    shown = listed(inputs_of(finished_run, "corpus", "tokenized"))
    assert {sentence["source"] for sentence in shown["sentences"]} == {None}
    assert shown["length_of"] == "reference"
    assert list(sentences(inputs_of(finished_run, "translations"))) == []
