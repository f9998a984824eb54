"""What the stage `parse` is given in tests: text, settings, a parser that takes no training."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import yaml

from pipeline.base.stage import SPLITS
from pipeline.parsing.parser_folder import write_parser_folder
from tests.run_section import RUN


def write_tokenized(folder: Path, sentences: Sequence[str]) -> Path:
    """Each split with these sentences, whose tokens have a space between them."""
    folder.mkdir(exist_ok=True)
    for split in SPLITS:
        text = "".join(f"{sentence}\n" for sentence in sentences)
        (folder / f"{split}.source").write_text(text, encoding="utf-8")
    return folder


def parameters(folder: Path, *, max_words: int = 50, workers: int = 1) -> Path:
    """A parameter file with the sections `parse` and `run`."""
    path = folder / "params.yaml"
    sections = {"parse": {"max_words": max_words}, "run": RUN | {"workers": workers}}
    path.write_text(yaml.safe_dump(sections), encoding="utf-8")
    return path


def command(folder: Path, tokenized: Path, parser: Path, params: Path, out: str) -> list[str]:
    """The arguments of the stage, which writes to `folder / out`."""
    paths = {
        "--tokenized": tokenized,
        "--parser": parser,
        "--out": folder / out,
        "--report": folder / f"{out}.json",
        "--memory": folder / "memory.sqlite",
        "--params": params,
    }
    return [str(part) for pair in paths.items() for part in pair]


def toy_parser(folder: Path, kind: str = "stanza") -> Path:
    """A parser folder without models, for tests that put a parser of their own in their place."""
    parser = folder / "parser"
    parser.mkdir()
    write_parser_folder(parser, kind=kind, language="en", package="toy")
    return parser
