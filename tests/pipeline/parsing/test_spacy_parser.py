"""Trees of a spaCy pipeline: one that is made here, whose component stands in for benepar's."""

from __future__ import annotations

import sys
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
import spacy
from spacy.language import Language
from spacy.tokens import Span

from mgsa.base.errors import InputError
from mgsa.base.io import read_json, read_text, write_json
from pipeline.parse import main as parse
from pipeline.parser import main
from pipeline.parsing import spacy_parser
from pipeline.parsing.stanza_parser import ConstituencyParser
from tests.lines import lines, write_lines
from tests.run_section import RUN
from tests.stage_folders import PARAMETERS
from tests.text_folders import stage_argv


@Language.factory("benepar")
def make_component(nlp: Language, name: str, model: str) -> Any:  # noqa: ARG001
    def brackets(span: Span) -> str:
        words = " ".join(f"(W {word.text.replace('(', '-LRB-')})" for word in span)
        return f"({model} {words})"

    Span.set_extension("parse_string", getter=brackets, force=True)
    return lambda document: document


@pytest.fixture(autouse=True)
def _benepar(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "benepar", ModuleType("benepar"))
    monkeypatch.setattr(spacy_parser.metadata, "version", lambda _: "0.2.0")


@pytest.fixture
def made(tmp_path: Path) -> Path:
    """A folder with a corpus, a pipeline and the parser's folder."""
    nlp = spacy.blank("en")
    nlp.meta["version"] = "1.2.3"
    nlp.to_disk(tmp_path / "pipeline")
    write_json(tmp_path / "corpus/corpus.json", {"source_language": "en", "target_language": "de"})
    make(tmp_path)
    return tmp_path


def make(folder: Path, *overrides: str) -> None:
    parser = {"kind": "spacy", "pipeline": str(folder / "pipeline"), "benepar": "NP", "dev": None}
    content = {**PARAMETERS, "parser": parser, "run": RUN}
    write_json(folder / "params.yaml", content)
    main(stage_argv(folder, *overrides, corpus="corpus", out="parser", report="parser.json"))


def test_a_sentence_is_one_whatever_its_punctuation(made: Path) -> None:
    parser = ConstituencyParser.load(made / "parser")
    trees = parser.parse([["Stop", ".", "(", "Go", "!"], ["a"]])
    assert trees == ["(NP (W Stop) (W .) (W -LRB-) (W Go) (W !))", "(NP (W a))"]


def test_the_stage_parses_with_it(made: Path) -> None:
    for split, texts in (("train", ["A dog .", "No"]), ("valid", ["A cat ."]), ("test", ["Hm ."])):
        write_lines(made / f"tokenized/{split}.source", texts)
    argv = stage_argv(made, tokenized="tokenized", parser="parser", out="parsed")
    parse([*argv, "--memory", str(made / "memory.sqlite")])
    assert lines(made / "parsed/train.trees") == ["(NP (W A) (W dog) (W .))", "(NP (W No))"]


def test_what_it_is_stands_in_its_folder_and_is_checked(made: Path) -> None:
    assert read_json(made / "parser/parser.json")["kind"] == "spacy"
    meta = made / "pipeline/meta.json"
    meta.write_text(read_text(meta).replace("1.2.3", "1.2.4"), "utf-8")
    with pytest.raises(InputError, match=r"as it was \('1\.2\.3', .*, got \('1\.2\.4'"):
        ConstituencyParser.load(made / "parser")
    if Span.has_extension("parse_string"):
        Span.remove_extension("parse_string")
    for override, message in (
        ("benepar=null", "expected one with a constituency parser, got .*pipeline"),
        ("pipeline=nowhere", "parser.pipeline: spaCy can't load nowhere: .*Can't find model"),
        ("benepar=[1]", "parser.benepar: "),
    ):
        with pytest.raises(InputError, match=message):
            make(made, override)
    write_json(made / "corpus/corpus.json", {"source_language": "fr", "target_language": "de"})
    with pytest.raises(InputError, match=r"expected a pipeline of fr, got .* of en"):
        make(made)
