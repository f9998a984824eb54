"""The stage `analyze`: for any model, what it counts and draws, and what it refuses."""

from __future__ import annotations

import csv
from collections import defaultdict
from pathlib import Path
from typing import Any

import pytest
import yaml

from mgsa.cli.run import BAD_INPUT, DONE, run
from pipeline.analyze.__main__ import main
from pipeline.analyze.settings import SHARES
from pipeline.formats.tables import Record
from tests.model_folders import random_model
from tests.parameters import PARAMETERS
from tests.stage_folders import random_dataset
from tests.text_folders import stage_argv

SECTION = {"split": "test", "sentences": [2], "batch_tokens": 100}
INTERLEAVED = {
    "attentions": ["encoder", "decoder", "cross"],
    "technique": "conv_kv",
    "structure": "interleaved",
    "ngrams": [1, 2],
    "ngram_heads": None,
}
ALL_QUADRANTS = {"token_to_token", "token_to_phrase", "phrase_to_token", "phrase_to_phrase"}
SYSTEMS: dict[str, tuple[dict[str, Any], set[str]]] = {
    "interleaved": ({"multi_granularity": None, "phrase_attention": INTERLEAVED}, ALL_QUADRANTS),
    "recurrent": ({"kind": "rnn"}, {"token_to_token"}),
}
LAYERS = {"encoder": 2, "decoder": 1, "cross": 1}
ONLY_CROSS = {"encoder": 0, "decoder": 0, "cross": 1}
"""Layers that attend to something, of Transformers and of recurrent models."""


@pytest.fixture(scope="module")
def finished(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a dataset and a model of each kind."""
    folder = tmp_path_factory.mktemp("analyze")
    dataset = random_dataset(folder, 4)
    for name, (settings, _) in SYSTEMS.items():
        random_model(folder / name, dataset, **settings)
    return folder


def analyze(folder: Path, model: str, out: Path, **changes: Any) -> int:
    params = out.with_name(f"{out.name}.yaml")
    sections = {"analyze": SECTION | changes, "run": PARAMETERS["run"]}
    params.write_text(yaml.safe_dump(sections), encoding="utf-8")
    paths = {"model": model, "dataset": "dataset", "out": str(out), "report": f"{out}.json"}
    return run(main, stage_argv(folder, **paths, params=str(params)))


@pytest.mark.parametrize("model", SYSTEMS)
def test_any_model_is_counted_and_drawn(
    finished: Path, tmp_path: Path, model: str, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "out"
    assert analyze(finished, model, out) == DONE
    report = Record.read(tmp_path / "out.json")
    with (out / SHARES).open(encoding="utf-8", newline="") as file:
        lines = list(csv.DictReader(file))
    assert set(report) == {"encoder", "decoder", "cross"}
    layers = ONLY_CROSS if model == "recurrent" else LAYERS
    for place, of_layers in report.items():
        assert list(of_layers) == [f"layer_{layer}" for layer in range(1, layers[place] + 1)]
        for name, quadrants in of_layers.items():
            sums: defaultdict[str, float] = defaultdict(float)
            for row in lines:
                if row["place"] == place and f"layer_{row['layer']}" == name:
                    sums[row["quadrant"]] += float(row["share"])
            assert quadrants == pytest.approx(sums, abs=1e-5)
    drawn = {str(path.relative_to(out)) for path in out.rglob("*.svg")}
    assert drawn == {
        f"heat_maps/test_2/{place}_{layer}.svg"
        for place, number in layers.items()
        for layer in range(1, number + 1)
    }
    said = capsys.readouterr().out.splitlines()
    first_place = "cross" if model == "recurrent" else "encoder"
    assert len(said) == sum(layers.values())
    assert said[0].startswith(f"{first_place} 1: token to token ")
    assert set(report[first_place]["layer_1"]) == SYSTEMS[model][1]


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"sentences": [0, 4]}, "analyze.sentences: expected rows of test, 0 to 3, got 4"),
        ({"sentences": [1, 1]}, "analyze: sentences: expected each once"),
        ({"split": "tset"}, "split: expected 'train', 'valid' or 'test', got 'tset'"),
    ],
)
def test_what_is_not_there_is_one_line(
    finished: Path,
    tmp_path: Path,
    changes: dict[str, Any],
    message: str,
    capsys: pytest.CaptureFixture[str],
) -> None:
    out = tmp_path / "out"
    assert analyze(finished, "recurrent", out, **changes) == BAD_INPUT
    assert capsys.readouterr().err.endswith(f"{message}\n")
    assert not out.exists()
