"""The stage `bpe`: the files of subword-nmt's commands, whatever the workers; its report."""

from __future__ import annotations

import json
import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest
import yaml

from mgsa.cli.errors import InputError
from mgsa.cli.files import read_json, write_json
from pipeline import bpe
from pipeline.formats.text import SIDES, SPLITS
from pipeline.subwords import read_subword_counts
from tests.lines import lines, write_lines
from tests.parameters import PARAMETERS, recorded_text
from tests.text_folders import contents, stage_argv

SENTENCES = {
    "source": ["the dogs see the newest dog", "low lower lowest ( new )", "-LRB- the newest dogs"],
    "target": ["die Hunde sehen den neuesten Hund", "tief tiefer ( neu )", "die neuesten Hunde"],
}


@pytest.fixture
def tokenized(tmp_path: Path) -> Path:
    folder = tmp_path / "tokenized"
    for side, sentences in SENTENCES.items():
        for split, repeated in zip(SPLITS, (4, 1, 1), strict=True):
            write_lines(folder / f"{split}.{side}", sentences * repeated)
    write_json(folder / "text.json", recorded_text())
    (tmp_path / "params.yaml").write_text(yaml.safe_dump(PARAMETERS))
    return folder


def arguments(tokenized: Path, *overrides: str) -> list[str]:
    paths = {"tokenized": "tokenized", "out": "bpe", "report": "bpe.json"}
    return stage_argv(tokenized.parent, *overrides, **paths)


def test_files_are_those_of_the_subword_nmt_commands(
    tokenized: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Two pairs at a time, by two workers."""
    monkeypatch.setattr(bpe, "CHUNK_PAIRS", 2)
    bpe.main(arguments(tokenized, "run.workers=2"))
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
    (out / "manifest.json").unlink()
    assert contents(out) == contents(peer)


def test_codes_of_each_side_are_those_of_the_subword_nmt_commands(tokenized: Path) -> None:
    """Without a threshold."""
    options = ("joint=false", "merges=12", "target_merges=7", "vocabulary_threshold=0")
    bpe.main(arguments(tokenized, *options))
    out, command = tokenized.parent / "bpe", str(Path(sys.executable).parent / "subword-nmt")
    for side, merges in (("source", "12"), ("target", "7")):
        codes = str(tokenized.parent / f"codes.{side}")
        learn = ["learn-bpe", "-s", merges, "-i", str(tokenized / f"train.{side}"), "-o", codes]
        subprocess.run([command, *learn], check=True, capture_output=True)
        assert (out / f"bpe.codes.{side}").read_bytes() == Path(codes).read_bytes()
        apply = ["apply-bpe", "-c", codes, "-i", str(tokenized / f"test.{side}")]
        said = subprocess.run([command, *apply], check=True, capture_output=True, text=True)
        assert (out / f"test.{side}").read_text("utf-8") == said.stdout
    report = read_json(tokenized.parent / "bpe.json")
    assert (report["source_merges"], report["target_merges"]) == (12, 7)


def test_words_are_whole_if_they_are_frequent(tokenized: Path) -> None:
    """Of equally frequent ones, those that the text has first."""
    text = "the dogs see the newest cat"
    write_lines(tokenized / "test.source", [text] * 3)
    bpe.main(arguments(tokenized, "unit=word", "min_count=4", "max_words=6"))
    counts = Counter(word for text in SENTENCES["source"] * 4 for word in text.split(" "))
    known = [word for word, _ in counts.most_common(6)]
    assert list(read_subword_counts(tokenized.parent / "bpe/vocab.source")) == known
    found = " ".join(word if word in known else "<unk>" for word in text.split(" "))
    assert lines(tokenized.parent / "bpe/test.source") == [found] * 3


def test_codes_of_another_folder_are_taken(
    tokenized: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    bpe.main(arguments(tokenized))
    model = (tokenized.parent / "bpe").rename(tokenized.parent / "model")
    write_lines(tokenized / "train.source", ["an other text"] * 4)
    write_lines(tokenized / "train.target", ["ein anderer Text"] * 4)
    bpe.main(arguments(tokenized, f"codes={model}"))
    learned, taken = contents(model), contents(tokenized.parent / "bpe")
    for name in ("bpe.codes", "vocab.source", "vocab.target", "test.source", "test.target"):
        assert taken[name] == learned[name]
    assert taken["train.source"] != learned["train.source"]
    write_json(model / "preprocessing.json", {"bpe": {"vocabulary_threshold": 9, "unit": "bpe"}})
    with pytest.raises(InputError, match=r"expected bpe.vocabulary_threshold to be 9, .*, got 3"):
        bpe.main(arguments(tokenized, f"codes={model}"))
    recorded = read_json(tokenized / "text.json") | {"source_language": "fr"}
    made = {"vocabulary_threshold": 3, "unit": "bpe"}
    write_json(model / "preprocessing.json", recorded | {"bpe": made})
    capsys.readouterr()
    bpe.main(arguments(tokenized, f"codes={model}"))
    told = f"{model}: codes and vocabularies of fr-de segment en-de, side by side\n"
    assert capsys.readouterr().err == told


def test_the_report_counts(tokenized: Path) -> None:
    bpe.main(arguments(tokenized))
    out = tokenized.parent / "bpe"
    report = json.loads((tokenized.parent / "bpe.json").read_text())
    assert report["merges"] == len((out / "bpe.codes").read_text().splitlines()) - 1 <= 60
    assert report["source_words"] == len(set(" ".join(SENTENCES["source"]).split()))
    assert report["test_target_subwords"] == len((out / "test.target").read_text().split())
    counts = [line.split(" ") for line in (out / "vocab.source").read_text().splitlines()]
    assert report["source_subwords"] == sum(int(count) >= 3 for _, count in counts)


@pytest.mark.parametrize("text", ["a b c\n", "ab cd\n"])
def test_text_without_a_pair_to_merge_is_refused(tokenized: Path, text: str) -> None:
    for side in SIDES:
        (tokenized / f"train.{side}").write_text(text)
    with pytest.raises(InputError, match=r"train.source: no two symbols occur together 3 times"):
        bpe.main(arguments(tokenized, "min_frequency=3"))


def test_subwords_that_dropout_draws_count_as_often_as_they_are_expected(tokenized: Path) -> None:
    counts = []
    for dropout in (0.0, 0.3):
        bpe.main(arguments(tokenized, f"dropout={dropout}", "merges=200"))
        counts.append(read_subword_counts(tokenized.parent / "bpe/vocab.source"))
    plain, drawn = counts
    assert drawn.keys() > plain.keys()
    assert all(drawn[subword] >= count for subword, count in plain.items())
    words = sum(text.count(" ") + 1 for text in SENTENCES["source"] * 4)
    letters = sum(len(text.replace(" ", "")) for text in SENTENCES["source"] * 4)
    # Not more than the letters of the text, rounded up for each subword.
    assert words < sum(drawn.values()) <= letters + 2 * len(drawn)
