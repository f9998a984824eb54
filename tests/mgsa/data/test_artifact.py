"""Opening a dataset: what is refused, and that rows come back as they were written."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from mgsa.base.errors import InputError
from mgsa.base.io import sha256, write_json
from mgsa.data.artifact import Dataset, TextColumn, open_dataset
from mgsa.data.batch import Row
from mgsa.data.schema import LONGEST, SCHEMA
from mgsa.data.verification import verify_dataset
from tests.forged_parquet import forge_text
from tests.pickle_bomb import pickle_bomb
from tests.stage_folders import BUSH, YES, build, random_dataset, write_stages


@pytest.fixture(scope="module")
def written(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Twenty random training pairs in row groups of three."""
    return random_dataset(tmp_path_factory.mktemp("artifact") / "stages", 20)


@pytest.fixture
def folder(written: Path, tmp_path: Path) -> Path:
    """A copy to damage."""
    return Path(shutil.copytree(written, tmp_path / "dataset"))


def change_manifest(folder: Path, change: Callable[[dict[str, Any]], None]) -> None:
    content = json.loads((folder / "manifest.json").read_text("utf-8"))
    change(content)
    write_json(folder / "manifest.json", content)


def rehash(folder: Path, name: str) -> None:
    """Make the manifest agree with a file that was changed."""
    path = folder / name
    file = {"bytes": path.stat().st_size, "sha256": sha256(path)}
    change_manifest(folder, lambda content: content["files"].update({name: file}))


def test_a_row_is_what_the_text_stages_made(tmp_path: Path) -> None:
    write_stages(tmp_path / "stages", {"train": [YES, BUSH], "valid": [YES], "test": [YES]})
    dataset = open_dataset(
        build(tmp_path / "stages", "--alignments", str(tmp_path / "stages/alignments"))
    )
    source, target = dataset.vocabularies
    row = list(dataset.read("train"))[1]
    assert source.decode(row.source) == BUSH.source.split(" ")
    assert target.decode(row.target) == BUSH.target.split(" ")
    assert row.index == 1
    assert row.subwords_per_word == [2, 1, 1, 1, 1, 2]
    assert row.target_subwords_per_word == [2, 1, 1, 2]
    assert row.phrase_lengths == [[2, 6], [2, 1, 2, 3]]
    tags = [[dataset.tags[tag] for tag in level] for level in row.phrase_tags]
    assert tags == [["NP", "VP"], ["NNP", "VBD", "NP", "PP"]]
    # Bush-Bush is 2 x 2 subword links, held, a and talk - sprach, with - mit, Sharon-Sharon 2 x 2.
    assert row.links == [
        *[(0, 0), (0, 1), (1, 0), (1, 1)],
        *[(2, 2), (3, 2), (4, 2)],
        *[(5, 3), (6, 4), (6, 5), (7, 4), (7, 5)],
    ]
    assert list(dataset.texts("train", "source_text")) == ["YES .", "BUSH HELD A TALK WITH SHARON"]
    assert list(dataset.texts("train", "target_tokens", 1)) == ["Bush sprach mit Sharon"]


def test_a_portion_is_a_part_of_the_whole(written: Path) -> None:
    dataset = open_dataset(written)
    whole = list(dataset.read("train"))
    assert [row.index for row in whole] == list(range(20))
    for start, stop in [(0, 20), (0, 1), (2, 7), (5, 6), (19, 20), (18, 99), (4, 4)]:
        assert list(dataset.read("train", start, stop)) == whole[start:stop]
        texts = list(dataset.texts("train", "source_tokens", start, stop))
        assert len(texts) == len(whole[start:stop])


def test_rows_come_in_the_order_asked_for(written: Path) -> None:
    dataset = open_dataset(written)
    whole = list(dataset.read("train"))
    assert list(dataset.rows("train", [7, 0, 19, 7])) == [whole[7], whole[0], whole[19], whole[7]]


@pytest.mark.parametrize("index", [-1, 20])
def test_a_row_that_is_not_there_is_refused(written: Path, index: int) -> None:
    with pytest.raises(IndexError, match=f"train: no row {index} among 20"):
        list(open_dataset(written).rows("train", [index]))


def test_lengths_are_those_of_the_rows(written: Path) -> None:
    dataset = open_dataset(written)
    lengths = dataset.lengths("train")
    assert lengths.dtype == np.int32
    assert lengths.tolist() == [[len(r.source), len(r.target)] for r in dataset.read("train")]
    assert dataset.row_group_rows("train").tolist() == [3] * 6 + [2]
    assert dataset.lengths("train", [2, 0]).tolist() == [
        *lengths[6:9].tolist(),
        *lengths[0:3].tolist(),
    ]


def test_columns_are_the_rows_of_their_row_groups(written: Path) -> None:
    dataset = open_dataset(written)
    columns = dataset.columns("train", [4, 1], words=True, phrases=True, links=True)
    rows = list(dataset.rows("train", [12, 13, 14, 3, 4, 5]))
    assert columns.index.tolist() == [row.index for row in rows]
    assert columns.subwords_per_word is not None
    for place, row in enumerate(rows):
        assert columns.source[place].tolist() == row.source
        assert columns.target[place].tolist() == row.target
        assert columns.subwords_per_word[place].tolist() == row.subwords_per_word
        for level in range(2):
            assert columns.phrase_lengths[level][place].tolist() == row.phrase_lengths[level]
            assert columns.phrase_tags[level][place].tolist() == row.phrase_tags[level]


