"""Whole runs in this process: learning, stopping early, choosing weights, refusing to go on."""

from __future__ import annotations

import json
import math
import shutil
import signal
from collections.abc import Mapping
from functools import partial
from pathlib import Path
from typing import Any

import pytest
import sacrebleu
import torch

import mgsa
from mgsa.artifact.model import load_model
from mgsa.artifact.weights import load_tensors
from mgsa.cli.errors import InputError
from mgsa.cli.settings import from_mapping
from mgsa.config import ModelConfig, TrainConfig
from mgsa.data.dataset import open_dataset
from mgsa.decoding.opened import OpenedModel
from mgsa.model.compiled import compiled
from mgsa.training import trainer
from mgsa.training.checkpoint import folder_of, saved_updates
from mgsa.training.processes import make_fabric
from mgsa.training.run import Restart, train_model
from mgsa.training.trainer import OnMetrics, Run
from tests.copy_task import write_copy_task
from tests.text_folders import contents
from tests.training_settings import ALIGNMENT, MODEL, TRAIN, model_settings

PLAIN = {"dropout": 0.0, "attention_dropout": 0.0, "activation_dropout": 0.0}
TRANSFORMER = PLAIN | {"multi_granularity": None, "encoder_layers": 1}
RNN = {"kind": "rnn", "dropout": 0.0}
HEAD = TRANSFORMER | {"alignment": ALIGNMENT}


@pytest.fixture
def dataset(tmp_path: Path) -> Path:
    return write_copy_task(tmp_path / "dataset", links=True)


def run(
    dataset: Path,
    *,
    restart: Restart = "never",
    on_metrics: OnMetrics | None = None,
    model: dict[str, Any] | None = None,
    **train_settings: Any,
) -> dict[str, float]:
    """Train into the dataset's sibling `out`."""
    config = Run(
        dataset,
        from_mapping(ModelConfig, model_settings(model or {}), "model"),
        from_mapping(TrainConfig, TRAIN | train_settings, "train"),
        out=dataset.with_name("out"),
        checkpoints=dataset.with_name("checkpoints"),
    )
    fabric = make_fabric("cpu", 1, 1, precision=config.train.precision)
    return train_model(config, fabric, restart=restart, on_metrics=on_metrics)


def curve(dataset: Path, name: str) -> dict[int, float]:
    """A metric by update, from the artifact's curves."""
    text = dataset.with_name("out").joinpath("curves.jsonl").read_text(encoding="utf-8")
    lines = [json.loads(line) for line in text.splitlines()]
    return {line["update"]: line[name] for line in lines if name in line}


@pytest.mark.parametrize(
    "model",
    [
        pytest.param(PLAIN, id="MG-SA"),
        pytest.param(RNN | {"attention": "key_value"}, id="key-value"),
        pytest.param(TRANSFORMER, id="Transformer", marks=pytest.mark.slow),
        pytest.param(RNN | {"attention": "attn"}, id="attn", marks=pytest.mark.slow),
        pytest.param(RNN | {"attention": "modifying_iw"}, id="IW", marks=pytest.mark.slow),
    ],
)
def test_learns_to_copy(tmp_path: Path, model: dict[str, Any]) -> None:
    """Thirty pairs by heart: what a model that can learn at all can do."""
    dataset = write_copy_task(tmp_path / "dataset", train=30)
    report = run(
        dataset,
        model=model | {"dim": 32},
        artifact="last",
        max_updates=250,
        batch_tokens=200,
        validate_every=250,
        log_every=10,
        label_smoothing=0.0,
        max_epochs=1000,
    )
    losses = curve(dataset, "train_nll")
    assert losses[10] > 2.0
    assert losses[250] < 0.1
    if model is PLAIN:
        assert curve(dataset, "train_tag_accuracy")[250] > 0.95
    # What the artifact translates is what was scored: the first 6 rows, as many as were asked for.
    opened = open_dataset(dataset)
    found = mgsa.load(dataset.with_name("out")).translate(opened.read("valid", 0, 6), beam=1)
    references = list(opened.texts("valid", "target_tokens", 0, 6))
    score = sacrebleu.corpus_bleu([each.text for each in found], [references], tokenize="none")
    assert report["valid_bleu_tokenized"] == pytest.approx(score.score)
    assert score.score > 0


def test_a_gate_learns_to_tell_phrases_that_are_no_trees(tmp_path: Path) -> None:
    """Of the copy task, whose upper phrases are mostly longer than a subword, as noise's never."""
    dataset = write_copy_task(tmp_path / "dataset", train=50)
    multi = MODEL["multi_granularity"] | {"boundaries": "gated_flags"}
    run(
        dataset,
        model=PLAIN | {"dim": 32, "multi_granularity": multi},
        phrase_noise={"flat": 0.4, "random": 0.0},
        max_updates=200,
        max_epochs=1000,
        batch_tokens=200,
        log_every=10,
    )
    accuracy = curve(dataset, "train_gate_accuracy")
    assert accuracy[10] < 0.8
    assert min(accuracy[190], accuracy[200]) > 0.9


