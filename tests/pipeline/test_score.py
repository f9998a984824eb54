from __future__ import annotations

from pathlib import Path

import pytest

from mgsa.base.errors import InputError
from mgsa.data.dataset import open_dataset
from mgsa.decoding.score import Scorer
from pipeline.base.stage import SIDES
from pipeline.score import main
from tests.model_folders import random_model
from tests.pipeline.dataset.test_preprocessor import random_pairs
from tests.text_folders import build_dataset, parse_with_toy, write_text

TEXTS = {name: random_pairs(8, seed) for seed, name in enumerate(("train", "valid", "test"))}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("score")
    write_text(folder, TEXTS)
    parse_with_toy(folder)
    random_model(folder / "model", build_dataset(folder), multi_granularity=None)
    sides = ["".join(f"{text}\n" for text in texts) for texts in zip(*TEXTS["test"], strict=True)]
    for side, text in zip(SIDES, sides, strict=True):
        (folder / side).write_text(text, encoding="utf-8")
    return folder


def score(folder: Path, *extra: str, files: Path | None = None, target: str = "target") -> None:
    files = files or folder
    sides = ["--source", str(files / "source"), "--target", str(files / target)]
    main(["--model", str(folder / "model"), *sides, *extra])


def test_text_scores_as_its_rows_in_a_dataset(
    folder: Path, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    score(folder)
    lines = capfd.readouterr().out.splitlines()
    dataset = open_dataset(folder / "dataset")
    rows = dataset.read("test")
    expected = list(Scorer.load(folder / "model").score_rows(rows, batch_tokens=1000))
    assert [float(line) for line in lines] == pytest.approx(expected, abs=1e-5)
    for side in SIDES:
        tokens = dataset.texts("test", f"{side}_tokens")  # type: ignore[arg-type]
        (tmp_path / side).write_text("".join(f"{line}\n" for line in tokens), encoding="utf-8")
    score(folder, "--tokenized", "--out", str(tmp_path / "scores"), files=tmp_path)
    assert (tmp_path / "scores").read_text("utf-8").splitlines() == lines


def test_files_of_unequal_lines_leave_no_output(folder: Path, tmp_path: Path) -> None:
    (folder / "short").write_text("ein Satz\n", encoding="utf-8")
    with pytest.raises(InputError, match="short:1: ends after 1 line; expected as many as in"):
        score(folder, "--out", str(tmp_path / "scores"), target="short")
    assert not (tmp_path / "scores").exists()
