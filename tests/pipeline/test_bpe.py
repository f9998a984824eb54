"""The stage `bpe`: the files of subword-nmt's commands, whatever the workers; bad input named."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest
import yaml

from mgsa.base.errors import InputError
from pipeline import bpe
from pipeline.base.stage import SIDES, SPLITS
from tests.run_section import RUN
from tests.text_folders import contents, stage_argv

PARAMS = {"bpe": {"merges": 60, "min_frequency": 2, "vocabulary_threshold": 3}, "run": RUN}
SENTENCES = {
    "source": ["the dogs see the newest dog", "low lower lowest ( new )", "-LRB- the newest dogs"],
    "target": ["die Hunde sehen den neuesten Hund", "tief tiefer ( neu )", "die neuesten Hunde"],
}


@pytest.fixture
def tokenized(tmp_path: Path) -> Path:
    folder = tmp_path / "tokenized"
    folder.mkdir()
    for side, sentences in SENTENCES.items():
        for split, repeated in zip(SPLITS, (4, 1, 1), strict=True):
            (folder / f"{split}.{side}").write_text(
                "".join(f"{sentence}\n" for sentence in sentences * repeated), encoding="utf-8"
            )
    (tmp_path / "params.yaml").write_text(yaml.safe_dump(PARAMS))
    return folder


def arguments(tokenized: Path, *overrides: str) -> list[str]:
    paths = {"tokenized": "tokenized", "out": "bpe", "report": "bpe.json"}
    return stage_argv(tokenized.parent, *overrides, **paths)


def test_files_are_those_of_the_subword_nmt_commands(tokenized: Path) -> None:
    bpe.main(arguments(tokenized))
    out, peer = tokenized.parent / "bpe", tokenized.parent / "peer"
    peer.mkdir()
    command = str(Path(sys.executable).parent / "subword-nmt")
    texts = [str(tokenized / f"train.{side}") for side in SIDES]
    vocabularies = [str(peer / f"vocab.{side}") for side in SIDES]
    codes = str(peer / "bpe.codes")
    learn = ["-s", "60", "-i", *texts, "-o", codes, "--write-vocabulary", *vocabularies]
    subprocess.run([command, "learn-joint-bpe-and-vocab", *learn], check=True, capture_output=True)
    for split in SPLITS:
        for side in SIDES:
            apply = ["-c", codes, "--vocabulary", str(peer / f"vocab.{side}")]
            apply += ["--vocabulary-threshold", "3", "-i", str(tokenized / f"{split}.{side}")]
            apply += ["-o", str(peer / f"{split}.{side}")]
            subprocess.run([command, "apply-bpe", *apply], check=True, capture_output=True)
    assert contents(out) == contents(peer)


def test_the_output_does_not_depend_on_the_workers(
    tokenized: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    bpe.main(arguments(tokenized))
    alone = contents(tokenized.parent / "bpe")
    monkeypatch.setattr(bpe, "CHUNK_PAIRS", 2)
    bpe.main(arguments(tokenized, "run.workers=2"))
    assert contents(tokenized.parent / "bpe") == alone


def test_the_report_counts(tokenized: Path) -> None:
    bpe.main(arguments(tokenized))
    out = tokenized.parent / "bpe"
    report = json.loads((tokenized.parent / "bpe.json").read_text())
    assert report["merges"] == len((out / "bpe.codes").read_text().splitlines()) - 1 <= 60
    assert report["source_words"] == len(set(" ".join(SENTENCES["source"]).split()))
    assert report["test_target_subwords"] == len((out / "test.target").read_text().split())
    counts = [line.split(" ") for line in (out / "vocab.source").read_text().splitlines()]
    assert report["source_subwords"] == sum(int(count) >= 3 for _, count in counts)


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("valid.target", "a\na  b\n", "valid.target:2: expected tokens with one space between"),
        ("test.source", "a\n", r"test.source:1: ends after 1 line; expected as many as in \S+"),
    ],
)
def test_bad_input_is_named(tokenized: Path, name: str, content: str, message: str) -> None:
    (tokenized / name).write_text(content)
    with pytest.raises(InputError, match=message):
        bpe.main(arguments(tokenized))


@pytest.mark.parametrize("text", ["a b c\n", "ab cd\n"])
def test_text_without_a_pair_to_merge_is_refused(tokenized: Path, text: str) -> None:
    for side in SIDES:
        (tokenized / f"train.{side}").write_text(text)
    with pytest.raises(InputError, match=r"train.source: no two symbols occur together 3 times"):
        bpe.main(arguments(tokenized, "min_frequency=3"))
