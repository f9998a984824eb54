"""The stage `probe`: one table of several encoders, and what it refuses."""

from __future__ import annotations

import csv
import random
from pathlib import Path
from typing import Any

import pytest
import yaml

from mgsa.cli.files import read_json
from mgsa.cli.run import BAD_INPUT, DONE, run
from pipeline.probe.__main__ import TABLE, main
from tests.all_stages import contents
from tests.model_folders import random_model
from tests.parameters import PARAMETERS
from tests.probing_folders import PROBE, SCRATCH, TREES, build, write_dataset

SCRATCHES = [
    f"scratch_{name}" for name in ("transformer", "ngram", "syntactic", "syntactic_on_lstm")
]
NOUNS = ("dog", "cat", "house", "sea", "night", "walk")


@pytest.fixture(scope="module")
def finished(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with probing data, and a model of either kind for the same subwords."""
    folder = tmp_path_factory.mktemp("probe")
    generator = random.Random(1)
    trees = [
        generator.choice(TREES).replace("(NN dog)", f"(NN {noun})").replace("(NN sea)", f"(NN {x})")
        for noun in NOUNS
        for x in NOUNS
        for _ in range(3)
    ]
    write_dataset(folder, trees)
    build(folder, "shares=[2, 1, 1]")
    random_model(folder / "mgsa", folder / "dataset")
    random_model(folder / "rnn", folder / "dataset", kind="rnn")
    write_dataset(folder / "few", TREES[:4])
    random_model(folder / "other", folder / "few/dataset")
    return folder


def probe(folder: Path, out: Path, *models: str, **changes: Any) -> int:
    params = out.with_name(f"{out.name}.yaml")
    sections = {"probe": PROBE | changes, "run": PARAMETERS["run"]}
    params.write_text(yaml.safe_dump(sections), encoding="utf-8")
    argv: list[object] = ["--probing", folder / "probing", "--out", out, "--params", params]
    argv += ["--report", out.with_name(f"{out.name}.json")]
    for name, _, where in (model.partition("=") for model in models):
        argv += ["--model", f"{name}={folder / where}"]
    return run(main, [*map(str, argv)])


def lines(out: Path) -> list[dict[str, str]]:
    with (out / TABLE).open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def test_models_and_encoders_from_scratch_in_one_table(
    finished: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "out"
    tasks = ["voice", "pos"]
    changes = {"encoders": ["pretrained", *SCRATCHES], "tasks": tasks, "max_epochs": 1}
    assert probe(finished, out, "other | $x=rnn", "one=mgsa", **changes) == DONE
    report, table = read_json(tmp_path / "out.json"), lines(out)
    rows = ["other | $x", "one", *SCRATCHES]
    assert list(report["encoders"]) == rows
    assert [(line["encoder"], line["task"]) for line in table] == [
        (row, task) for row in rows for task in tasks
    ]
    for line in table:
        cell = report["encoders"][line["encoder"]][line["task"]]
        assert cell == {name: float(line[name]) for name in cell}
        assert 0 <= cell["low"] <= cell["accuracy"] <= cell["high"] <= 100
        assert line["majority"] == table[tasks.index(line["task"])]["majority"]
    assert report["recipe"][0]["seed"] == 1
    markdown = (out / "probe.md").read_text("utf-8").splitlines()
    assert [line.split(" | ")[0] for line in markdown[4:]] == [
        "| majority class",
        r"| other \| $x",
        "| one",
        *(f"| {name}" for name in SCRATCHES),
    ]
    assert [path.name for path in (out / "figures").iterdir()] == ["probe.svg"]
    said = capsys.readouterr()
    assert said.out.splitlines() == markdown
    assert said.err == ""


def test_every_layer_and_the_same_again(finished: Path, tmp_path: Path) -> None:
    once = {"max_epochs": 1}
    for out in ("all", "again"):
        assert probe(finished, tmp_path / out, "m=mgsa", layers="all", **once) == DONE
    assert contents(tmp_path / "all") == contents(tmp_path / "again")
    assert probe(finished, tmp_path / "last", "m=mgsa", **once) == DONE
    everything, last = lines(tmp_path / "all"), lines(tmp_path / "last")
    assert [line["layer"] for line in everything] == ["1"] * 5 + ["2"] * 5
    assert everything[5:] == last
    reports = [read_json(tmp_path / f"{name}.json")["encoders"] for name in ("all", "last")]
    assert reports[0] == reports[1]
    figures = {path.name for path in (tmp_path / "all" / "figures").iterdir()}
    assert figures == {"probe.svg", "layers.svg"}


def test_flat_trees_leave_nothing_to_probe(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    write_dataset(tmp_path / "flat", ["(ROOT (X a) (X b))", "(ROOT (X a))"] * 2)
    build(tmp_path / "flat")
    random_model(tmp_path / "flat" / "mgsa", tmp_path / "flat" / "dataset")
    capsys.readouterr()
    assert probe(tmp_path / "flat", tmp_path / "out", "m=mgsa") == DONE
    assert lines(tmp_path / "out") == []
    assert read_json(tmp_path / "out.json")["encoders"] == {}
    expected = "probe: voice has no labels in train, valid, test: left out"
    assert expected in capsys.readouterr().err


SCRATCH_NGRAM = {"encoders": ["scratch_ngram"]}
FOUR_SIZES = SCRATCH_NGRAM | {"scratch": SCRATCH | {"ngrams": [2, 3, 4, 5]}}
LEVEL_4 = {"encoders": ["scratch_syntactic"], "scratch": SCRATCH | {"levels": [1, 4]}}
LAYER_3 = {"scratch": SCRATCH | {"phrase_layers": [3]}}


@pytest.mark.parametrize(
    ("model", "changes", "message"),
    [
        ("m=mgsa", {"tasks": []}, "probe: tasks: expected at least one, each once"),
        ("m=mgsa", LAYER_3, "probe.scratch: phrase_layers: expected 1 to 2 (layers), got 3"),
        ("m=rnn", SCRATCH_NGRAM, "scratch_ngram takes the sizes of a Transformer"),
        ("m=mgsa", FOUR_SIZES, "expected a model with 5 heads or more, got 4"),
        ("scratch_ngram=mgsa", SCRATCH_NGRAM, "expected another name than that of an encoder"),
        ("m=mgsa", LEVEL_4, "expected the level of syntactic_4, but the dataset has 3 levels"),
        ("m=other", {}, "probing: expected the source vocabulary of the model"),
    ],
)
def test_a_mistake_is_one_line_and_leaves_everything(
    finished: Path,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    model: str,
    changes: dict[str, Any],
    message: str,
) -> None:
    assert probe(finished, tmp_path / "out", model, **changes) == BAD_INPUT
    said = capsys.readouterr().err
    assert message in said
    assert said.startswith("error: ")
    assert said.count("\n") == 1
    assert not (tmp_path / "out").exists()
