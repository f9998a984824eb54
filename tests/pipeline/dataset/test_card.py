"""What a manifest and a card say of a dataset."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest
import yaml

from mgsa.cli.files import read_json, write_json
from mgsa.cli.run import run
from mgsa.data.dataset import open_dataset
from mgsa.data.schema import SCHEMA
from pipeline.dataset.__main__ import main
from pipeline.dataset.card import COLUMNS
from tests.copy_task import write_copy_task
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


Capture = pytest.CaptureFixture[str]


def read_card(folder: Path) -> tuple[dict[str, Any], str]:
    """Its front matter and its text."""
    _, front, text = (folder / "README.md").read_text("utf-8").split("---\n", 2)
    return yaml.safe_load(front), text


def said(capsys: Capture, *argv: str | Path) -> list[str]:
    assert run(main, [*map(str, argv)]) == 0
    return capsys.readouterr().out.splitlines()


def test_a_dataset_says_what_its_card_says(folder: Path, tmp_path: Path, capsys: Capture) -> None:
    first, *lines = said(capsys, "--info", folder)
    assert first == f"made up, {open_dataset(folder).manifest.identity}"
    assert "\n".join(lines).strip() == read_card(folder)[1].strip()
    other = write_copy_task(tmp_path / "other")
    _, *lines = said(capsys, "--info", other)
    assert lines == ["en to de", "train: 60 rows", "valid: 12 rows", "test: 6 rows"]


def test_what_others_wrote_gives_a_terminal_no_orders(folder: Path, capsys: Capture) -> None:
    content = read_json(folder / "manifest.json")
    write_json(folder / "manifest.json", content | {"name": "\x1b]0;mine\x07\nlevels: 9"})
    assert said(capsys, "--info", folder)[0].startswith(r"\x1b]0;mine\x07\nlevels: 9, ")


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
