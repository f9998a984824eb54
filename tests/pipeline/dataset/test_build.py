"""The stage as its users run it: the artifact that it writes, its errors, its other modes."""

from __future__ import annotations

import hashlib
import re
import resource
import shutil
import subprocess
import sys
from collections import Counter
from pathlib import Path

import pyarrow.parquet as pq
import pytest
import yaml

from mgsa.base.cli import run
from mgsa.base.errors import InputError
from mgsa.base.io import read_json, write_json
from mgsa.data.dataset import open_dataset
from mgsa.data.vocabulary import SPECIAL_SYMBOLS
from pipeline.dataset.__main__ import main
from tests.imports import ROOT
from tests.run_section import RUN
from tests.stage_folders import (
    BUSH,
    PARAMETERS,
    YES,
    Pair,
    arguments,
    build,
    random_pairs,
    write_stages,
)

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
    report = read_json(stages / "dataset.json")
    assert all(type(value) is int for value in report.values())
    assert report["train_source_subwords"] == 8 + 2 + 2 + 8
    assert report["train_target_words"] == 4 + 2 + 2 + 4
    assert (report["train_rows"], report["tags"]) == (4, 9)
    assert manifest["made_by"]["parser"] == {"kind": "trees", "identity": "c0ffee"}
    assert manifest["made_by"]["aligner"] is None
    assert manifest["made_by"]["parameters"]["tokenize"] == {"max_tokens": 100}
    listed = {name: file["sha256"] for name, file in manifest["files"].items()}
    assert listed | {"manifest.json": digests(out)["manifest.json"]} == digests(out)
    assert (out / "bpe.codes").read_bytes() == (stages / "bpe/bpe.codes").read_bytes()


def test_the_manifest_says_where_links_are_from(stages: Path) -> None:
    aligner = {"kind": "eflomal", "deterministic": False, "splits": ["train"], "version": "2.0.0"}
    write_json(stages / "alignments/aligner.json", aligner)
    out = build(stages, "--alignments", str(stages / "alignments"))
    assert read_json(out / "manifest.json")["made_by"]["aligner"] == aligner
    dataset = open_dataset(out)
    assert [row.links is None for row in dataset.read("train")] == [False] * 4
    assert [row.links is None for row in dataset.read("test")] == [True]


def test_a_joint_vocabulary_has_the_subwords_of_both_sides_by_frequency(stages: Path) -> None:
    out = build(stages)
    counts = Counter(
        subword
        for pair in SMALL["train"]
        for side in (pair.source, pair.target)
        for subword in side.split(" ")
    )
    content = read_json(out / "vocab.json")
    assert content["target"] is None
    assert content["source"] == [
        *SPECIAL_SYMBOLS,
        *sorted(counts, key=lambda subword: (-counts[subword], subword)),
    ]


def test_two_vocabularies_are_of_a_side_each(stages: Path) -> None:
    content = read_json(build(stages, "--set", "joint_vocabulary=false") / "vocab.json")
    assert "held" in content["source"]
    assert "held" not in content["target"]
    assert "sprach" in content["target"]


def test_tags_are_those_of_training_by_frequency(stages: Path) -> None:
    # NP occurs 4 times, the full stop 4 times, the others twice each.
    assert read_json(build(stages) / "tags.json") == [
        *("<unk>", ".", "NP"),
        *("INTJ", "NNP", "PP", "UH", "VBD", "VP"),
    ]


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
    elsewhere = {**PARAMETERS, "run": RUN | {"workers": 2}}
    (tmp_path / "two/params.yaml").write_text(yaml.safe_dump(elsewhere))
    assert digests(build(tmp_path / "one")) == digests(build(tmp_path / "two"))


