"""The list of sentences: their texts, their scores, and how scores lie."""

from __future__ import annotations

from pathlib import Path

import pytest
import sacrebleu

from mgsa.base.errors import InputError
from pipeline.report_page.sections.sentences import context, length_buckets
from tests.report_folders import HOSTILE, PLAIN, SYSTEM, inputs_of, write_run

SENTENCES = [*PLAIN, *HOSTILE]


def test_listed_sentences_have_their_texts_and_scores(finished_run: Path) -> None:
    shown = context(inputs_of(finished_run, compared=[finished_run / "second"], ranked=2))
    assert shown is not None
    assert shown["systems"] == [SYSTEM, "second"]
    assert shown["total"] == len(SENTENCES)
    means = [sentence.mean for sentence in shown["sentences"]]
    assert means == sorted(means)
    for sentence in shown["sentences"]:
        text = SENTENCES[sentence.index]
        assert sentence.source == sentence.reference == text
        assert sentence.length == len(text.split())
        for output, dropped in zip(sentence.outputs, (1, 2), strict=True):
            translated = " ".join(text.split(" ")[dropped:])
            kept = "".join(piece.text for piece in output.pieces if piece.kind != "missing")
            assert kept == translated
            expected = sacrebleu.sentence_chrf(translated, [text]).score
            assert output.score == pytest.approx(expected, abs=0.005)
        assert sentence.lists


def test_the_distribution_counts_every_sentence(finished_run: Path) -> None:
    shown = context(inputs_of(finished_run))
    assert shown is not None
    distribution, by_length = shown["charts"]
    assert sum(count for _, (count,) in distribution.rows) == len(SENTENCES)
    assert [x for x, _ in distribution.rows] == [10.0 * i for i in range(11)]
    assert by_length.rows[-1][0] == 300


def test_buckets_hold_each_sentence_once_and_keep_lengths_together() -> None:
    lengths = [3, 1, 2, 2, 2, 9, 4, 5]
    buckets = length_buckets(lengths, 4)
    assert sorted(i for bucket in buckets for i in bucket) == list(range(len(lengths)))
    assert [sorted(lengths[i] for i in bucket) for bucket in buckets] == [
        *([1, 2, 2, 2], [3, 4], [5, 9]),
    ]


def test_without_the_corpus_sources_are_tokenised_and_without_text_unknown(
    finished_run: Path,
) -> None:
    shown = context(inputs_of(finished_run, "corpus"))
    assert shown is not None
    assert {s.source for s in shown["sentences"]} <= {" ".join(t.split()) for t in SENTENCES} | {
        " ".join(w for w in t.split(" ") if w) for t in SENTENCES
    }
    shown = context(inputs_of(finished_run, "corpus", "tokenized"))
    assert shown is not None
    assert {s.source for s in shown["sentences"]} == {None}
    assert shown["length_of"] == "reference"


def test_without_translations_there_is_no_section(finished_run: Path) -> None:
    assert context(inputs_of(finished_run, "translations")) is None


def test_sources_of_another_corpus_are_named(tmp_path: Path) -> None:
    write_run(tmp_path, PLAIN)
    for name in ("source", "lines"):
        path = tmp_path / f"tokenized/test.{name}"
        path.write_text("".join(path.read_text("utf-8").splitlines(keepends=True)[:2]), "utf-8")
    message = r"tokenized/test.source:2: ends after 2 lines; expected as many as in .*references"
    with pytest.raises(InputError, match=message):
        context(inputs_of(tmp_path))


def test_a_line_that_the_corpus_lacks_is_named(tmp_path: Path) -> None:
    write_run(tmp_path, PLAIN)
    (tmp_path / "tokenized/test.lines").write_text("1\n2\n4\n", "utf-8")
    message = "test.lines:3: expected the number of one of 3 lines of the corpus, got '4'"
    with pytest.raises(InputError, match=message):
        context(inputs_of(tmp_path))