def test_columns_that_nothing_asked_for_are_not_read(written: Path) -> None:
    columns = open_dataset(written).columns("train", [0], words=False, phrases=False, links=False)
    assert columns.subwords_per_word is None
    assert columns.phrase_lengths == columns.phrase_tags == ()


def test_a_dataset_without_links_says_so(written: Path) -> None:
    assert [row.links for row in open_dataset(written).read("valid")] == [None] * 4


def test_the_manifest_is_at_hand(written: Path) -> None:
    dataset = open_dataset(written)
    assert dataset.manifest.source_language == "en"
    assert dataset.manifest.target_language == "de"
    assert dataset.manifest.levels == 2
    assert dataset.manifest.identity == sha256(written / "manifest.json")
    assert dataset.num_rows("train") == 20
    assert dataset.tags[0] == "<unk>"


def test_a_split_that_is_not_there_is_refused(written: Path) -> None:
    with pytest.raises(InputError, match=r"dataset: no split 'dev'; it has train, valid, test"):
        open_dataset(written).num_rows("dev")


def test_a_folder_that_is_no_dataset_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"manifest\.json: no such file"):
        open_dataset(tmp_path)


@pytest.mark.parametrize("version", [0, 1, "2", None])
def test_another_version_is_refused(folder: Path, version: object) -> None:
    change_manifest(folder, lambda content: content.update(schema_version=version))
    with pytest.raises(
        InputError, match=r"manifest\.json: expected a dataset of schema version 2, got"
    ):
        open_dataset(folder)


@pytest.mark.parametrize("kind", ["mgsa model", "mgsa probing data"])
def test_an_artifact_of_another_kind_is_named(folder: Path, kind: str) -> None:
    change_manifest(folder, lambda content: content.update(kind=kind))
    with pytest.raises(InputError, match=f"expected the manifest of a dataset, not of '{kind}'"):
        open_dataset(folder)


@pytest.mark.parametrize("key", ["source_language", "levels", "splits", "files"])
def test_a_manifest_that_lacks_something_is_refused(folder: Path, key: str) -> None:
    change_manifest(folder, lambda content: content.pop(key))
    with pytest.raises(InputError, match=rf"manifest\.json: manifest\.{key}: missing"):
        open_dataset(folder)


@pytest.mark.parametrize("name", ["train.parquet", "vocab.json", "tags.json"])
def test_a_manifest_that_does_not_list_a_file_is_refused(folder: Path, name: str) -> None:
    change_manifest(folder, lambda content: content["files"].pop(name))
    with pytest.raises(InputError, match=rf"manifest\.json: expected {name} among the files"):
        open_dataset(folder)


@pytest.mark.parametrize("name", ["train.parquet", "vocab.json", "bpe.codes"])
def test_a_missing_file_is_named(folder: Path, name: str) -> None:
    (folder / name).unlink()
    with pytest.raises(InputError, match=rf"{name}: no such file, but the manifest lists it"):
        open_dataset(folder)


