from __future__ import annotations

from pathlib import Path

import pytest

from mgsa.cli.files import read_json
from mgsa.cli.run import run
from mgsa.data.dataset import Dataset, open_dataset, verify_dataset
from pipeline.dataset.reverse import main
from pipeline.formats.text import SPLITS
from tests.copy_task import write_copy_task
from tests.stage_folders import BUSH, YES, build, random_dataset, random_pairs, write_stages


@pytest.fixture
def dataset(tmp_path: Path) -> Dataset:
    return open_dataset(random_dataset(tmp_path / "stages", 20))


def reverse(dataset: Path, out: Path) -> Path:
    assert run(main, ["--dataset", str(dataset), "--out", str(out)]) == 0
    return out


def test_rows_and_manifest_are_the_same_with_their_sides_swapped(
    dataset: Dataset, tmp_path: Path
) -> None:
    turned = verify_dataset(reverse(dataset.folder, tmp_path / "turned"))
    before, after = dataset.manifest.content, turned.manifest.content
    assert (after["source_language"], after["target_language"]) == ("de", "en")
    assert after["splits"]["train"]["source_words"] == before["splits"]["train"]["target_words"]
    assert after["made_by"]["reversed_from"] == dataset.manifest.identity
    assert read_json(turned.folder / "preprocessing.json")["source_language"] == "de"
    files = turned.folder / "vocab.source", dataset.folder / "vocab.target"
    assert files[0].read_bytes() == files[1].read_bytes()
    for split in dataset.manifest.rows:
        for row, other in zip(dataset.read(split), turned.read(split), strict=True):
            assert (other.source, other.target) == (row.target, row.source)
            assert other.subwords_per_word == row.target_subwords_per_word
            assert other.target_subwords_per_word == row.subwords_per_word
            assert other.phrase_lengths == []
        texts = [dataset.texts(split, "source_text"), turned.texts(split, "target_text")]
        assert list(texts[0]) == list(texts[1])


def test_links_are_those_of_the_other_direction(tmp_path: Path) -> None:
    write_stages(tmp_path, {"train": [BUSH, YES], "valid": [YES], "test": random_pairs(2, 1)})
    dataset = open_dataset(build(tmp_path, "--alignments", str(tmp_path / "alignments")))
    turned = open_dataset(reverse(dataset.folder, tmp_path / "turned"))
    for row, other in zip(dataset.read("train"), turned.read("train"), strict=True):
        assert other.links == sorted((target, source) for source, target in row.links or ())
    assert [row.links for row in turned.read("test")] == [None, None]
    links = [{n: s.links for n, s in d.manifest.splits.items()} for d in (turned, dataset)]
    assert links[0] == links[1]


@pytest.mark.parametrize("joint", ["true", "false"])
def test_each_side_keeps_its_vocabulary(tmp_path: Path, joint: str) -> None:
    splits = {split: random_pairs(9, seed) for seed, split in enumerate(SPLITS)}
    write_stages(tmp_path, splits)
    dataset = open_dataset(build(tmp_path, "--set", f"joint_vocabulary={joint}"))
    turned = open_dataset(reverse(dataset.folder, tmp_path / "turned"))
    assert turned.vocabularies[0].symbols == dataset.vocabularies[1].symbols
    assert turned.vocabularies[1].symbols == dataset.vocabularies[0].symbols


def test_a_dataset_of_others_is_not_turned_round(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = write_copy_task(tmp_path / "dataset")
    assert run(main, ["--dataset", str(folder), "--out", str(tmp_path / "turned")]) == 2
    said = "expected a dataset of the pipeline, with a README.md"
    assert capsys.readouterr().err == f"error: {folder / 'manifest.json'}: {said}\n"
