"""Going on from a trained model."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import torch

from mgsa.artifact.model import load_model
from mgsa.artifact.weights import named_tensors
from mgsa.cli.errors import InputError
from mgsa.cli.files import read_json, write_json
from mgsa.cli.outputs import describe_files
from mgsa.cli.settings import from_mapping
from mgsa.config import ModelConfig, TrainConfig
from mgsa.data.dataset import open_dataset
from mgsa.training.checkpoint import saved_updates
from mgsa.training.initial import start_from
from mgsa.training.processes import make_fabric
from mgsa.training.run import Restart, new_model, train_model
from mgsa.training.trainer import Run
from tests.copy_task import write_copy_task
from tests.training_settings import TRAIN, model_settings

CONFIG = from_mapping(ModelConfig, model_settings({}), "model")


def train(
    dataset: Path, out: str, *, restart: Restart = "never", **settings: Any
) -> dict[str, torch.Tensor]:
    """Train into a sibling of the dataset; the weights."""
    config = from_mapping(TrainConfig, TRAIN | settings, "train")
    folder = dataset.with_name(out)
    checkpoints = dataset.with_name(f"{out}.checkpoints")
    run = Run(dataset, CONFIG, config, out=folder, checkpoints=checkpoints)
    train_model(run, make_fabric("cpu", 1, 1, precision="32-true"), restart=restart)
    return named_tensors(load_model(folder).model)


@pytest.fixture
def dataset(tmp_path: Path) -> Path:
    return write_copy_task(tmp_path / "dataset")


def grow(folder: Path) -> None:
    """Two more subwords and another tag, after those that are there."""
    symbols = read_json(folder / "vocab.json")
    write_json(folder / "vocab.json", symbols | {"source": [*symbols["source"], "new", "newer"]})
    write_json(folder / "tags.json", [*read_json(folder / "tags.json"), "NEW"])
    rewrite_manifest(folder)


def rewrite_manifest(folder: Path) -> None:
    manifest = read_json(folder / "manifest.json")
    (folder / "manifest.json").unlink()
    write_json(folder / "manifest.json", manifest | {"files": describe_files(folder)})


def test_frozen_weights_stay_and_others_are_trained(dataset: Path) -> None:
    before = train(dataset, "base")
    frozen = ["encoder", "target_embedding.subwords.weight"]
    base = str(dataset.with_name("base"))
    after = train(dataset, "tuned", initial=base, frozen=frozen, max_updates=3, artifact="last")
    stayed = {name for name, weight in before.items() if torch.equal(after[name], weight)}
    # The two embeddings are one.
    assert stayed == {
        name for name in before if name.startswith(("encoder.", "source_embedding.subwords"))
    }


def test_new_symbols_get_rows_of_their_own(dataset: Path) -> None:
    before = train(dataset, "base")
    grow(dataset)
    opened = open_dataset(dataset)
    torch.manual_seed(5)
    drawn = {n: t.clone() for n, t in named_tensors(new_model(CONFIG, opened)).items()}
    torch.manual_seed(5)
    model = new_model(CONFIG, opened)
    start_from(dataset.with_name("base"), model, opened)
    larger = set()
    for name, weight in named_tensors(model).items():
        rows = len(before[name])
        assert torch.equal(weight[:rows], before[name])
        assert torch.equal(weight[rows:], drawn[name][rows:])
        if len(weight) > rows:
            larger.add((name.rpartition(".")[0], len(weight) - rows))
    assert {added for name, added in larger if "tag" in name} == {1}
    assert ("source_embedding.subwords", 2) in larger


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"initial": "missing"}, "missing/manifest.json: no such file"),
        ({"frozen": ["decode"]}, r"train.frozen: expected .*, decoder, .*, got 'decode'"),
        ({"frozen": ["source_embedding", "encoder", "decoder"]}, "expected some weights to train"),
    ],
)
def test_what_is_no_model_or_no_weight_is_refused(
    dataset: Path, settings: dict[str, Any], message: str
) -> None:
    with pytest.raises(InputError, match=message):
        train(dataset, "out", **settings)


def test_another_vocabulary_model_or_segmentation_is_refused(dataset: Path) -> None:
    train(dataset, "base", max_updates=1)
    base, opened = dataset.with_name("base"), open_dataset(dataset)
    other = from_mapping(ModelConfig, model_settings({"ffn_dim": 48}), "model")
    with pytest.raises(InputError, match=r"model\.safetensors: weight .*: expected .*48"):
        start_from(base, new_model(other, opened), opened)
    (dataset / "bpe.codes").write_text("#version: 0.2\na b\n")
    rewrite_manifest(dataset)
    opened = open_dataset(dataset)
    with pytest.raises(InputError, match=r"expected bpe\.codes of the model .*base \(bpe\.codes\)"):
        start_from(base, new_model(CONFIG, opened), opened)
    symbols = read_json(dataset / "vocab.json")
    write_json(dataset / "vocab.json", symbols | {"source": symbols["source"][:-1]})
    rewrite_manifest(dataset)
    opened = open_dataset(dataset)
    with pytest.raises(InputError, match="expected the source vocabulary to begin with those of"):
        start_from(base, new_model(CONFIG, opened), opened)


@pytest.mark.parametrize("restart", ["if_changed", "always"])
def test_a_model_that_is_refused_costs_no_checkpoint(dataset: Path, restart: Restart) -> None:
    train(dataset, "base", max_updates=1)
    grow(dataset)
    train(dataset, "out", max_updates=1)
    saved = saved_updates(dataset.with_name("out.checkpoints"))
    symbols = read_json(dataset / "vocab.json")
    write_json(dataset / "vocab.json", symbols | {"source": symbols["source"][:4]})
    rewrite_manifest(dataset)
    with pytest.raises(InputError, match="expected the source vocabulary to begin with those of"):
        train(dataset, "out", initial=str(dataset.with_name("base")), restart=restart)
    assert saved == saved_updates(dataset.with_name("out.checkpoints")) != []
