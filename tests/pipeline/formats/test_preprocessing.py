"""What a dataset records of its text, and what is read of it again."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from mgsa.cli.errors import InputError
from mgsa.cli.files import write_json
from pipeline.formats.preprocessing import Preprocessing
from tests.parameters import recorded_text

RECORDED = {
    "source_language": "en",
    "target_language": "de",
    "parser": {"kind": "none", "identity": "c0ffee"},
    "tokenize": recorded_text()["tokenize"],
    "parse": {"max_words": 7},
    "bpe": {"merges": 5, "vocabulary_threshold": 1, "unit": "bpe"},
    "partition": {"levels": 3, "ngrams": [2], "boundaries": "parsed", "seed": 1},
}


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ([], "preprocessing: expected a section with keys"),
        ({"parse": None}, r"preprocessing\.parse: expected .*, got null"),
        ({"bpe": {"merges": 5}}, r"preprocessing\.bpe\.vocabulary_threshold: missing key"),
        ({"partition": {"levels": "3"}}, r"preprocessing\.partition\.levels: .*, got '3'"),
        ({"source_language": 5}, r"preprocessing\.source_language: .*, got 5"),
    ],
)
def test_damaged_preprocessing_is_one_line(tmp_path: Path, change: Any, message: str) -> None:
    path = tmp_path / "preprocessing.json"
    write_json(path, RECORDED)
    assert Preprocessing.read(tmp_path).bpe.vocabulary_threshold == 1
    write_json(path, RECORDED | change if isinstance(change, dict) else change)
    with pytest.raises(InputError, match=rf"preprocessing\.json: {message}"):
        Preprocessing.read(tmp_path)