def test_a_budget_of_seconds_ends_a_run_and_a_larger_one_resumes_it(dataset: Path) -> None:
    options: dict[str, Any] = {"artifact": "last", "validate_every": 10_000, "max_epochs": 10_000}
    first, second = (
        run(dataset, max_seconds=s, max_updates=10_000, **options)["updates"] for s in (1, 2)
    )
    assert 0 < first < second < 10_000
    weights = load_tensors(dataset.with_name("out") / "model.safetensors")
    run(dataset, max_updates=int(second), **options, restart="always")
    whole = load_tensors(dataset.with_name("out") / "model.safetensors")
    assert all(torch.equal(weights[name], whole[name]) for name in whole)


@pytest.mark.parametrize("full_context", [pytest.param(False, marks=pytest.mark.slow), True])
def test_learns_to_align(tmp_path: Path, full_context: bool) -> None:
    """The head finds the links of pairs it has not seen, too."""
    dataset = write_copy_task(tmp_path / "dataset", train=300, test=40, links=True)
    alignment = {"layer": 1, "full_context": full_context, "sentences": 1.0, "weight": 1.0}
    settings = TRANSFORMER | {"alignment": alignment}
    run(dataset, model=settings, max_updates=250, batch_tokens=200, validate_every=250)
    learned = curve(dataset, "valid_alignment_nll")[250]
    assert learned < 0.5 * math.log(9)  # of a head that knows nothing of nine positions
    pairs = open_dataset(dataset)
    found = OpenedModel.load(dataset.with_name("out")).align(pairs.read("test"))
    links = [link for alignment in found for link in alignment.links]
    assert sum(source == target for source, target in links) > 0.9 * len(links)


@pytest.mark.parametrize(
    ("model", "train", "valid", "message"),
    [
        ({"alignment": ALIGNMENT}, 9, 9, "expected word alignments of train, which model.alig"),
        ({}, 9, 0, "expected pairs in the split valid"),
        ({}, 0, 9, "expected pairs in the split train"),
    ],
)
def test_what_a_dataset_lacks_is_named(
    tmp_path: Path, model: dict[str, Any], train: int, valid: int, message: str
) -> None:
    with pytest.raises(InputError, match=f"dataset.*: {message}"):
        run(write_copy_task(tmp_path / "dataset", train=train, valid=valid), model=model)


def test_stops_early(dataset: Path) -> None:
    # With a rate of zero no validation improves on the first.
    report = run(dataset, learning_rate=0.0, validate_every=2, patience=2, max_updates=100)
    assert (report["updates"], report["best_update"]) == (6, 2)
    assert list(curve(dataset, "valid_nll")) == [2, 4, 6]
    assert run(dataset, max_epochs=2, max_updates=1000, restart="always")["epochs"] == 2


@pytest.mark.parametrize(
    ("best_by", "name"), [("loss", "valid_nll"), ("bleu", "valid_bleu_tokenized")]
)
def test_the_best_are_the_artifacts(dataset: Path, best_by: str, name: str) -> None:
    report = run(dataset, best_by=best_by, learning_rate=0.03, max_updates=20)
    scores = curve(dataset, name)
    best = min(scores.values()) if best_by == "loss" else max(scores.values())
    assert scores[int(report["best_update"])] == report[name] == best
    assert_weights_are_the_mean(dataset, int(report["best_update"]))


def test_the_last_or_the_mean_of_the_newest_are_the_artifacts(dataset: Path) -> None:
    run(dataset, artifact="last", max_updates=13)
    assert_weights_are_the_mean(dataset, 13)
    report = run(dataset, artifact="average", max_updates=13, keep_last=3, restart="always")
    assert_weights_are_the_mean(dataset, 8, 12, 13)
    assert report["valid_nll"] != curve(dataset, "valid_nll")[13]


def test_keeps_the_newest_and_the_best(dataset: Path) -> None:
    run(dataset, learning_rate=0.0, max_updates=30)  # the first validation stays the best
    assert saved_updates(dataset.with_name("checkpoints")) == [5, 24, 28, 30]


