"""`mgsa translate`, `mgsa align`, `mgsa score`: options reach the work, lines are its results."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest

import mgsa
from mgsa.__main__ import main
from mgsa.cli.run import run
from mgsa.data.dataset import open_dataset
from mgsa.data.word_links import format_links
from mgsa.decoding.results import Alignment, Translation
from tests.copy_task import write_copy_task
from tests.model_folders import random_model

ROWS = 9
CONFIG = (
    "translate: {beam: 2, length_penalty: 0.5, max_length_ratio: 1.0, max_length_extra: 3,"
    " batch_tokens: 50, precision: float32, copy_unknown: false}\n"
)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("commands")
    dataset = write_copy_task(folder / "dataset", train=3, valid=3, test=ROWS)
    random_model(folder / "one", dataset, decoder_layers=2)
    random_model(folder / "two", dataset, seed=1)
    random_model(folder / "words", dataset, multi_granularity=None)
    (folder / "config.yaml").write_text(CONFIG, encoding="utf-8")
    for name, prefixes in (("short", "w1\n"), ("new", "\n\nw1 </s>\n")):
        (folder / name).write_text(prefixes, encoding="utf-8")
    return folder


def mgsa_command(name: str, folder: Path, *extra: str, models: Sequence[str] = ("one",)) -> int:
    chosen = [word for model in models for word in ("--model", str(folder / model))]
    dataset = ["--dataset", str(folder / "dataset"), "--split", "test"]
    return run(main, [name, *chosen, *dataset, *extra])


def translations(folder: Path, **options: object) -> list[Translation]:
    rows = list(open_dataset(folder / "dataset").read("test"))
    return mgsa.load(folder / "one").translate(rows, **options)  # type: ignore[arg-type]


def alignments(folder: Path, *, layer: int | None = None) -> list[Alignment]:
    rows = list(open_dataset(folder / "dataset").read("test"))
    return list(mgsa.load(folder / "one").align(rows, layer=layer))


def test_options_go_before_the_file(folder: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    config = ["--config", str(folder / "config.yaml"), "--set", "max_length_extra=1"]
    options = ["--set", "beam=3", "--set", "length_penalty=2", "--out", str(out)]
    assert mgsa_command("translate", folder, *config, *options) == 0
    expected = translations(
        folder, beam=3, length_penalty=2.0, max_length_ratio=1.0, max_length_extra=1
    )
    assert out.read_text(encoding="utf-8").splitlines() == [t.text for t in expected]


def test_n_best_lines_scores_and_links(folder: Path, capfd: pytest.CaptureFixture[str]) -> None:
    options = ["--alignments", "--set", "copy_unknown=false"]
    assert mgsa_command("translate", folder, "--n-best", "3", *options) == 0
    lines = [line.split(" ||| ") for line in capfd.readouterr().out.splitlines()]
    expected = translations(folder, n_best=3)
    candidates = [(row, c) for row, translation in enumerate(expected) for c in translation.n_best]
    assert [(int(row), text) for row, text, *_ in lines] == [(r, c.text) for r, c in candidates]
    scores = [float(score) for _, _, score, _ in lines]
    assert scores == pytest.approx([c.score for _, c in candidates], abs=1e-5)
    rows = list(open_dataset(folder / "dataset").read("test"))
    for row, text, _, links in lines:
        pairs = [link.split("-") for link in links.split()]
        # Every word of the translation is linked to a word of the source.
        assert {int(target) for _, target in pairs} == set(range(len(text.split())))
        words = len(rows[int(row)].subwords_per_word)
        assert all(int(source) < words for source, _ in pairs)

    assert mgsa_command("translate", folder, "--scores", *options) == 0
    best = [line.split("\t") for line in capfd.readouterr().out.splitlines()]
    assert best == [[line[2], f"{line[1]} ||| {line[3]}"] for line in lines[::3]]


def test_prefixes_and_several_models(folder: Path, tmp_path: Path) -> None:
    prefixes = ["w1 w2", "", "odd@@ end"] + [""] * (ROWS - 3)
    (tmp_path / "prefixes").write_text("\n".join(prefixes) + "\n", encoding="utf-8")
    out = tmp_path / "out"
    options = ["--prefix", str(tmp_path / "prefixes"), "--out", str(out)]
    assert mgsa_command("translate", folder, *options, models=("one", "two")) == 0
    lines = out.read_text(encoding="utf-8").splitlines()
    assert len(lines) == ROWS
    assert f"{lines[0]} ".startswith("w1 w2 ")
    assert f"{lines[2]} ".startswith("oddend ")


def test_weights_are_arrays_and_the_same_bytes_again(folder: Path, tmp_path: Path) -> None:
    paths = [tmp_path / "weights.npz", tmp_path / "again.npz"]
    for path in paths:
        options = ["--weights", str(path), "--out", f"{path}.txt"]
        assert mgsa_command("translate", folder, *options) == 0
    assert paths[0].read_bytes() == paths[1].read_bytes()
    with np.load(paths[0]) as arrays:
        for row, translation in enumerate(translations(folder, need_weights=True)):
            for name, weights in translation.weights.items():
                assert arrays[f"{row}/{name}"].dtype == np.float32
                np.testing.assert_allclose(arrays[f"{row}/{name}"], weights, rtol=1e-4)


@pytest.mark.parametrize("layer", [None, 2])
def test_a_line_an_alignment_on_stdout(
    folder: Path, capfd: pytest.CaptureFixture[str], layer: int | None
) -> None:
    chosen = [] if layer is None else ["--layer", str(layer)]
    assert mgsa_command("align", folder, *chosen, "--batch-tokens", "50") == 0
    lines = capfd.readouterr().out.splitlines()
    assert lines == [format_links(alignment.links) for alignment in alignments(folder, layer=layer)]


def test_soft_alignments_are_arrays(folder: Path, tmp_path: Path) -> None:
    out, soft = tmp_path / "test.links", tmp_path / "soft.npz"
    assert mgsa_command("align", folder, "--out", str(out), "--soft", str(soft)) == 0
    assert len(out.read_text(encoding="utf-8").splitlines()) == ROWS
    with np.load(soft) as arrays:
        assert len(arrays.files) == 2 * ROWS
        for row, alignment in enumerate(alignments(folder)):
            np.testing.assert_allclose(arrays[f"{row}/words"], alignment.words, atol=1e-6)
            np.testing.assert_allclose(arrays[f"{row}/subwords"], alignment.matrix, atol=1e-6)


def test_a_line_a_log_probability_on_stdout(
    folder: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    assert mgsa_command("score", folder, "--batch-tokens", "50") == 0
    lines = capfd.readouterr().out.splitlines()
    rows = open_dataset(folder / "dataset").read("test")
    expected = list(mgsa.load(folder / "one").score(rows))
    assert [float(line) for line in lines] == pytest.approx(expected, abs=1e-5)
    assert all(len(line.partition(".")[2]) == 6 for line in lines)


@pytest.mark.parametrize("command", ["translate", "score"])
@pytest.mark.parametrize("phrases", ["shuffled", "random"])
def test_wrong_phrases_mislead_models_of_phrases_alone(
    folder: Path, capfd: pytest.CaptureFixture[str], command: str, phrases: str
) -> None:
    told = ["--scores"] if command == "translate" else []
    for model, same in (("one", False), ("words", True)):
        assert mgsa_command(command, folder, *told, models=(model,)) == 0
        right = capfd.readouterr().out
        assert mgsa_command(command, folder, *told, "--phrases", phrases, models=(model,)) == 0
        assert (capfd.readouterr().out == right) == same


@pytest.mark.parametrize(
    ("command", "options", "message"),
    [
        ("translate", ["--n-best", "6"], "--n-best: expected 1 to 5 (beam), got 6"),
        ("translate", ["--set", "beam=0"], "translate.beam: expected greater than or equal to 1"),
        ("translate", ["--set", "beams=1"], "translate.beams: unknown key"),
        ("translate", ["--split", "dev"], "no split 'dev'; it has train, valid, test"),
        ("translate", ["--weights", "w", "--model", "two"], "--weights: expected one --model, got"),
        ("translate", ["--alignments", "--model", "two"], "--alignments: expected one --model"),
        ("translate", ["--prefix", "short"], "short: expected 9 lines, one a row, got 1"),
        (
            "translate",
            ["--prefix", "new"],
            "new:3: expected subwords of the target vocabulary, got",
        ),
        ("align", ["--batch-tokens", "0"], "--batch-tokens: expected greater than or equal to 1"),
        ("align", ["--layer", "7"], "layer: expected 1 to 2, got 7"),
    ],
)
def test_mistakes_are_one_line_and_write_nothing(
    folder: Path,
    monkeypatch: pytest.MonkeyPatch,
    capfd: pytest.CaptureFixture[str],
    command: str,
    options: list[str],
    message: str,
) -> None:
    monkeypatch.chdir(folder)
    before = sorted(folder.iterdir())
    assert mgsa_command(command, folder, "--out", "out", *options) == 2
    error = capfd.readouterr().err
    assert message in error
    assert error.count("\n") == 1
    assert sorted(folder.iterdir()) == before
