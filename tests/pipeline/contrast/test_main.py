"""The stage `contrast`: what it scores, what it reports, and what it refuses."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
import yaml

from mgsa.cli.errors import InputError
from mgsa.cli.outputs import SETTINGS, write_manifest
from mgsa.cli.run import BAD_INPUT, DONE, run
from mgsa.data.controls import read_rows
from mgsa.data.dataset import open_dataset
from mgsa.decoding.opened import OpenedModel
from pipeline.contrast.__main__ import gold_rows, main
from pipeline.contrast.accuracies import is_right, read_scores
from pipeline.formats.contrasts import Contrast, write_contrasts
from pipeline.formats.tables import Record
from pipeline.formats.trees import flat_tree, read_tree
from tests.lines import lines, write_lines
from tests.model_folders import random_model
from tests.parameters import PARAMETERS
from tests.text_folders import (
    WORDS,
    build_dataset,
    contents,
    parse_with_toy,
    random_texts,
    stage_argv,
    write_text,
)

TEXTS = {name: random_texts(12, seed) for seed, name in enumerate(("train", "valid", "test"))}
VARIANTS = [f"{WORDS.split()[n]} {target}" for n, (_, target) in enumerate(TEXTS["test"])]
"""One of each test pair: its target with another word."""
SECTION = {"batch_tokens": 300, "bootstrap_samples": 20, "randomization_trials": 50, "seed": 1}


EXAMPLE = '{"line": 1, "category": "noun", "target": "Text."}'


def write_variants(folder: Path, split: str, contrasts: list[Contrast]) -> None:
    with (folder / f"corpus/{split}.contrast").open("w", encoding="utf-8") as file:
        write_contrasts(contrasts, file)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Datasets of the references and of the variants, two models, contrasts of test."""
    folder, other = (tmp_path_factory.mktemp(name) for name in ("contrast", "variants"))
    sources = [source for source, _ in TEXTS["test"]]
    write_text(folder, TEXTS)
    write_text(other, TEXTS | {"test": list(zip(sources, VARIANTS, strict=True))})
    for place in (folder, other):
        parse_with_toy(place)
        build_dataset(place)
    shutil.copytree(other / "dataset", folder / "variants")
    random_model(folder / "phrases", folder / "dataset")
    random_model(folder / "words", folder / "dataset", multi_granularity=None)
    # Not in order, two of one pair, none of another.
    lines = [7, *range(12, 1, -1)]
    contrasts = [
        Contrast(n, "even" if n % 2 == 0 else "odd", VARIANTS[n - 1], 1 + (place == 0))
        for place, n in enumerate(lines)
    ]
    write_variants(folder, "test", contrasts)
    (folder / "params.yaml").write_text(
        yaml.safe_dump({"contrast": SECTION, "run": PARAMETERS["run"]}), "utf-8"
    )
    return folder


def contrast(folder: Path, out: Path, *more: str, model: str = "phrases") -> int:
    paths = {"dataset": "dataset", "corpus": "corpus", "model": model}
    argv = stage_argv(folder, **paths, out=str(out), report=f"{out}.json")
    return run(main, [*argv, "--split", "test", "--set", "run.accelerator=cpu", *more])


def test_scores_are_those_of_datasets_of_references_and_of_variants(
    folder: Path, tmp_path: Path
) -> None:
    kinds = ("parsed", "random")
    assert contrast(folder, tmp_path / "out", "--phrases", *reversed(kinds)) == DONE
    rows = read_scores(tmp_path / "out/test.csv")
    assert [row["line"] for row in rows] == [*range(2, 8), *range(7, 13)]
    assert [row["category"] for row in rows[:3]] == ["even", "odd", "even"]
    scorer = OpenedModel.load(folder / "phrases", accelerator="cpu")
    for kind in kinds:
        expected = {}
        for text, name in (("reference", "dataset"), ("variant", "variants")):
            found = read_rows(open_dataset(folder / name), "test", kind)  # type: ignore[arg-type]
            expected[text] = list(scorer.score(found, batch_tokens=300))
        for row in rows:
            for text, scores in expected.items():
                assert row[f"{kind}_{text}"] == pytest.approx(scores[row["line"] - 1], abs=1e-4)
    assert [row["parsed_reference"] for row in rows] != [row["random_reference"] for row in rows]
    report = Record.read(tmp_path / "out.json")
    assert list(report) == ["contrasts", *reversed(kinds)]
    assert report["contrasts"] == 12
    for kind in kinds:
        share = sum(is_right(row, kind) for row in rows) / 12
        assert report[kind]["accuracy"] == pytest.approx(100 * share, abs=1e-4)


