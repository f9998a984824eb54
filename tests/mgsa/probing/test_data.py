"""Opening probing data: what is sound is read, what is not is named by file and row."""

from __future__ import annotations

import random
import shutil
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
import torch

from mgsa.base.errors import InputError
from mgsa.base.io import read_json, write_json
from mgsa.model.build import build_model
from mgsa.probing.data import open_probing_data
from mgsa.probing.schema import SCHEMA
from tests.probing_folders import TREES, build, record, write_dataset
from tests.random_rows import mgsa


@pytest.fixture(scope="module")
def written(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("probing") / "stages"
    write_dataset(folder)
    return build(folder, "shares=[100, 1, 1]")


@pytest.fixture
def folder(written: Path, tmp_path: Path) -> Path:
    """A copy to damage."""
    return Path(shutil.copytree(written, tmp_path / "probing"))


def test_rows_are_those_of_the_file(written: Path) -> None:
    data = open_probing_data(written)
    rows = data.rows("train")
    assert len(rows) == data.num_rows("train") == len(TREES)
    for place, row in enumerate(pq.read_table(written / "train.parquet").to_pylist()):
        assert rows.columns.source[place].tolist() == row["source_ids"]
        assert rows.columns.phrase_lengths[1][place].tolist() == row["phrase_lengths"][1]
        assert rows.columns.phrase_tags[2][place].tolist() == row["phrase_tags"][2]
        assert rows.of_words["spc"][place].tolist() == row["spc"]
        voice = row["voice"]
        assert rows.of_sentences["voice"][place] == (-1 if voice is None else voice)
    assert data.classes["voice"] == ("active", "passive")
    assert data.classes["tense"] == ("nonpast", "past")
    assert (data.language, data.levels) == ("en", 3)
    assert len(data.rows("valid")) == 0


def test_an_encoder_takes_the_batches(written: Path) -> None:
    data = open_probing_data(written)
    model = build_model(
        mgsa(),
        source_vocabulary=len(data.vocabulary),
        target_vocabulary=len(data.vocabulary),
        num_tags=len(data.tags),
    ).eval()
    rows = data.rows("train").take(np.array([5, 0, 3]))
    batch = rows.batch(model.granularities, ngram_unit=model.ngram_unit)
    with torch.no_grad():
        encoded = model.encode(batch)
    labels = rows.labels("pos")
    assert encoded.states.shape[:2] == batch.source.shape == labels.shape
    assert ((labels >= 0).sum(1) == batch.source_lengths - 1).all()


def test_a_split_that_there_is_not(written: Path) -> None:
    with pytest.raises(InputError, match="no split 'dev'; it has train, valid, test"):
        open_probing_data(written).rows("dev")


@pytest.mark.parametrize(
    ("key", "value", "message"),
    [
        ("kind", None, "expected the manifest of probing data"),
        ("schema_version", 2, "expected probing data of schema version 1, got 2"),
        ("splits", {}, "manifest: splits.train: missing"),
        ("levels", "three", "manifest.levels: expected a whole number from 0 to 100, got"),
        ("files", [], "manifest.files: expected a section, each value a section"),
    ],
)
def test_a_wrong_manifest_is_named(folder: Path, key: str, value: Any, message: str) -> None:
    write_json(folder / "manifest.json", read_json(folder / "manifest.json") | {key: value})
    with pytest.raises(InputError, match=rf"manifest\.json: {message}"):
        open_probing_data(folder)


def test_a_dataset_is_no_probing_data(written: Path) -> None:
    with pytest.raises(InputError, match="expected the manifest of probing data"):
        open_probing_data(written.parent / "dataset")


def test_a_file_that_is_missing_cut_or_altered_is_named(folder: Path) -> None:
    path = folder / "train.parquet"
    whole = path.read_bytes()
    path.write_bytes(whole[:-1] + bytes([whole[-1] ^ 1]))
    with pytest.raises(InputError, match=r"train\.parquet: its SHA-256 is not the manifest's"):
        open_probing_data(folder)
    open_probing_data(folder, verify=False)
    path.write_bytes(whole[:-1])
    with pytest.raises(InputError, match=rf"expected {len(whole)} bytes as in the manifest"):
        open_probing_data(folder, verify=False)
    record(path)
    with pytest.raises(InputError, match=r"train\.parquet: expected a readable Parquet file"):
        open_probing_data(folder).rows("train")
    path.unlink()
    with pytest.raises(InputError, match=r"train\.parquet: no such file, but the manifest lists"):
        open_probing_data(folder)


def test_a_file_that_the_manifest_lacks_is_named(folder: Path) -> None:
    manifest = read_json(folder / "manifest.json")
    del manifest["files"]["labels.json"]
    write_json(folder / "manifest.json", manifest)
    with pytest.raises(InputError, match=r"manifest\.json: expected labels\.json among the files"):
        open_probing_data(folder)


def test_classes_must_be_lists(folder: Path) -> None:
    write_json(folder / "labels.json", {"voice": ["active"]})
    record(folder / "labels.json")
    with pytest.raises(
        InputError, match=r"labels\.json: expected lists of classes of voice, tense"
    ):
        open_probing_data(folder)


def test_columns_and_rows_must_be_those_of_the_schema(folder: Path) -> None:
    path = folder / "train.parquet"
    table = pq.read_table(path)
    pq.write_table(table.drop(["tss"]), path)
    record(path)
    with pytest.raises(InputError, match=r"train\.parquet: expected a column tss: int16"):
        open_probing_data(folder).rows("train")
    pq.write_table(table.slice(0, 2), path)
    record(path)
    with pytest.raises(InputError, match=r"expected 8 rows as in the manifest, found 2"):
        open_probing_data(folder).rows("train")


@pytest.mark.parametrize(
    ("column", "value", "expectation"),
    [
        ("source_ids", [4, 9999, 5, 6, 7], "source_ids of the vocabulary"),
        ("source_length", 99, "source_length ids"),
        ("subwords_per_word", [1], "subwords_per_word that give each of source_tokens"),
        ("phrase_lengths", [[1]], "3 levels of phrase_lengths"),
        ("phrase_tags", [[99], [1], [1]], "a tag for every phrase"),
        ("voice", 2, "classes of voice of labels.json"),
        ("tense", -1, "classes of tense of labels.json"),
        ("tss", 4, "classes of tss of labels.json"),
        ("pos", [0], "a class of pos for every word"),
        ("spc", [99], "classes of spc of labels.json"),
    ],
)
def test_a_wrong_row_is_named(folder: Path, column: str, value: Any, expectation: str) -> None:
    path = folder / "train.parquet"
    rows = pq.read_table(path).to_pylist()
    place = random.Random(column).randrange(len(rows))
    if column == "spc":
        value = value * len(rows[place]["spc"])
    rows[place][column] = value
    pq.write_table(pa.Table.from_pylist(rows, schema=SCHEMA), path)
    record(path)
    with pytest.raises(InputError, match=rf"train\.parquet: row {place}: expected {expectation}"):
        open_probing_data(folder).rows("train")
