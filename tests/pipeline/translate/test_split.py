"""The stage `translate`: a split of a dataset becomes files of lines."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

import mgsa
from mgsa.cli.run import run
from mgsa.data.dataset import open_dataset
from pipeline.tokenizers.moses import MosesText
from pipeline.translate.split import WRITTEN, main
from tests.lines import lines, write_lines
from tests.text_folders import build_dataset, forget_origins


def stage(models: Path, out: Path, *extra: str) -> int:
    paths = ["--model", str(models / "phrases"), "--dataset", str(models / "dataset")]
    return run(main, [*paths, "--split", "test", "--out", str(out), *extra])


def test_a_split_becomes_files_without_a_parameter_file(
    models: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    out = tmp_path / "translations"
    assert stage(models, out, "--set", "beam=2", "--set", "copy_unknown=false") == 0
    files = {path.name: path.read_text("utf-8").splitlines() for path in out.iterdir()}
    assert files.keys() == {"manifest.json", *(f"test.{name}" for name in WRITTEN)}
    dataset = open_dataset(models / "dataset")
    found = mgsa.load(models / "phrases").translate(list(dataset.read("test")), beam=2)
    german = MosesText("de")
    assert files["test.hypotheses"] == [german.detokenize(one.text.split()) for one in found]
    assert files["test.sources"] == list(dataset.texts("test", "source_text"))
    assert files["test.references"] == list(dataset.texts("test", "target_text"))
    assert files["test.sets"] == ["test"] * dataset.num_rows("test")
    scores = [float(line) for line in files["test.scores"]]
    assert scores == pytest.approx([one.score for one in found], rel=1e-4)


def test_test_sets_and_further_references_are_handed_on(models: Path, tmp_path: Path) -> None:
    folder = Path(shutil.copytree(models, tmp_path / "models"))
    pairs = len(lines(folder / "corpus/test.target"))
    sets = ["mt02"] * 10 + ["mt03"] * (pairs - 10)
    columns = {"sets": sets, "target.2": [f"{line} ." for line in range(pairs)]}
    columns["target.3"] = [*["doch"] * 10, *[""] * (pairs - 10)]
    for name, texts in columns.items():
        write_lines(folder / f"corpus/test.{name}", texts)
    forget_origins(folder)
    build_dataset(folder)
    kept = [int(number) - 1 for number in lines(folder / "tokenized/test.lines")]
    assert stage(folder, tmp_path / "out") == 0
    files = {"sets": "sets", "references.2": "target.2", "references.3": "target.3"}
    for name, column in files.items():
        written = (tmp_path / f"out/test.{name}").read_text("utf-8").split("\n")[:-1]
        assert written == [columns[column][line] for line in kept]
    assert stage(folder, tmp_path / "out") == 0  # what it wrote it may replace