def test_a_model_of_words_has_no_other_phrases_and_is_compared(
    folder: Path, tmp_path: Path
) -> None:
    assert contrast(folder, tmp_path / "phrases") == DONE
    more = ["--phrases", "random", "shuffled", "--baseline", str(tmp_path / "phrases/test.csv")]
    others = tmp_path / "corpus"
    others.mkdir()
    shutil.copy(folder / "corpus/test.contrast", others)
    write_variants(tmp_path, "train", [Contrast(1, "odd", "x"), Contrast(3, "odd", "y")])
    more += ["--contrasts", str(others)]
    assert contrast(folder, tmp_path / "words", *more, model="words") == DONE
    nowhere = ["--contrasts", str(folder / "dataset")]
    assert contrast(folder, tmp_path / "none", *nowhere, model="words") == BAD_INPUT
    base, report = (Record.read(tmp_path / f"{name}.json") for name in ("phrases", "words"))
    assert list(report) == ["contrasts", "parsed", "words", "most_frequent"]
    assert report["most_frequent"]["accuracy"] == 50  # six of twelve are odd
    assert report["words"]["accuracy"] == 50
    compared = report["parsed"]
    assert compared["baseline"] == base["parsed"]["accuracy"]
    assert compared["difference"] == pytest.approx(
        compared["accuracy"] - base["parsed"]["accuracy"], abs=1e-3
    )
    assert 0 < compared["p_value"] <= 1


