"""Exported models score and translate as ours do, in another engine."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import ctranslate2
import pytest

from mgsa.__main__ import main
from mgsa.cli.run import BAD_INPUT, DONE, run
from mgsa.data.dataset import Dataset, open_dataset
from mgsa.decoding.opened import OpenedModel
from tests.copy_task import write_copy_task
from tests.model_folders import random_model
from tests.training_settings import ALIGNMENT, write_settings

TRAIN = {"batch_tokens": 300, "max_updates": 60, "validate_every": 60, "max_epochs": 100}
LONGEST = 100


@pytest.fixture(scope="module")
def dataset(tmp_path_factory: pytest.TempPathFactory) -> Dataset:
    folder = tmp_path_factory.mktemp("export") / "dataset"
    return open_dataset(write_copy_task(folder, train=60, valid=3, test=40, links=True))


def export(model: Path, out: Path) -> int:
    return run(main, ["export", "--model", str(model), "--out", str(out)])


@pytest.mark.parametrize(
    "settings",
    [{"norm": "pre"}, {"norm": "post", "dim": 24}, {"norm": "pre", "alignment": ALIGNMENT}],
    ids=["pre-norm", "post-norm", "alignment head"],
)
def test_ctranslate2_scores_and_translates_alike(
    dataset: Dataset, tmp_path: Path, settings: dict[str, Any]
) -> None:
    """By a model that has learned little, but to end, and not to say padding."""
    model, path = tmp_path / "model", tmp_path / "config.yaml"
    write_settings(path, model={"multi_granularity": None} | settings, train=TRAIN)
    inputs = ["--config", str(path), "--dataset", str(dataset.folder), "--accelerator", "cpu"]
    assert run(main, ["train", *inputs, "--out", str(model)]) == DONE
    assert export(model, tmp_path / "out") == DONE
    engine = ctranslate2.Translator(str(tmp_path / "out"), device="cpu", intra_threads=1)
    rows = [row for row in dataset.read("test") if len(row.source)]
    source, target = dataset.vocabularies
    sources = [source.decode(row.source) for row in rows]
    scored = engine.score_batch(sources, [target.decode(row.target) for row in rows])
    opened = OpenedModel.load(model, accelerator="cpu")
    scores = opened.score(rows, batch_tokens=100)
    assert [sum(one.log_probs) for one in scored] == pytest.approx(list(scores), abs=1e-4)
    for beam in (1, 4):
        ours = opened.translate(
            rows, beam=beam, length_penalty=0.0, max_length_ratio=0.0, max_length_extra=LONGEST
        )
        theirs = engine.translate_batch(
            sources,
            beam_size=beam,
            length_penalty=0.0,
            max_decoding_length=LONGEST,
            min_decoding_length=0,
        )
        alike = sum(
            list(own.subwords) == other.hypotheses[0]
            for own, other in zip(ours, theirs, strict=True)
        )
        # Its beam search goes on until the best hypothesis has ended.
        assert alike >= (1.0 if beam == 1 else 0.9) * len(rows)


@pytest.mark.parametrize(
    "settings", [{}, {"kind": "rnn"}], ids=["phrases of the source", "recurrent"]
)
def test_a_model_that_no_other_engine_has_is_refused(
    dataset: Dataset, tmp_path: Path, capsys: pytest.CaptureFixture[str], settings: dict[str, Any]
) -> None:
    model = random_model(tmp_path / "model", dataset.folder, **settings)
    assert export(model, tmp_path / "out") == BAD_INPUT
    message = "model: expected a Transformer whose attentions see words alone\n"
    assert capsys.readouterr().err.endswith(message)
    assert not (tmp_path / "out").exists()
