"""The stage as its users run it: the artifact that it writes, and what it says of one."""

from __future__ import annotations

import hashlib
from collections import Counter
from pathlib import Path

import pytest
import yaml

from mgsa.cli.errors import InputError
from mgsa.cli.files import read_json, write_json
from mgsa.cli.run import run
from mgsa.data.dataset import open_dataset, verify_dataset
from mgsa.data.vocabulary import SPECIAL_SYMBOLS
from pipeline.dataset import reverse
from pipeline.dataset.__main__ import main
from pipeline.formats.tables import Record
from tests.lines import write_lines
from tests.parameters import RUN
from tests.stage_folders import BUSH, STAGE_PARAMETERS, YES, Pair, build, random_pairs, write_stages

SMALL = {"train": [BUSH, YES, YES, BUSH], "valid": [YES], "test": [BUSH]}


@pytest.fixture
def stages(tmp_path: Path) -> Path:
    write_stages(tmp_path / "stages", SMALL)
    return tmp_path / "stages"


def digests(folder: Path) -> dict[str, str]:
    return {path.name: hashlib.sha256(path.read_bytes()).hexdigest() for path in folder.iterdir()}


def test_the_artifact_is_what_the_design_says(stages: Path) -> None:
    out = build(stages)
    assert {path.name for path in out.iterdir()} == {
        *("train.parquet", "valid.parquet", "test.parquet"),
        *("vocab.json", "tags.json", "bpe.codes", "vocab.source", "vocab.target"),
        *("preprocessing.json", "README.md", "manifest.json"),
    }
    manifest = read_json(out / "manifest.json")
    assert manifest["name"] == "made up"
    assert manifest["splits"]["train"]["rows"] == 4
    report = Record.read(stages / "dataset.json")
    assert all(type(value) is int for value in report.values())
    assert report["train_source_subwords"] == 8 + 2 + 2 + 8
    assert report["train_target_words"] == 4 + 2 + 2 + 4
    assert (report["train_rows"], report["tags"]) == (4, 9)
    assert manifest["made_by"]["parser"] == {"kind": "trees", "identity": "c0ffee", "models": ["a"]}
    assert manifest["made_by"]["aligner"] is None
    assert manifest["settings"]["tokenize"] == STAGE_PARAMETERS["tokenize"]
    listed = {name: file["sha256"] for name, file in manifest["files"].items()}
    assert listed | {"manifest.json": digests(out)["manifest.json"]} == digests(out)
    assert (out / "bpe.codes").read_bytes() == (stages / "bpe/bpe.codes").read_bytes()
    dataset = open_dataset(out)
    assert next(dataset.texts("train", "source_text")) == "BUSH HELD A TALK WITH SHARON"
    assert next(dataset.texts("train", "target_tokens")) == "Bush sprach mit Sharon"


def test_links_are_those_of_splits_that_the_aligner_has(stages: Path) -> None:
    aligner = {"kind": "eflomal", "deterministic": False, "splits": ["train"], "version": "2.0.0"}
    write_json(stages / "alignments/aligner.json", aligner)
    out = build(stages, "--alignments", str(stages / "alignments"))
    assert read_json(out / "manifest.json")["made_by"]["aligner"] == aligner
    dataset = open_dataset(out)
    assert [row.links is None for row in dataset.read("train")] == [False] * 4
    assert [row.links is None for row in dataset.read("test")] == [True]


def test_rows_have_their_test_set_and_further_references(tmp_path: Path) -> None:
    """Of the pair that they are of, as the lines between them were dropped."""
    write_stages(tmp_path, SMALL | {"test": [BUSH, YES, YES]})
    names = ("dropped", "mt02", "dropped", "mt03", "dropped", "mt03")
    write_lines(tmp_path / "corpus/test.sets", names)
    second = ["", "Bush redete mit Scharon.", "", "Ja!", "", "Doch!"]
    write_lines(tmp_path / "corpus/test.target.2", second)
    write_lines(tmp_path / "corpus/test.target.3", ["", "", "", "Jawohl!", "", " "])
    out = build(tmp_path)
    dataset = verify_dataset(out)
    assert list(dataset.texts("test", "set")) == ["mt02", "mt03", "mt03"]
    references = [["Bush redete mit Scharon."], ["Ja!", "Jawohl!"], ["Doch!"]]
    assert list(dataset.texts("test", "references")) == references
    for split in ("train", "valid"):
        for column in ("set", "references"):
            assert set(dataset.texts(split, column)) == {None}
    turned = ["--dataset", str(out), "--out", str(tmp_path / "turned")]
    assert run(reverse.main, turned) == 0
    turned_round = verify_dataset(tmp_path / "turned")
    assert list(turned_round.texts("test", "set")) == ["mt02", "mt03", "mt03"]
    assert list(turned_round.texts("test", "references")) == [None] * 3


