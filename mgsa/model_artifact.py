"""The model artifact: a folder that stands by itself, and is all that translating needs.

    model.safetensors   weights; numbers only
    config.json         the model's settings, and those of the run that made it
    vocab.json          subwords by id            \
    tags.json           names of phrase tags       | as the dataset has them
    bpe.codes, vocab.*  how words are split        |
    preprocessing.json  how text became tokens    /
    curves.jsonl        the run's losses and scores
    manifest.json       version, languages, and the SHA-256 of every other file

Nothing in it is unpickled, or run.
"""

from __future__ import annotations

import shutil
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from torch import Tensor

from mgsa.config import MODEL_KINDS, ModelConfig
from mgsa.data.artifact import Dataset
from mgsa.data.needs import check_granularities
from mgsa.data.schema import BPE_FILES, PREPROCESSING, TAGS, VOCABULARY
from mgsa.data.vocabulary import Vocabulary, read_vocabularies
from mgsa.errors import InputError
from mgsa.files import open_to_write, read_json, replacing_folder, sha256, write_json
from mgsa.model.build import build_model
from mgsa.model.encoder_decoder import EncoderDecoder
from mgsa.settings import from_tagged, to_mapping
from mgsa.weights import load_weights, named_tensors, put_tensors, save_tensors

KIND = "mgsa model"
VERSION = 2
MANIFEST, WEIGHTS, CONFIG, CURVES = (
    "manifest.json",
    "model.safetensors",
    "config.json",
    "curves.jsonl",
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
        check_granularities(dataset, self.model.granularities)


def save_model(
    folder: Path,
    model: EncoderDecoder,
    config: ModelConfig,
    dataset: Dataset,
    *,
    run: dict[str, Any],
    curves: str,
) -> None:
    """Write the artifact of `model`; it replaces the one that stands at `folder`.

    Args:
        config: what `model` was built from.
        dataset: what it was trained on, whose vocabulary and preprocessing it takes along.
        run: what else `config.json` says of how the weights came to be.
        curves: lines of `curves.jsonl`.
    """
    with replacing_folder(folder) as partial:
        save_tensors(named_tensors(model), partial / WEIGHTS)
        write_json(partial / CONFIG, {"model": to_mapping(config), **run})
        with open_to_write(partial / CURVES) as file:
            file.write(curves)
        for name in _FROM_DATASET:
            if name in dataset.manifest.files:
                shutil.copyfile(dataset.folder / name, partial / name)
        manifest = {
            "kind": KIND,
            "version": VERSION,
            "source_language": dataset.manifest.source_language,
            "target_language": dataset.manifest.target_language,
            "dataset": dataset.manifest.identity,
            "files": {path.name: sha256(path) for path in sorted(partial.iterdir())},
        }
        write_json(partial / MANIFEST, manifest)


def load_model(folder: Path) -> ModelArtifact:
    """Open the artifact in `folder`; every file is compared with its SHA-256 first.

    Raises:
        InputError: the folder is not a model artifact of this version, or a file of it is missing
            or damaged; the message names the file.
    """
    manifest = _read_manifest(folder)
    for name, expected in manifest["files"].items():
        path = folder / name
        if not path.is_file():
            raise InputError("no such file, but the manifest lists it", path=path)
        if sha256(path) != expected:
            raise InputError("its SHA-256 is not the manifest's: the file was altered", path=path)
    content = read_json(folder / CONFIG)
    if not isinstance(content, dict) or "model" not in content:
        raise InputError("expected a section model", path=folder / CONFIG)
    config = from_tagged(MODEL_KINDS, content["model"], f"{folder / CONFIG}: model")
    vocabularies = read_vocabularies(folder / VOCABULARY)
    tags = tuple(read_json(folder / TAGS))
    source, target = vocabularies
    model = build_model(
        config, source_vocabulary=len(source), target_vocabulary=len(target), num_tags=len(tags)
    )
    load_weights(model, folder / WEIGHTS)
    return ModelArtifact(
        folder=folder,
        model=model.eval(),
        config=config,
        vocabularies=vocabularies,
        tags=tags,
        languages=(manifest["source_language"], manifest["target_language"]),
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
    artifact: ModelArtifact, tensors: Mapping[str, Tensor], *, source: Path, out: Path
) -> None:
    """Write an artifact that differs from `artifact` in its weights alone.

    Raises:
        InputError: the weights, read from `source`, are not those of such a model.
    """
    put_tensors(artifact.model, tensors, path=source)
    manifest = _read_manifest(artifact.folder)
    with replacing_folder(out) as partial:
        for name in manifest["files"]:
            if name != WEIGHTS:
                shutil.copyfile(artifact.folder / name, partial / name)
        save_tensors(named_tensors(artifact.model), partial / WEIGHTS)
        manifest["files"][WEIGHTS] = sha256(partial / WEIGHTS)
        write_json(partial / MANIFEST, manifest)


def check_replaceable(folder: Path) -> None:
    """Check that `folder` may become a model artifact: it is none yet, empty, or one already.

    Raises:
        InputError: it holds something else, which writing the artifact would remove.
    """
    if not folder.exists():
        return
    if not folder.is_dir():
        raise InputError("expected a folder", path=folder)
    manifest = read_json(folder / MANIFEST) if (folder / MANIFEST).is_file() else None
    is_model = isinstance(manifest, dict) and manifest.get("kind") == KIND
    if any(folder.iterdir()) and not is_model:
        raise InputError("expected an empty folder or a model artifact to replace", path=folder)


def _read_manifest(folder: Path) -> dict[str, Any]:
    path = folder / MANIFEST
    content = read_json(path)
    if not isinstance(content, dict) or content.get("kind") != KIND:
        raise InputError(f"expected the manifest of a model ({KIND!r})", path=path)
    if content.get("version") != VERSION:
        raise InputError(
            f"expected a model of version {VERSION}, got {content.get('version')!r}", path=path
        )
    required = {"source_language": str, "target_language": str, "files": dict}
    for key, kind in required.items():
        if not isinstance(content.get(key), kind):
            raise InputError(f"malformed manifest: expected {key}", path=path)
    for name in (WEIGHTS, CONFIG, VOCABULARY, TAGS):
        if name not in content["files"]:
            raise InputError(f"expected {name} among the files", path=path)
    return content
