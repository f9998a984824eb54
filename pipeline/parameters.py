"""The parameter file as a whole: what each of its sections must be.

A stage reads its own section when its turn comes. Whoever mistyped a key of the last stage should
not wait for the first ones to hear of it, so the stage `composition` checks them all.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from mgsa.config import MODEL_KINDS, TrainConfig, TranslateConfig
from mgsa.settings import from_mapping, from_tagged
from pipeline.aligner_kinds import KINDS as ALIGNER_KINDS
from pipeline.analysis_settings import AnalyzeSettings
from pipeline.bpe import BpeSettings
from pipeline.corpus_kinds import KINDS as CORPUS_KINDS
from pipeline.dataset import DatasetSettings
from pipeline.evaluate import EvaluateSettings
from pipeline.parse import ParseSettings
from pipeline.parser import KINDS as PARSER_KINDS
from pipeline.partition import PartitionSettings
from pipeline.stage import section_of
from pipeline.tokenize import TokenizeSettings

SETTINGS: dict[str, type | Mapping[str, type]] = {
    "corpus": CORPUS_KINDS,
    "tokenize": TokenizeSettings,
    "parser": PARSER_KINDS,
    "parse": ParseSettings,
    "bpe": BpeSettings,
    "partition": PartitionSettings,
    "align": ALIGNER_KINDS,
    "dataset": DatasetSettings,
    "model": MODEL_KINDS,
    "train": TrainConfig,
    "translate": TranslateConfig,
    "evaluate": EvaluateSettings,
    "analyze": AnalyzeSettings,
}
"""The dataclass of each section, or several by the section's key `kind`."""


def check_parameters(content: Mapping[str, Any], path: Path) -> None:
    """Read every section of the parameter file `path`, which holds `content`, and forget it.

    Raises:
        InputError: a section is missing or nobody's, or a key or value of one is wrong.
    """
    for name, settings in SETTINGS.items():
        values, where = section_of(content, name, path), f"{path}: {name}"
        if isinstance(settings, Mapping):
            from_tagged(settings, values, where)
        else:
            from_mapping(settings, values, where)
