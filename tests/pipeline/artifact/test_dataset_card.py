"""The dataset card: front matter that hubs read, and what the manifest says."""

from __future__ import annotations

from pathlib import Path

import pyarrow.parquet as pq
import yaml

from mgsa.base.io import read_json
from mgsa.data.schema import SCHEMA
from pipeline.artifact.dataset_card import COLUMNS, dataset_card
from tests.stage_folders import BUSH, YES, build, write_stages


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
