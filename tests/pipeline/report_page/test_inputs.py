"""What was given is read; what was not is `None`."""

from __future__ import annotations

from pathlib import Path

import pytest

from mgsa.base.errors import InputError
from pipeline.report_page.inputs import check_same_number
from tests.report_folders import HOSTILE, PLAIN, inputs_of, tokens_of, write_run


def test_text_of_the_split(finished_run: Path) -> None:
    inputs = inputs_of(finished_run)
    assert inputs.sources == [*PLAIN, *HOSTILE]
    assert inputs.tokens("source") == [tokens_of(text) for text in (*PLAIN, *HOSTILE)]
    assert inputs.languages == {"source": "en", "target": "de"}
    nothing = inputs_of(finished_run, "tokenized", "corpus", "dataset", "reports")
    assert nothing.sources is None
    assert nothing.tokens("source") is None
    assert nothing.languages == {"source": "", "target": ""}
    assert nothing.report("evaluate") is None
    assert nothing.drawn == []
    assert nothing.opened == ()


def test_languages_are_the_datasets_where_there_is_no_corpus(finished_run: Path) -> None:
    assert inputs_of(finished_run, "corpus").languages == {"source": "en", "target": "de"}


def test_the_sentences_in_the_middle_are_unfolded(finished_run: Path) -> None:
    inputs = inputs_of(finished_run, sentences=5)
    assert len(inputs.drawn) == 5
    assert inputs.opened == (1, 2)


def test_only_kept_lines_of_the_corpus_are_sources(tmp_path: Path) -> None:
    write_run(tmp_path, PLAIN)
    (tmp_path / "tokenized/test.lines").write_text("3\n1\n", "utf-8")
    assert inputs_of(tmp_path).sources == [PLAIN[2], PLAIN[0]]


def test_a_promised_file_that_is_missing_is_named(tmp_path: Path) -> None:
    write_run(tmp_path, PLAIN)
    (tmp_path / "tokenized/test.source").unlink()
    with pytest.raises(InputError, match=r"tokenized/test.source: no such file"):
        inputs_of(tmp_path).tokens("source")


def test_an_empty_sentence_is_named(tmp_path: Path) -> None:
    write_run(tmp_path, PLAIN)
    (tmp_path / "tokenized/test.source").write_text("a\n\nb\n", "utf-8")
    with pytest.raises(InputError, match=r"test.source:2: expected tokens .* found an empty line"):
        inputs_of(tmp_path).tokens("source")


def test_files_of_different_lengths_are_named() -> None:
    check_same_number({Path("a"): [1, 2], Path("b"): "xy"})
    with pytest.raises(InputError, match=r"b:1: ends after 1 line; expected as many as in a"):
        check_same_number({Path("a"): [1, 2], Path("b"): [1]})
