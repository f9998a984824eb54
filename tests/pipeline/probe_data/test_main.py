"""The stage as its users run it: what it makes of which trees, its errors, what it leaves alone."""

from __future__ import annotations

import re
import shutil
from pathlib import Path
from typing import Any, get_args

import pyarrow.parquet as pq
import pytest

from mgsa.cli.errors import InputError
from mgsa.cli.files import read_json, write_json
from mgsa.cli.outputs import sha256
from mgsa.cli.run import run
from mgsa.data.controls import Boundaries
from mgsa.data.dataset import Dataset, open_dataset
from pipeline.dataset.reverse import main as reverse
from pipeline.formats.probing import PROBING, TASKS
from pipeline.formats.text import SPLITS
from pipeline.formats.trees import bracketed, flat_tree
from pipeline.probe_data.__main__ import main
from tests.probing_folders import TREES, arguments, build, record, write_dataset

ALL_TRAIN = "shares=[100, 1, 1]"


@pytest.fixture(scope="module")
def stages(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Stages whose outputs tests read, and don't change."""
    folder = tmp_path_factory.mktemp("probe_data")
    write_dataset(folder)
    return folder


def table(data: Dataset, split: str) -> list[dict[str, Any]]:
    """The rows of a split by other means than ours, classes as names."""
    rows: list[dict[str, Any]] = pq.read_table(data.folder / f"{split}.parquet").to_pylist()
    for row in rows:
        for task in TASKS:
            names, found = dict(enumerate(data.classes[task])), row[task]
            several = isinstance(found, list)
            row[task] = [names[n] for n in found] if several else names.get(found)
    return rows


def test_labels_are_those_of_the_trees(stages: Path, tmp_path: Path) -> None:
    """Read by hand off the trees in `tests.probing_folders`."""
    data = open_dataset(build(stages, ALL_TRAIN, out=str(tmp_path / "probing")), kind=PROBING)
    rows = table(data, "train")
    assert [row["line"] for row in rows] == list(range(1, len(TREES) + 1))
    assert [row["source_tokens"] for row in rows][3] == "Did the cat sleep ?"
    assert [(row["voice"], row["tense"]) for row in rows] == [
        *[("active", "past"), ("passive", "nonpast"), ("passive", "past"), ("active", "past")],
        *[("active", "nonpast"), (None, None), ("active", "nonpast"), ("active", "nonpast")],
    ]
    # NP-VP-. is there three times, the others once each, of which the first by the alphabet count.
    assert data.classes["tss"] == ("NP-VP-.", "NP-ADVP-VP-.", "NP-PP-.", "OTHER")
    assert [row["tss"] for row in rows][2:6] == ["NP-VP-.", "OTHER", "OTHER", "NP-PP-."]
    assert rows[5]["spc"] == ["NP", "NP", "PP", "NP", "NP", "NP"]
    assert rows[3]["pos"] == ["VBD", "DT", "NN", "VB", "."]


@pytest.mark.parametrize("boundaries", get_args(Boundaries))
def test_rows_are_those_of_the_dataset(tmp_path: Path, boundaries: str) -> None:
    write_dataset(tmp_path / "stages", boundaries=boundaries)
    dataset = open_dataset(tmp_path / "stages/dataset")
    tokens = list(dataset.texts("train", "source_tokens"))
    expected = dict(zip(tokens, dataset.read("train"), strict=True))
    data = open_dataset(build(tmp_path / "stages"), kind=PROBING)
    rows = [row for split in SPLITS for row in table(data, split)]
    assert sorted(row["source_tokens"] for row in rows) == sorted(tokens)
    for row in rows:
        same = expected[row["source_tokens"]]
        assert row["line"] == same.index + 1
        assert row["source_ids"] == same.source
        assert row["source_length"] == len(same.source)
        for name in ("subwords_per_word", "phrase_lengths", "phrase_tags"):
            assert row[name] == getattr(same, name)


def test_the_report_counts_sizes_and_classes(stages: Path, tmp_path: Path) -> None:
    data = open_dataset(build(stages, out=str(tmp_path / "probing")), kind=PROBING)
    report = read_json(tmp_path / "probing.json")
    assert [report[key] for key in ("read", "duplicates", "flat", "sentences")] == [8, 0, 0, 8]
    assert [report[split]["sentences"] for split in SPLITS] == [4, 2, 2]
    for split in SPLITS:
        rows = table(data, split)
        assert report[split]["words"] == sum(len(row["pos"]) for row in rows)
        assert report[split]["subwords"] == sum(row["source_length"] for row in rows)
        for task in TASKS:
            found = [row[task] for row in rows]
            if task in ("spc", "pos"):
                found = [label for labels in found for label in labels]
            counts = report[split][task]
            assert counts.pop("none", 0) == found.count(None)
            assert counts == {name: found.count(name) for name in data.classes[task]}
    assert data.manifest.content["splits"]["train"]["spc"] == report["train"]["spc"]


def test_labels_may_be_of_the_corpuss_own_trees_and_phrases_are_the_parsers(tmp_path: Path) -> None:
    write_dataset(tmp_path)
    gold = "".join(f"{tree}\n" for tree in TREES).replace("VBD", "VBP").replace("(NP ", "(NX ")
    (tmp_path / "tokenized/train.trees").write_text(gold, encoding="utf-8")
    data = open_dataset(build(tmp_path, "trees=gold", ALL_TRAIN), kind=PROBING)
    rows = table(data, "train")
    assert {row["tense"] for row in rows} == {"nonpast", None}
    assert rows[0]["spc"] == ["NX", "NX", "VP", "S"]
    expected = open_dataset(tmp_path / "dataset").read("train")
    assert [row["phrase_tags"] for row in rows] == [row.phrase_tags for row in expected]
    made_by = data.manifest.content["made_by"]
    assert data.manifest.content["settings"]["probe_data"]["trees"] == "gold"
    assert made_by["dataset"] == open_dataset(tmp_path / "dataset").manifest.identity
    assert made_by["trees"] == sha256(tmp_path / "tokenized/train.trees")


def test_a_file_of_trees_brings_its_own_words(stages: Path, tmp_path: Path) -> None:
    bank = tmp_path / "bank.mrg"
    bank.write_text(
        "( (S (NP-SBJ (NN Zebra))\n  (VP (VBD did) (RB n't) (-LRB- -LRB-) (-NONE- *))))\n",
        encoding="utf-8",
    )
    folder = build(stages, f"trees={bank}", ALL_TRAIN, out=str(tmp_path / "probing"))
    (row,) = table(open_dataset(folder, kind=PROBING), "train")
    assert row["source_tokens"] == "Zebra didn 't ("
    assert (row["voice"], row["tense"], row["tss"]) == ("active", "past", "NP-VP")
    assert row["spc"] == ["NP", "VP", "VP", "VP"]
    assert len(row["source_ids"]) == sum(row["subwords_per_word"]) > 3


def test_duplicates_and_flat_trees_are_left_out_and_other_languages_have_no_voice(
    tmp_path: Path,
) -> None:
    flat = bracketed(flat_tree(["Words", "only"]))
    write_dataset(tmp_path, [*TREES, TREES[0], flat, flat], language="nl")
    rows = table(open_dataset(build(tmp_path, ALL_TRAIN), kind=PROBING), "train")
    report = read_json(tmp_path / "probing.json")
    assert [report[key] for key in ("read", "duplicates", "flat", "sentences")] == [11, 1, 2, 8]
    assert {(row["voice"], row["tense"]) for row in rows} == {(None, None)}


def test_mistakes_are_one_line(stages: Path, tmp_path: Path) -> None:
    turned = tmp_path / "turned"
    assert run(reverse, ["--dataset", str(stages / "dataset"), "--out", str(turned)]) == 0
    others = tmp_path / "others"
    shutil.copytree(stages / "parsed", others)
    write_json(others / "parser.json", {"kind": "trees", "identity": "another"})
    record(others / "parser.json")
    for mistake, message in (
        (("--parsed", str(others)), "others: expected trees of the parser that "),
        (("--set", "trees=glod"), "glod: no such file: probe_data.trees takes parsed, gold"),
        (("--set", "trees=gold"), "tokenized/train.trees: no such file: probe_data.trees takes"),
        (("--set", "shares=[10, 1]"), "probe_data: shares: expected those of train, valid, test"),
        (("--dataset", str(turned)), "turned: expected a dataset whose source has phrases"),
    ):
        with pytest.raises(InputError, match=re.escape(message)):
            main([*arguments(stages, out=str(tmp_path / "probing")), *mistake])
    assert {*tmp_path.iterdir()} == {turned, others}
