"""The model card says what the other files say, and front matter that model hubs read."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import yaml

from mgsa.base.settings import from_mapping
from mgsa.config import ModelConfig
from mgsa.model_card import describe, model_card
from pipeline.params import compose
from tests.imports import ROOT

MANIFEST = {
    "source_language": "en",
    "target_language": "de",
    "dataset": {"name": "sample", "identity": "abc", "rows": {"train": 10000, "valid": 500}},
}


def config_of(*overrides: str) -> Any:
    """The model of a composition."""
    return from_mapping(ModelConfig, compose(ROOT / "conf", [*overrides])["model"], "model")


@pytest.mark.parametrize(
    ("preset", "said"),
    [
        (
            "transformer_base",
            "A Transformer (Vaswani et al. 2017), 6 layers of encoder and 6 of decoder, width 512, "
            "feed-forward 2048, 8 heads.",
        ),
        (
            "mgsa_syntactic_tiny",
            "self-attention (Hao et al. 2019) in encoder layers 1: syntactic_1, syntactic_2, "
            "syntactic_3; composition by self-attention, an ON-LSTM over the phrases, tag "
            "supervision.",
        ),
        (
            "query_k_interleaved_tiny",
            "Phrase-based attention (Nguyen & Joty 2018), QueryK, interleaved, n = 1, 2, in "
            "encoder, decoder, cross.",
        ),
        ("rnn_key_value_tiny", "width 192, attention key-value (Mino et al. 2017)."),
    ],
)
def test_an_architecture_in_words(preset: str, said: str) -> None:
    assert said in describe(config_of(f"model={preset}"))


def test_every_model_of_the_presets_has_a_card() -> None:
    for path in sorted(Path(ROOT / "conf/model").glob("*.yaml")):
        card = model_card(config_of(f"model={path.stem}"), {}, MANIFEST, parameters=12345)
        assert "| parameters | 12,345 |" in card
        assert "needs the parser" in card if "syntactic" in path.stem else "no parser" in card


def test_front_matter_and_scores() -> None:
    run = {"updates": [1988], "scores": {"valid_bleu_tokenized": 80.4513, "valid_nll": 0.36678}}
    card = model_card(config_of(), run, MANIFEST, parameters=1)
    _, front, text = card.split("---\n", 2)
    assert yaml.safe_load(front)["language"] == ["en", "de"]
    assert "# en → de, from sample" in text
    assert "| weights | of update 1,988 |" in text
    assert "Of the validation split (500 pairs)" in text
    assert "| BLEU | 80.45 | per cent, of tokens |" in text
    assert "| negative log-likelihood | 0.3668 | nats a subword |" in text
    assert "< text.en" in text
    assert "## Scores" not in model_card(config_of(), {}, MANIFEST, parameters=1)
