"""However many files a split has, it is read as one."""

from __future__ import annotations

import resource
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mgsa.base.errors import InputError
from mgsa.base.io import read_json, write_json
from mgsa.data.artifact import Dataset, open_dataset
from mgsa.data.schema import LONGEST
from mgsa.data.shards import MAX_OPEN_FILES, Shards
from mgsa.data.verification import verify_dataset
from tests.forged_parquet import (
    COLUMN_COMPRESSED,
    COLUMN_DATA_PAGE,
    COLUMN_UNCOMPRESSED,
    COLUMN_VALUES,
    DATA_VALUES,
    FILE_ROWS,
    GROUP_BYTES,
    GROUP_ROWS,
    PAGE_COMPRESSED,
    PAGE_DATA,
    PAGE_UNCOMPRESSED,
    Struct,
    columns,
    forge_footer,
    forge_page,
    row_groups,
)
from tests.mutations import mutated_bytes, refusal
from tests.stage_folders import build, random_pairs, write_stages

NUM_ROWS = 20


def dataset_of(folder: Path, shard_rows: int) -> Dataset:
    """The same pairs, in files of so many rows, row groups of three."""
    splits = {split: random_pairs(NUM_ROWS, seed=1) for split in ("train", "valid", "test")}
    write_stages(folder, splits)
    return open_dataset(build(folder, "--set", f"shard_rows={shard_rows}"))


@pytest.fixture(scope="module")
def datasets(tmp_path_factory: pytest.TempPathFactory) -> dict[int, Dataset]:
    sizes = (1, 3, 7, NUM_ROWS)
    return {size: dataset_of(tmp_path_factory.mktemp(f"of_{size}"), size) for size in sizes}


@pytest.mark.parametrize(
    ("shard_rows", "names"),
    [
        (NUM_ROWS, ["train.parquet"]),
        (7, [f"train-0000{n}.parquet" for n in range(4)]),
        (3, [f"train-0000{n}.parquet" for n in range(7)]),
        (1, [f"train-0000{n}.parquet" for n in range(7)]),  # a row group is in one file
    ],
)
def test_files_have_as_many_rows_as_asked_for(
    datasets: dict[int, Dataset], shard_rows: int, names: list[str]
) -> None:
    dataset = datasets[shard_rows]
    assert sorted(path.name for path in dataset.folder.glob("train*.parquet")) == names
    assert list(dataset.manifest.shards["train"]) == names
    assert sum(dataset.shard_rows("train")) == NUM_ROWS
    assert max(dataset.shard_rows("train")) <= max(shard_rows, 3)
    verify_dataset(dataset.folder)


@given(
    shard_rows=st.sampled_from([1, 3, 7]),
    indices=st.lists(st.integers(0, NUM_ROWS - 1)),
    groups=st.lists(st.integers(0, 6)),
    bounds=st.tuples(st.integers(0, NUM_ROWS), st.integers(0, NUM_ROWS)),
)
def test_they_are_read_as_one(
    datasets: dict[int, Dataset],
    shard_rows: int,
    indices: list[int],
    groups: list[int],
    bounds: tuple[int, int],
) -> None:
    one, several = datasets[NUM_ROWS], datasets[shard_rows]
    assert list(one.rows("train", indices)) == list(several.rows("train", indices))
    assert list(one.read("train", *bounds)) == list(several.read("train", *bounds))
    assert np.array_equal(one.lengths("train", groups), several.lengths("train", groups))
    texts = [list(d.texts("train", "source_tokens", *bounds)) for d in (one, several)]
    assert texts[0] == texts[1]


def test_a_row_has_a_place_in_a_file(datasets: dict[int, Dataset]) -> None:
    dataset = datasets[7]
    shards = Shards([dataset.folder / name for name in dataset.manifest.shards["train"]])
    assert shards.place(0) == (dataset.folder / "train-00000.parquet", 0)
    assert shards.place(6) == (dataset.folder / "train-00001.parquet", 0)
    assert shards.place(19) == (dataset.folder / "train-00003.parquet", 1)
    said = str(dataset.error_in_row("train", 7, "a number"))
    assert said == f"{dataset.folder / 'train-00001.parquet'}: row 1: expected a number"