@pytest.mark.parametrize("verify", [True, False])
def test_a_truncated_file_is_named(folder: Path, verify: bool) -> None:
    path = folder / "train.parquet"
    size = path.stat().st_size
    path.write_bytes(path.read_bytes()[: size // 2])
    with pytest.raises(
        InputError, match=rf"train\.parquet: expected {size} bytes .* found {size // 2}"
    ):
        open_dataset(folder, verify=verify)


def test_an_altered_file_is_named(folder: Path) -> None:
    path = folder / "vocab.json"
    path.write_bytes(path.read_bytes().replace(b'"a"', b'"z"'))
    with pytest.raises(InputError, match=r"vocab\.json: its SHA-256 is not the manifest's"):
        open_dataset(folder)


def test_hashes_are_not_compared_when_not_asked_for(folder: Path) -> None:
    path = folder / "bpe.codes"
    path.write_bytes(path.read_bytes().swapcase())
    assert open_dataset(folder, verify=False).num_rows("train") == 20


def test_a_planted_pickle_is_refused_unopened(folder: Path, tmp_path: Path) -> None:
    evidence = tmp_path / "evidence"
    planted = folder / "model.pkl"
    planted.write_bytes(pickle_bomb(evidence))
    with pytest.raises(InputError, match=r"model\.pkl: expected no file that manifest\.json"):
        open_dataset(folder)
    planted.unlink()
    for name in ("train.parquet", "vocab.json", "tags.json"):
        copy = Path(shutil.copytree(folder, tmp_path / name))
        (copy / name).write_bytes(pickle_bomb(evidence))
        rehash(copy, name)
        with pytest.raises(InputError, match=rf"{name}:.* expected"):
            open_dataset(copy)
    assert not evidence.exists()


def test_a_file_that_is_not_parquet_is_named(folder: Path) -> None:
    (folder / "valid.parquet").write_text("id\ttext\n")
    rehash(folder, "valid.parquet")
    with pytest.raises(InputError, match=r"valid\.parquet: expected a readable Parquet file"):
        open_dataset(folder)


def test_a_damaged_page_is_named_when_it_is_read(folder: Path) -> None:
    path = folder / "train.parquet"
    content = bytearray(path.read_bytes())
    content[4:2000] = bytes(1996)
    path.write_bytes(content)
    dataset = open_dataset(folder, verify=False)
    with pytest.raises(InputError, match=r"train\.parquet: expected a readable Parquet file"):
        list(dataset.read("train"))


@pytest.mark.parametrize("column", ["source_ids", "phrase_tags", "links"])
def test_a_missing_column_is_named(folder: Path, column: str) -> None:
    path = folder / "train.parquet"
    pq.write_table(pq.read_table(path).drop_columns([column]), path)
    rehash(folder, "train.parquet")
    with pytest.raises(InputError, match=rf"train\.parquet: expected a column {column}: list<"):
        open_dataset(folder)


def test_a_column_of_another_type_is_named(folder: Path) -> None:
    path = folder / "train.parquet"
    table = pq.read_table(path)
    place = SCHEMA.get_field_index("source_length")
    wider = pa.field("source_length", pa.int64(), nullable=False)
    pq.write_table(table.set_column(place, wider, table["source_length"].cast(pa.int64())), path)
    rehash(folder, "train.parquet")
    with pytest.raises(InputError, match=r"expected a column source_length: int16"):
        open_dataset(folder)


@pytest.mark.parametrize(
    ("column", "value", "expectation"),
    [
        ("source_ids", [5, 99], "source_ids of the vocabulary"),
        ("target_ids", [], "at least one of target_ids"),
        ("target_ids", [5] * (LONGEST + 1), "at most 32767 target_ids"),
        ("source_length", 99, "source_length ids"),
        ("target_length", 0, "target_length ids"),
        ("subwords_per_word", [2, 0], "subwords_per_word that give each word a share"),
        ("phrase_lengths", [[1, 1]], "2 levels of phrase_lengths"),
        ("phrase_lengths", [[1, 1], [1, 2]], "phrase_lengths of every level that add up"),
        ("phrase_tags", [[1, 1], [1, 99]], "phrase_tags of tags.json"),
        ("links", [{"source": 99, "target": 0}], "links between positions of the source"),
    ],
)
def test_a_row_that_would_lead_a_model_astray_is_named_when_it_is_read(
    folder: Path, column: str, value: object, expectation: str
) -> None:
    path = folder / "train.parquet"
    rows = pq.read_table(path).to_pylist()
    rows[4][column] = value
    pq.write_table(pa.Table.from_pylist(rows, schema=SCHEMA), path, row_group_size=3)
    rehash(folder, path.name)
    dataset = open_dataset(folder)
    reads: list[Callable[[], object]] = [
        lambda: list(dataset.read("train")),
        lambda: list(dataset.rows("train", [5])),
        lambda: dataset.columns("train", [0, 1], words=True, phrases=True, links=True),
    ]
    for read in reads:
        with pytest.raises(InputError, match=rf"train\.parquet: row 4: expected {expectation}"):
            read()
    assert len(list(dataset.read("train", 0, 3))) == 3


def test_rows_of_more_ids_than_a_sentence_has_are_refused_unread(folder: Path) -> None:
    """They repeat, so that a file of a few kilobytes holds as many as one likes."""
    path = folder / "train.parquet"
    rows = pq.read_table(path).to_pylist()[:2]
    rows[1]["target_ids"] = [5] * (3 * LONGEST)
    pq.write_table(pa.Table.from_pylist(rows, schema=SCHEMA), path)
    rehash(folder, path.name)
    with pytest.raises(
        InputError,
        match=r"train\.parquet: expected at most 32767 target_ids a row, found 98\d+ in 2",
    ):
        open_dataset(folder)


@pytest.mark.parametrize("column", ["source_text", "target_text", "source_tokens", "target_tokens"])
def test_text_that_is_not_utf_8_is_refused(folder: Path, column: TextColumn) -> None:
    forge_text(folder / "train.parquet", column, 4, b"\xff")
    rehash(folder, "train.parquet")
    reads: list[Callable[[], object]] = [
        lambda: list(open_dataset(folder).texts("train", column)),
        lambda: verify_dataset(folder),
    ]
    for read in reads:
        with pytest.raises(InputError, match=r"train\.parquet: expected .* Invalid UTF8"):
            read()


def test_rows_that_the_manifest_does_not_count_are_refused(folder: Path) -> None:
    change_manifest(folder, lambda content: content["splits"]["train"].update(rows=21))
    with pytest.raises(InputError, match=r"train\.parquet: expected 21 rows .* found 20"):
        open_dataset(folder)


def test_an_open_dataset_gives_rows(written: Path) -> None:
    dataset: Dataset = open_dataset(written)
    assert all(isinstance(row, Row) for row in dataset.read("test"))
