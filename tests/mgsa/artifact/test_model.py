"""The model artifact: what it holds comes back; another or a damaged one is refused."""

from __future__ import annotations

import random
from dataclasses import replace
from pathlib import Path

import pytest
import torch

from mgsa.artifact.model import load_model, save_model
from mgsa.artifact.weights import named_tensors
from mgsa.cli.errors import InputError
from mgsa.cli.files import read_json, write_json
from mgsa.cli.settings import from_mapping
from mgsa.config import ModelConfig
from mgsa.data.batch import make_batch
from mgsa.data.dataset import Dataset, open_dataset
from mgsa.training.run import new_model
from tests.copy_task import TAGS, write_copy_task
from tests.random_rows import MODELS, random_row
from tests.training_settings import MODEL

CONFIG = from_mapping(ModelConfig, MODEL, "model")


@pytest.fixture
def dataset(tmp_path: Path) -> Dataset:
    return open_dataset(write_copy_task(tmp_path / "dataset", train=3, valid=3, test=3))


@pytest.fixture
def folder(tmp_path: Path, dataset: Dataset) -> Path:
    """An artifact, whose dataset has been moved away."""
    model = new_model(CONFIG, dataset)
    save_model(tmp_path / "model", model, CONFIG, dataset, run={"seed": 1}, curves=[{}])
    dataset.folder.rename(tmp_path / "elsewhere")
    return tmp_path / "model"


def test_stands_by_itself(folder: Path) -> None:
    artifact = load_model(folder)
    assert not artifact.model.training
    assert artifact.config == CONFIG
    assert artifact.languages == ("en", "de")
    assert artifact.tags == TAGS
    assert artifact.vocabularies[0] is artifact.vocabularies[1]
    assert artifact.model.output.weight is artifact.model.target_embedding.subwords.weight
    files = {path.name for path in folder.iterdir()}
    copied = {"vocab.json", "tags.json", "preprocessing.json"}
    written = {"model.safetensors", "config.json", "curves.jsonl", "README.md", "manifest.json"}
    assert files - {"bpe.codes"} == copied | written


@pytest.mark.parametrize("name", MODELS)
def test_models_of_every_kind_come_back_to_the_bit(
    tmp_path: Path, dataset: Dataset, name: str
) -> None:
    model = new_model(MODELS[name], dataset).eval()
    save_model(tmp_path / "model", model, MODELS[name], dataset, run={}, curves=[])
    loaded = load_model(tmp_path / "model").model
    assert named_tensors(loaded).keys() == named_tensors(model).keys()
    generator = random.Random(0)
    rows = [random_row(generator, length) for length in (3, 7, 5)]
    rows = [replace(row, source=[4 + i % 10 for i in row.source]) for row in rows]
    rows = [replace(row, target=[4 + i % 10 for i in row.target]) for row in rows]
    batch = make_batch(rows, model.granularities, ngram_unit=model.ngram_unit)
    with torch.no_grad():
        assert torch.equal(loaded(batch).logits, model(batch).logits)


@pytest.mark.parametrize(
    ("key", "value", "message"),
    [
        ("version", 1, "model.version: expected 3, got 1"),
        ("kind", "mgsa dataset", "model.kind: expected 'mgsa model', got 'mgsa dataset'"),
    ],
)
def test_another_kind_of_artifact_is_named(
    folder: Path, key: str, value: object, message: str
) -> None:
    write_json(folder / "manifest.json", read_json(folder / "manifest.json") | {key: value})
    with pytest.raises(InputError, match=rf"manifest\.json: {message}"):
        load_model(folder)


def test_a_model_is_of_the_dataset_that_its_training_began_with(
    dataset: Dataset, tmp_path: Path
) -> None:
    model = new_model(CONFIG, dataset)
    with (dataset.folder / "manifest.json").open("a", encoding="utf-8") as file:
        file.write("\n")
    with pytest.raises(InputError, match="dataset: expected the dataset that the training began"):
        save_model(tmp_path / "model", model, CONFIG, dataset, run={}, curves=[])
    assert not (tmp_path / "model").exists()


def test_pairs_of_the_other_direction_are_refused(folder: Path, tmp_path: Path) -> None:
    """Their vocabulary is the same where both languages share one."""
    artifact, dataset = load_model(folder), open_dataset(tmp_path / "elsewhere")
    artifact.check_dataset(dataset)
    manifest = replace(dataset.manifest, source_language="de", target_language="en")
    with pytest.raises(InputError, match=r"expected pairs of en-de, as the model .*, got de-en"):
        artifact.check_dataset(Dataset(dataset.folder, manifest))