def test_a_split_without_files_is_refused(tmp_path: Path) -> None:
    folder = dataset_of(tmp_path, NUM_ROWS).folder
    manifest = read_json(folder / "manifest.json")
    manifest["splits"]["train"]["files"] = []
    write_json(folder / "manifest.json", manifest)
    with pytest.raises(InputError, match=r"manifest\.splits\.train: expected at least one file$"):
        open_dataset(folder)


@pytest.mark.parametrize(
    ("files", "message"),
    [
        ({"train": ["train.parquet"] * 2}, "'train.parquet' 2 times"),
        ({"train": ["train.parquet"] * 20_000}, "'train.parquet' 20000 times"),
        ({"train": ["train.parquet", "test.parquet"]}, "'test.parquet' 2 times"),
    ],
)
def test_a_file_that_is_there_twice_is_refused(
    datasets: dict[int, Dataset], tmp_path: Path, files: dict[str, list[str]], message: str
) -> None:
    """It would be counted twice, and learnt from twice, or be of training and of test."""
    folder = Path(shutil.copytree(datasets[NUM_ROWS].folder, tmp_path / "dataset"))
    manifest = read_json(folder / "manifest.json")
    for split, names in files.items():
        manifest["splits"][split] |= {"files": names, "rows": NUM_ROWS * len(names)}
    write_json(folder / "manifest.json", manifest)
    with pytest.raises(
        InputError,
        match=rf"manifest\.json: manifest: splits: expected each file once, .* {message}$",
    ):
        open_dataset(folder)


def test_no_more_than_a_few_files_are_open(tmp_path: Path) -> None:
    paths = [tmp_path / f"train-{number:05}.parquet" for number in range(3 * MAX_OPEN_FILES)]
    for number, path in enumerate(paths):
        pq.write_table(pa.table({"ids": [number]}), path)
    before = len([*Path("/dev/fd").iterdir()])
    shards = Shards(paths)
    for _ in range(2):
        read = shards.read(range(len(paths)), ["ids"])
        assert read["ids"].to_pylist() == [*range(len(paths))]
    assert len([*Path("/dev/fd").iterdir()]) - before <= MAX_OPEN_FILES


def test_texts_that_unfold_are_refused(tmp_path: Path) -> None:
    """A megabyte that two thousand rows share is in a file once: two gigabytes in memory."""
    path = tmp_path / "train.parquet"
    shared = pa.DictionaryArray.from_arrays(pa.array([0] * 2000, pa.int32()), ["a" * 1_000_000])
    pq.write_table(pa.table({"texts": shared}), path, store_schema=False)
    assert path.stat().st_size < 1_000_000
    message = r"row groups of at most 1,073,741,824 bytes, found 2000000000 of text$"
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    with pytest.raises(InputError, match=message):
        Shards([path]).read([0], ["texts"])
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 500_000  # kB


@pytest.mark.parametrize("use_dictionary", [True, False])
def test_texts_are_read_as_they_are_written(tmp_path: Path, use_dictionary: bool) -> None:
    path = tmp_path / "train.parquet"
    texts = pa.table({"texts": ["", "ab", "ä \u6728", "ab", None, "c\n"], "numbers": range(6)})
    pq.write_table(texts, path, row_group_size=4, use_dictionary=use_dictionary)
    assert (
        Shards([path]).read([0, 1], ["numbers", "texts"]).equals(texts.select(["numbers", "texts"]))
    )


@pytest.mark.parametrize("num_rows", [1, 3])
def test_lists_are_as_long_as_sentences_may_be(tmp_path: Path, num_rows: int) -> None:
    path = tmp_path / "train.parquet"
    expected = pa.schema([("ids", pa.list_(pa.int32()))])
    ids = [[0] * LONGEST] * num_rows
    pq.write_table(pa.table({"ids": ids}, expected), path)
    Shards([path]).check_columns(expected)
    pq.write_table(pa.table({"ids": [*ids[1:], [0] * (LONGEST + 1)]}, expected), path)
    found = rf"at most 32767 ids a row, found {num_rows * LONGEST + 1} in {num_rows}$"
    with pytest.raises(InputError, match=rf"train\.parquet: expected {found}"):
        Shards([path]).check_columns(expected)


