"""The model artifact: a folder that stands by itself, and is all that translating needs.

    model.safetensors   weights; numbers only
    config.json         the model's settings, and those of the run that made it
    vocab.json          subwords by id            \
    tags.json           names of phrase tags       | as the dataset has them
    bpe.codes, vocab.*  how words are split        |
    preprocessing.json  how text became tokens    /
    curves.jsonl        the run's losses and scores
    README.md           all this in brief, for people: the model card
    manifest.json       version, languages, and the SHA-256 of every other file

Nothing in it is unpickled, or run.
"""

from __future__ import annotations

import shutil
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch
from torch import Tensor

from mgsa.base.errors import InputError
from mgsa.base.io import (
    MANIFEST,
    ManifestFile,
    atomic_folder,
    check_files,
    describe_files,
    open_to_write,
    read_json,
    write_json,
)
from mgsa.base.settings import Language, from_excerpt, from_tagged, to_mapping
from mgsa.config import MODEL_KINDS, ModelConfig
from mgsa.data.dataset import Dataset
from mgsa.data.schema import BPE_FILES, PREPROCESSING, TAGS, VOCABULARY
from mgsa.data.vocabulary import Vocabulary, read_tags, read_vocabularies
from mgsa.model.build import build_model
from mgsa.model.encoder_decoder import EncoderDecoder
from mgsa.model_card import model_card
from mgsa.weights import load_weights, materialize, named_tensors, put_tensors, save_tensors

KIND = "mgsa model"
VERSION = 3
WEIGHTS, CONFIG, CURVES, CARD = (
    "model.safetensors",
    "config.json",
    "curves.jsonl",
    "README.md",
)
_FROM_DATASET = (VOCABULARY, TAGS, PREPROCESSING, *BPE_FILES)


@dataclass(frozen=True)
class ModelArtifact:
    """An open artifact.

    Attributes:
        model: on the CPU, in evaluation mode.
        vocabularies: of the source and of the target; one object twice when they share one.
        tags: names of the phrases' tags, by id.
        languages: of the source and of the target.
    """

    folder: Path
    model: EncoderDecoder
    config: ModelConfig
    vocabularies: tuple[Vocabulary, Vocabulary]
    tags: tuple[str, ...]
    languages: tuple[str, str]

    @property
    def levels(self) -> int:
        """How many levels of syntactic phrases the model's rows must have; 0: none."""
        kinds = [name.partition("_") for name in self.model.granularities]
        return max((int(size) for kind, _, size in kinds if kind == "syntactic"), default=0)

    def check_dataset(self, dataset: Dataset) -> None:
        """Check that a dataset's ids and phrases are what the model was trained on.

        Raises:
            InputError: its languages or vocabularies differ, or it lacks a syntactic level.
        """
        languages = (dataset.manifest.source_language, dataset.manifest.target_language)
        if languages != self.languages:
            raise InputError(
                f"expected pairs of {'-'.join(self.languages)}, as the model {self.folder} "
                f"translates, got {'-'.join(languages)}",
                path=dataset.folder,
            )
        check_vocabularies(self, dataset.vocabularies, dataset.folder)
        dataset.check_granularities(self.model.granularities)


def save_model(
    folder: Path,
    model: EncoderDecoder,
    config: ModelConfig,
    dataset: Dataset,
    *,
    run: Mapping[str, Any],
    curves: str,
) -> None:
    """Write the artifact of `model`; it replaces the one that stands at `folder`.

    Args:
        config: what `model` was built from.
        dataset: what it was trained on, whose vocabulary and preprocessing it takes along.
        run: what else `config.json` says of how the weights came to be: the settings of training
            (`train`), whose weights they are (`updates`), and how good (`scores`).
        curves: lines of `curves.jsonl`.
    """
    manifest = {
        "kind": KIND,
        "version": VERSION,
        "source_language": dataset.manifest.source_language,
        "target_language": dataset.manifest.target_language,
        "dataset": {
            "name": dataset.manifest.name,
            "identity": dataset.manifest.identity,
            "rows": dataset.manifest.rows,
        },
    }
    with atomic_folder(folder) as partial:
        with open_to_write(partial / CURVES) as file:
            file.write(curves)
        for name in _FROM_DATASET:
            if name in dataset.manifest.files:
                shutil.copyfile(dataset.folder / name, partial / name)
        _complete(partial, model, config, run, manifest)