@pytest.mark.parametrize("rows", [1, 100])
def test_the_size_of_row_groups_changes_no_row(tmp_path: Path, rows: int) -> None:
    write_stages(tmp_path, {"train": random_pairs(10, 1), "valid": [YES], "test": [YES]})
    table = pq.read_table(build(tmp_path) / "train.parquet")
    other = build(tmp_path, "--set", f"row_group_rows={rows}") / "train.parquet"
    assert pq.read_table(other).equals(table)
    assert pq.ParquetFile(other).metadata.num_row_groups == -(-10 // rows)


@pytest.mark.parametrize(
    ("setting", "names"),
    [
        ("compression=snappy", ["train.parquet"]),
        ("shard_rows=3", ["train-00000.parquet", "train-00001.parquet"]),
    ],
)
def test_other_files_have_the_same_rows_and_replace_those_before(
    stages: Path, setting: str, names: list[str]
) -> None:
    table = pq.read_table(build(stages) / "train.parquet")
    out = build(stages, "--set", setting)
    assert sorted(path.name for path in out.glob("train*")) == names
    assert pq.read_table([out / name for name in names]).equals(table)
    build(stages)


def _edit(path: Path, line: int, text: str) -> None:
    lines = path.read_text("utf-8").splitlines()
    lines[line - 1] = text
    path.write_text("".join(f"{one}\n" for one in lines), encoding="utf-8")


@pytest.mark.parametrize(
    ("name", "line", "text", "message"),
    [
        ("bpe/train.source", 4, "Yes .", r"train\.source:4: expected the subwords of line 4"),
        ("tokenized/train.target", 2, "", r"train\.target:2: expected tokens with one space"),
        ("partitions/train.phrases", 4, "1:NP 5:VP", r"train\.phrases:4: expected 2 levels, got 1"),
        ("partitions/test.phrases", 1, "1:X ||| 1:X", r"test\.phrases:1: .* 1 words, expected 6"),
        ("partitions/test.phrases", 1, "6:X ||| X", r"test\.phrases:1: .* expected LENGTH:TAG"),
        (
            "alignments/valid.links",
            1,
            "0-9",
            r"valid\.links:1: expected links between 2 and 2",
        ),
        ("tokenized/train.lines", 3, "3", r"train\.lines:3: expected the number of a line after"),
    ],
)
def test_wrong_input_is_named_and_leaves_the_old_artifact(
    stages: Path, name: str, line: int, text: str, message: str
) -> None:
    links = ("--alignments", str(stages / "alignments"))
    before = digests(build(stages, *links))
    report = (stages / "dataset.json").read_bytes()
    _edit(stages / name, line, text)
    with pytest.raises(InputError, match=message):
        build(stages, *links)
    assert digests(stages / "dataset") == before
    assert (stages / "dataset.json").read_bytes() == report
    assert not list(stages.glob(".partial-*"))


def test_the_card_says_what_the_stages_reported(stages: Path) -> None:
    write_json(stages / "tokenize.json", {"train_pairs": 7, "train_kept": 4})
    write_json(stages / "parser.json", {"labelled_f1": 95.81, "notes": ["no figure"]})
    reports = [str(stages / "tokenize.json"), str(stages / "parser.json")]
    card = (build(stages, "--reports", *reports) / "README.md").read_text("utf-8")
    assert "# made up, en → de" in card
    assert "| of them kept | 4 |" in card
    assert "| parser: labelled bracketing F1, per cent | 95.81 |" in card


def test_info_says_what_it_is(stages: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = build(stages)
    assert run(main, ["--info", str(out)]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0] == f"made up, {open_dataset(out).manifest.identity}"
    assert "languages: en to de" in lines
    assert "phrases: 2 levels, 9 tags; trees that came with the corpus (c0ffee)" in lines
    (test,) = [line for line in lines if line.startswith("test: ")]
    assert test.startswith("test: 1 pairs, 6 source words, 4 target words, 8 source subwords")


def test_a_dataset_differs_from_another(
    stages: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    other = build(stages).rename(tmp_path / "other")
    same = build(stages)
    assert run(main, ["--diff", str(other), str(same)]) == 0
    (line,) = capsys.readouterr().out.splitlines()
    assert line.startswith(f"{other} and {same} are the same: ")

    write_stages(
        tmp_path / "more",
        SMALL | {"train": [BUSH, YES, BUSH, BUSH, Pair("No", "Nein", "1:INTJ ||| 1:UH")]},
    )
    more = build(tmp_path / "more", "--set", "compression=snappy")
    assert run(main, ["--diff", str(other), str(more)]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert "made_by.parameters.dataset.compression: zstd -> snappy" in lines
    assert "splits.train.rows: 4 -> 5" in lines
    assert "pairs of train: 3 in both, 1 in the first alone, 2 in the second alone" in lines
    assert not [line for line in lines if line.startswith("pairs of valid")]
    (line,) = [line for line in lines if line.startswith("vocabulary of the target: ")]
    assert line.endswith("0 in the first alone, 2 in the second alone")


@pytest.mark.parametrize("option", ["--info", "--diff"])
def test_what_others_wrote_gives_a_terminal_no_orders(
    stages: Path, tmp_path: Path, option: str, capsys: pytest.CaptureFixture[str]
) -> None:
    ours = build(stages)
    other = Path(shutil.copytree(ours, tmp_path / "other"))
    content = read_json(other / "manifest.json")
    content |= {"name": "\x1b]0;mine\x07\nlevels: 9", "\x1b[2J": ["\x9b1m"]}
    write_json(other / "manifest.json", content)
    folders = [ours, other] if option == "--diff" else [other]
    assert run(main, [option, *map(str, folders)]) == 0
    said = capsys.readouterr().out
    assert r"\x1b]0;mine\x07\nlevels: 9" in said
    assert all(line.isprintable() for line in said.split("\n"))
    assert "levels: 9" not in said.split("\n")


def test_verifying_says_what_is_there_or_what_is_wrong(
    stages: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = build(stages)
    assert run(main, ["--verify", str(out)]) == 0
    assert capsys.readouterr().out == (
        f"{out}: 4 train, 1 valid, 1 test rows, all as the manifest says\n"
    )
    path = out / "train.parquet"
    path.write_bytes(path.read_bytes()[:-100])
    assert run(main, ["--verify", str(out)]) == 2
    assert re.fullmatch(rf"error: {path}: expected .*\n", capsys.readouterr().err)


def test_a_full_disk_is_one_line_and_leaves_the_old_artifact(tmp_path: Path) -> None:
    write_stages(tmp_path, {"train": random_pairs(300, 1), "valid": [YES], "test": [YES]})
    before = digests(build(tmp_path))
    # Files may grow to 4 KB and no further: what a disk does that is full by then.
    done = subprocess.run(
        [sys.executable, "-B", "-m", "pipeline.dataset", *arguments(tmp_path)],
        capture_output=True,
        text=True,
        cwd=ROOT,
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (4096, 4096)),
    )
    assert done.returncode == 1
    assert re.fullmatch(r"error: .*dataset: .*File too large.*\n", done.stderr)
    assert digests(tmp_path / "dataset") == before
    assert not list(tmp_path.glob(".partial-*"))
