"""The model artifact: stands by itself, and is refused when it is not what it says."""

from __future__ import annotations

import json
import random
import re
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
import torch

from mgsa.base.errors import InputError
from mgsa.base.io import read_json, sha256, write_json
from mgsa.base.settings import from_tagged
from mgsa.config import MODEL_KINDS
from mgsa.data.batch import make_batch
from mgsa.data.dataset import Dataset, open_dataset
from mgsa.model.build import build_model
from mgsa.model.encoder_decoder import EncoderDecoder
from mgsa.model_artifact import load_model, replace_weights, save_model
from mgsa.weights import named_tensors
from tests.copy_task import TAGS, write_copy_task
from tests.pickle_bomb import pickle_bomb
from tests.random_rows import MODELS, random_row
from tests.training_settings import MODEL

CONFIG = from_tagged(MODEL_KINDS, MODEL, "model")


def new_model(dataset: Dataset) -> EncoderDecoder:
    source, target = dataset.vocabularies
    return build_model(
        CONFIG, source_vocabulary=len(source), target_vocabulary=len(target), num_tags=len(TAGS)
    )


@pytest.fixture
def saved(tmp_path: Path) -> tuple[Path, EncoderDecoder]:
    """An artifact and the model it is of; the dataset is gone."""
    dataset = open_dataset(write_copy_task(tmp_path / "dataset", train=3, valid=3, test=3))
    model = new_model(dataset)
    save_model(tmp_path / "model", model, CONFIG, dataset, run={"seed": 1}, curves="{}\n")
    (tmp_path / "dataset").rename(tmp_path / "elsewhere")
    return tmp_path / "model", model


def test_stands_by_itself(saved: tuple[Path, EncoderDecoder]) -> None:
    folder, model = saved
    artifact = load_model(folder)
    for name, tensor in named_tensors(model).items():
        assert torch.equal(named_tensors(artifact.model)[name], tensor), name
    assert not artifact.model.training
    assert artifact.config == CONFIG
    assert artifact.languages == ("en", "de")
    assert artifact.tags == TAGS
    assert artifact.vocabularies[0] is artifact.vocabularies[1]
    assert {path.name for path in folder.iterdir()} == {
        "README.md",
        "bpe.codes",
        "config.json",
        "curves.jsonl",
        "manifest.json",
        "model.safetensors",
        "preprocessing.json",
        "tags.json",
        "vocab.json",
    }


def test_weights_that_are_shared_stay_so(saved: tuple[Path, EncoderDecoder]) -> None:
    model = load_model(saved[0]).model
    assert model.output.weight is model.target_embedding.subwords.weight


@pytest.mark.parametrize("name", MODELS)
def test_models_of_every_kind_come_back_to_the_bit(tmp_path: Path, name: str) -> None:
    """They are built without drawing weights, and those that they share are still shared."""
    dataset = open_dataset(write_copy_task(tmp_path / "dataset", train=3, valid=3, test=3))
    size = len(dataset.vocabularies[0])
    sizes = {"source_vocabulary": size, "target_vocabulary": size, "num_tags": len(TAGS)}
    model = build_model(MODELS[name], **sizes)
    save_model(tmp_path / "model", model, MODELS[name], dataset, run={}, curves="")
    state = torch.get_rng_state()
    loaded = load_model(tmp_path / "model").model
    assert torch.equal(torch.get_rng_state(), state)
    assert named_tensors(loaded).keys() == named_tensors(model).keys()
    generator = random.Random(0)
    rows = [random_row(generator, length) for length in (3, 7, 5)]
    rows = [replace(row, source=[4 + i % 10 for i in row.source]) for row in rows]
    rows = [replace(row, target=[4 + i % 10 for i in row.target]) for row in rows]
    batch = make_batch(rows, model.granularities, ngram_unit=model.ngram_unit)
    with torch.no_grad():
        assert torch.equal(loaded(batch).logits, model.eval()(batch).logits)


def record(path: Path) -> None:
    """Enter a file that was changed anew in the manifest beside it."""
    manifest = path.with_name("manifest.json")
    content = read_json(manifest)
    content["files"][path.name] = {"bytes": path.stat().st_size, "sha256": sha256(path)}
    write_json(manifest, content)


def cut(path: Path) -> None:
    path.write_bytes(path.read_bytes()[:-1])


