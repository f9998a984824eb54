"""What a dataset records of its making: nothing that differs between equal runs."""

from __future__ import annotations

from pathlib import Path

import pytest

from mgsa.base.errors import InputError
from mgsa.base.io import write_json
from pipeline.dataset.manifest import (
    library_versions,
    parser_description,
    preprocessing,
    recorded_parameters,
)


def test_parameters_are_recorded_less_those_that_change_no_output(tmp_path: Path) -> None:
    path = tmp_path / "params.yaml"
    path.write_text(
        "corpus: {name: wmt14, folder: /mine, timeout: 5, retries: 2}\n"
        "parser: {package: default, resources: /mine}\n"
        "tokenize: {max_tokens: 9, workers: 8}\nbpe: {merges: 5}\n"
        "parse: {max_words: 7, executor: ray, ray_address: auto, workers: 64}\n"
        "partition: {levels: 3, inner: {workers: 1, n: 2}}\ntrain: {seed: 1}\n"
    )
    assert recorded_parameters(path) == {
        "corpus": {"name": "wmt14"},
        "parser": {"package": "default"},
        "tokenize": {"max_tokens": 9},
        "parse": {"max_words": 7},
        "bpe": {"merges": 5},
        "partition": {"levels": 3, "inner": {"n": 2}},
    }


@pytest.mark.parametrize("section", ["tokenize", "parse", "bpe", "partition"])
def test_what_inference_needs_is_missed(tmp_path: Path, section: str) -> None:
    path = tmp_path / "params.yaml"
    sections = {"tokenize", "parse", "bpe", "partition"} - {section}
    path.write_text("".join(f"{name}: {{}}\n" for name in sections))
    with pytest.raises(InputError, match=rf"params\.yaml: {section}: missing section"):
        recorded_parameters(path)


def test_a_parser_is_its_identity(tmp_path: Path) -> None:
    content = {"kind": "stanza", "identity": "abc", "language": "en", "package": "wsj"}
    write_json(tmp_path / "parser.json", content | {"files": {"a.pt": "def"}})
    assert parser_description(tmp_path) == content


def test_what_a_parser_must_say_is_named(tmp_path: Path) -> None:
    write_json(tmp_path / "parser.json", {"kind": "stanza", "identity": "a", "language": "en"})
    with pytest.raises(InputError, match=r"parser\.json: parser: .*language and package of stanza"):
        parser_description(tmp_path)


def test_preprocessing_is_what_inference_needs() -> None:
    parameters = {"tokenize": {"a": 1}, "bpe": {"b": 2}, "partition": {"c": 3}, "parse": {"d": 4}}
    parameters["dataset"] = {}
    found = preprocessing(parameters, {"source": "en", "target": "de"}, {"kind": "trees"})
    assert found == {
        "source_language": "en",
        "target_language": "de",
        "tokenize": {"a": 1},
        "parse": {"d": 4},
        "bpe": {"b": 2},
        "partition": {"c": 3},
        "parser": {"kind": "trees"},
    }


def test_versions_are_those_of_the_installed_libraries() -> None:
    import pyarrow

    assert library_versions()["pyarrow"] == pyarrow.__version__
