"""Building models: sharing, initial weights, and one training step of every kind."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, Literal

import pytest
import torch

from mgsa.cli.errors import InputError
from mgsa.model.build import build_model
from tests.random_rows import MODELS, NGRAMS, TRANSFORMER, batch_of, mgsa, random_model, some_rows


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
    config = replace(mgsa(NGRAMS), dim=256)
    model = build_model(config, source_vocabulary=20, target_vocabulary=20, num_tags=0)
    layers: Any = model.encoder.layers, model.decoder.layers
    (bottom, above), (decoder, *_) = layers
    slices = [
        bottom.self_attention.word_projection,
        *bottom.self_attention.phrase_projections.values(),
        above.self_attention.projection,
        decoder.cross_attention.key_value,
    ]
    for projection in slices:
        largest = float(projection.weight.detach().abs().max())
        assert largest == pytest.approx((6 / (4 * 256)) ** 0.5, rel=1e-3)
        assert projection.bias.eq(0).all()


@pytest.mark.parametrize("name", MODELS)
def test_every_parameter_takes_part_in_a_training_step(name: str) -> None:
    model = random_model(MODELS[name]).train()
    output = model(batch_of(model, some_rows(6, 4)))
    (output.logits.sin().sum() + sum(t.sin().sum() for t in output.tag_logits.values())).backward()
    idle = [n for n, p in model.named_parameters() if p.grad is None or not p.grad.any()]
    # A key's bias adds the same to every logit of a query, but it is cut together with others.
    assert idle == []
