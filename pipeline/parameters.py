"""The parameter file as a whole: what each of its sections must be.

A stage reads its own section when its turn comes. Whoever mistyped a key of the last stage should
not wait for the first ones to hear of it, so the stage `params` checks them all.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from mgsa.base.command import read_section
from mgsa.base.errors import InputError
from mgsa.base.settings import RunConfig, from_tagged
from mgsa.config import (
    MODEL_KINDS,
    ModelConfig,
    MultiGranularityConfig,
    TrainConfig,
    TransformerConfig,
    TranslateConfig,
)
from mgsa.probing.settings import ProbeConfig
from pipeline.aligners.aligner import AlignSettings
from pipeline.analyze import AnalyzeSettings
from pipeline.base.stage import section_of
from pipeline.bpe import BpeSettings
from pipeline.corpus import Corpus, LocalCorpus, SampleCorpus
from pipeline.dataset.manifest import DatasetSettings
from pipeline.evaluate import EvaluateSettings
from pipeline.parse import ParseSettings
from pipeline.parser import KINDS as PARSER_KINDS
from pipeline.parser import ReadyTrees, TrainedParser
from pipeline.partition import PartitionSettings
from pipeline.phrasal_patterns import PhrasalPatternsSettings
from pipeline.probe_data import ProbeDataSettings
from pipeline.report import ReportSettings
from pipeline.tokenize import TokenizeSettings

SETTINGS: dict[str, Any] = {
    "corpus": Corpus,
    "tokenize": TokenizeSettings,
    "parser": PARSER_KINDS,
    "parse": ParseSettings,
    "bpe": BpeSettings,
    "partition": PartitionSettings,
    "align": AlignSettings,
    "dataset": DatasetSettings,
    "probe_data": ProbeDataSettings,
    "model": MODEL_KINDS,
    "train": TrainConfig,
    "translate": TranslateConfig,
    "evaluate": EvaluateSettings,
    "phrasal_patterns": PhrasalPatternsSettings,
    "analyze": AnalyzeSettings,
    "probe": ProbeConfig,
    "report": ReportSettings,
    "run": RunConfig,
}
"""The dataclass of each section, or those of its kinds."""


def check_parameters(content: Mapping[str, Any], path: Path) -> None:
    """Read every section of the parameter file `path`, which holds `content`, and forget it.

    Raises:
        InputError: a section is missing or nobody's, a key or value of one is wrong, or one takes
            from another what that does not give.
    """
    sections: dict[str, Any] = {}
    for name, settings in SETTINGS.items():
        values, where = section_of(content, name, path), f"{path}: {name}"
        if isinstance(settings, Mapping):
            sections[name] = from_tagged(settings, values, where)
        else:
            sections[name] = read_section(settings, values, where)
    _check_annotations(sections, path)
    _check_model(sections["model"], sections, path)


def _check_annotations(sections: Mapping[str, Any], path: Path) -> None:
    """Check that the corpus comes with the trees and links that are taken from it."""
    corpus = sections["corpus"]
    match corpus:
        case SampleCorpus():
            treebank = trees = links = True
        case LocalCorpus():
            treebank = corpus.treebank is not None
            trees = None not in (corpus.train.trees, corpus.valid.trees, corpus.test.trees)
            links = corpus.train.links is not None
        case _:
            treebank = trees = links = False
    missing = None
    match sections["parser"]:
        case TrainedParser(train=train, dev=dev) if None in (train, dev) and not treebank:
            missing = (
                "parser: it is trained on the corpus's own treebank, which this corpus lacks: "
                "expected files as parser.train and parser.dev, or another parser (parser=stanza)"
            )
        case ReadyTrees() if not trees:
            missing = (
                "parser.kind: trees takes those that come with the corpus, and this one lacks them "
                "in some split: expected another parser (parser=stanza)"
            )
    if sections["align"].kind == "corpus" and not links:
        missing = (
            "align.kind: corpus takes the links that come with the corpus, and this one has none: "
            "expected another aligner (align=hmm)"
        )
    if missing:
        raise InputError(missing, path=path)


def _check_model(model: ModelConfig, sections: Mapping[str, Any], path: Path) -> None:
    """Check that there is what the model is to learn from."""
    match model:
        case TransformerConfig(multi_granularity=MultiGranularityConfig(granularities=names)):
            syntactic = [name for name in names if name.startswith("syntactic_")]
            if syntactic and sections["parser"].kind == "none":
                raise InputError(
                    f"parser.kind: none gives flat trees, but the model attends to {syntactic[0]}: "
                    "expected another parser, or a model without syntactic granularities",
                    path=path,
                )
    if model.alignment is not None and sections["align"].kind == "none":
        raise InputError(
            "align.kind: none gives no links, but model.alignment learns from them", path=path
        )
