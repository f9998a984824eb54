"""The model card says what the other files say, and front matter that model hubs read."""

from __future__ import annotations

from typing import Any

import pytest
import yaml

from mgsa.artifact.card import model_card
from mgsa.cli.settings import from_mapping
from mgsa.config import ModelConfig
from pipeline.params.presets import compose
from tests.imports import ROOT

MANIFEST = {
    "source_language": "no",
    "target_language": "de",
    "dataset": {"name": "sample", "identity": "abc", "rows": {"train": 10000, "valid": 500}},
}


def card_of(preset: str, *, with_parser: bool = False, **run: Any) -> str:
    """The card of a preset's model."""
    section = compose(ROOT / "conf", [f"model={preset}"])["model"]
    config = from_mapping(ModelConfig, section, "model")
    return model_card(config, run, MANIFEST, parameters=12345, with_parser=with_parser)


@pytest.mark.parametrize("path", sorted((ROOT / "conf/model").glob("*_tiny.yaml")), ids=str)
def test_the_card_of_a_preset_names_papers_and_parser(path: Any) -> None:
    card = card_of(path.stem)
    assert ("Mino et al. 2017" if "rnn" in path.stem else "Vaswani et al. 2017") in card
    for name, paper in {"mgsa": "Hao", "_k_": "Nguyen", "conv_kv": "Nguyen"}.items():
        assert name not in path.stem or paper in card
    parsed = any(f"mgsa_{kind}_" in path.stem for kind in ("syntactic", "max_pool", "plus"))
    assert "needs the parser" in card if parsed else "no parser" in card


def test_the_cards_command_works_as_it_stands() -> None:
    command = "$ python -m pipeline.translate --model DIR"
    assert f"{command} --parser PARSER < text.no" in card_of("mgsa_plus_tiny")
    assert f"{command} < text.no" in card_of("mgsa_plus_tiny", with_parser=True)


def test_front_matter_facts_and_scores() -> None:
    scores = {"valid_bleu_tokenized": 80.4513, "valid_nll": 0.36678}
    card = card_of("transformer_tiny", updates=[1988], scores=scores)
    _, front, text = card.split("---\n", 2)
    assert yaml.safe_load(front)["language"] == ["no", "de"]
    for line in (
        "# no → de, from sample",
        "| weights | of update 1,988 |",
        "| parameters | 12,345 |",
        "| BLEU | 80.45 | per cent, of tokens |",
        "| negative log-likelihood | 0.3668 | nats a subword |",
        "$ python -m pipeline.translate --model DIR < text.no",
    ):
        assert line in text.splitlines()
    assert "## Scores" not in card_of("transformer_tiny")
