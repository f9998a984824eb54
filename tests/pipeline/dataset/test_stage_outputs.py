"""Rows of the text stages side by side, with the corpus's own sentences in front."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from mgsa.base.errors import InputError
from mgsa.base.io import write_json
from pipeline.dataset.stage_outputs import StageOutputs
from tests.stage_folders import BUSH, YES, write_stages


@pytest.fixture
def outputs(tmp_path: Path) -> StageOutputs:
    write_stages(tmp_path, {"train": [YES, BUSH], "valid": [YES], "test": [YES]})
    return StageOutputs(
        corpus=tmp_path / "corpus",
        tokenized=tmp_path / "tokenized",
        bpe=tmp_path / "bpe",
        partitions=tmp_path / "partitions",
        parser=tmp_path / "parser",
        alignments=None,
    )


def test_a_row_has_its_texts_tokens_subwords_and_phrases(outputs: StageOutputs) -> None:
    outputs.check(["train", "valid", "test"])
    assert list(outputs.rows("train"))[1] == (
        "BUSH HELD A TALK WITH SHARON",
        "BUSH SPRACH MIT SHARON",
        "Bush held a talk with Sharon",
        "Bush sprach mit Sharon",
        BUSH.source,
        BUSH.target,
        BUSH.phrases,
    )


def test_links_are_the_last_field_where_there_are_any(outputs: StageOutputs) -> None:
    linked = replace(outputs, alignments=outputs.corpus.parent / "alignments")
    linked.check(["train", "valid"])
    assert [row[-1] for row in linked.rows("train")] == [YES.links, BUSH.links]
    write_json(
        outputs.corpus.parent / "alignments/aligner.json",
        {"kind": "corpus", "deterministic": True, "splits": ["train"]},
    )
    assert [row[-1] for row in linked.rows("valid")] == [YES.phrases]


def test_links_that_the_aligner_should_have_written_are_missed(outputs: StageOutputs) -> None:
    linked = replace(outputs, alignments=outputs.corpus.parent / "alignments")
    (outputs.corpus.parent / "alignments/valid.links").unlink()
    linked.check(["train"])
    with pytest.raises(InputError, match=r"alignments/valid\.links: no such file"):
        linked.check(["train", "valid"])


@pytest.mark.parametrize(
    "name",
    [
        "corpus/train.target",
        "tokenized/test.lines",
        "bpe/vocab.source",
        "partitions/valid.phrases",
    ],
)
def test_a_missing_file_is_named(outputs: StageOutputs, name: str) -> None:
    (outputs.corpus.parent / name).unlink()
    with pytest.raises(InputError, match=f"{name}: no such file"):
        outputs.check(["train", "valid", "test"])


@pytest.mark.parametrize(
    ("numbers", "line", "message"),
    [
        ("2\n2\n", 2, "expected the number of a line after line 2 of the corpus, got '2'"),
        ("2\nx\n", 2, "expected the number of a line after line 2 of the corpus, got 'x'"),
        ("2\n5\n", 2, "expected the number of a line after line 2 of the corpus, got '5'"),
    ],
)
def test_wrong_line_numbers_are_named(
    outputs: StageOutputs, numbers: str, line: int, message: str
) -> None:
    (outputs.tokenized / "train.lines").write_text(numbers)
    with pytest.raises(InputError, match=rf"train\.lines:{line}: {message}"):
        list(outputs.rows("train"))
