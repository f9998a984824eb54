"""However many files a split has, it is read as one."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mgsa.data.artifact import Dataset, open_dataset
from mgsa.data.verification import verify_dataset
from mgsa.errors import InputError
from mgsa.files import read_json, write_json
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
    assert dataset.place("train", 0) == (dataset.folder / "train-00000.parquet", 0)
    assert dataset.place("train", 6) == (dataset.folder / "train-00001.parquet", 0)
    assert dataset.place("train", 19) == (dataset.folder / "train-00003.parquet", 1)


def test_a_split_without_files_is_refused(tmp_path: Path) -> None:
    folder = dataset_of(tmp_path, NUM_ROWS).folder
    manifest = read_json(folder / "manifest.json")
    manifest["splits"]["train"]["files"] = []
    write_json(folder / "manifest.json", manifest)
    with pytest.raises(InputError, match="splits: expected at least one file of each"):
        open_dataset(folder)