def spoil(path: Path) -> None:
    path.write_bytes(path.read_bytes()[:-1] + b"?")


@pytest.mark.parametrize(
    ("name", "damage", "message"),
    [
        ("model.safetensors", cut, "expected [0-9]+ bytes as in the manifest, found [0-9]+"),
        ("vocab.json", spoil, "its SHA-256 is not the manifest's"),
        ("bpe.codes", spoil, "its SHA-256 is not the manifest's"),
        ("tags.json", Path.unlink, "no such file, but the manifest lists it"),
        ("manifest.json", Path.unlink, "no such file"),
        ("manifest.json", cut, "expected JSON"),
    ],
)
def test_damage_is_named(
    saved: tuple[Path, EncoderDecoder], name: str, damage: Callable[[Path], None], message: str
) -> None:
    path = saved[0] / name
    damage(path)
    if name == "manifest.json" and path.exists():
        cut(path)  # the first only took the line feed
    with pytest.raises(InputError, match=rf"{re.escape(str(path))}.*{message}"):
        load_model(saved[0])


@pytest.mark.parametrize(
    ("key", "value", "message"),
    [
        ("version", 1, "expected a model of version 3, got 1"),
        ("kind", "mgsa dataset", r"expected the manifest of a model \('mgsa model'\)"),
        ("files", None, "manifest.files: expected an object, got None"),
    ],
)
def test_another_kind_of_artifact_is_named(
    saved: tuple[Path, EncoderDecoder], key: str, value: object, message: str
) -> None:
    path = saved[0] / "manifest.json"
    write_json(path, json.loads(path.read_text(encoding="utf-8")) | {key: value})
    with pytest.raises(InputError, match=rf"manifest\.json: {message}"):
        load_model(saved[0])


def test_a_pickle_planted_with_its_hash_is_refused_unopened(
    saved: tuple[Path, EncoderDecoder], tmp_path: Path
) -> None:
    weights = saved[0] / "model.safetensors"
    weights.write_bytes(pickle_bomb(tmp_path / "evidence"))
    record(weights)
    with pytest.raises(InputError, match=r"model\.safetensors: expected a safetensors file"):
        load_model(saved[0])
    assert not (tmp_path / "evidence").exists()


def test_other_weights_in_the_same_artifact(
    saved: tuple[Path, EncoderDecoder], tmp_path: Path
) -> None:
    artifact = load_model(saved[0])
    tensors = {n: torch.ones_like(t) for n, t in named_tensors(artifact.model).items()}
    replace_weights(artifact, tensors, source=Path("ones"), updates=[3, 6], out=tmp_path / "other")
    other = load_model(tmp_path / "other")
    assert all(bool((t == 1).all()) for t in named_tensors(other.model).values())
    for path in saved[0].iterdir():
        if path.name not in ("model.safetensors", "config.json", "README.md", "manifest.json"):
            assert (tmp_path / "other" / path.name).read_bytes() == path.read_bytes()


def test_the_card_says_whose_weights_they_are(
    saved: tuple[Path, EncoderDecoder], tmp_path: Path
) -> None:
    artifact = load_model(saved[0])
    card = (saved[0] / "README.md").read_text("utf-8")
    assert "| trained on | copy task, 3 pairs |" in card
    replace_weights(
        artifact,
        named_tensors(artifact.model),
        source=Path("same"),
        updates=[3, 6],
        out=tmp_path / "other",
    )
    card = (tmp_path / "other" / "README.md").read_text("utf-8")
    assert "| weights | the mean of those of updates 3, 6 |" in card
    content = read_json(tmp_path / "other" / "config.json")
    assert (content["updates"], content["seed"]) == ([3, 6], 1)


def test_pairs_of_the_other_direction_are_refused(
    saved: tuple[Path, EncoderDecoder], tmp_path: Path
) -> None:
    """Their vocabulary is the same where both languages share one."""
    artifact, dataset = load_model(saved[0]), open_dataset(tmp_path / "elsewhere")
    artifact.check_dataset(dataset)
    manifest = replace(dataset.manifest, source_language="de", target_language="en")
    turned = Dataset(dataset.folder, manifest)
    with pytest.raises(InputError, match=r"expected pairs of en-de, as the model .*, got de-en"):
        artifact.check_dataset(turned)
