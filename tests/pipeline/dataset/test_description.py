"""What a manifest and a card say of a dataset."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest
import yaml

from mgsa.base.errors import InputError
from mgsa.base.io import read_json, write_json
from mgsa.data.dataset import open_dataset
from mgsa.data.schema import SCHEMA
from pipeline.dataset.card import COLUMNS, dataset_card
from pipeline.dataset.description import description
from tests.copy_task import write_copy_task
from tests.stage_folders import BUSH, YES, build, random_dataset, write_stages


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


@pytest.mark.parametrize(
    ("keys", "value", "message"),
    [
        (["vocabulary"], None, "vocabulary: "),
        (["made_by"], 5, "made_by: "),
        (["made_by", "parser", "identity"], 5, "made_by.parser.identity: "),
        (["made_by", "reversed_from"], 5, "made_by.reversed_from: "),
        (["vocabulary", "source"], "many", "vocabulary.source: "),
        (["splits", "test", "source_words"], [3], "splits.test.source_words: "),
    ],
)
def test_what_the_pipeline_does_not_write_is_named(
    folder: Path, keys: list[str], value: Any, message: str
) -> None:
    path = folder / "manifest.json"
    before = path.read_bytes()
    content = inner = read_json(path)
    for key in keys[:-1]:
        inner = inner[key]
    inner[keys[-1]] = value
    write_json(path, content)
    try:
        with pytest.raises(InputError) as error:
            described(folder)
    finally:
        path.write_bytes(before)
    assert str(error.value).startswith(f"{path}: manifest.{message}expected ")


def test_every_column_is_explained_once() -> None:
    names = [name for names in COLUMNS for name in names.split(", ")]
    assert sorted(names) == sorted(SCHEMA.names)


def test_front_matter_names_the_files_of_every_split(tmp_path: Path) -> None:
    splits = {"train": [BUSH, YES, YES], "valid": [YES, BUSH], "test": [BUSH]}
    write_stages(tmp_path, splits)
    folder = build(tmp_path)
    _, front, text = (folder / "README.md").read_text("utf-8").split("---\n", 2)
    content = yaml.safe_load(front)
    assert content["language"] == ["en", "de"]
    assert content["task_categories"] == ["translation"]
    (config,) = content["configs"]
    rows = {
        file["split"]: sum(pq.read_metadata(folder / path).num_rows for path in file["path"])
        for file in config["data_files"]
    }
    assert rows == {"train": 3, "validation": 2, "test": 1}
    assert "| train | 3 | 10 | 8 | 12 | 12 |" in text


def test_figures_that_nobody_reported_are_left_out(tmp_path: Path) -> None:
    write_stages(tmp_path, {"train": [BUSH], "valid": [YES], "test": [BUSH]})
    content = read_json(build(tmp_path) / "manifest.json")
    assert "How it came about" not in dataset_card(content, {"seconds": 3.0})
    assert "| aligner: alignment error rate on the test split, per cent | 3.08 |" in dataset_card(
        content, {"test_aer": 3.08}
    )