def test_a_reference_has_a_line_for_each_pair(tmp_path: Path) -> None:
    write_stages(tmp_path, SMALL)
    write_lines(tmp_path / "corpus/test.target.2", ["Ja."])
    with pytest.raises(InputError, match=r"test\.target\.2:1: ends after 1 line; expected as many"):
        build(tmp_path)


def test_vocabularies_and_tags_are_by_frequency(stages: Path) -> None:
    out = build(stages)
    counts = Counter(
        word for pair in SMALL["train"] for word in f"{pair.source} {pair.target}".split()
    )
    subwords = sorted(counts, key=lambda subword: (-counts[subword], subword))
    assert read_json(out / "vocab.json") == {
        "source": [*SPECIAL_SYMBOLS, *subwords],
        "target": None,
    }
    # NP occurs 4 times, the full stop 4 times, the others twice each.
    rare = ["INTJ", "NNP", "PP", "UH", "VBD", "VP"]
    assert read_json(out / "tags.json") == ["<unk>", ".", "NP", *rare]
    content = read_json(build(stages, "--set", "joint_vocabulary=false") / "vocab.json")
    assert "held" in {*content["source"]} - {*content["target"]}
    assert "sprach" in {*content["target"]} - {*content["source"]}


def test_ids_of_another_artifact_come_first(stages: Path, tmp_path: Path) -> None:
    base = build(stages)
    odd = Pair("Yes ?", "Ja@@ wohl ?", "1:INTJ 1:SYM ||| 1:UH 1:SYM")
    write_stages(tmp_path / "more", {"train": [odd], "valid": [YES], "test": [YES]})
    out = build(tmp_path / "more", "--set", f"vocabulary={base}")
    symbols = [read_json(folder / "vocab.json")["source"] for folder in (base, out)]
    assert symbols[1] == [*symbols[0], "?"]
    tags = [read_json(folder / "tags.json") for folder in (base, out)]
    assert tags[1] == [*tags[0], "SYM"]
    dataset = open_dataset(out)
    (row,) = dataset.read("train")
    assert dataset.vocabularies[0].decode(row.source) == ["Yes", "?"]


def test_what_training_lacks_is_unknown_elsewhere_and_counted(tmp_path: Path) -> None:
    odd = Pair("Yes ?", "Ja@@ wohl ?", "1:INTJ 1:SYM ||| 1:UH 1:SYM")
    write_stages(tmp_path / "stages", {"train": [YES], "valid": [odd], "test": [YES]})
    dataset = open_dataset(build(tmp_path / "stages"))
    (row,) = dataset.read("valid")
    assert dataset.vocabularies[0].decode(row.source) == ["Yes", "<unk>"]
    assert [dataset.tags[tag] for tag in row.phrase_tags[0]] == ["INTJ", "<unk>"]
    report = read_json(tmp_path / "stages/dataset.json")
    assert report["valid_source_unknown"] == report["valid_target_unknown"] == 1
    assert report["valid_phrases_unknown"] == 2
    assert report["train_source_unknown"] == report["train_phrases_unknown"] == 0


def test_equal_inputs_give_equal_bytes(tmp_path: Path) -> None:
    pairs = {"train": random_pairs(40, 1), "valid": random_pairs(5, 2), "test": [YES]}
    for name in ("one", "two"):
        write_stages(tmp_path / name, pairs)
    elsewhere = {**STAGE_PARAMETERS, "run": RUN | {"workers": 2}}
    (tmp_path / "two/params.yaml").write_text(yaml.safe_dump(elsewhere))
    assert digests(build(tmp_path / "one")) == digests(build(tmp_path / "two"))


def test_verifying_says_what_is_there(stages: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = build(stages)
    assert run(main, ["--verify", str(out)]) == 0
    assert capsys.readouterr().out == (
        f"{out}: 4 train, 1 valid, 1 test rows, all but the card as the manifest says\n"
    )
