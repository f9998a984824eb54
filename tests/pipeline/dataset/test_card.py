"""What a manifest and a card say of a dataset."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest
import yaml

from mgsa.cli.errors import InputError
from mgsa.cli.files import write_json
from mgsa.cli.outputs import Running, write_manifest, write_report, writing
from mgsa.data.schema import SCHEMA
from pipeline.dataset.card import COLUMNS
from tests.stage_folders import BUSH, YES, build, write_stages

SMALL = {"train": [BUSH, YES, YES, BUSH], "valid": [YES, BUSH], "test": [BUSH]}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A dataset whose reports had some figures."""
    write_stages(tmp_path, SMALL)
    write_json(tmp_path / "parser.json", {"labelled_f1": 95.81, "notes": ["no figure"]})
    write_json(tmp_path / "tokenize.json", {"train_pairs": 1007})
    return build(
        tmp_path, "--reports", str(tmp_path / "parser.json"), str(tmp_path / "tokenize.json")
    )


def test_figures_are_of_what_wrote_the_inputs(tmp_path: Path) -> None:
    write_stages(tmp_path, SMALL)
    command = "pipeline.tokenize"
    with writing(Running(command, {}, {"mgsa x": ["this"]}, {})):
        write_manifest(tmp_path / "tokenized", {"kind": "mgsa tokenised text"})
    with writing(Running(command, {}, {"mgsa x": ["another"]}, {})):
        write_report(tmp_path / "tokenize.json", {"train_kept": 4})
    expected = f"tokenize.json: expected the report of what wrote {tmp_path / 'tokenized'}"
    with pytest.raises(InputError, match=expected):
        build(tmp_path, "--reports", str(tmp_path / "tokenize.json"))


def read_card(folder: Path) -> tuple[dict[str, Any], str]:
    """Its front matter and its text."""
    _, front, text = (folder / "README.md").read_text("utf-8").split("---\n", 2)
    return yaml.safe_load(front), text


def test_every_column_is_explained_once() -> None:
    names = [name for names in COLUMNS for name in names.split(", ")]
    assert sorted(names) == sorted(SCHEMA.names)


def test_a_card_has_the_files_of_every_split_for_hubs_and_figures_for_people(folder: Path) -> None:
    content, text = read_card(folder)
    assert content["language"] == ["en", "de"]
    assert content["task_categories"] == ["translation"]
    (config,) = content["configs"]
    rows = {
        file["split"]: sum(pq.read_metadata(folder / path).num_rows for path in file["path"])
        for file in config["data_files"]
    }
    assert rows == {"train": 4, "validation": 2, "test": 1}
    assert "# made up, en → de" in text
    assert "| phrases | 2 levels, 9 tags; trees that came with the corpus (c0ffee) |" in text
    assert "| train | 4 | 16 | 12 | 20 | 18 |" in text
    assert "| training pairs of the corpus | 1,007 |" in text
    assert "| parser: labelled bracketing F1, per cent | 95.81 |" in text
    assert "of them kept" not in text
