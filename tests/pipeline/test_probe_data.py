"""The stage as its users run it: what it makes of which trees, its errors, what it leaves alone."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from pathlib import Path

import pyarrow.parquet as pq
import pytest

from mgsa.base.cli import run
from mgsa.base.io import read_json
from mgsa.data.dataset import Dataset, open_dataset
from mgsa.probing.data import TASKS, open_probing_data, read_split
from pipeline.base.stage import SPLITS
from pipeline.probe_data import main
from pipeline.reverse import main as reverse
from pipeline.sample import generate
from pipeline.tokens.trees import bracketed, flat_tree
from tests.probing_folders import TREES, arguments, build, write_dataset

ALL_TRAIN = "shares=[100, 1, 1]"


@pytest.fixture(scope="module")
def shared_stages(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Stages whose outputs tests read, and don't change."""
    folder = tmp_path_factory.mktemp("probe_data")
    write_dataset(folder)
    return folder


@pytest.fixture
def stages(tmp_path: Path) -> Path:
    """Stages for a test to change."""
    write_dataset(tmp_path / "stages")
    return tmp_path / "stages"


def names(data: Dataset, task: str, classes: Sequence[int | None]) -> list[str | None]:
    return [None if number is None else data.classes[task][number] for number in classes]


def table(data: Dataset, split: str) -> list[dict]:
    """The rows of a split by other means than ours, classes as names."""
    rows = pq.read_table(data.folder / f"{split}.parquet").to_pylist()
    for row in rows:
        for task in TASKS:
            several = isinstance(row[task], list)
            found = names(data, task, row[task] if several else [row[task]])
            row[task] = found if several else found[0]
    return rows


def digests(folder: Path) -> dict[str, str]:
    return {path.name: hashlib.sha256(path.read_bytes()).hexdigest() for path in folder.iterdir()}


def test_labels_are_those_of_the_trees(shared_stages: Path, tmp_path: Path) -> None:
    """Read by hand off the trees in `tests.probing_folders`."""
    data = open_probing_data(build(shared_stages, ALL_TRAIN, out=str(tmp_path / "probing")))
    rows = table(data, "train")
    assert [row["line"] for row in rows] == list(range(1, len(TREES) + 1))
    assert [row["source_tokens"] for row in rows][3] == "Did the cat sleep ?"
    voices = ["active", "passive", "passive", "active", "active", None, "active", "active"]
    assert [row["voice"] for row in rows] == voices
    tenses = ["past", "nonpast", "past", "past", "nonpast", None, "nonpast", "nonpast"]
    assert [row["tense"] for row in rows] == tenses
    # NP-VP-. is there three times, the others once each, of which the first by the alphabet count.
    assert data.classes["tss"] == ("NP-VP-.", "NP-ADVP-VP-.", "NP-PP-.", "OTHER")
    assert [row["tss"] for row in rows][2:6] == ["NP-VP-.", "OTHER", "OTHER", "NP-PP-."]
    assert rows[5]["spc"] == ["NP", "NP", "PP", "NP", "NP", "NP"]
    assert rows[3]["pos"] == ["VBD", "DT", "NN", "VB", "."]


def test_rows_are_those_of_the_dataset(shared_stages: Path, tmp_path: Path) -> None:
    data = open_probing_data(build(shared_stages, out=str(tmp_path / "probing")))
    dataset = open_dataset(shared_stages / "dataset")
    tokens = list(dataset.texts("train", "source_tokens"))
    expected = dict(zip(tokens, dataset.read("train"), strict=True))
    seen = []
    for split in SPLITS:
        for row in table(data, split):
            same = expected[row["source_tokens"]]
            seen.append(row["source_tokens"])
            assert row["line"] == same.index + 1
            assert row["source_ids"] == same.source
            assert row["source_length"] == len(same.source)
            assert row["subwords_per_word"] == same.subwords_per_word
            assert row["phrase_lengths"] == same.phrase_lengths
            assert row["phrase_tags"] == same.phrase_tags
    assert sorted(seen) == sorted(tokens)


def test_shuffled_phrases_are_those_of_the_dataset(tmp_path: Path) -> None:
    write_dataset(tmp_path, boundaries="shuffled")
    rows = open_dataset(tmp_path / "dataset").read("train")
    found = table(open_probing_data(build(tmp_path, ALL_TRAIN)), "train")
    assert [row["phrase_lengths"] for row in found] == [row.phrase_lengths for row in rows]


def test_the_report_counts_sizes_and_classes(shared_stages: Path, tmp_path: Path) -> None:
    data = open_probing_data(build(shared_stages, out=str(tmp_path / "probing")))
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


def test_the_manifest_says_what_made_it(shared_stages: Path, tmp_path: Path) -> None:
    folder = build(shared_stages, out=str(tmp_path / "probing"))
    manifest = read_json(folder / "manifest.json")
    assert manifest["kind"] == "mgsa probing data"
    assert (manifest["source_language"], manifest["levels"]) == ("en", 3)
    made_by = manifest["made_by"]
    assert made_by["parameters"]["probe_data"]["shares"] == [2, 1, 1]
    assert made_by["dataset"] == open_dataset(shared_stages / "dataset").manifest.identity
    assert made_by["trees"] == digests(shared_stages / "parsed")["train.trees"]
    assert "spacy" in made_by["libraries"]
    listed = {name: file["sha256"] for name, file in manifest["files"].items()}
    assert listed | {"manifest.json": digests(folder)["manifest.json"]} == digests(folder)
    assert {"vocab.json", "tags.json", "labels.json"} < set(listed)


