r"""The model artifact: a folder with all that translation needs.

model.safetensors   weights
config.json         settings of the model and of its training
vocab.json          subwords by id            \
tags.json           names of phrase tags       | copied from the dataset
bpe.codes, vocab.*  subword segmentation       |
preprocessing.json  from text to tokens       /
parser/             what the source is parsed with, if it was asked for
curves.jsonl        losses and scores of the training
README.md           the model card
manifest.json       version, languages, and the SHA-256 of every other file
"""

import json
import shutil
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from mgsa.artifact.card import model_card
from mgsa.artifact.weights import load_weights, named_tensors, save_tensors
from mgsa.cli.errors import InputError
from mgsa.cli.files import open_to_write, read_json, write_json
from mgsa.cli.languages import base_language
from mgsa.cli.outputs import (
    CARD,
    MANIFEST,
    ManifestFile,
    atomic_folder,
    check_files,
    sha256,
    write_manifest,
)
from mgsa.cli.settings import Language, from_excerpt, from_mapping, to_mapping
from mgsa.config import ModelConfig
from mgsa.data.dataset import Dataset
from mgsa.data.schema import BPE_FILES, CASE_FILES, PREPROCESSING, TAGS, VOCABULARY
from mgsa.data.vocabulary import Vocabulary, read_tags, read_vocabularies
from mgsa.model.build import build_model
from mgsa.model.encoder_decoder import EncoderDecoder

WEIGHTS, CONFIG, CURVES = "model.safetensors", "config.json", "curves.jsonl"
PARSER, PARSER_FILE = "parser", "parser.json"
_FROM_DATASET = {VOCABULARY, TAGS, PREPROCESSING, *BPE_FILES, *CASE_FILES}


@dataclass(frozen=True)
class _Manifest:
    """The fields of `manifest.json` that are read."""

    kind: Literal["mgsa model"]
    version: Literal[3]
    source_language: Language
    target_language: Language
    files: dict[str, ManifestFile]


@dataclass(frozen=True)
class ModelArtifact:
    """An open artifact, its model in evaluation mode; in pairs, the source comes first."""

    folder: Path
    model: EncoderDecoder
    config: ModelConfig
    vocabularies: tuple[Vocabulary, Vocabulary]
    tags: tuple[str, ...]
    languages: tuple[str, str]

    @property
    def levels(self) -> int:
        """Syntactic levels that rows must have."""
        kinds = [name.partition("_") for name in self.model.granularities]
        return max((int(size) for kind, _, size in kinds if kind == "syntactic"), default=0)

    @property
    def of_subwords(self) -> bool:
        """Whether words are split by BPE."""
        return any(self.folder.glob("bpe.codes*"))

    def check_dataset(self, dataset: Dataset) -> None:
        """Raise an `InputError` if languages, vocabularies or levels are not the model's."""
        languages = (dataset.manifest.source_language, dataset.manifest.target_language)
        if [*map(base_language, languages)] != [*map(base_language, self.languages)]:
            raise InputError(
                f"expected pairs of {'-'.join(self.languages)}, as the model {self.folder} "
                f"translates, got {'-'.join(languages)}",
                path=dataset.folder,
            )
        self.check_vocabularies(dataset.vocabularies, dataset.folder)
        dataset.check_granularities(self.model.granularities)

    def check_vocabularies(self, others: tuple[Vocabulary, Vocabulary], folder: Path) -> None:
        """Raise an `InputError`, which names `folder`, unless the vocabularies are the model's."""
        for side, ours, theirs in zip(("source", "target"), self.vocabularies, others, strict=True):
            if ours.symbols != theirs.symbols:
                raise InputError(
                    f"expected the {side} vocabulary of the model {self.folder}", path=folder
                )


def save_model(
    folder: Path,
    model: EncoderDecoder,
    config: ModelConfig,
    dataset: Dataset,
    *,
    run: Mapping[str, Any],
    curves: Iterable[Mapping[str, int | float]],
    parser: Path | None = None,
) -> None:
    """Write the artifact of a model, trained on `dataset`, atomically.

    Args:
        run: for `config.json`: settings of the training (`train`), the updates whose weights these
            are (`updates`), their validation scores (`scores`).
        curves: the lines of `curves.jsonl`.
        parser: a parser's folder, to be carried.
    """
    origin = dataset.manifest
    if sha256(dataset.folder / MANIFEST) != origin.identity:  # somebody may have made it anew
        raise InputError("expected the dataset that the training began with", path=dataset.folder)
    manifest = {
        "kind": "mgsa model",
        "version": 3,
        "source_language": origin.source_language,
        "target_language": origin.target_language,
        "dataset": {"name": origin.name, "identity": origin.identity, "rows": origin.rows},
    }
    with atomic_folder(folder) as partial:
        with open_to_write(partial / CURVES) as file:
            file.writelines(json.dumps(line) + "\n" for line in curves)
        for name in _FROM_DATASET & origin.files.keys():
            shutil.copyfile(dataset.folder / name, partial / name)
        if parser is not None:
            for name in (PARSER_FILE, *read_json(parser / PARSER_FILE)["files"]):
                copied = partial / PARSER / name
                copied.parent.mkdir(parents=True, exist_ok=True)
                shutil.copyfile(parser / name, copied)
        save_tensors(named_tensors(model), partial / WEIGHTS)
        write_json(partial / CONFIG, {"model": to_mapping(config), **run})
        parameters = sum(parameter.numel() for parameter in model.parameters())
        card = model_card(
            config, run, manifest, parameters=parameters, with_parser=parser is not None
        )
        with open_to_write(partial / CARD) as file:
            file.write(card)
        write_manifest(partial, manifest)


def load_model(folder: Path) -> ModelArtifact:
    """Open an artifact; an `InputError` if a file of it is missing or fails its SHA-256."""
    path = folder / MANIFEST
    manifest = from_excerpt(_Manifest, read_json(path), f"{path}: model")
    check_files(folder, manifest.files, verify=True)
    section = read_json(folder / CONFIG)["model"]
    config = from_mapping(ModelConfig, section, f"{folder / CONFIG}: model")
    tags = read_tags(folder / TAGS)
    source, target = read_vocabularies(folder / VOCABULARY)
    model = build_model(
        config, source_vocabulary=len(source), target_vocabulary=len(target), num_tags=len(tags)
    )
    load_weights(model, folder / WEIGHTS)
    languages = (manifest.source_language, manifest.target_language)
    return ModelArtifact(folder, model.eval(), config, (source, target), tags, languages)