@pytest.mark.parametrize("kind", ["transformer", "rnn"])
def test_however_a_run_is_stopped_it_ends_as_one_that_was_not(dataset: Path, kind: str) -> None:
    out, checkpoints = dataset.with_name("out"), dataset.with_name("checkpoints")
    model = {"kind": kind}
    run(dataset, model=model)
    undisturbed = contents(out)

    def assert_same() -> None:
        run(dataset, model=model)
        assert contents(out) == undisturbed

    # A plain update, one with a checkpoint due, one with a validation due.
    for update in (6, 8, 10):

        def terminate(line: Mapping[str, float], update: int = update) -> None:
            if line["update"] == update:
                signal.raise_signal(signal.SIGTERM)

        with pytest.raises(SystemExit, match="143"):
            run(dataset, model=model, on_metrics=terminate, restart="always")
        assert saved_updates(checkpoints)[-1] == update
        assert_same()
    last = folder_of(checkpoints, 12)
    (last / "optimizer.safetensors").write_bytes(b"")
    with pytest.raises(InputError, match=r"optimizer\.safetensors: expected the file that was"):
        run(dataset, model=model)
    shutil.rmtree(last)
    assert_same()


def test_going_on_with_more_updates_is_as_if_there_had_been_no_end(dataset: Path) -> None:
    artifacts = []
    for ends in ([16], [6, 11, 16]):
        shutil.rmtree(dataset.with_name("checkpoints"), ignore_errors=True)
        for end in ends:
            run(dataset, max_updates=end)
        names = ("model.safetensors", "curves.jsonl")
        artifacts.append([(dataset.with_name("out") / name).read_bytes() for name in names])
    assert artifacts[0] == artifacts[1]


def test_other_settings_are_refused_unless_told_to_restart(dataset: Path) -> None:
    run(dataset, max_updates=4)
    with pytest.raises(InputError, match=r"checkpoints: .*of other settings.*--restart"):
        run(dataset, max_updates=4, seed=99)
    with pytest.raises(InputError, match=r"checkpoints: .*beyond train\.max_updates \(3\)"):
        run(dataset, max_updates=3)
    run(dataset, max_updates=12)
    with pytest.raises(InputError, match=r"checkpoints: .*beyond train\.max_epochs \(1\)"):
        run(dataset, max_epochs=1)
    assert run(dataset, max_updates=3, seed=99, restart="always")["updates"] == 3


def test_a_rate_that_stays_and_batches_of_a_number_of_pairs(dataset: Path) -> None:
    options: dict[str, Any] = {"batch_tokens": 1000, "batch_sentences": 10, "max_updates": 12}
    report = run(dataset, model={"kind": "rnn"}, decay="none", **options)
    assert report["epochs"] == 2  # of sixty pairs
    assert set(curve(dataset, "learning_rate").values()) == {0.005, 0.01}  # at update 2, from 4 on


@pytest.mark.parametrize(
    ("model", "backend"),
    [
        pytest.param(TRANSFORMER, "aot_eager", id="Transformer", marks=pytest.mark.slow),
        pytest.param(RNN, "inductor", id="RNN", marks=pytest.mark.slow),
        pytest.param(HEAD, "inductor", id="head", marks=pytest.mark.slow),
    ],
)
def test_a_compiled_model_trains_alike(
    dataset: Path, model: dict[str, Any], backend: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(trainer, "compiled", partial(compiled, backend=backend))
    losses = []
    for with_compiler in (False, True):
        run(
            dataset,
            restart="always",
            model=model,
            compile=with_compiler,
            max_updates=3,
            log_every=1,
        )
        losses.append(curve(dataset, "train_loss"))
    assert losses[1] == pytest.approx(losses[0], rel=1e-4)


def test_bf16_learns_too(dataset: Path) -> None:
    run(dataset, model={"alignment": ALIGNMENT}, precision="bf16-mixed", max_updates=20)
    losses = curve(dataset, "train_nll")
    assert losses[20] < losses[2] - 0.5


def assert_weights_are_the_mean(dataset: Path, *updates: int) -> None:
    """The artifact opens, and its weights are the mean of those of checkpoints."""
    folders = [folder_of(dataset.with_name("checkpoints"), update) for update in updates]
    tensors = [load_tensors(folder / "weights.safetensors") for folder in folders]
    for name, weight in load_model(dataset.with_name("out")).model.named_parameters():
        mean = torch.stack([each[name] for each in tensors]).double().mean(0)
        assert torch.equal(weight, mean.float()), name


@pytest.mark.parametrize("limit", [{"max_updates": 6}, {"max_epochs": 3}])
def test_a_linear_rate_ends_at_zero(dataset: Path, limit: dict[str, Any]) -> None:
    run(dataset, decay="linear", warmup=2, log_every=1, learning_rate=0.01, **limit)
    rates = [100 * rate for rate in curve(dataset, "learning_rate").values()]
    last = len(rates)
    expected = [0.5, *((last - update) / (last - 2) for update in range(2, last + 1))]
    assert rates == pytest.approx(expected)