def test_labels_may_be_of_the_corpuss_own_trees_and_phrases_are_the_parsers(stages: Path) -> None:
    gold = [tree.replace("VBD", "VBP").replace("(NP ", "(NX ") for tree in TREES]
    lines = "".join(f"{tree}\n" for tree in gold)
    (stages / "tokenized/train.trees").write_text(lines, encoding="utf-8")
    data = open_probing_data(build(stages, "trees=gold", ALL_TRAIN))
    rows = table(data, "train")
    assert {row["tense"] for row in rows} == {"nonpast", None}
    assert rows[0]["spc"] == ["NX", "NX", "VP", "S"]
    expected = open_dataset(stages / "dataset").read("train")
    assert [row["phrase_tags"] for row in rows] == [row.phrase_tags for row in expected]
    assert data.manifest.content["made_by"]["trees"] == digests(stages / "tokenized")["train.trees"]


def test_a_file_of_trees_brings_its_own_words(shared_stages: Path, tmp_path: Path) -> None:
    bank = tmp_path / "bank.mrg"
    bank.write_text(
        "( (S (NP-SBJ (NN Zebra))\n  (VP (VBD did) (RB n't) (-LRB- -LRB-) (-NONE- *))))\n",
        encoding="utf-8",
    )
    folder = build(shared_stages, f"trees={bank}", ALL_TRAIN, out=str(tmp_path / "probing"))
    (row,) = table(open_probing_data(folder), "train")
    assert row["source_tokens"] == "Zebra didn 't ("
    assert (row["voice"], row["tense"], row["tss"]) == ("active", "past", "NP-VP")
    assert row["spc"] == ["NP", "VP", "VP", "VP"]
    assert len(row["source_ids"]) == sum(row["subwords_per_word"]) > 3


def test_duplicates_and_flat_trees_are_left_out(tmp_path: Path) -> None:
    flat = bracketed(flat_tree(["Words", "only"]))
    write_dataset(tmp_path, [*TREES, TREES[0], flat, flat])
    build(tmp_path)
    report = read_json(tmp_path / "probing.json")
    assert [report[key] for key in ("read", "duplicates", "flat", "sentences")] == [11, 1, 2, 8]


def test_without_any_tree_there_is_nothing_to_probe_and_no_error(tmp_path: Path) -> None:
    """`parser=none` gives flat trees: the stage must not end `dvc repro`."""
    trees = [flat_tree(["Words", "only"]), flat_tree(["Other", "ones"])]
    write_dataset(tmp_path, [bracketed(tree) for tree in trees])
    data = open_probing_data(build(tmp_path))
    assert [len(read_split(data, split)) for split in SPLITS] == [0, 0, 0]
    assert data.classes["tss"] == ("OTHER",)


def test_of_another_language_voice_and_tense_are_not_told(tmp_path: Path) -> None:
    write_dataset(tmp_path, language="nl")
    rows = table(open_probing_data(build(tmp_path, ALL_TRAIN)), "train")
    assert {(row["voice"], row["tense"]) for row in rows} == {(None, None)}
    assert rows[0]["tss"] == "NP-VP-."


@pytest.mark.parametrize(
    ("override", "message"),
    [
        ("trees=glod", "glod: no such file: probe_data.trees takes parsed, gold, or a file of"),
        ("trees=gold", "train.trees: no such file: probe_data.trees is gold, so the corpus brings"),
        ("shares=[10, 1]", "probe_data: shares: expected those of train, valid, test, got (10, 1)"),
    ],
)
def test_an_impossible_setting_is_one_line(
    shared_stages: Path,
    tmp_path: Path,
    override: str,
    message: str,
    capsys: pytest.CaptureFixture[str],
) -> None:
    argv = [*arguments(shared_stages, out=str(tmp_path / "probing")), "--set", override]
    assert run(main, argv) == 2
    (line,) = capsys.readouterr().err.splitlines()
    assert message in line
    assert list(tmp_path.iterdir()) == []


def test_a_dataset_that_was_turned_round_has_other_trees(
    stages: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    argv = ["--dataset", str(stages / "dataset"), "--out", str(stages / "turned")]
    assert run(reverse, argv) == 0
    argv = [*arguments(stages), "--dataset", str(stages / "turned")]
    assert run(main, argv) == 2
    assert "turned: expected a dataset whose source has phrases" in capsys.readouterr().err


def test_the_samples_labels_in_the_artifact_are_those_of_its_grammar(
    shared_stages: Path, tmp_path: Path
) -> None:
    pairs = {pair.source: pair for pair in generate(600, "probe data", ambiguity=0.2)}
    bank = tmp_path / "sample.trees"
    bank.write_text("".join(f"{pair.tree}\n" for pair in pairs.values()), encoding="utf-8")
    settings = (f"trees={bank}", "shares=[10, 1, 1]", "tss_classes=19")
    data = open_probing_data(build(shared_stages, *settings, out=str(tmp_path / "probing")))
    expected = {" ".join(p.source_tokens): (p.voice, p.tense) for p in pairs.values()}
    for split in SPLITS:
        for row in table(data, split):
            assert (row["voice"], row["tense"]) == expected[row["source_tokens"]]
    assert len(data.classes["tss"]) <= 20
    rows = data.manifest.rows
    assert rows["train"] == 10 * rows["valid"] + len(pairs) % 12
    used = json.loads((tmp_path / "probing.json").read_text(encoding="utf-8"))["train"]["tss"]
    assert list(used.values())[:-1] == sorted(list(used.values())[:-1], reverse=True)