def _complete(
    folder: Path,
    model: EncoderDecoder,
    config: ModelConfig,
    run: Mapping[str, Any],
    manifest: Mapping[str, Any],
) -> None:
    """Write what is left to write: weights, settings, the card, and the manifest of it all."""
    save_tensors(named_tensors(model), folder / WEIGHTS)
    write_json(folder / CONFIG, {"model": to_mapping(config), **run})
    parameters = sum(parameter.numel() for parameter in model.parameters())
    with open_to_write(folder / CARD) as file:
        file.write(model_card(config, run, manifest, parameters=parameters))
    write_json(folder / MANIFEST, {**manifest, "files": describe_files(folder)})


def load_model(folder: Path) -> ModelArtifact:
    """Open the artifact in `folder`; every file is compared with its SHA-256 first.

    Raises:
        InputError: the folder is not a model artifact of this version, or a file of it is missing
            or damaged; the message names the file.
    """
    manifest = _read_manifest(folder)
    check_files(folder, manifest.files, verify=True)
    content = read_json(folder / CONFIG)
    if not isinstance(content, dict) or "model" not in content:
        raise InputError("expected a section model", path=folder / CONFIG)
    config = from_tagged(MODEL_KINDS, content["model"], f"{folder / CONFIG}: model")
    vocabularies = read_vocabularies(folder / VOCABULARY)
    tags = read_tags(folder / TAGS)
    source, target = vocabularies
    with torch.device("meta"):  # no weights are drawn that are then overwritten
        model = build_model(
            config, source_vocabulary=len(source), target_vocabulary=len(target), num_tags=len(tags)
        )
    materialize(model)
    load_weights(model, folder / WEIGHTS)
    return ModelArtifact(
        folder=folder,
        model=model.eval(),
        config=config,
        vocabularies=vocabularies,
        tags=tags,
        languages=(manifest.source_language, manifest.target_language),
    )


def check_vocabularies(
    artifact: ModelArtifact, others: tuple[Vocabulary, Vocabulary], folder: Path
) -> None:
    """Check that the vocabularies of what lies in `folder` are those of a model.

    Raises:
        InputError: one of them is not.
    """
    for side, ours, theirs in zip(("source", "target"), artifact.vocabularies, others, strict=True):
        if ours.symbols != theirs.symbols:
            raise InputError(
                f"expected the {side} vocabulary of the model {artifact.folder}", path=folder
            )


def replace_weights(
    artifact: ModelArtifact,
    tensors: Mapping[str, Tensor],
    *,
    source: Path,
    updates: Sequence[int],
    out: Path,
) -> None:
    """Write an artifact that differs from `artifact` in its weights, which nobody has scored.

    Args:
        updates: whose weights they are the mean of.

    Raises:
        InputError: the weights, read from `source`, are not those of such a model.
    """
    put_tensors(artifact.model, tensors, path=source)
    manifest = read_json(artifact.folder / MANIFEST)
    files = manifest.pop("files")
    run = read_json(artifact.folder / CONFIG)
    run = {key: value for key, value in run.items() if key not in ("model", "scores")}
    with atomic_folder(out) as partial:
        for name in files.keys() - {WEIGHTS, CONFIG, CARD}:
            shutil.copyfile(artifact.folder / name, partial / name)
        run["updates"] = [*updates]
        _complete(partial, artifact.model, artifact.config, run, manifest)


@dataclass(frozen=True)
class _Content:
    """What is read of a manifest."""

    kind: str
    version: int
    source_language: Language
    target_language: Language
    files: dict[str, ManifestFile]


def _read_manifest(folder: Path) -> _Content:
    path = folder / MANIFEST
    content = read_json(path)
    if not isinstance(content, dict) or content.get("kind") != KIND:
        raise InputError(f"expected the manifest of a model ({KIND!r})", path=path)
    if content.get("version") != VERSION:
        found = content.get("version")
        raise InputError(f"expected a model of version {VERSION}, got {found!r}", path=path)
    return from_excerpt(_Content, content, f"{path}: manifest")
