"""A dataset artifact from raw text, by the stages themselves; the trees come from a toy parser."""

from __future__ import annotations

import random
import shutil
import zlib
from collections.abc import Mapping, Sequence
from pathlib import Path
from types import ModuleType
from typing import Any, cast

import yaml

import pipeline.bpe
import pipeline.dataset.__main__
import pipeline.partition
import pipeline.tokenize
from mgsa.cli.files import read_json, write_json
from mgsa.cli.outputs import SETTINGS, WRITTEN_BY, manifest_of, write_manifest
from mgsa.cli.settings import read_yaml
from mgsa.data.dataset import Dataset
from pipeline.constituency.parser_folder import Kind, write_parser_folder
from pipeline.encoder import Encoder
from pipeline.formats.text_settings import text_settings
from pipeline.formats.trees import bracketed, escape_token, flat_tree
from pipeline.preprocessor import Preprocessor
from pipeline.tokenizers.side import SideText
from tests.imports import ROOT
from tests.lines import lines, write_lines
from tests.parameters import PARAMETERS

MAX_WORDS: int = PARAMETERS["parse"]["max_words"]
KINDS = {
    "corpus": ("raw text", "corpus"),
    "tokenized": ("tokenised text", "tokenize"),
    "parser": ("parser", "parser"),
    "parsed": ("trees", "parse"),
    "bpe": ("subwords", "bpe"),
    "partitions": ("phrases", "parse", "partition"),
}
"""By their options, what the inputs of stages say that they are, and by which sections made."""
Texts = Mapping[str, Sequence[tuple[str, str]]]
WORDS = "a man woman dog cat sees reads the old new house book in on with and never"


def random_texts(count: int, seed: int) -> list[tuple[str, str]]:
    """Sentence pairs of few words."""
    generator = random.Random(seed)

    def text() -> str:
        return " ".join(generator.choices(WORDS.split(), k=generator.randint(1, 9))) + " ."

    return [(text(), text()) for _ in range(count)]


class ToyParser:
    """Halves a sentence where its words say, again and again; refuses those with a `!`."""

    def parse(self, sentences: Sequence[Sequence[str]]) -> list[str]:
        for tokens in sentences:
            if "!" in tokens:
                raise RuntimeError("no tree for a cry")
        return [f"(ROOT {self._bracket(list(tokens))})" for tokens in sentences]

    def _bracket(self, tokens: list[str]) -> str:
        number = zlib.crc32(" ".join(tokens).encode())
        if len(tokens) == 1:
            return f"(P{number % 97} {escape_token(tokens[0])})"
        cut = 1 + number % (len(tokens) - 1)
        return f"(N{number % 5} {self._bracket(tokens[:cut])} {self._bracket(tokens[cut:])})"


def write_text(folder: Path, splits: Texts, **partition: object) -> None:
    """Write a corpus, tokenise it, and write the parameters of all stages, below `folder`."""
    parameters = PARAMETERS | {"partition": PARAMETERS["partition"] | partition}
    (folder / "params.yaml").write_text(yaml.safe_dump(parameters), encoding="utf-8")
    corpus = folder / "corpus"
    corpus.mkdir()
    for split, pairs in splits.items():
        for place, side in enumerate(("source", "target")):
            write_lines(corpus / f"{split}.{side}", [pair[place] for pair in pairs])
    languages = {"source_language": "en", "target_language": "de"}
    write_json(corpus / "corpus.json", {"name": "made up", **languages})
    _run(pipeline.tokenize, folder, "tokenized", corpus="corpus")


def parse_with_toy(folder: Path, *, kind: Kind = "trees") -> None:
    """What the parse stage would write if stanza were the toy parser."""
    parsed = folder / "parsed"
    parsed.mkdir()
    for path in (folder / "tokenized").glob("*.source"):
        sentences = [line.split(" ") for line in lines(path)]
        trees = [
            bracketed(flat_tree(tokens))
            if len(tokens) > MAX_WORDS or "!" in tokens
            else ToyParser().parse([tokens])[0]
            for tokens in sentences
        ]
        write_lines(parsed / f"{path.stem}.trees", trees)
    (folder / "parser").mkdir()
    write_parser_folder(folder / "parser", kind=kind, language="en", package=None)
    shutil.copyfile(folder / "parser/parser.json", parsed / "parser.json")


def build_dataset(folder: Path) -> Path:
    """The artifact of what `write_text` and a parser wrote."""
    _run(pipeline.bpe, folder, "bpe", tokenized="tokenized")
    paths = {"parsed": "parsed", "plots": "plots"}
    _run(pipeline.partition, folder, "partitions", tokenized="tokenized", **paths)
    names = ("corpus", "tokenized", "partitions", "parser", "bpe")
    _run(pipeline.dataset.__main__, folder, "dataset", **{name: name for name in names})
    return folder / "dataset"


def with_toy_parser(dataset: Dataset) -> Preprocessor:
    """What makes rows of raw text, with the same parser."""
    made = text_settings(ROOT / "params.yaml")
    texts = SideText(made, "source", "en"), SideText(made, "target", "de")
    parser = cast("Any", ToyParser())
    return Preprocessor(Encoder.load(dataset.folder), texts, 3, MAX_WORDS, parser)


def _run(stage: ModuleType, folder: Path, out: str, **inputs: str) -> None:
    stage.main(stage_argv(folder, **inputs, out=out, report=f"{out}.json"))


def stage_argv(folder: Path, *overrides: str, **paths: str) -> list[str]:
    """The arguments of a stage with these paths below `folder`, by default `params.yaml` too.

    Its inputs are marked as the outputs of stages that they stand for.
    """
    named = {"params": "params.yaml", **paths}
    for name, (kind, *sections) in KINDS.items():
        given = folder / paths.get(name, "")
        if name in paths and given.is_dir() and WRITTEN_BY not in (manifest_of(given) or {}):
            parameters = read_yaml(folder / named["params"])
            made_with = {section: parameters.get(section) for section in sections}
            write_manifest(given, {"kind": f"mgsa {kind}", SETTINGS: made_with})
    words = [word for name, path in named.items() for word in (f"--{name}", str(folder / path))]
    return [*words, *(word for override in overrides for word in ("--set", override))]


def forget_origins(folder: Path) -> None:
    """Have no folder below `folder` say what it was made of."""
    for path in folder.rglob("manifest.json"):
        write_json(path, read_json(path) | {"made_of": {}})


def contents(folder: Path) -> dict[str, bytes]:
    """The bytes of each file below a folder."""
    return {
        str(path.relative_to(folder)): path.read_bytes()
        for path in folder.rglob("*")
        if path.is_file()
    }
