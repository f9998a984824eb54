"""Phrase attention: against loops over queries, n-grams and taps; step by step; no leaks."""

from __future__ import annotations

from dataclasses import dataclass

import pytest
import torch
from torch import Tensor, nn

from mgsa.attention.conv_kv import ConvKV
from mgsa.attention.memory import Cache
from mgsa.attention.phrase import PhraseCrossAttention, PhraseSelfAttention
from mgsa.attention.phrase_heads import PhraseHeads, Technique
from mgsa.attention.query_k import QueryK
from mgsa.attention.word import WordSelfAttention
from mgsa.masks import Context, padding_mask
from tests.gradients import assert_same
from tests.reference.phrase_attention import phrase_attention

D, HEAD = 6, 3


@dataclass(frozen=True)
class Layout:
    """Groups of heads with the sizes that each attends to; the streams of queries; the fold."""

    groups: tuple[tuple[int, tuple[int, ...]], ...]
    padded: bool
    spans: tuple[int, ...] = (1,)
    fold: int = 1


LAYOUTS = {
    "homogeneous 11": Layout(((1, (1,)), (1, (2,))), padded=True),
    "homogeneous 3": Layout(((2, (3,)),), padded=True),
    "heterogeneous 12": Layout(((2, (1, 2)),), padded=False),
    "heterogeneous 123": Layout(((2, (1, 2, 3)),), padded=False),
    "interleaved 12, window 3": Layout(((2, (1, 2)),), padded=False, spans=(1, 2), fold=3),
    "interleaved 123, window 2": Layout(((2, (1, 2, 3)),), padded=False, spans=(1, 2), fold=2),
}
DECODER_LAYOUTS = {name: layout for name, layout in LAYOUTS.items() if layout.fold != 3}
TECHNIQUES: dict[str, type[Technique]] = {"ConvKV": ConvKV, "QueryK": QueryK}


def make(layout: Layout, technique: str) -> PhraseHeads:
    """Heads in float64, biases drawn too."""
    torch.manual_seed(0)
    groups = [
        TECHNIQUES[technique](D, HEAD, heads=heads, sizes=sizes, spans=layout.spans)
        for heads, sizes in layout.groups
    ]
    heads = PhraseHeads(groups, D, padded=layout.padded, fold=layout.fold, dropout=0.0)
    for name, parameter in heads.named_parameters():
        if name.endswith("bias"):
            nn.init.normal_(parameter)
    return heads.double()


LENGTHS = [5, 1, 2]

every_layout = pytest.mark.parametrize("layout", LAYOUTS.values(), ids=LAYOUTS)
decoder_layouts = pytest.mark.parametrize("layout", DECODER_LAYOUTS.values(), ids=DECODER_LAYOUTS)
every_technique = pytest.mark.parametrize("technique", TECHNIQUES)


def draw(*shape: int) -> Tensor:
    return torch.randn(*shape, dtype=torch.float64, requires_grad=True)


@every_technique
@every_layout
@pytest.mark.parametrize("causal", [False, True])
def test_self_attention_is_that_of_the_equations(
    layout: Layout, technique: str, causal: bool
) -> None:
    heads = make(layout, technique)
    x = draw(len(LENGTHS), max(LENGTHS), D)
    context = Context(padding_mask(torch.tensor(LENGTHS), max(LENGTHS)), causal=causal)
    attended = PhraseSelfAttention(heads)(x, context, need_weights=True)
    fused = PhraseSelfAttention(heads)(x, context).output
    sentences = [x[b, :length] for b, length in enumerate(LENGTHS)]
    expected = [phrase_attention(heads, x_b, x_b, causal=causal) for x_b in sentences]
    for output in (attended.output, fused):
        assert_same(output, [by_loop for by_loop, _ in expected], [x, *heads.parameters()])
    for b, (length, (_, weights)) in enumerate(zip(LENGTHS, expected, strict=True)):
        assert attended.weights.keys() == weights.keys()
        for name, of_heads in weights.items():
            wanted = torch.stack(of_heads)
            if name.startswith("ngram_2_to"):
                wanted[:, 0] = 0  # no bigram ends at the first word
            seen = attended.weights[name][b, :, :length, :length].detach()
            torch.testing.assert_close(seen, wanted)


@every_technique
@decoder_layouts
def test_cross_attention_is_that_of_the_equations(layout: Layout, technique: str) -> None:
    heads = make(layout, technique)
    x, y = draw(len(LENGTHS), 4, D), draw(len(LENGTHS), max(LENGTHS), D)
    layer = PhraseCrossAttention(heads)
    memory = layer.memory(y, padding_mask(torch.tensor(LENGTHS), max(LENGTHS)))
    output = layer(x, memory).output
    expected = [
        phrase_attention(heads, x_b, y_b[:length], causal=False)[0]
        for x_b, y_b, length in zip(x, y, LENGTHS, strict=True)
    ]
    assert_same(output, expected, [x, y, *heads.parameters()])


@every_technique
@decoder_layouts
def test_steps_give_what_all_positions_at_once_do(layout: Layout, technique: str) -> None:
    layer = PhraseSelfAttention(make(layout, technique))
    x = draw(3, 18, D)
    cache, found = Cache(len(x)), []
    for t in range(18):
        cache.begin()
        found.append(layer(x[:, t : t + 1], Context(None), cache=cache).output)
    expected = layer(x, Context(mask=None, causal=True)).output
    torch.testing.assert_close(torch.cat(found, dim=1), expected)


@every_technique
@pytest.mark.parametrize(
    "layout",
    [
        Layout(((2, (1,)),), padded=True),
        Layout(((2, (1,)),), padded=False),
        Layout(((2, (1,)),), padded=False, spans=(1, 2), fold=2),
        Layout(((2, (1,)),), padded=False, spans=(1, 2), fold=3),
    ],
    ids=["homogeneous", "heterogeneous", "interleaved, window 2", "interleaved, window 3"],
)
@pytest.mark.parametrize("causal", [False, True])
def test_unigrams_are_ordinary_attention(layout: Layout, technique: str, causal: bool) -> None:
    """Of interleaved streams, the fold reads that of the words here, with the ordinary weights."""
    heads = make(layout, technique)
    ordinary = WordSelfAttention(D, D // HEAD, dropout=0.0).double()
    (group,) = heads.groups
    parts: list[nn.Module] = [group.query[0]]
    parts += group.key_value if isinstance(group, ConvKV) else [group.key, *group.value]
    weights, biases = zip(*(part.parameters() for part in parts), strict=True)
    with torch.no_grad():
        ordinary.projection.weight.copy_(torch.cat(weights))
        ordinary.projection.bias.copy_(torch.cat(biases))
        ordinary.output.bias.copy_(heads.output.bias)
        heads.output.weight.zero_()
        words = slice(D, 2 * D) if layout.fold > 1 else slice(0, D)
        heads.output.weight[:, words] = ordinary.output.weight
    x, mask = draw(3, 4, D), padding_mask(torch.tensor([4, 1, 3]), 4)
    context, present = Context(mask, causal=causal), mask[:, 0, 0]
    torch.testing.assert_close(
        PhraseSelfAttention(heads)(x, context).output[present], ordinary(x, context).output[present]
    )
