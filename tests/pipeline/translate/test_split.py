"""The stage `translate`: a split of a dataset becomes files of lines."""

from __future__ import annotations

from pathlib import Path

import pytest

import mgsa
from mgsa.cli.run import run
from mgsa.data.dataset import open_dataset
from pipeline.tokenizers.moses import MosesText
from pipeline.translate.split import WRITTEN, main


def stage(models: Path, out: Path, *extra: str) -> int:
    paths = ["--model", str(models / "phrases"), "--dataset", str(models / "dataset")]
    return run(main, [*paths, "--split", "test", "--out", str(out), *extra])


def test_a_split_becomes_files_without_a_parameter_file(
    models: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    out = tmp_path / "translations"
    assert stage(models, out, "--set", "beam=2") == 0
    files = {path.name: path.read_text("utf-8").splitlines() for path in out.iterdir()}
    assert files.keys() == {f"test.{name}" for name in WRITTEN}
    dataset = open_dataset(models / "dataset")
    found = mgsa.load(models / "phrases").translate(list(dataset.read("test")), beam=2)
    german = MosesText("de")
    assert files["test.hypotheses"] == [german.detokenize(one.text.split()) for one in found]
    assert files["test.sources"] == list(dataset.texts("test", "source_text"))
    assert files["test.references"] == list(dataset.texts("test", "target_text"))
    scores = [float(line) for line in files["test.scores"]]
    assert scores == pytest.approx([one.score for one in found], rel=1e-4)
