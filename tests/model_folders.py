"""Model artifacts with random weights, for tests of what is done with them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import torch

from mgsa.artifact.model import save_model
from mgsa.cli.settings import from_mapping
from mgsa.config import ModelConfig
from mgsa.data.dataset import open_dataset
from mgsa.data.vocabulary import EOS
from mgsa.training.run import new_model
from tests.training_settings import model_settings


def random_model(folder: Path, dataset_folder: Path, *, seed: int = 0, **settings: Any) -> Path:
    """An artifact of a model for a dataset, `model_settings(settings)`; give `folder` back.

    Output vectors are not the embeddings, or such a model would repeat what was said last.
    """
    dataset = open_dataset(dataset_folder)
    config = from_mapping(
        ModelConfig, model_settings({"share_embeddings": "none"} | settings), "model"
    )
    torch.manual_seed(seed)
    model = new_model(config, dataset)
    with torch.no_grad():
        model.output.weight.mul_(3)  # it shall have preferences,
        model.output.weight[EOS].zero_()  # but not that of saying nothing
    save_model(folder, model, config, dataset, run={}, curves=[])
    return folder
