"""Every preset is taken by the stages; the papers' models have the papers' sizes."""

from __future__ import annotations

import random
from dataclasses import replace
from pathlib import Path

import pytest
import torch
from torch.nn.functional import cross_entropy

from mgsa.config import ModelConfig, TrainConfig
from mgsa.data.batch import make_batch
from mgsa.data.vocabulary import PAD
from mgsa.model.build import build_model
from mgsa.settings import from_mapping
from pipeline.composition import GROUPS, compose
from pipeline.parameters import check_parameters
from pipeline.stage import SECTIONS
from tests.imports import ROOT
from tests.random_rows import NUM_TAGS, VOCABULARY, random_row

CONF = ROOT / "conf"
OPTIONS = [(group, path.stem) for group in GROUPS for path in sorted((CONF / group).glob("*.yaml"))]
MODELS = [name for group, name in OPTIONS if group == "model"]


@pytest.mark.parametrize(("group", "option"), OPTIONS)
def test_a_preset_is_taken_by_the_stages(group: str, option: str) -> None:
    sections = compose(CONF, [f"{group}={option}"])
    assert set(sections) == set(SECTIONS)
    check_parameters(sections, Path("params.yaml"))


def model_of(option: str) -> ModelConfig:
    return from_mapping(ModelConfig, compose(CONF, [f"model={option}"])["model"], "model")


@pytest.mark.parametrize(
    ("option", "millions"),
    [
        ("transformer_base", 88.0),
        ("mgsa_ngram_base", 88.4),
        ("mgsa_syntactic_base", 89.9),
        ("transformer_big", 264.1),
    ],
)
def test_models_have_the_papers_sizes(option: str, millions: float) -> None:
    """Hao et al. 2019, Table 3: 85.7 thousand rows of embeddings, no tag classifiers counted."""
    config = model_of(option)
    if config.multi_granularity is not None:
        silent = replace(config.multi_granularity, tags=False)
        config = replace(config, multi_granularity=silent)
    with torch.device("meta"):
        model = build_model(config, source_vocabulary=28_500, target_vocabulary=28_600, num_tags=0)
    assert round(sum(weight.numel() for weight in model.parameters()) / 1e6, 1) == millions


def test_the_joint_model_has_the_papers_size() -> None:
    """Garg et al. 2019, section 5.2: 213 million, one joint vocabulary of 36 thousand subwords."""
    with torch.device("meta"):
        model = build_model(
            model_of("joint_alignment_big"),
            source_vocabulary=36_000,
            target_vocabulary=36_000,
            num_tags=0,
        )
    assert round(sum(weight.numel() for weight in model.parameters()) / 1e6) == 213


@pytest.mark.parametrize("option", [name for name in MODELS if not name.endswith("big")])
@pytest.mark.slow
def test_a_preset_takes_a_step(option: str) -> None:
    model = build_model(
        model_of(option),
        source_vocabulary=VOCABULARY,
        target_vocabulary=VOCABULARY,
        num_tags=NUM_TAGS,
    )
    generator = random.Random(1)
    rows = [random_row(generator, length) for length in (3, 7)]
    batch = make_batch(rows, model.granularities, ngram_unit=model.ngram_unit)
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-4)
    losses = []
    for _ in range(2):
        logits = model(batch).logits
        loss = cross_entropy(logits.flatten(0, 1), batch.target_output.flatten(), ignore_index=PAD)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        losses.append(float(loss.detach()))
    assert losses[0] > 0
    assert losses[1] != losses[0]


@pytest.mark.parametrize(
    ("option", "dim", "factor"),
    [("gpu", 512, 1), ("gpu8", 512, 1), ("gpu8_big", 1024, 1), ("gpu_phrase", 512, 2)],
)
def test_the_papers_learning_rates(option: str, dim: int, factor: int) -> None:
    """Vaswani et al. 2017, equation 3: the rate peaks at the end of warm-up, at (d w)^-0.5."""
    train = from_mapping(TrainConfig, compose(CONF, [f"train={option}"])["train"], "train")
    assert train.learning_rate == pytest.approx(factor * (dim * train.warmup) ** -0.5, rel=0.01)
    assert train.optimizer_betas == (0.9, 0.98)
    assert train.label_smoothing == 0.1


def test_phrase_attentions_train_as_in_the_paper() -> None:
    """Nguyen & Joty 2018, section 4.1; beam and length penalty are those of every composition."""
    content = compose(CONF, ["train=gpu_phrase", "model=query_k_interleaved_12_base"])
    train = from_mapping(TrainConfig, content["train"], "train")
    assert (train.devices, train.batch_tokens, train.accumulate) == (1, 4096, 1)
    assert (train.warmup, train.max_updates) == (16_000, 500_000)
    assert (train.artifact, train.keep_last, train.checkpoint_every) == ("average", 5, 10_000)
    assert content["model"]["dropout"] == 0.1
    assert (content["translate"]["beam"], content["translate"]["length_penalty"]) == (5, 0.6)


def test_eight_gpus_take_the_papers_batch() -> None:
    train = from_mapping(TrainConfig, compose(CONF, ["train=gpu8"])["train"], "train")
    assert (train.devices, train.batch_tokens, train.accumulate) == (8, 4096, 1)
