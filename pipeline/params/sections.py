"""The sections of `params.yaml`, each of its dataclass, and what no stage could take of them."""

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from mgsa.cli.errors import InputError
from mgsa.cli.settings import from_mapping
from mgsa.config import ModelConfig, TrainConfig, TranslateConfig
from mgsa.run_config import RunConfig
from pipeline.align.settings import AlignSettings
from pipeline.analyze.settings import AnalyzeSettings
from pipeline.bpe import BpeSettings
from pipeline.contrast.settings import ContrastSettings
from pipeline.corpus.settings import Corpus, LocalCorpus, SampleCorpus
from pipeline.dataset.settings import DatasetSettings
from pipeline.evaluate.settings import EvaluateSettings
from pipeline.formats.phrases import PartitionSettings
from pipeline.parse.settings import ParseSettings
from pipeline.parser.settings import ParserSettings, TrainedParser
from pipeline.phrasal_patterns.settings import PhrasalPatternsSettings
from pipeline.probe.settings import ProbeConfig
from pipeline.probe_data.settings import ProbeDataSettings
from pipeline.report.settings import ReportSettings
from pipeline.statistics.bleu_tokenizers import choose_tokenizer
from pipeline.tokenize import TokenizeSettings

SETTINGS: dict[str, Any] = {
    "corpus": Corpus,
    "tokenize": TokenizeSettings,
    "parser": ParserSettings,
    "parse": ParseSettings,
    "bpe": BpeSettings,
    "partition": PartitionSettings,
    "align": AlignSettings,
    "dataset": DatasetSettings,
    "probe_data": ProbeDataSettings,
    "model": ModelConfig,
    "train": TrainConfig,
    "translate": TranslateConfig,
    "contrast": ContrastSettings,
    "evaluate": EvaluateSettings,
    "phrasal_patterns": PhrasalPatternsSettings,
    "analyze": AnalyzeSettings,
    "probe": ProbeConfig,
    "report": ReportSettings,
    "run": RunConfig,
}
"""The sections of `params.yaml`, in the order of the stages: the dataclass of each, or those of its
kinds."""


def check_parameters(content: Mapping[str, Any], path: Path) -> dict[str, Any]:
    """Check all sections (`content`) of the parameter file `path`, and give them as dataclasses.

    Raises:
        InputError: a section is missing or unknown, a key or value is wrong, or sections contradict
            each other.
    """
    for name in content:
        if name not in SETTINGS:
            expected = ", ".join(SETTINGS)
            raise InputError(f"{name}: unknown section; expected one of {expected}", path=path)
    sections: dict[str, Any] = {}
    for name, settings in SETTINGS.items():
        if name not in content:
            raise InputError(f"{name}: missing section", path=path)
        sections[name] = from_mapping(settings, content[name], f"{path}: {name}")
    for fault in _contradictions(sections):
        raise InputError(fault, path=path)
    return sections


def _contradictions(sections: Mapping[str, Any]) -> Iterator[str]:
    """Messages for sections that need what another section, or the pipeline, does not provide."""
    yield from _lacking(sections)
    corpus, parser, align, model = (sections[k] for k in ("corpus", "parser", "align", "model"))
    granularities = getattr(getattr(model, "multi_granularity", None), "granularities", ())
    syntactic = [name for name in granularities if name.startswith("syntactic_")]
    if parser.kind == "none" and syntactic:
        yield (
            f"parser.kind: none gives flat trees, but the model attends to {syntactic[0]}: "
            "expected another parser, or a model without syntactic granularities"
        )
    levels, probe = sections["partition"].levels, sections["probe"]
    needed = max((int(name.removeprefix("syntactic_")) for name in syntactic), default=0)
    if needed > levels:
        yield f"partition.levels: expected at least {needed}, as the model has syntactic_{needed}"
    if any("syntactic" in name for name in probe.encoders) and max(probe.scratch.levels) > levels:
        yield f"probe.scratch.levels: expected at most {levels}, as partition.levels has"
    if model.share_embeddings == "all" and not sections["dataset"].joint_vocabulary:
        yield "dataset.joint_vocabulary: expected true, as model.share_embeddings: all needs"
    if sections["train"].bpe_dropout and sections["bpe"].unit == "word":
        yield "train.bpe_dropout: expected 0.0, as bpe.unit: word splits no word"
    analyze = sections["analyze"]
    rows = getattr(corpus, analyze.split, None) if isinstance(corpus, SampleCorpus) else None
    if isinstance(rows, int) and max(analyze.sentences, default=0) >= rows:
        yield f"analyze.sentences: expected rows of {analyze.split}, 0 to {rows - 1}"
    yield from _unfit_tokenizers(sections)
    if align.kind == "none" and model.alignment is not None:
        yield "align.kind: none gives no links, but model.alignment learns from them"


def _lacking(sections: Mapping[str, Any]) -> Iterator[str]:
    """Messages for sections that need what does not come with the corpus."""
    corpus, parser, align = (sections[k] for k in ("corpus", "parser", "align"))
    treebank = trees = links = isinstance(corpus, SampleCorpus)
    if isinstance(corpus, LocalCorpus):
        treebank, links = corpus.treebank is not None, corpus.train.links is not None
        trees = corpus.brings("trees")
    if isinstance(parser, TrainedParser) and None in (parser.train, parser.dev) and not treebank:
        yield (
            "parser: it is trained on the corpus's own treebank, which this corpus lacks: "
            "expected files as parser.train and parser.dev, or another parser (parser=stanza)"
        )
    if parser.kind == "trees" and not trees:
        yield (
            "parser.kind: trees takes those that come with the corpus, and this one lacks them "
            "in some split: expected another parser (parser=stanza)"
        )
    if sections["probe_data"].trees == "gold" and not trees:
        yield (
            "probe_data.trees: gold takes those that come with the corpus, and this one lacks them "
            "in some split: expected parsed"
        )
    if align.kind == "corpus" and not links:
        yield (
            "align.kind: corpus takes the links that come with the corpus, and this one has none: "
            "expected another aligner (align=hmm)"
        )


def _unfit_tokenizers(sections: Mapping[str, Any]) -> Iterator[str]:
    for name in ("evaluate", "phrasal_patterns"):
        try:
            choose_tokenizer(sections[name].bleu_tokenizer, sections["corpus"].target_language)
        except InputError as error:
            yield f"{name}.{error}"
