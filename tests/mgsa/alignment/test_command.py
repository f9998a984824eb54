from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from mgsa.__main__ import main
from mgsa.alignment.aligner import Aligner, Alignment
from mgsa.alignment.pharaoh import format_links
from mgsa.base.cli import run
from mgsa.data.artifact import open_dataset
from tests.copy_task import write_copy_task
from tests.model_folders import random_model

ROWS = 9


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("align")
    dataset = write_copy_task(folder / "dataset", train=3, valid=3, test=ROWS)
    random_model(folder / "model", dataset, decoder_layers=2)
    return folder


def align(folder: Path, *extra: str, split: str = "test") -> int:
    paths = ["--model", str(folder / "model"), "--dataset", str(folder / "dataset")]
    return run(main, ["align", *paths, "--split", split, *extra])


def expected(folder: Path, *, layer: int | None = None) -> list[Alignment]:
    aligner = Aligner.load(folder / "model", layer=layer)
    rows = list(open_dataset(folder / "dataset").read("test"))
    return aligner.align_rows(rows, batch_tokens=1000)


@pytest.mark.parametrize("layer", [None, 2])
def test_a_line_a_row_on_stdout(
    folder: Path, capfd: pytest.CaptureFixture[str], layer: int | None
) -> None:
    chosen = [] if layer is None else ["--layer", str(layer)]
    assert align(folder, *chosen, "--batch-tokens", "50") == 0
    lines = capfd.readouterr().out.splitlines()
    assert lines == [format_links(alignment.links) for alignment in expected(folder, layer=layer)]


def test_soft_alignments_are_arrays(folder: Path, tmp_path: Path) -> None:
    out, soft = tmp_path / "test.links", tmp_path / "soft.npz"
    assert align(folder, "--out", str(out), "--soft", str(soft)) == 0
    assert len(out.read_text(encoding="utf-8").splitlines()) == ROWS
    with np.load(soft) as arrays:
        assert len(arrays.files) == 2 * ROWS
        for row, alignment in enumerate(expected(folder)):
            np.testing.assert_allclose(arrays[f"{row}/words"], alignment.words, atol=1e-6)
            np.testing.assert_allclose(arrays[f"{row}/subwords"], alignment.matrix, atol=1e-6)


def test_a_translation_has_its_links_behind_it(
    folder: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    words = ["translate", "--model", str(folder / "model"), "--dataset", str(folder / "dataset")]
    assert run(main, [*words, "--split", "test", "--alignments"]) == 0
    lines = capfd.readouterr().out.splitlines()
    assert len(lines) == ROWS
    for line, row in zip(lines, open_dataset(folder / "dataset").read("test"), strict=True):
        text, links = line.split(" ||| ")
        pairs = [link.split("-") for link in links.split()]
        # Every word of the translation is linked to a word of the source.
        assert {int(target) for _, target in pairs} == set(range(len(text.split())))
        assert all(int(source) < len(row.subwords_per_word) for source, _ in pairs)


def test_links_stand_behind_every_candidate(
    folder: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    words = ["translate", "--model", str(folder / "model"), "--dataset", str(folder / "dataset")]
    assert run(main, [*words, "--split", "test", "--alignments", "--n-best", "2"]) == 0
    lines = capfd.readouterr().out.splitlines()
    assert [len(line.split(" ||| ")) for line in lines] == [4] * 2 * ROWS


@pytest.mark.parametrize(
    ("extra", "message"),
    [
        (["--split", "dev"], "no split 'dev'; it has train, valid, test"),
        (["--batch-tokens", "0"], "--batch-tokens: expected at least 1, got 0"),
        (["--layer", "7"], "layer: expected 1 to 2, got 7"),
        (["--soft", "-"], "--soft: expected a file, for arrays don't go to stdout"),
    ],
)
def test_mistakes_are_one_line_and_write_nothing(
    folder: Path,
    tmp_path: Path,
    capfd: pytest.CaptureFixture[str],
    extra: list[str],
    message: str,
) -> None:
    out = tmp_path / "links"
    assert align(folder, "--out", str(out), *extra) == 2
    error = capfd.readouterr().err
    assert message in error
    assert error.count("\n") == 1
    assert not out.exists()


@pytest.mark.parametrize("option", ["--soft", "--weights"])
def test_arrays_do_not_take_the_place_of_lines(
    folder: Path, tmp_path: Path, capfd: pytest.CaptureFixture[str], option: str
) -> None:
    command = "align" if option == "--soft" else "translate"
    out = str(tmp_path / "out")
    paths = ["--model", str(folder / "model"), "--dataset", str(folder / "dataset")]
    assert run(main, [command, *paths, "--split", "test", "--out", out, option, out]) == 2
    assert f"out: {option}: expected a file of its own, got that of" in capfd.readouterr().err


def test_links_of_several_models_are_refused(
    folder: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    model = str(folder / "model")
    words = ["translate", "--model", model, "--model", model, "--dataset", str(folder / "dataset")]
    assert run(main, [*words, "--split", "test", "--alignments"]) == 2
    assert "--alignments: expected one --model, got several" in capfd.readouterr().err
