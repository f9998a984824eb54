"""A row that would lead a model astray is named with its file, however it is read."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from mgsa.cli.errors import InputError
from mgsa.data.dataset import open_dataset, verify_dataset
from mgsa.data.schema import SCHEMA, TEXTS
from tests.probing_folders import record
from tests.stage_folders import BUSH, YES, build, write_stages

EXTRA = ("subwords_per_word", "phrase_lengths", "phrase_tags", "links")


@pytest.fixture(scope="module")
def written(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("checks") / "stages"
    write_stages(folder, {"train": [YES, BUSH, YES, YES, YES], "valid": [YES], "test": [YES]})
    return build(folder, "--alignments", str(folder / "alignments"))


def changed(dataset: Path, folder: Path, row: int, column: str, value: Any) -> Path:
    """A copy of a dataset with another value in a row of `train`, in row groups of three."""
    copy = Path(shutil.copytree(dataset, folder / "dataset"))
    path = copy / "train.parquet"
    rows = pq.read_table(path).to_pylist()
    rows[row][column] = value
    pq.write_table(pa.Table.from_pylist(rows, schema=SCHEMA), path, row_group_size=3)
    record(path)
    return copy


@pytest.mark.parametrize(
    ("column", "value", "expectation"),
    [
        ("source_ids", [5, 99], "source_ids of the vocabulary"),
        ("source_ids", [5, 2], "source_ids of the vocabulary"),
        ("target_ids", [5, 6, -1], "target_ids of the vocabulary"),
        ("target_ids", [], "target_length ids"),
        ("source_ids", [5], "source_length ids"),
        ("source_ids", [5] * 2**15, "source_length ids"),
        ("source_length", 7, "source_length ids"),
        ("target_length", 0, "lengths of at least 1"),
        ("subwords_per_word", [1, 2], "subwords_per_word that give each word a share of source_"),
        ("subwords_per_word", [2, 0], "subwords_per_word that give each word a share of source_"),
        ("target_subwords_per_word", [1, 1], "target_subwords_per_word that give each word a sh"),
        ("phrase_lengths", [[1, 1]], "2 levels of phrase_lengths"),
        ("phrase_tags", [[1, 1]] * 3, "2 levels of phrase_tags"),
        ("phrase_lengths", [[1, 1], [1, 2]], "phrase_lengths of every level that add up to sourc"),
        ("phrase_lengths", [[1, 1], [2, 0]], "phrase_lengths of every level that add up to sourc"),
        ("phrase_lengths", [[1, 1], [2]], "a tag for every phrase"),
        ("phrase_tags", [[1, 1], [1, 99]], "phrase_tags of tags.json"),
        ("phrase_tags", [[1, -1], [1, 1]], "phrase_tags of tags.json"),
        ("links", [{"source": 2, "target": 0}], "links between positions of the source"),
        ("links", [{"source": 0, "target": 3}], "links between positions of the target"),
        ("links", [{"source": 0, "target": -1}], "links between positions of the target"),
        # Finding 17: three sentences had four references.
        ("source_text", "Yes .\nNo .", "source_text without line feeds"),
        ("target_text", "Yes .\nNo .", "target_text without line feeds"),
        ("set", "mt\n02", "set without line feeds"),
        ("references", ["Yes .", "Yes\n."], "references without line feeds"),
    ],
)
def test_a_wrong_row_is_named(
    written: Path, tmp_path: Path, column: str, value: Any, expectation: str
) -> None:
    folder = changed(written, tmp_path, 4, column, value)
    dataset = open_dataset(folder)
    reads: list[Callable[[], object]] = [lambda: verify_dataset(folder)]
    if column in TEXTS:
        reads.append(lambda: list(dataset.texts("train", column)))
    else:
        reads.append(lambda: list(dataset.read("train")))
        reads.append(lambda: list(dataset.rows("train", [4])))
        if column != "target_subwords_per_word":  # which no batch is made of
            reads.append(lambda: dataset.columns("train", [0, 1], EXTRA))
    for read in reads:
        with pytest.raises(InputError, match=rf"train\.parquet: row 4: expected {expectation}"):
            read()
    assert len(list(dataset.read("train", 0, 3))) == 3
