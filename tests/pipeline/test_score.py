from __future__ import annotations

from pathlib import Path

import pytest

import mgsa
from mgsa.data.dataset import open_dataset
from pipeline.formats.text import SIDES
from pipeline.score import main
from tests.lines import lines, write_lines


def score(models: Path, source: Path, target: Path, *extra: str) -> None:
    sides = ["--source", str(source), "--target", str(target)]
    main(["--model", str(models / "words"), *sides, *extra])


def test_text_scores_as_its_rows_in_a_dataset(
    models: Path, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    score(models, models / "corpus/test.source", models / "corpus/test.target")
    printed = capfd.readouterr().out.splitlines()
    dataset = open_dataset(models / "dataset")
    expected = list(mgsa.load(models / "words").score(dataset.read("test")))
    assert [float(line) for line in printed] == pytest.approx(expected, abs=1e-5)
    for side in SIDES:
        write_lines(tmp_path / side, dataset.texts("test", f"{side}_tokens"))
    source, target = (tmp_path / side for side in SIDES)
    score(models, source, target, "--tokenized", "--out", str(tmp_path / "scores"))
    assert lines(tmp_path / "scores") == printed
