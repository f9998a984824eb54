"""The model artifact: stands by itself, and is refused when it is not what it says."""

from __future__ import annotations

import json
import random
import re
import resource
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import torch
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from mgsa.base.errors import InputError
from mgsa.base.io import read_json, sha256, write_json
from mgsa.base.settings import from_tagged
from mgsa.config import MODEL_KINDS
from mgsa.data.artifact import Dataset, open_dataset
from mgsa.data.batch import make_batch
from mgsa.model.build import build_model
from mgsa.model.encoder_decoder import EncoderDecoder
from mgsa.model_artifact import check_replaceable, load_model, replace_weights, save_model
from mgsa.weights import named_tensors
from tests.copy_task import TAGS, write_copy_task
from tests.mutations import mutated_json, refusal
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
    """They are built without weights, and those that they share are still shared.

    Nor has any fewer weights than parts, or so many more that a small file could ask for a lot.
    """
    dataset = open_dataset(write_copy_task(tmp_path / "dataset", train=3, valid=3, test=3))
    size = len(dataset.vocabularies[0])
    sizes = {"source_vocabulary": size, "target_vocabulary": size, "num_tags": len(TAGS)}
    model = build_model(MODELS[name], **sizes)
    assert MODELS[name].num_parts < len(named_tensors(model)) < 25 * MODELS[name].num_parts
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


LAYERS = list(range(1, 1001))
SIZES = list(range(1, 101))
# Each number is one that settings allow; the last ones are too many together.
ABSURD: dict[str, tuple[dict[str, Any], str]] = {
    "dim": (
        {"dim": 1 << 16},
        "weight source_embedding.subwords.weight: expected shape (18, 65536), got (18, 16)",
    ),
    "ffn_dim": (
        {"ffn_dim": 1 << 16},
        "weight encoder.layers.0.feed_forward.inner.weight: expected shape (65536, 16)",
    ),
    "one layer more": (
        {"encoder_layers": 3},
        "weight encoder.layers.2.feed_forward.inner.bias is missing",
    ),
    "layers": (
        {"encoder_layers": 1000},
        "expected a weight at least for each of the 1004 parts of config.json (layers, and",
    ),
    "layers of granularities": (
        {
            "dim": 2000,
            "heads": 1000,
            "encoder_layers": 1000,
            "multi_granularity": {
                **MODEL["multi_granularity"],
                "layers": LAYERS,
                "granularities": [f"ngram_{size}" for size in range(1, 1000)],
                "group_heads": [1] * 1000,
                "composition": "lstm",
                "tags": False,
            },
        },
        "expected a weight at least for each of the 1000001 parts of config.json (layers, and",
    ),
    "layers of n-grams": (
        {
            "encoder_layers": 1000,
            "decoder_layers": 1000,
            "multi_granularity": None,
            "phrase_attention": {
                "attentions": ["encoder", "decoder", "cross"],
                "technique": "query_k",
                "structure": "interleaved",
                "ngrams": SIZES,
                "ngram_heads": None,
            },
        },
        "expected a weight at least for each of the 302000 parts of config.json (layers, and",
    ),
}


@pytest.mark.parametrize("case", ABSURD)
def test_a_configuration_that_the_weights_do_not_fit_costs_nothing(
    saved: tuple[Path, EncoderDecoder], case: str
) -> None:
    """The largest that settings allow: 20 GB of weights and more, or hours to build."""
    changes, message = ABSURD[case]
    change_config(saved[0], changes)
    memory, start = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss, time.process_time()
    with pytest.raises(InputError, match=rf"model\.safetensors: {re.escape(message)}"):
        load_model(saved[0])
    assert time.process_time() - start < 2
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - memory < 500_000  # kB


@pytest.mark.parametrize(
    ("key", "value"), [("dim", 10**9), ("encoder_layers", 10**6), ("heads", 10**30), ("dim", "16")]
)
def test_a_configuration_beyond_settings_is_named(
    saved: tuple[Path, EncoderDecoder], key: str, value: object
) -> None:
    change_config(saved[0], {key: value})
    with pytest.raises(InputError, match=rf"config\.json: model\.{key}: expected a whole number f"):
        load_model(saved[0])


def change_config(folder: Path, changes: dict[str, object]) -> None:
    """Let the configuration of the model say something else, and the manifest find it right."""
    content = read_json(folder / "config.json")
    write_json(folder / "config.json", content | {"model": content["model"] | changes})
    record(folder / "config.json")


def record(path: Path) -> None:
    """Enter a file that was changed anew in the manifest beside it."""
    manifest = path.with_name("manifest.json")
    content = read_json(manifest)
    content["files"][path.name] = {"bytes": path.stat().st_size, "sha256": sha256(path)}
    write_json(manifest, content)


JSON_FILES = ("manifest.json", "config.json", "vocab.json", "tags.json")


@pytest.mark.parametrize("name", JSON_FILES)
@settings(max_examples=50, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=st.data())
def test_whatever_its_files_say(saved: tuple[Path, EncoderDecoder], name: str, data: Any) -> None:
    path, manifest = saved[0] / name, saved[0] / "manifest.json"
    before = path.read_text("utf-8"), manifest.read_text("utf-8")
    path.write_text(data.draw(mutated_json(json.loads(before[0]))), encoding="utf-8")
    if path != manifest:
        record(path)
    said = refusal(lambda: load_model(saved[0]))
    assert said is None or said.startswith(str(saved[0]))
    path.write_text(before[0], encoding="utf-8")
    manifest.write_text(before[1], encoding="utf-8")


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
        ("files", None, "manifest.files: expected a section, each value a section with keys"),
        ("files", {}, r"expected model\.safetensors among the files"),
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


def test_only_an_empty_folder_or_a_model_is_replaced(
    saved: tuple[Path, EncoderDecoder], tmp_path: Path
) -> None:
    check_replaceable(tmp_path / "new")
    (tmp_path / "empty").mkdir()
    check_replaceable(tmp_path / "empty")
    check_replaceable(saved[0])
    with pytest.raises(InputError, match="elsewhere: expected an empty folder or a model artifact"):
        check_replaceable(tmp_path / "elsewhere")  # a dataset
    (tmp_path / "file").touch()
    with pytest.raises(InputError, match="file: expected a folder"):
        check_replaceable(tmp_path / "file")


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
