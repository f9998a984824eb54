"""Every property that models rely on is checked, and the row that lacks it is named."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from mgsa.base.errors import InputError
from mgsa.base.io import read_json, sha256, write_json
from mgsa.data.schema import SCHEMA
from mgsa.data.verification import verify_dataset
from tests.stage_folders import BUSH, YES, build, write_stages


@pytest.fixture(scope="module")
def written(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("verification") / "stages"
    write_stages(folder, {"train": [YES, BUSH, YES, YES], "valid": [YES], "test": [YES]})
    return build(folder, "--alignments", str(folder / "alignments"))


def test_a_sound_dataset_passes(written: Path) -> None:
    assert verify_dataset(written).num_rows("train") == 4


def test_a_dataset_without_links_passes(tmp_path: Path) -> None:
    write_stages(tmp_path / "stages", {"train": [YES, BUSH], "valid": [YES], "test": [YES]})
    assert verify_dataset(build(tmp_path / "stages")).num_rows("train") == 2


def change(*keys: str, to: object) -> Callable[[dict[str, Any]], None]:
    """What puts a value into a manifest."""

    def put(manifest: dict[str, Any]) -> None:
        *sections, last = keys
        for section in sections:
            manifest = manifest[section]
        manifest[last] = to

    return put


# Of "Yes ." and "Ja@@ wohl .", on two levels.
COUNTS = {
    "links": 3,
    "phrases": 4,
    "phrases_unknown": 0,
    "source_words": 2,
    "target_words": 2,
    "source_subwords": 2,
    "target_subwords": 3,
    "source_unknown": 0,
    "target_unknown": 0,
}


@pytest.mark.parametrize(
    ("lie", "message"),
    [
        *(
            (change("splits", "valid", name, to=said), rf"splits.valid.{name}: expected {count}, ")
            for name, count in COUNTS.items()
            for said in (count + 1, *([] if name == "links" else [float(count), None]))
        ),
        (change("tags", to=999), "tags: expected "),
        (change("vocabulary", "source", to=5), "vocabulary: expected {'source': "),
        (change("vocabulary", to="many"), "vocabulary: expected {'source': .*, got 'many'"),
        (change("splits", to={}), "splits: expected test.parquet to be of a split"),
        (lambda manifest: manifest["splits"].pop("valid"), "splits: expected valid.parquet to be"),
    ],
)
def test_what_a_manifest_counts_is_counted(
    written: Path, tmp_path: Path, lie: Callable[[dict[str, Any]], None], message: str
) -> None:
    folder = Path(shutil.copytree(written, tmp_path / "dataset"))
    manifest = read_json(folder / "manifest.json")
    lie(manifest)
    write_json(folder / "manifest.json", manifest)
    with pytest.raises(InputError, match=rf"manifest\.json: manifest\.{message}"):
        verify_dataset(folder)


def test_others_need_count_nothing(written: Path, tmp_path: Path) -> None:
    folder = Path(shutil.copytree(written, tmp_path / "dataset"))
    manifest = read_json(folder / "manifest.json")
    for name in ("tags", "vocabulary", "made_by"):
        del manifest[name]
    for counts in manifest["splits"].values():
        for name in COUNTS.keys() - {"links"}:
            del counts[name]
    write_json(folder / "manifest.json", manifest)
    assert verify_dataset(folder).num_rows("train") == 4


@pytest.mark.parametrize(
    ("column", "value", "expectation"),
    [
        ("source_ids", [5, 99], "source_ids of the vocabulary"),
        ("source_ids", [5, 2], "source_ids of the vocabulary"),
        ("target_ids", [5, 6, -1], "target_ids of the vocabulary"),
        ("source_ids", [5], "subwords_per_word that give each word a share"),
        ("source_length", 7, "source_length ids"),
        ("target_length", 7, "target_length ids"),
        (
            "subwords_per_word",
            [1, 2],
            "subwords_per_word that give each word a share",
        ),
        ("subwords_per_word", [2], "subwords_per_word that give each of source_tokens"),
        (
            "subwords_per_word",
            [2, 0],
            "subwords_per_word that give each word a share",
        ),
        ("target_subwords_per_word", [1, 1], "target_subwords_per_word that give each word"),
        ("phrase_lengths", [[1, 1]], "2 levels of phrase_lengths"),
        ("phrase_tags", [[1, 1]] * 3, "2 levels of phrase_tags"),
        ("phrase_lengths", [[1, 1], [1, 2]], "phrase_lengths of every level that add up"),
        ("phrase_lengths", [[1, 1], [2, 0]], "phrase_lengths of every level that add up"),
        ("phrase_lengths", [[1, 1], [2]], "a tag for every phrase"),
        ("phrase_tags", [[1, 1], [1, 99]], "phrase_tags of tags.json"),
        ("phrase_tags", [[1, -1], [1, 1]], "phrase_tags of tags.json"),
        ("links", [{"source": 2, "target": 0}], "links between positions of the source"),
        ("links", [{"source": 0, "target": 3}], "links between positions of the target"),
        ("links", [{"source": 0, "target": -1}], "links between positions of the target"),
        ("links", [{"source": 0, "target": 0}] * 2, "links in their order, each once"),
    ],
)
def test_a_wrong_row_is_named(
    written: Path, tmp_path: Path, column: str, value: Any, expectation: str
) -> None:
    folder = Path(shutil.copytree(written, tmp_path / "dataset"))
    path = folder / "train.parquet"
    rows = pq.read_table(path).to_pylist()
    rows[3][column] = value
    pq.write_table(pa.Table.from_pylist(rows, schema=SCHEMA), path, row_group_size=3)
    manifest = read_json(folder / "manifest.json")
    manifest["files"]["train.parquet"] = {"bytes": path.stat().st_size, "sha256": sha256(path)}
    write_json(folder / "manifest.json", manifest)
    with pytest.raises(InputError, match=rf"train\.parquet: row 3: expected {expectation}"):
        verify_dataset(folder)
