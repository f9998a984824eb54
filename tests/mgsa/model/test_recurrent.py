"""Encoder and decoder of LSTMs: against loops over words, for sentences of any lengths."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, Literal

import pytest
import torch
from torch import Tensor, nn

from mgsa.attention.memory import Cache
from mgsa.data.vocabulary import PAD
from mgsa.masks import Context, padding_mask
from mgsa.model.build import build_model
from tests.gradients import assert_same
from tests.random_rows import VOCABULARY, batch_of, random_model, recurrent, some_rows
from tests.reference import recurrent as reference

D = 16
LENGTHS = [5, 1, 3]
Variant = Literal["attn", "key_value", "modifying_iw"]

every_variant = pytest.mark.parametrize("variant", ["attn", "key_value", "modifying_iw"])


def model_of(variant: Variant, *, decoder_layers: int = 2) -> Any:
    """Biases drawn too; any type, since those of the parts are not told apart."""
    model = random_model(recurrent(variant, decoder_layers=decoder_layers)).train()
    for weight in model.parameters():
        if weight.dim() == 1:
            nn.init.normal_(weight)
    return model


def draw(*shape: int) -> Tensor:
    return torch.randn(*shape, dtype=torch.float64, requires_grad=True)


def by_loops(model: Any, variant: Variant, x: Tensor, y: Tensor) -> tuple[Tensor, Tensor]:
    """One sentence pair, x (S, D) and y (T, D)."""
    attention = getattr(reference, variant)(model.decoder.attention.keys_and_values)
    return reference.decode(model.decoder, attention, reference.encode(model.encoder, x), y)


@every_variant
@pytest.mark.parametrize("decoder_layers", [1, 2])
def test_is_that_of_the_equations(variant: Variant, decoder_layers: int) -> None:
    """e_j and α_ij, and the gradients of all weights; decoded at once and word by word."""
    model = model_of(variant, decoder_layers=decoder_layers)
    encoder, decoder = model.encoder, model.decoder
    x, y = draw(len(LENGTHS), max(LENGTHS), D), draw(len(LENGTHS), 4, D)
    mask = padding_mask(torch.tensor(LENGTHS), max(LENGTHS))
    h, _ = encoder(x, Context(mask))
    memories = decoder.memories(h, mask)
    e, _ = decoder(y, Context(None, causal=True), memories)
    _, (layer,) = decoder(y, Context(None, causal=True), memories, need_weights=True)
    cache = Cache(len(LENGTHS))
    expected = [by_loops(model, variant, x[b, :n], y[b]) for b, n in enumerate(LENGTHS)]
    for b, (n, (_, weights)) in enumerate(zip(LENGTHS, expected, strict=True)):
        torch.testing.assert_close(layer.cross_weights["words"][b, 0, :, :n], weights)
    for t in range(4):
        stepped, _ = decoder(y[:, t : t + 1], Context(None), memories, cache=cache)
        torch.testing.assert_close(stepped, e[:, t : t + 1])
    inputs = [x, y, *encoder.parameters(), *decoder.parameters()]
    assert_same(e, [outputs for outputs, _ in expected], inputs)


def test_modifying_iw_starts_like_key_value_but_for_blocks_of_w_e() -> None:
    """The whole models, W_e being [W_f, 0; 0, W_g], W_d's columns of keys being zeros."""
    key_value, modifying_iw = model_of("key_value"), model_of("modifying_iw")
    weights = dict(key_value.state_dict())
    parts = key_value.decoder.attention.keys_and_values
    state = modifying_iw.decoder.attention.keys_and_values.state.weight
    output = modifying_iw.decoder.output.weight
    assert output[:, D : D + D // 2].eq(0).all()
    with torch.no_grad():
        for name, weight in modifying_iw.named_parameters():
            if weight is not output and weight is not state:
                weight.copy_(weights[name])
        state.copy_(torch.block_diag(parts.key.weight, parts.value.weight))
        output[:, :D] = key_value.decoder.output.weight[:, :D]
        output[:, D + D // 2 :] = key_value.decoder.output.weight[:, D:]
    x, y = draw(len(LENGTHS), max(LENGTHS), D), draw(len(LENGTHS), 4, D)
    mask = padding_mask(torch.tensor(LENGTHS), max(LENGTHS))
    both = []
    for model in (key_value, modifying_iw):
        h, _ = model.encoder(x, Context(mask))
        both.append(model.decoder(y, Context(None, causal=True), model.decoder.memories(h, mask)))
    torch.testing.assert_close(both[0][0], both[1][0], rtol=0, atol=1e-15)
    both[1][0].sum().backward()
    assert output.grad is not None
    assert output.grad[:, D : D + D // 2].ne(0).all()  # and these columns learn


@every_variant
def test_weights_start_as_the_paper_draws_them(variant: Variant) -> None:
    torch.manual_seed(0)
    config = replace(recurrent(variant), dim=64)
    model = build_model(config, source_vocabulary=500, target_vocabulary=500, num_tags=0)
    for name, weight in model.named_parameters():
        values = weight.detach()
        if weight.dim() == 1:
            assert values.eq(0).all(), name
        else:
            drawn = values[values != 0]
            assert float(drawn.std()) == pytest.approx(config.init_std, rel=0.2), name
            assert float(drawn.mean()) == pytest.approx(0, abs=0.2 * config.init_std), name
    assert model.source_embedding.subwords.weight[PAD].eq(0).all()


def test_every_layer_of_the_encoder_gives_its_states() -> None:
    model = model_of("attn").eval()
    x, mask = draw(len(LENGTHS), max(LENGTHS), D), padding_mask(torch.tensor(LENGTHS), max(LENGTHS))
    h, layers = model.encoder(x, Context(mask))
    below, top = (layer.output for layer in layers)
    torch.testing.assert_close(top, h, rtol=0, atol=0)
    for number, length in enumerate(LENGTHS):
        directions = reference.encode(model.encoder, x[number, :length], layers=1)
        expected = torch.cat(directions, dim=-1)
        torch.testing.assert_close(below[number, :length], expected)


def test_a_width_that_has_no_halves_is_named() -> None:
    with pytest.raises(ValueError, match="dim: expected an even number, got 17"):
        replace(recurrent("attn"), dim=17)


def test_the_output_layer_has_a_bias_of_its_own() -> None:
    """softmax(W_o e_j + b_o), W_o being the embeddings if they are shared."""
    model = random_model(recurrent("attn"))
    batch = batch_of(model, some_rows(3, 2))
    before = model(batch).logits
    with torch.no_grad():
        model.output.bias.add_(torch.arange(VOCABULARY))
    after = model(batch).logits
    torch.testing.assert_close(after - before, torch.arange(VOCABULARY).expand_as(after).double())


def test_dropout_is_of_the_last_layer_of_each_stack() -> None:
    """Of both directions of s, and of d_j; of nothing that goes to another word or layer."""
    config = replace(recurrent("attn", decoder_layers=2), dropout=0.5)
    torch.manual_seed(0)
    model: Any = build_model(config, source_vocabulary=20, target_vocabulary=20, num_tags=0).train()
    x, mask = torch.randn(2, 40, D), padding_mask(torch.tensor([40, 25]), 40)
    s, (below, _) = model.encoder(x, Context(mask))
    expected, (same, _) = model.eval().encoder(x, Context(mask))
    torch.testing.assert_close(below.output, same.output, rtol=0, atol=0)
    memories: Any = model.decoder.memories(expected, mask)
    states = memories[0].states
    d, last = model.decoder._run(x, states)
    dropped, same_last = model.train().decoder._run(x, states)
    torch.testing.assert_close(same_last, last, rtol=0, atol=0)
    for kept, whole in ((s, expected), (dropped, d)):
        assert 0.4 < float((kept != 0).float().mean()) < 0.6
        torch.testing.assert_close(kept[kept != 0], 2 * whole[kept != 0])
