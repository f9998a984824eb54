"""Validation: the loss of every sentence, whatever the batches, and what it leaves behind."""

from __future__ import annotations

from pathlib import Path

import pytest
import torch
from lightning_fabric import Fabric
from torch.nn import functional as F

from mgsa.cli.settings import from_mapping
from mgsa.config import ModelConfig, TrainConfig
from mgsa.data.batch import make_batch
from mgsa.data.dataset import Dataset, open_dataset
from mgsa.model.encoder_decoder import EncoderDecoder
from mgsa.training.run import new_model
from mgsa.training.validation import validate
from tests.copy_task import write_copy_task
from tests.training_settings import MODEL, TRAIN


@pytest.fixture
def dataset(tmp_path: Path) -> Dataset:
    return open_dataset(write_copy_task(tmp_path / "dataset", valid=30))


def scores(dataset: Dataset, model: EncoderDecoder, **settings: object) -> dict[str, float]:
    config = from_mapping(TrainConfig, TRAIN | settings, "train")
    fabric = Fabric(accelerator="cpu", devices=1)
    return validate(fabric, model, dataset, config)


def test_the_loss_is_that_of_the_sentences_one_by_one(dataset: Dataset) -> None:
    torch.manual_seed(1)
    model = new_model(from_mapping(ModelConfig, MODEL, "model"), dataset)
    found = scores(dataset, model, batch_tokens=70)
    model.eval()
    nll, tokens = 0.0, 0
    for row in dataset.read("valid"):
        batch = make_batch([row], model.granularities, ngram_unit=model.ngram_unit)
        with torch.no_grad():
            logits = model(batch).logits[0].double()
        nll += F.cross_entropy(logits, batch.target_output[0], reduction="sum").item()
        tokens += len(row.target) + 1
    assert found["valid_nll"] == pytest.approx(nll / tokens, rel=1e-5)


def test_a_model_goes_on_training_as_it_was(dataset: Dataset) -> None:
    model = new_model(from_mapping(ModelConfig, MODEL, "model"), dataset)
    first = scores(dataset, model)
    assert model.training
    # Without dropout, so twice the same.
    assert scores(dataset, model.eval()) == first
    assert not model.training
