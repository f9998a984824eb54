from __future__ import annotations

from pathlib import Path

import pytest

from mgsa.base.errors import InputError
from mgsa.base.word_links import format_links
from mgsa.data.dataset import open_dataset
from mgsa.decoding.align import Aligner
from pipeline.base.stage import SIDES
from pipeline.forced_align import main
from tests.model_folders import random_model
from tests.pipeline.dataset.test_preprocessor import random_pairs
from tests.text_folders import build_dataset, parse_with_toy, write_text

TEXTS = {name: random_pairs(8, seed) for seed, name in enumerate(("train", "valid", "test"))}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("forced")
    write_text(folder, TEXTS)
    parse_with_toy(folder)
    random_model(folder / "model", build_dataset(folder), multi_granularity=None)
    for side, texts in zip(SIDES, zip(*TEXTS["test"], strict=True), strict=True):
        (folder / side).write_text("".join(f"{text}\n" for text in texts), encoding="utf-8")
    return folder


def align(folder: Path, out: Path, *extra: str, target: str = "target") -> None:
    files = ["--source", str(folder / "source"), "--target", str(folder / target)]
    main(["--model", str(folder / "model"), *files, "--out", str(out), *extra])


def lines_of(path: Path) -> list[str]:
    return path.read_text(encoding="utf-8").splitlines()


def test_text_is_aligned_as_its_rows_in_a_dataset(folder: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    align(folder, out)
    dataset = open_dataset(folder / "dataset")
    found = Aligner.load(folder / "model").align_rows(dataset.read("test"), batch_tokens=1000)
    assert lines_of(out / "aligned.links") == [format_links(alignment.links) for alignment in found]
    assert lines_of(out / "aligned.source") == list(dataset.texts("test", "source_tokens"))
    assert lines_of(out / "aligned.target") == list(dataset.texts("test", "target_tokens"))


def test_tokenised_text_is_taken_as_it_is(folder: Path, tmp_path: Path) -> None:
    align(folder, tmp_path / "raw")
    again = tmp_path / "tokenized"
    files = [f"--{side}={tmp_path / 'raw' / f'aligned.{side}'}" for side in SIDES]
    words = ["--model", str(folder / "model"), *files, "--out", str(again), "--tokenized"]
    main(words)
    for name in (*SIDES, "links"):
        assert lines_of(again / f"aligned.{name}") == lines_of(tmp_path / f"raw/aligned.{name}")


def test_an_empty_line_has_no_links_and_a_wrong_one_leaves_no_output(
    folder: Path, tmp_path: Path
) -> None:
    lines = lines_of(folder / "target")
    (folder / "gap").write_text("\n".join([lines[0], "", *lines[2:], ""]), encoding="utf-8")
    align(folder, tmp_path / "out", target="gap")
    links = lines_of(tmp_path / "out" / "aligned.links")
    assert [bool(line) for line in links] == [True, False] + [True] * (len(lines) - 2)
    (folder / "wrong").write_text("two  spaces\n" * len(lines), encoding="utf-8")
    with pytest.raises(InputError, match="wrong:1: expected tokens with one space between"):
        align(folder, tmp_path / "wrong", "--tokenized", target="wrong")
    assert not (tmp_path / "wrong").exists()
