"""Parameters of a run that takes seconds: the presets in `conf/`, but for what makes it small."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields
from typing import Any

from pipeline.formats.text import SPLITS
from pipeline.formats.text_settings import TextSettings
from pipeline.params.presets import compose
from tests.imports import ROOT

PRESETS = ["corpus=local", "parser=trees", "model=mgsa_syntactic_tiny"]
RAW = {"source": "en", "target": "de", "trees": "trees", "contrast": "contrast"}
SMALL = {
    "corpus": " ".join(f"{s}.{kind}=raw/{s}.{end}" for s in SPLITS for kind, end in RAW.items()),
    "tokenize": "max_tokens=60 max_ratio=null",
    "parse": "max_words=12",
    "bpe": "merges=60 vocabulary_threshold=3",
    "partition": "ngrams=[2]",
    "align": "symmetrization=grow-diag ibm1_iterations=2 hmm_iterations=2 learn_pairs=20",
    "dataset": "row_group_rows=20",
    "probe_data": "shares=[2,1,1] tss_classes=3",
    "model": "encoder_layers=2 decoder_layers=1 dim=16 ffn_dim=32 attention_dropout=0.1 "
    "activation_dropout=0.1",
    "model.multi_granularity": "granularities=[syntactic_1,syntactic_2,ngram_2] tag_weight=0.1 "
    "composition_width=8 interaction_width=8 interaction_chunk=4",
    "train": "seed=3 batch_tokens=60 shuffle_window=40 max_epochs=100 max_updates=12 warmup=4 "
    "learning_rate=0.01 decay=inverse_sqrt validate_every=5 validation_sentences=6 best_by=loss "
    "log_every=2 checkpoint_every=4 keep_last=2",
    "translate": "beam=2 max_length_ratio=1.0 max_length_extra=5 batch_tokens=500",
    "contrast": "batch_tokens=500 bootstrap_samples=10 randomization_trials=10",
    "evaluate": "metrics=[bleu] bootstrap_samples=10 randomization_trials=10",
    "phrasal_patterns": "max_ngram=4 max_category_ngram=2 source_lengths=[5] bootstrap_samples=10",
    "analyze": "batch_tokens=500",
    "probe": "hidden=16 learning_rate=0.01 batch_tokens=60 max_epochs=3 patience=2 "
    "bootstrap_samples=50",
    "probe.scratch": "layers=2 ngrams=[2,3] levels=[1,2] interaction_width=8 interaction_chunk=4 "
    "learning_rate=0.01 warmup=2",
    "report": "sentences=2 max_words=20 ranked=2 metric=bleu",
    "run": "workers=1",
}
"""What differs from the presets, section by section."""


def overrides(sections: Mapping[str, str]) -> list[str]:
    """The options of each section, as Hydra takes them."""
    return [f"{name}.{one}" for name, options in sections.items() for one in options.split()]


PARAMETERS = compose(ROOT / "conf", PRESETS + overrides(SMALL))
RUN: dict[str, Any] = PARAMETERS["run"]
"""One process, on the CPU."""


def recorded_text(source: str = "en", target: str = "de") -> dict[str, Any]:
    """The `text.json` of tokenised text."""
    settings = {field.name: PARAMETERS["tokenize"][field.name] for field in fields(TextSettings)}
    return {"source_language": source, "target_language": target, "tokenize": settings}
