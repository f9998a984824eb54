"""The alignment head is a head of the model, and its second pass sees what it must and no more."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import pytest
import torch
from torch import Tensor

from mgsa.config import AlignmentConfig, ModelConfig
from mgsa.data.batch import Batch
from mgsa.masks import Context, padding_mask
from mgsa.model.encoder_decoder import EncoderDecoder
from mgsa.model.joint_alignment import layer_average
from tests.random_rows import (
    TRANSFORMER,
    VOCABULARY,
    batch_of,
    mgsa,
    phrase_attention,
    random_model,
    recurrent,
    some_rows,
    with_alignment,
)

BODIES = {
    "transformer": TRANSFORMER,
    "pre-norm": replace(TRANSFORMER, norm="pre"),
    "syntactic": mgsa(),
    "ConvKV, homogeneous": phrase_attention("conv_kv", "homogeneous"),
    "QueryK, homogeneous": phrase_attention("query_k", "homogeneous", ngrams=(1, 3)),
    "interleaved encoder": phrase_attention(
        "query_k", "interleaved", attentions=("encoder", "decoder")
    ),
}


def alignment_of(model: EncoderDecoder, batch: Batch) -> Tensor:
    log_weights: Tensor = model(batch, need_alignment=True).alignment.log_weights
    return log_weights.exp()


def first_head(weights: Mapping[str, Tensor]) -> Tensor:
    """Of cross-attention's weights those of the first head over words, (B, T, S)."""
    return weights["words" if "words" in weights else "ngram_1_to_ngram_1"][:, 0]


HEAD = AlignmentConfig(layer=1, full_context=False, sentences=1.0, weight=0.05)
ONE_PASS: dict[str, ModelConfig] = {
    **{name: with_alignment(config, full_context=False) for name, config in BODIES.items()},
    "RNN, attn": replace(recurrent("attn"), alignment=HEAD),
    "RNN, key-value": replace(recurrent("key_value"), alignment=HEAD),
}


@pytest.mark.parametrize("config", ONE_PASS.values(), ids=ONE_PASS)
def test_with_one_pass_it_is_the_first_head_over_words(config: ModelConfig) -> None:
    model = random_model(config)
    batch = batch_of(model, some_rows(3, 6))
    expected = first_head(model(batch, need_weights=True).cross_weights[-1])
    torch.testing.assert_close(alignment_of(model, batch), expected)
    torch.testing.assert_close(model.align(batch).exp(), expected)


@pytest.mark.parametrize("name", BODIES)
def test_full_context_is_the_same_layers_without_the_causal_mask(name: str) -> None:
    model = random_model(with_alignment(BODIES[name], full_context=True))
    batch = batch_of(model, some_rows(3, 6))
    encoded = model.encode(batch)
    target_lengths = torch.tensor([len(row.target) + 1 for row in some_rows(3, 6)])
    _, layers = model.decoder(
        model.target_embedding(batch.target_input),
        Context(mask=padding_mask(target_lengths, batch.target_input.shape[1])),
        model.decoder.memories(encoded.states, encoded.mask),
        need_weights=True,
    )
    expected = first_head(layers[1].cross_weights)
    torch.testing.assert_close(alignment_of(model, batch), expected)
    torch.testing.assert_close(model.align(batch).exp(), expected)


@pytest.mark.parametrize("full_context", [False, True])
@pytest.mark.parametrize("name", BODIES)
def test_what_the_target_says_later_counts_with_full_context_alone(
    name: str, full_context: bool
) -> None:
    model = random_model(with_alignment(BODIES[name], full_context=full_context))
    batch = batch_of(model, some_rows(3, 6))
    before, logits = alignment_of(model, batch), model(batch).logits
    other = VOCABULARY - 1
    batch.target_input[1, 6] = other - 1 if batch.target_input[1, 6] == other else other
    after = alignment_of(model, batch)
    assert torch.equal(after[0], before[0])
    assert torch.equal(after[1, :6], before[1, :6]) != full_context
    torch.testing.assert_close(model(batch).logits[1, :6], logits[1, :6], rtol=0, atol=0)


@pytest.mark.parametrize("full_context", [False, True])
def test_the_head_costs_no_parameter_and_changes_no_translation(full_context: bool) -> None:
    plain = random_model(TRANSFORMER)
    joint = random_model(with_alignment(TRANSFORMER, full_context=full_context))
    joint.load_state_dict(plain.state_dict())
    batch = batch_of(plain, some_rows(3, 6))
    logits = joint(batch, need_alignment=True).logits
    torch.testing.assert_close(logits, plain(batch).logits, rtol=0, atol=0)


def test_a_share_of_the_sentences_is_drawn_in_training_alone() -> None:
    model = random_model(with_alignment(TRANSFORMER, full_context=True, sentences=0.5))
    batch = batch_of(model, some_rows(3, 6, 2, 4, 5))
    every = alignment_of(model, batch)
    model.train()  # there is no dropout
    seen = set()
    for _ in range(20):
        alignment = model(batch, need_alignment=True).alignment
        assert len(alignment.log_weights) == 3
        for sentence, place in enumerate(alignment.places.tolist()):
            if place >= 0:
                torch.testing.assert_close(alignment.log_weights[place].exp(), every[sentence])
                seen.add(sentence)
        assert sorted(alignment.places.tolist()) == [-1, -1, 0, 1, 2]
    assert seen == set(range(5))


def test_the_layer_average_is_the_mean_over_heads_of_words() -> None:
    words = torch.tensor([[[[0.5, 0.5]], [[1.0, 0.0]]]])  # one sentence, two heads, one position
    assert layer_average({"words": words}).tolist() == [[[0.75, 0.25]]]
    of_ngrams = {"ngram_1_to_ngram_1": words, "ngram_1_to_ngram_2": torch.ones(1, 2, 1, 2)}
    assert layer_average(of_ngrams).tolist() == [[[0.75, 0.25]]]
