"""Opening a dataset: what is refused, and that rows come back as they were written."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mgsa.cli.errors import InputError
from mgsa.cli.files import read_json, write_json
from mgsa.data.batch import pad_columns
from mgsa.data.dataset import MAX_OPEN_FILES, Dataset, Shards, open_dataset, verify_dataset
from mgsa.data.ragged import Ragged
from mgsa.data.schema import LABELS, SCHEMA, Kind
from tests.probing_folders import record
from tests.stage_folders import BUSH, YES, build, random_pairs, write_stages

NUM_ROWS = 20
EXTRA = ("subwords_per_word", "phrase_lengths", "phrase_tags")


def dataset_of(folder: Path, shard_rows: int) -> Dataset:
    """The same random pairs, in files of so many rows, row groups of three."""
    pairs = random_pairs(NUM_ROWS, seed=1)
    write_stages(folder, {"train": pairs, "valid": pairs[:4], "test": pairs[:4]})
    return open_dataset(build(folder, "--set", f"shard_rows={shard_rows}"))


@pytest.fixture(scope="module")
def datasets(tmp_path_factory: pytest.TempPathFactory) -> dict[int, Dataset]:
    sizes = (1, 7, NUM_ROWS)
    return {size: dataset_of(tmp_path_factory.mktemp(f"of_{size}"), size) for size in sizes}


@pytest.fixture(scope="module")
def dataset(datasets: dict[int, Dataset]) -> Dataset:
    return datasets[NUM_ROWS]


@pytest.fixture
def folder(dataset: Dataset, tmp_path: Path) -> Path:
    """A copy to damage."""
    return Path(shutil.copytree(dataset.folder, tmp_path / "dataset"))


def change_manifest(folder: Path, *keys: str, to: object = None) -> None:
    """Put a value into a manifest; without one the key goes."""
    content = read_json(folder / "manifest.json")
    *sections, last = keys
    section = content
    for name in sections:
        section = section[name]
    section[last] = to
    if to is None:
        del section[last]
    write_json(folder / "manifest.json", content)


def test_a_row_is_what_the_text_stages_made(tmp_path: Path) -> None:
    write_stages(tmp_path, {"train": [YES, BUSH], "valid": [YES], "test": [YES]})
    dataset = open_dataset(build(tmp_path, "--alignments", str(tmp_path / "alignments")))
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


def test_columns_are_the_rows_of_their_row_groups(dataset: Dataset) -> None:
    assert dataset.row_group_rows("train").tolist() == [3] * 6 + [2]
    columns = dataset.columns("train", [4, 1], (*EXTRA, "links"))
    rows = list(dataset.rows("train", [12, 13, 14, 3, 4, 5]))
    assert [row.links for row in rows] == [None] * 6
    assert columns.index.tolist() == [row.index for row in rows]
    for place, row in enumerate(rows):
        assert columns.source[place].tolist() == row.source
        assert columns.target[place].tolist() == row.target
        assert columns.subwords_per_word[place].tolist() == row.subwords_per_word
        for level in range(2):
            assert columns.phrase_lengths[level][place].tolist() == row.phrase_lengths[level]
            assert columns.phrase_tags[level][place].tolist() == row.phrase_tags[level]
    lengths = dataset.lengths("train", [4, 1])
    assert lengths.tolist() == [[len(row.source), len(row.target)] for row in rows]
    with pytest.raises(IndexError, match="train: no row 20 among 20"):
        list(dataset.rows("train", [NUM_ROWS]))


@pytest.mark.parametrize(
    ("keys", "value", "message"),
    [
        (["schema_version"], None, "expected a dataset of schema version 3, got None"),
        (["schema_version"], 1, "expected a dataset of schema version 3, got 1"),
        (["kind"], "mgsa model", "expected the manifest of a dataset, not of 'mgsa model'"),
        (["levels"], None, r"manifest\.levels: missing"),
        (["files", "train.parquet"], None, "expected train.parquet among the files"),
        (["files", "tags.json"], None, "expected tags.json among the files"),
    ],
)
def test_a_manifest_of_another_dataset_is_refused(
    folder: Path, keys: list[str], value: object, message: str
) -> None:
    change_manifest(folder, *keys, to=value)
    with pytest.raises(InputError, match=rf"manifest\.json: .*{message}"):
        open_dataset(folder)


def test_a_damaged_page_is_named_when_it_is_read(folder: Path) -> None:
    path = folder / "train.parquet"
    content = bytearray(path.read_bytes())
    content[4:2000] = bytes(1996)
    path.write_bytes(content)
    dataset = open_dataset(folder, verify=False)
    with pytest.raises(InputError, match=r"train\.parquet: expected a readable Parquet file"):
        list(dataset.read("train"))


def test_columns_and_rows_must_be_those_of_schema_and_manifest(folder: Path) -> None:
    path = folder / "train.parquet"
    table = pq.read_table(path)
    place = SCHEMA.get_field_index("source_length")
    wider = pa.field("source_length", pa.int64(), nullable=False)
    lengths = table["source_length"].cast(pa.int64())
    for wrong, message in (
        (table.drop_columns(["links"]), "expected a column links: list<"),
        (table.set_column(place, wider, lengths), "expected a column source_length: int16"),
        (table.slice(1), "expected 20 rows as in the manifest, found 19"),
    ):
        pq.write_table(wrong, path)
        record(path)
        with pytest.raises(InputError, match=rf"train\.parquet: {message}"):
            open_dataset(folder)


@pytest.mark.parametrize(
    "name",
    [
        *("links", "phrases", "phrases_unknown"),
        *("source_words", "source_subwords", "source_unknown"),
        *("target_words", "target_subwords", "target_unknown"),
    ],
)
def test_what_a_manifest_counts_is_counted(folder: Path, name: str) -> None:
    change_manifest(folder, "splits", "valid", name, to=999)
    with pytest.raises(InputError, match=rf"manifest\.splits\.valid\.{name}: expected"):
        verify_dataset(folder)


@pytest.mark.parametrize(
    ("shard_rows", "names"),
    [
        (NUM_ROWS, ["train.parquet"]),
        (7, [f"train-0000{n}.parquet" for n in range(4)]),
        (1, [f"train-0000{n}.parquet" for n in range(7)]),  # a row group is in one file
    ],
)
def test_files_have_as_many_rows_as_asked_for(
    datasets: dict[int, Dataset], shard_rows: int, names: list[str]
) -> None:
    dataset = datasets[shard_rows]
    assert sorted(path.name for path in dataset.folder.glob("train*.parquet")) == names
    assert list(dataset.manifest.splits["train"].files) == names
    assert sum(dataset.shard_rows("train")) == NUM_ROWS
    assert max(dataset.shard_rows("train")) <= max(shard_rows, 3)
    verify_dataset(dataset.folder)


@given(
    shard_rows=st.sampled_from([1, 7]),
    indices=st.lists(st.integers(0, NUM_ROWS - 1)),
    groups=st.lists(st.integers(0, 6)),
    bounds=st.tuples(st.integers(0, NUM_ROWS), st.integers(0, NUM_ROWS)),
)
def test_several_files_are_read_as_one(
    datasets: dict[int, Dataset],
    shard_rows: int,
    indices: list[int],
    groups: list[int],
    bounds: tuple[int, int],
) -> None:
    one, several = datasets[NUM_ROWS], datasets[shard_rows]
    whole = list(one.read("train"))
    assert list(several.rows("train", indices)) == [whole[index] for index in indices]
    assert list(several.read("train", *bounds)) == whole[bounds[0] : bounds[1]]
    assert np.array_equal(one.lengths("train", groups), several.lengths("train", groups))
    texts = [list(d.texts("train", "source_tokens", *bounds)) for d in (one, several)]
    assert texts[0] == texts[1]


def test_an_error_names_the_file_and_the_row_in_it(
    datasets: dict[int, Dataset], tmp_path: Path
) -> None:
    folder = Path(shutil.copytree(datasets[7].folder, tmp_path / "dataset"))
    path = folder / "train-00001.parquet"
    rows = pq.read_table(path).to_pylist()
    rows[5]["source_length"] += 1
    pq.write_table(pa.Table.from_pylist(rows, schema=SCHEMA), path, row_group_size=3)
    record(path)
    with pytest.raises(InputError, match=r"train-00001\.parquet: row 5: expected source_length"):
        list(open_dataset(folder).read("train"))


def test_no_more_than_a_few_files_are_open(tmp_path: Path) -> None:
    paths = [tmp_path / f"train-{number:05}.parquet" for number in range(3 * MAX_OPEN_FILES)]
    table = pa.table({"ids": [1]})
    for path in paths:
        pq.write_table(table, path)
    before = len([*Path("/dev/fd").iterdir()])
    shards = Shards(paths, table.schema, len(paths))
    for group in range(len(paths)):
        assert shards.read(group, ["ids"]) == table
    assert len([*Path("/dev/fd").iterdir()]) - before <= MAX_OPEN_FILES


SENTENCES = (
    *("source_tokens", "source_ids", "source_length"),
    *("subwords_per_word", "phrase_lengths", "phrase_tags"),
)
LABELLED_COLUMNS = pa.schema(
    [
        *(SCHEMA.field(name) for name in SENTENCES),
        pa.field("voice", pa.int16(), nullable=True),
        pa.field("pos", pa.list_(pa.field("element", pa.int16(), nullable=False))),
    ]
)
LABELLED = Kind("labelled", "labelled sentences", 1, LABELLED_COLUMNS, ("voice", "pos"))


def label(folder: Path, **changes: Any) -> None:
    """Make a dataset one of labelled sentences; `changes` are labels of row 2 of `valid`."""
    change_manifest(folder, "kind", to="labelled")
    change_manifest(folder, "schema_version", to=1)
    write_json(folder / LABELS, {"voice": ["active", "passive"], "pos": ["N", "V", "OTHER"]})
    record(folder / LABELS)
    for split in ("train", "valid", "test"):
        path = folder / f"{split}.parquet"
        rows = pq.read_table(path).to_pylist()
        for place, row in enumerate(rows):
            row["voice"] = [1, None, 0][place % 3]
            row["pos"] = [len(row["subwords_per_word"]) % 3] * len(row["subwords_per_word"])
        rows[2] |= changes if split == "valid" else {}
        pq.write_table(pa.Table.from_pylist(rows, schema=LABELLED_COLUMNS), path, row_group_size=3)
        record(path)


def test_sentences_with_labels_are_a_dataset(folder: Path) -> None:
    pairs = open_dataset(folder).columns("valid", [0, 1], EXTRA).take(np.array([3, 1]))
    label(folder)
    with pytest.raises(InputError, match="expected the manifest of a dataset, not of 'labelled'"):
        open_dataset(folder)
    dataset = open_dataset(folder, kind=LABELLED)
    assert dataset.classes == {"voice": ("active", "passive"), "pos": ("N", "V", "OTHER")}
    columns = dataset.columns("valid", [0, 1], (*EXTRA, "voice", "pos")).take(np.array([3, 1]))
    voice, pos = columns.labels["voice"], columns.labels["pos"]
    assert isinstance(voice, np.ndarray)
    assert isinstance(pos, Ragged)
    assert voice.tolist() == [1, -1]
    words = pairs.subwords_per_word.lengths.tolist()
    assert [pos[row].tolist() for row in range(2)] == [[n % 3] * n for n in words]
    names = ("syntactic_1", "ngram_2")
    mine, its = (pad_columns(some, names, ngram_unit="word") for some in (columns, pairs))
    assert mine.source.equal(its.source)
    assert all(mine.segments[name].equal(its.segments[name]) for name in names)
    assert mine.target_output.shape == (2, 1)  # end of sentence


@pytest.mark.parametrize(
    ("column", "value", "expectation"),
    [
        ("voice", 2, "classes of voice of labels.json"),
        ("voice", -1, "classes of voice of labels.json"),
        ("pos", [3], "a class of pos for every word"),
    ],
)
def test_a_wrong_label_is_named(folder: Path, column: str, value: Any, expectation: str) -> None:
    label(folder, **{column: value})
    dataset = open_dataset(folder, kind=LABELLED)
    with pytest.raises(InputError, match=rf"valid\.parquet: row 2: expected {expectation}"):
        dataset.columns("valid", [0, 1], ("subwords_per_word", "voice", "pos"))