@pytest.mark.parametrize("use_dictionary", [True, False])
def test_texts_that_are_not_utf_8_are_refused(tmp_path: Path, use_dictionary: bool) -> None:
    """Arrow doesn't look at texts as it reads them: Python would, wherever they are used."""
    path = tmp_path / "train.parquet"
    texts = pa.array([b"ab", b"c\xff", b"ab"], pa.binary()).view(pa.string())
    pq.write_table(pa.table({"texts": texts}), path, use_dictionary=use_dictionary)
    with pytest.raises(
        InputError, match=r"train\.parquet: expected a readable Parquet file: .* Invalid UTF8"
    ):
        Shards([path]).read([0], ["texts"])


def test_a_name_of_a_column_that_is_not_utf_8_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "train.parquet"
    pq.write_table(pa.table({"texts": ["ab"]}), path, store_schema=False)
    path.write_bytes(path.read_bytes().replace(b"texts", b"te\xffts"))
    with pytest.raises(InputError, match=r"train\.parquet: expected a readable Parquet file: 'utf"):
        Shards([path]).check_columns(pa.schema([("texts", pa.string())]))


@pytest.fixture
def lists(tmp_path: Path) -> Path:
    """A file of twenty rows in two row groups, each column of which is one page."""
    path = tmp_path / "train.parquet"
    ids, three = [[i] * 3 for i in range(NUM_ROWS)], [3] * NUM_ROWS
    table = pa.table({"ids": ids, "length": three, "nobody's": three})
    pq.write_table(table, path, row_group_size=NUM_ROWS // 2, use_dictionary=False)
    return path


@pytest.mark.parametrize("field", [COLUMN_VALUES, COLUMN_UNCOMPRESSED])
@pytest.mark.parametrize("use_dictionary", [True, False])
def test_pages_that_hold_more_than_the_footer_says_are_refused(
    tmp_path: Path, field: int, use_dictionary: bool
) -> None:
    """Of zeros alone, a thousandth of a byte each; Arrow believes the pages."""
    path = tmp_path / "train.parquet"
    zeros = pa.array(np.zeros(10_000_000, dtype=np.int32))
    table = pa.table({"ids": pa.ListArray.from_arrays([0, len(zeros)], zeros), "length": [3]})
    pq.write_table(table, path, compression="zstd", use_dictionary=use_dictionary)
    assert read_all(path).num_rows == 1
    forge_footer(path, lambda footer: set_column(footer, 0, field, 10))
    expected = r"train\.parquet: expected a readable Parquet file: the pages of ids\.\S+ hold more"
    with pytest.raises(InputError, match=expected):
        read_all(path)


@given(
    compression=st.sampled_from(["none", "snappy", "zstd", "gzip"]),
    version=st.sampled_from(["1.0", "2.0"]),
    page_bytes=st.sampled_from([50, 300, 1 << 20]),  # a page of a byte Arrow itself can't read
    group_rows=st.integers(1, 30),
    use_dictionary=st.booleans(),
    checksums=st.booleans(),
    lists=st.lists(st.lists(st.integers(0, 5), max_size=5), min_size=1, max_size=30),
)
def test_pages_that_arrow_writes_hold_what_their_footer_says(
    tmp_path_factory: pytest.TempPathFactory,
    compression: str,
    version: str,
    page_bytes: int,
    group_rows: int,
    use_dictionary: bool,
    checksums: bool,
    lists: list[list[int]],
) -> None:
    path = tmp_path_factory.getbasetemp() / "pages.parquet"
    texts = ["x" * 3000 if numbers else None for numbers in lists]  # a long least value, too
    columns = {
        "ids": pa.array(lists, pa.list_(pa.int32())),
        "length": pa.array(map(len, lists), pa.int16()),
        "texts": pa.array(texts, pa.string()),
    }
    pq.write_table(
        pa.table(columns),
        path,
        compression=compression,
        data_page_version=version,
        data_page_size=page_bytes,
        row_group_size=group_rows,
        use_dictionary=use_dictionary,
        write_page_checksum=checksums,
    )
    shards = Shards([path])
    read = shards.read(range(len(shards.row_group_rows)), list(columns))
    assert read.to_pylist() == pa.table(columns).to_pylist()


def read_all(path: Path) -> pa.Table:
    shards = Shards([path])
    return shards.read(range(len(shards.row_group_rows)), ["ids", "length"])


def set_rows(footer: Struct, rows: int) -> None:
    row_groups(footer)[0][GROUP_ROWS][1] = rows


def set_column(footer: Struct, column: int, field: int, number: int) -> None:
    columns(row_groups(footer)[0])[column][field][1] = number


def make_room(footer: Struct) -> None:
    """The column that nobody reads promises less than nothing, another one as much more."""
    set_column(footer, 2, COLUMN_VALUES, -(2**40))
    set_column(footer, 2, COLUMN_UNCOMPRESSED, -(2**42))
    set_column(footer, 0, COLUMN_UNCOMPRESSED, 2**41)


@pytest.mark.parametrize(
    ("lie", "message"),
    [
        (lambda f: set_rows(f, 10**12), "row groups of at most 100,000 rows, found 1000000000000"),
        (lambda f: set_rows(f, -1), "row groups of at most 100,000 rows, found -1"),
        (lambda f: set_rows(f, 11), "21 rows as in its footer, found 20"),
        (
            lambda f: set_column(f, 0, COLUMN_VALUES, 2**60),
            "row groups of at most 1,073,741,824 by",
        ),
        (lambda f: set_column(f, 1, COLUMN_UNCOMPRESSED, 2**31), "row groups of at most 1,073,741"),
        (lambda f: set_column(f, 0, COLUMN_COMPRESSED, 2**31), "a readable Parquet file: "),
        (lambda f: set_column(f, 0, COLUMN_VALUES, 0), "a readable Parquet file: "),
        (lambda f: set_column(f, 0, COLUMN_DATA_PAGE, 2**40), "a readable Parquet file: "),
        (lambda f: set_column(f, 2, COLUMN_VALUES, -1), "counts of at least 0 in its footer, fo"),
        (lambda f: set_column(f, 2, COLUMN_UNCOMPRESSED, -1), "counts of at least 0 in its foot"),
        (lambda f: set_column(f, 2, COLUMN_COMPRESSED, -1), "counts of at least 0 in its footer"),
        (make_room, "counts of at least 0 in its footer, found -4398046511104"),
    ],
)
def test_a_footer_that_lies_is_named(
    lists: Path, lie: Callable[[Struct], None], message: str
) -> None:
    forge_footer(lists, lie)
    with pytest.raises(InputError, match=rf"train\.parquet: expected ({message})"):
        read_all(lists)


@pytest.mark.parametrize("field", [FILE_ROWS, GROUP_BYTES])
def test_what_a_footer_says_in_vain_is_not_believed(lists: Path, field: int) -> None:
    honest = read_all(lists)

    def lie(footer: Struct) -> None:
        (footer if field == FILE_ROWS else row_groups(footer)[0])[field][1] = 10**12

    forge_footer(lists, lie)
    assert read_all(lists) == honest


@pytest.mark.parametrize("number", [-1, 0, 2**31 - 1])
@pytest.mark.parametrize("field", [PAGE_UNCOMPRESSED, PAGE_COMPRESSED, DATA_VALUES])
def test_a_page_that_lies_is_named(lists: Path, field: int, number: int) -> None:
    def lie(header: Struct) -> None:
        (header[PAGE_DATA][1] if field == DATA_VALUES else header)[field][1] = number

    forge_page(lists, 0, lie)
    with pytest.raises(InputError, match=r"train\.parquet: expected a readable Parquet file: "):
        read_all(lists)


@given(st.data())
def test_whatever_a_file_holds(tmp_path_factory: pytest.TempPathFactory, data: Any) -> None:
    path = tmp_path_factory.getbasetemp() / "train.parquet"
    table = pa.table({"ids": [[1, 2], [], [3]], "length": [2, 0, 1]})
    pq.write_table(table, path, compression="zstd")
    path.write_bytes(data.draw(mutated_bytes(path.read_bytes())))
    said = refusal(lambda: read_all(path))
    assert said is None or said.startswith(f"{path}: ")
