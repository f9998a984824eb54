"""MG-SA: against loops over sentences, groups and heads; and where it is ordinary attention."""

from __future__ import annotations

from typing import Any, Literal

import pytest
import torch
from torch import Tensor, nn

from mgsa.attention.multi_granularity import MultiGranularityAttention
from mgsa.attention.word import WordSelfAttention
from mgsa.composition import MaxPool, SelfAttention
from mgsa.interaction import Interaction, Interactions, NoInteraction, TagHead
from mgsa.masks import Context, Phrases, padding_mask
from mgsa.onlstm import ONLSTM, run_batched
from tests.gradients import assert_same
from tests.reference.attention import multi_head

D, HEAD = 12, 3
GROUPS = (2, 1, 1)  # heads of the words, of each granularity
# Two sentences of 5 and 4 positions, cut two ways.
PHRASES = {
    "coarse": Phrases(
        torch.tensor([[0, 0, 0, 1, 1], [0, 0, 0, 0, -1]]), torch.tensor([[3, 2], [4, 0]])
    ),
    "fine": Phrases(
        torch.tensor([[0, 1, 2, 2, 3], [0, 0, 1, 1, -1]]),
        torch.tensor([[1, 1, 2, 1], [2, 2, 0, 0]]),
    ),
}
CONTEXT = Context(padding_mask(torch.tensor([5, 4]), 5), phrases=PHRASES)


def make(
    *,
    parts: str = "self-attention, ON-LSTM",
    tagged: tuple[str, ...] = ("fine",),
    norm: bool = False,
    membership: Literal["none", "own"] = "none",
) -> MultiGranularityAttention:
    torch.manual_seed(0)
    plain = parts == "max-pooling"
    interaction: nn.Module = (
        NoInteraction()
        if plain
        else Interactions((Interaction(ONLSTM(D, 6, 2), D) for _ in PHRASES), run=run_batched)
    )
    layer = MultiGranularityAttention(
        D,
        HEAD,
        group_heads=GROUPS,
        compositions={name: MaxPool() if plain else SelfAttention(D, 4) for name in PHRASES},
        tag_heads={name: TagHead(D, 5) for name in tagged},
        interaction=interaction,
        norm=norm,
        membership=membership,
        dropout=0.0,
    ).double()
    for name, parameter in layer.named_parameters():
        if "bias" in name:
            nn.init.normal_(parameter)
    return layer


@pytest.mark.parametrize(
    "options",
    [
        {"parts": "max-pooling"},
        {"parts": "self-attention, ON-LSTM"},
        {"norm": True},
        {"membership": "own"},
        {"parts": "max-pooling", "norm": True, "membership": "own"},
    ],
    ids=str,
)
def test_values_and_gradients_are_those_of_the_equations(options: dict[str, Any]) -> None:
    layer = make(**options)
    x = torch.randn(2, 5, D, dtype=torch.float64, requires_grad=True)
    inputs = [x, *(p for n, p in layer.named_parameters() if "tag_heads" not in n)]
    output = layer(x, CONTEXT).output

    widths = [heads * HEAD for heads in GROUPS]
    rows = [D, widths[0], widths[0]]
    weights = layer.word_projection.weight.split(rows)
    biases = layer.word_projection.bias.split(rows)
    keys, values = [(weights[1], biases[1])], [(weights[2], biases[2])]
    for projection in layer.phrase_projections.values():
        (wk, wv), (bk, bv) = (part.chunk(2) for part in projection.parameters())
        keys.append((wk, bk))
        values.append((wv, bv))
    expected = [
        multi_head(
            sentence,
            [sentence, *_memories(layer, sentence, b)],
            queries=(weights[0], biases[0]),
            keys=keys,
            values=values,
            output=(layer.output.weight, layer.output.bias),
            group_heads=GROUPS,
            own=[PHRASES[name].segments[b, : len(sentence)].tolist() for name in PHRASES]
            if layer.membership == "own"
            else [],
        )
        for b, sentence in enumerate((x[0], x[1, :4]))
    ]
    assert_same(output, expected, inputs)


def _memories(layer: MultiGranularityAttention, sentence: Tensor, b: int) -> list[Tensor]:
    """H_g of one sentence (T, D) alone: a list of (M, D). The parts have tests of their own."""
    composed = []
    for name, composition in layer.compositions.items():
        segments = PHRASES[name].segments[b, : len(sentence)]
        composed.append(composition(sentence[None], segments[None]))
    counts = [torch.tensor([memory.shape[1]]) for memory in composed]
    memories = [memory[0] for memory in layer.interaction(composed, counts)]
    return [
        torch.stack([normed(g) for g in memory]) if layer.norm else memory for memory in memories
    ]


def normed(vector: Tensor) -> Tensor:
    """Zero mean and unit variance, but for the 1e-5 that keeps a constant from dividing by zero."""
    centred = vector - vector.mean()
    return centred / (centred.square().mean() + 1e-5).sqrt()


def test_a_phrase_a_word_is_ordinary_attention() -> None:
    layer = make(parts="max-pooling", tagged=())
    ordinary = WordSelfAttention(D, D // HEAD, dropout=0.0).double()
    words = GROUPS[0] * HEAD
    with torch.no_grad():
        for part in ("weight", "bias"):
            q, k, v = getattr(layer.word_projection, part).split([D, words, words])
            groups = [getattr(p, part).chunk(2) for p in layer.phrase_projections.values()]
            whole = [q, k, *(key for key, _ in groups), v, *(value for _, value in groups)]
            getattr(ordinary.projection, part).copy_(torch.cat(whole))
    ordinary.output.load_state_dict(layer.output.state_dict())

    mask = padding_mask(torch.tensor([5, 3]), 5)
    segments = torch.tensor([[0, 1, 2, 3, 4], [0, 1, 2, -1, -1]])
    words_as_phrases = Phrases(segments, (segments >= 0).long())
    x = torch.randn(2, 5, D, dtype=torch.float64)
    given = layer(x, Context(mask, phrases=dict.fromkeys(PHRASES, words_as_phrases))).output
    torch.testing.assert_close(given, ordinary(x, Context(mask)).output)


def test_weights_are_named_for_what_they_weigh_and_sum_to_one() -> None:
    layer = make()
    x = torch.randn(2, 5, D, dtype=torch.float64)
    attended = layer(x, CONTEXT, need_weights=True)
    shapes = {name: tuple(weights.shape) for name, weights in attended.weights.items()}
    assert shapes == {"words": (2, 2, 5, 5), "coarse": (2, 1, 5, 2), "fine": (2, 1, 5, 4)}
    for weights in attended.weights.values():
        sums = weights.sum(dim=-1)
        torch.testing.assert_close(sums, torch.ones_like(sums))
    assert attended.weights["coarse"][1, ..., 1:].eq(0).all()  # the second sentence has one phrase
    torch.testing.assert_close(attended.output, layer(x, CONTEXT).output)


def test_tags_are_predicted_before_interaction() -> None:
    layer = make()
    x = torch.randn(2, 5, D, dtype=torch.float64)
    logits = layer(x, CONTEXT).tag_logits
    composed = layer.compositions["fine"](x, CONTEXT.phrases["fine"].segments)
    assert list(logits) == ["fine"]
    torch.testing.assert_close(logits["fine"], layer.tag_heads["fine"](composed))