def test_a_baseline_of_other_phrases_alone_is_refused(
    folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert contrast(folder, tmp_path / "one", "--phrases", "random") == DONE
    baseline = str(tmp_path / "one/test.csv")
    assert contrast(folder, tmp_path / "two", "--baseline", baseline) == BAD_INPUT
    expected = f"error: {baseline}: expected columns parsed_reference and …_variant\n"
    assert capsys.readouterr().err.endswith(expected)
    assert contrast(folder, tmp_path / "two", "--phrases", "random", "--baseline", baseline) == DONE
    assert Record.read(tmp_path / "two.json")["random"]["difference"] == 0


def test_gold_phrases_are_those_of_the_trees_that_a_corpus_brings(
    folder: Path, tmp_path: Path
) -> None:
    """Here those that the dataset was made of, which are not scored again if it says so.

    One is another, if it doesn't: the dataset's parse of that sentence is wrong.
    """
    copy = tmp_path / "copy"
    shutil.copytree(folder, copy)
    shutil.copy(folder / "parsed/test.trees", copy / "corpus")
    assert contrast(copy, tmp_path / "same", "--phrases", "gold", "random") == DONE
    assert list(Record.read(tmp_path / "same.json")) == ["contrasts", "random"]
    write_text(tmp_path, TEXTS)
    parse_with_toy(tmp_path, kind="none")
    shutil.rmtree(copy / "dataset")
    shutil.copytree(build_dataset(tmp_path), copy / "dataset")
    trees = lines(copy / "corpus/test.trees")
    trees[6] = str(flat_tree(read_tree(trees[6]).leaves()))
    write_lines(copy / "corpus/test.trees", trees)
    assert contrast(copy, tmp_path / "out", "--phrases", "random", "gold", "parsed") == DONE
    assert list(Record.read(tmp_path / "out.json")) == ["contrasts", "random", "gold", "parsed"]
    rows = read_scores(tmp_path / "out/test.csv")
    for row in rows:
        same = abs(row["gold_reference"] - row["parsed_reference"]) < 1e-4  # other batches round
        assert same == (row["line"] != 7)
        assert row["parse"] == ("wrong" if row["line"] == 7 else "right")
    by_parse = Record.read(tmp_path / "out.json")["parsed"]["by_parse"]
    assert {name: block["contrasts"] for name, block in by_parse.items()} == {
        "right": 10,
        "wrong": 2,  # contrasts of pair 7
    }


def test_phrases_of_a_dataset_of_controls_are_given_alone(folder: Path, tmp_path: Path) -> None:
    write_text(tmp_path, TEXTS, boundaries="random")
    parse_with_toy(tmp_path)
    copy = tmp_path / "copy"
    shutil.copytree(folder, copy)
    shutil.rmtree(copy / "dataset")
    shutil.copytree(build_dataset(tmp_path), copy / "dataset")
    assert contrast(copy, tmp_path / "out", "--phrases", "parsed", "random") == DONE
    assert list(Record.read(tmp_path / "out.json")) == ["contrasts", "parsed"]


@pytest.mark.parametrize(
    ("line", "message"), [(2, "leaf 1 of the tree is 'other'"), (1, None), (12, "12 lines")]
)
def test_gold_trees_fit_the_sentences_that_have_contrasts(
    folder: Path, tmp_path: Path, line: int, message: str | None
) -> None:
    """Line 1 has none, and line 12 is left out."""
    dataset = open_dataset(folder / "dataset")
    shutil.copy(folder / "corpus/test.source", tmp_path)
    trees = lines(folder / "parsed/test.trees")
    words = len(list(dataset.texts("test", "source_tokens"))[line - 1].split())
    trees[line - 1 : line] = [f"(ROOT{' (X other)' * words})"] if line < 12 else []
    write_lines(tmp_path / "test.trees", trees)
    rows = gold_rows(dataset, "test", tmp_path / "test.trees", range(2, 13))
    if message is None:
        assert [row.index for row in rows] == list(range(1, 12))
    else:
        with pytest.raises(InputError, match=message):
            list(rows)


def test_a_corpus_without_contrasts_has_none_in_its_report(folder: Path, tmp_path: Path) -> None:
    shutil.copytree(folder, tmp_path / "copy")
    (tmp_path / "copy/corpus/test.contrast").unlink()
    assert contrast(tmp_path / "copy", tmp_path / "out", "--phrases", "parsed", "random") == DONE
    assert Record.read(tmp_path / "out.json") == {"contrasts": 0}
    assert read_scores(tmp_path / "out/test.csv") == []


@pytest.mark.parametrize(
    ("file", "content", "message"),
    [
        ("test.contrast", EXAMPLE.replace("1", "13"), "line: expected 1 to 12, got 13"),
        (
            "test.contrast",
            EXAMPLE,
            "expected the 1 contrasts that it is compared on, in their order, got 12",
        ),
    ],
)
def test_what_does_not_belong_together_is_refused(
    folder: Path,
    tmp_path: Path,
    file: str,
    content: str,
    message: str,
    capsys: pytest.CaptureFixture[str],
) -> None:
    shutil.copytree(folder, tmp_path / "copy")
    assert contrast(folder, tmp_path / "base") == DONE
    (tmp_path / "copy/corpus" / file).write_text(content, "utf-8")
    write_manifest(tmp_path / "copy/corpus", {"kind": "mgsa raw text", SETTINGS: {"corpus": None}})
    capsys.readouterr()
    before = contents(tmp_path)
    baseline = str(tmp_path / "base/test.csv")
    assert contrast(tmp_path / "copy", tmp_path / "out", "--baseline", baseline) == BAD_INPUT
    said = capsys.readouterr().err
    assert message in said
    assert said.count("\n") == 1
    assert contents(tmp_path) == before


@pytest.mark.parametrize("shift", [-1, 1])
def test_contrasts_whose_lines_are_counted_otherwise_are_refused(
    folder: Path, tmp_path: Path, shift: int, capsys: pytest.CaptureFixture[str]
) -> None:
    shutil.copytree(folder, tmp_path / "copy")
    targets = enumerate((target for _, target in TEXTS["test"]), start=1 + shift)
    wrong = [Contrast(line, "x", f"never {text}") for line, text in targets if 0 < line <= 12]
    write_variants(tmp_path / "copy", "test", wrong)
    assert contrast(tmp_path / "copy", tmp_path / "out") == BAD_INPUT
    assert "expected variants of the lines named, counted from 1" in capsys.readouterr().err


@pytest.mark.parametrize("variant", [" ", f" {TEXTS['test'][1][1]} "])
def test_a_variant_with_the_tokens_of_its_reference_or_none_is_refused(
    folder: Path, tmp_path: Path, variant: str, capsys: pytest.CaptureFixture[str]
) -> None:
    shutil.copytree(folder, tmp_path / "copy")
    write_variants(tmp_path / "copy", "test", [Contrast(1, "x", "a"), Contrast(2, "x", variant)])
    assert contrast(tmp_path / "copy", tmp_path / "out") == BAD_INPUT
    expected = "error: test: contrast of pair 2: expected other tokens than its reference's, got "
    assert capsys.readouterr().err == f"{expected}{variant.strip()!r} of {variant!r}\n"
    assert not (tmp_path / "out").exists()
