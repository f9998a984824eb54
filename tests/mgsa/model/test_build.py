"""Building models: the papers' parameter counts, sharing, and one training step of every kind."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Literal

import pytest
import torch

from mgsa.base.errors import InputError
from mgsa.config import TransformerConfig
from mgsa.model.build import build_model
from tests.random_rows import (
    MODELS,
    NGRAMS,
    TRANSFORMER,
    batch_of,
    mgsa,
    random_model,
    some_rows,
)

BASE = replace(
    TRANSFORMER,
    encoder_layers=6,
    decoder_layers=6,
    dim=512,
    ffn_dim=2048,
    heads=8,
    share_embeddings="none",
)
ALL_LAYERS = (1, 2, 3, 4, 5, 6)


def base_with(
    composition: Literal["max_pool", "lstm", "self_attention"],
    composition_width: int,
    interaction: Literal["none", "lstm", "on_lstm"] = "none",
    interaction_width: int = 8,
    *,
    layers: Sequence[int] = (1,),
) -> TransformerConfig:
    """Of n-grams; two heads a group."""
    tiny = mgsa(NGRAMS, composition=composition, interaction=interaction)
    assert tiny.multi_granularity
    multi = replace(
        tiny.multi_granularity,
        layers=tuple(layers),
        group_heads=(2, 2, 2, 2),
        composition_width=composition_width,
        interaction_width=interaction_width,
        interaction_chunk=8,
    )
    return replace(BASE, multi_granularity=multi)


@pytest.mark.parametrize(
    ("config", "millions"),
    [
        (BASE, 88.0),
        (base_with("max_pool", 1, layers=ALL_LAYERS), 88.0),
        (base_with("self_attention", 64, layers=ALL_LAYERS), 90.4),
        (base_with("lstm", 143, layers=ALL_LAYERS), 96.1),
        (base_with("self_attention", 64), 88.4),
        (base_with("self_attention", 64, "lstm", 120), 89.5),
        (base_with("self_attention", 64, "on_lstm", 152), 89.9),
    ],
    ids=[
        "base",
        "six layers, max-pooling",
        "six layers, self-attention",
        "six layers, LSTM",
        "bottom layer",
        "bottom layer, LSTM interaction",
        "bottom layer, ON-LSTM interaction",
    ],
)
def test_parameters_are_as_many_as_in_the_paper(config: TransformerConfig, millions: float) -> None:
    """Hao et al. 2019, Tables 1 and 2: WMT14 En-De, 85.7 thousand embedding rows in all."""
    with torch.device("meta"):
        model = build_model(config, source_vocabulary=28_500, target_vocabulary=28_600, num_tags=70)
    assert round(sum(p.numel() for p in model.parameters()) / 1e6, 1) == millions


@pytest.mark.parametrize(
    ("share", "source_is_target", "target_is_output"),
    [("all", True, True), ("decoder", False, True), ("none", False, False)],
)
def test_embeddings_are_shared_as_asked(
    share: Literal["all", "decoder", "none"], source_is_target: bool, target_is_output: bool
) -> None:
    model = random_model(replace(TRANSFORMER, share_embeddings=share))
    target = model.target_embedding.subwords.weight
    assert (model.source_embedding.subwords.weight is target) == source_is_target
    assert (model.output.weight is target) == target_is_output


def test_one_embedding_needs_one_vocabulary() -> None:
    with pytest.raises(InputError, match="got 20 source and 30 target symbols"):
        build_model(TRANSFORMER, source_vocabulary=20, target_vocabulary=30, num_tags=0)


def test_queries_keys_and_values_start_alike_however_they_are_cut() -> None:
    """Every row of the (3D, D) matrix is drawn from one range, ±√(6 / 4D)."""
    torch.manual_seed(0)
    config = base_with("self_attention", 64)
    model = build_model(
        replace(config, encoder_layers=2, decoder_layers=1),
        source_vocabulary=20,
        target_vocabulary=20,
        num_tags=0,
    )
    bottom, above = (layer.self_attention for layer in model.encoder.layers)
    slices = [
        bottom.word_projection,
        *bottom.phrase_projections.values(),
        above.projection,
        model.decoder.layers[0].cross_attention.key_value,
    ]
    for projection in slices:
        largest = float(projection.weight.detach().abs().max())
        assert largest == pytest.approx((6 / (4 * 512)) ** 0.5, rel=1e-3)
        assert projection.bias.eq(0).all()


@pytest.mark.parametrize("name", MODELS)
def test_every_parameter_takes_part_in_a_training_step(name: str) -> None:
    model = random_model(MODELS[name]).train()
    output = model(batch_of(model, some_rows(6, 4)))
    (output.logits.sin().sum() + sum(t.sin().sum() for t in output.tag_logits.values())).backward()
    idle = [n for n, p in model.named_parameters() if p.grad is None or not p.grad.any()]
    # A key's bias adds the same to every logit of a query, but it is cut together with others.
    assert idle == []
