from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import mgsa
from mgsa.__main__ import main
from mgsa.base.cli import run
from mgsa.data.artifact import open_dataset
from mgsa.decoding.translation import Translation
from tests.copy_task import write_copy_task
from tests.model_folders import random_model

ROWS = 9


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("command")
    dataset = write_copy_task(folder / "dataset", train=3, valid=3, test=ROWS)
    random_model(folder / "one", dataset)
    random_model(folder / "two", dataset, seed=1)
    return folder


def translate(folder: Path, *extra: str, models: tuple[str, ...] = ("one",)) -> int:
    chosen = [word for model in models for word in ("--model", str(folder / model))]
    dataset = ["--dataset", str(folder / "dataset"), "--split", "test"]
    return run(main, ["translate", *chosen, *dataset, *extra])


def expected(folder: Path, **options: object) -> list[Translation]:
    rows = list(open_dataset(folder / "dataset").read("test"))
    return mgsa.load(folder / "one").translate(rows, **options)  # type: ignore[arg-type]


def test_a_line_a_row_on_stdout(folder: Path, capfd: pytest.CaptureFixture[str]) -> None:
    assert translate(folder) == 0
    lines = capfd.readouterr().out.splitlines()
    assert lines == [translation.text for translation in expected(folder)]


def test_options_reach_the_search(folder: Path, tmp_path: Path) -> None:
    config = tmp_path / "config.yaml"
    config.write_text(
        "translate: {beam: 2, length_penalty: 0.5, max_length_ratio: 1.0, max_length_extra: 3,"
        " batch_tokens: 50}\n",
        encoding="utf-8",
    )
    out = str(tmp_path / "out")
    options = ["--config", str(config), "--set", "max_length_extra=1"]
    assert translate(folder, *options, "--beam", "3", "--length-penalty", "2", "--out", out) == 0
    found = expected(folder, beam=3, length_penalty=2.0, max_length_ratio=1.0, max_length_extra=1)
    assert Path(out).read_text(encoding="utf-8").splitlines() == [t.text for t in found]


def test_n_best_lines_and_scores(folder: Path, capfd: pytest.CaptureFixture[str]) -> None:
    assert translate(folder, "--n-best", "3") == 0
    lines = [line.split(" ||| ") for line in capfd.readouterr().out.splitlines()]
    candidates = [
        (row, candidate)
        for row, translation in enumerate(expected(folder, n_best=3))
        for candidate in translation.n_best
    ]
    assert [(int(row), text) for row, text, _ in lines] == [(r, c.text) for r, c in candidates]
    assert [float(line[2]) for line in lines] == pytest.approx(
        [c.score for _, c in candidates], abs=1e-5
    )

    assert translate(folder, "--scores") == 0
    best = [line.split("\t") for line in capfd.readouterr().out.splitlines()]
    assert [text for _, text in best] == [line[1] for line in lines[::3]]
    assert [score for score, _ in best] == [line[2] for line in lines[::3]]


def test_prefixes_and_several_models(folder: Path, tmp_path: Path) -> None:
    prefixes = ["w1 w2", "", "odd@@ end"] + [""] * (ROWS - 3)
    (tmp_path / "prefixes").write_text("\n".join(prefixes) + "\n", encoding="utf-8")
    out = tmp_path / "out"
    options = ["--prefix", str(tmp_path / "prefixes"), "--out", str(out)]
    assert translate(folder, *options, models=("one", "two")) == 0
    lines = out.read_text(encoding="utf-8").splitlines()
    assert len(lines) == ROWS
    assert f"{lines[0]} ".startswith("w1 w2 ")
    assert f"{lines[2]} ".startswith("oddend ")


def test_weights_of_the_best_translations(folder: Path, tmp_path: Path) -> None:
    path = tmp_path / "weights.npz"
    assert translate(folder, "--weights", str(path), "--out", str(tmp_path / "out")) == 0
    with np.load(path) as arrays:
        for row, translation in enumerate(expected(folder, need_weights=True)):
            written = arrays[f"{row}/layer_1.words"]
            np.testing.assert_allclose(written, translation.weights["layer_1.words"], rtol=1e-4)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--n-best", "6"], "--n-best: expected 1 to 5 (beam), got 6"),
        (["--beam", "0"], "translate.beam: expected a whole number from 1 to 1000, got 0"),
        (["--set", "beams=1"], "translate.beams: unknown key"),
        (["--split", "dev"], "no split 'dev'; it has train, valid, test"),
        (["--config", "nowhere.yaml"], "nowhere.yaml: no such file"),
        (["--dataset", "nowhere"], "nowhere/manifest.json: no such file"),
        (["--model", "nowhere"], "nowhere/manifest.json: no such file"),
    ],
)
def test_mistakes_are_one_line(
    folder: Path, options: list[str], message: str, capfd: pytest.CaptureFixture[str]
) -> None:
    assert translate(folder, *options) == 2
    output = capfd.readouterr()
    assert output.out == ""
    assert output.err.startswith("error: ")
    assert message in output.err
    assert output.err.count("\n") == 1


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("w1\n", "prefixes: expected 9 lines, one a row, got 1"),
        ("\n\nw1 new\n", "prefixes:3: expected subwords of the target vocabulary, got 'new'"),
        ("</s>\n", "prefixes:1: expected subwords of the target vocabulary, got '</s>'"),
    ],
)
def test_wrong_prefixes_are_named(
    folder: Path, tmp_path: Path, content: str, message: str, capfd: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "prefixes").write_text(content, encoding="utf-8")
    out = tmp_path / "out"
    out.write_text("as it was", encoding="utf-8")
    assert translate(folder, "--prefix", str(tmp_path / "prefixes"), "--out", str(out)) == 2
    assert message in capfd.readouterr().err
    assert out.read_text(encoding="utf-8") == "as it was"


def test_weights_of_several_models_are_refused(
    folder: Path, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    options = ["--weights", str(tmp_path / "weights.npz")]
    assert translate(folder, *options, models=("one", "two")) == 2
    assert capfd.readouterr().err == "error: --weights: expected one --model, got several\n"
