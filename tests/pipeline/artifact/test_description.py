"""What a manifest says of a dataset is read strictly; of one that others made, what is known."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given

from mgsa.base.errors import InputError
from mgsa.base.io import read_json, write_json
from mgsa.data.dataset import open_dataset
from pipeline.artifact.description import description
from pipeline.artifact.difference import differences
from tests.copy_task import write_copy_task
from tests.mutations import mutated_json, refusal
from tests.stage_folders import random_dataset


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return random_dataset(tmp_path_factory.mktemp("description") / "stages", 20)


def described(folder: Path) -> list[str]:
    return list(description(open_dataset(folder, verify=False)))


def test_a_dataset_of_others_is_described_as_far_as_it_is_known(tmp_path: Path) -> None:
    folder = write_copy_task(tmp_path / "dataset", links=True)
    name, languages, train, *rest = described(folder)
    assert name.startswith("copy task, ")
    assert languages == "languages: en to de"
    assert train.startswith("train: 60 pairs, ")
    assert train.endswith(" links")
    assert len(rest) == 2 + len(read_json(folder / "manifest.json")["files"])


def without(*keys: str) -> Callable[[dict[str, Any]], None]:
    """A change that takes a value of the manifest away."""

    def change(content: dict[str, Any]) -> None:
        *outer, last = keys
        for key in outer:
            content = content[key]
        del content[last]

    return change


def wrong(value: Any, *keys: str) -> Callable[[dict[str, Any]], None]:
    """A change that puts another value there."""

    def change(content: dict[str, Any]) -> None:
        *outer, last = keys
        for key in outer:
            content = content[key]
        content[last] = value

    return change


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (without("vocabulary"), "vocabulary: missing; expected a section with keys"),
        (without("made_by", "aligner"), "made_by.aligner: missing; expected a section with keys"),
        (wrong(5, "made_by"), "made_by: expected a section with keys, got 5"),
        (wrong([], "made_by", "libraries"), "made_by.libraries: expected a section, each value te"),
        (wrong("x", "made_by", "parser"), "made_by.parser: expected a section with keys, got 'x'"),
        (wrong("stanza", "made_by", "parser", "kind"), "made_by.parser.language: missing; expect"),
        (wrong(5, "made_by", "parser", "identity"), "made_by.parser.identity: expected text, got"),
        (wrong(5, "made_by", "reversed_from"), "made_by.reversed_from: expected text, got 5"),
        (wrong("many", "vocabulary", "source"), "vocabulary.source: expected a whole number at l"),
        (wrong(None, "vocabulary", "joint"), "vocabulary.joint: expected true or false, got None"),
        (wrong("nine", "tags"), "tags: expected a whole number at least 0, got 'nine'"),
        (wrong([3], "splits", "test", "source_words"), "splits.test.source_words: expected a who"),
    ],
)
def test_what_the_pipeline_does_not_write_is_named(
    folder: Path, change: Callable[[dict[str, Any]], None], message: str
) -> None:
    path = folder / "manifest.json"
    before = path.read_bytes()
    content = read_json(path)
    change(content)
    write_json(path, content)
    try:
        with pytest.raises(InputError) as error:
            described(folder)
    finally:
        path.write_bytes(before)
    assert str(error.value).startswith(f"{path}: manifest.{message}")


def test_whatever_a_manifest_holds(folder: Path, tmp_path: Path) -> None:
    path, other = folder / "manifest.json", write_copy_task(tmp_path / "other")
    before = path.read_bytes()

    @given(mutated_json(read_json(path)))
    def check(text: str) -> None:
        path.write_text(text, "utf-8")
        said = refusal(lambda: described(folder))
        assert said is None or said.startswith(str(path.parent))
        refusal(lambda: [*differences(*(open_dataset(f, verify=False) for f in (folder, other)))])

    try:
        check()
    finally:
        path.write_bytes(before)
