"""What a dataset records of its making: nothing that differs between equal runs."""

from __future__ import annotations

from pathlib import Path

import pytest

from mgsa.base.errors import InputError
from pipeline.dataset.manifest import recorded_parameters

PARAMETERS = """
tokenize: {max_tokens: 9}
bpe: {merges: 5, vocabulary_threshold: 1}
parse: {max_words: 7}
partition: {levels: 3, boundaries: parsed}
"""


def test_parameters_are_recorded_less_those_that_change_no_output(tmp_path: Path) -> None:
    path = tmp_path / "params.yaml"
    path.write_text(
        f"{PARAMETERS}corpus: {{name: wmt14, folder: /mine}}\n"
        "parser: {package: default, resources: /mine}\ntrain: {seed: 1}\nrun: {workers: 8}\n"
    )
    assert recorded_parameters(path) == {
        "corpus": {"name": "wmt14"},
        "parser": {"package": "default"},
        "tokenize": {"max_tokens": 9},
        "parse": {"max_words": 7},
        "bpe": {"merges": 5, "vocabulary_threshold": 1},
        "partition": {"levels": 3, "boundaries": "parsed"},
    }


@pytest.mark.parametrize(
    ("kept", "text", "message"),
    [
        ("tokenize: {max_tokens: 9}", "", "tokenize: missing section"),
        ("parse: {max_words: 7}", "parse:", "parse: missing section"),
        (", vocabulary_threshold: 1", "", "bpe.vocabulary_threshold: missing key"),
        (", boundaries: parsed", "", "partition.boundaries: missing key"),
    ],
)
def test_what_inference_needs_is_missed(tmp_path: Path, kept: str, text: str, message: str) -> None:
    path = tmp_path / "params.yaml"
    path.write_text(PARAMETERS.replace(kept, text))
    with pytest.raises(InputError, match=rf"params\.yaml: {message}"):
        recorded_parameters(path)
