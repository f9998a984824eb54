"""Phrase boundaries: flags on the words and their gate, against loops."""

from __future__ import annotations

import torch
from torch import Tensor

from mgsa.boundaries import BoundaryFlags
from mgsa.masks import Context, Phrases, padding_mask
from tests.gradients import assert_same

SEGMENTS = {"coarse": [[0, 0, 0, 1], [0, 0, 1, -1]], "fine": [[0, 1, 1, 2], [0, 1, 2, -1]]}
LENGTHS = {"coarse": [[3, 1], [2, 1]], "fine": [[1, 2, 1], [1, 1, 1]]}
PHRASES = {
    name: Phrases(torch.tensor(SEGMENTS[name]), torch.tensor(LENGTHS[name])) for name in SEGMENTS
}


WORDS = (4, 3)


def expected_flags(flags: BoundaryFlags, b: int) -> Tensor:
    """The sum of the vectors of each word of a sentence, (its words, D)."""
    vectors = []
    for t in range(WORDS[b]):
        each = [
            (flags.first if t == 0 or rows[b][t] != rows[b][t - 1] else flags.inside)[g]
            for g, rows in enumerate(SEGMENTS.values())
        ]
        vectors.append(sum(each, torch.zeros(())))
    return torch.stack(vectors)


def test_a_word_has_for_each_granularity_one_of_two_vectors() -> None:
    torch.manual_seed(0)
    flags = BoundaryFlags(4, SEGMENTS, gated=False).double()
    x = torch.randn(2, 4, 4, dtype=torch.float64, requires_grad=True)
    expected = [x[b, :words] + expected_flags(flags, b) for b, words in enumerate(WORDS)]
    output, context, logits = flags(x, Context(mask=None, phrases=PHRASES))
    assert_same(output, expected, [x, *flags.parameters()])
    assert (context.gate, logits) == (None, None)


def test_a_gate_judges_words_and_flags_by_windows_of_three() -> None:
    torch.manual_seed(0)
    flags = BoundaryFlags(4, SEGMENTS, gated=True).double()
    assert flags.gate is not None
    (left, here, right), bias = flags.gate.evidence.weight.unbind(dim=2), flags.gate.evidence.bias
    assert bias is not None
    x = torch.randn(2, 4, 4, dtype=torch.float64, requires_grad=True)
    expected, verdicts = [], []
    for b, words in enumerate(WORDS):
        added = expected_flags(flags, b)
        seen = torch.cat([x.new_zeros(1, 4), x[b, :words] + added, x.new_zeros(1, 4)])
        windows = [
            left @ seen[t] + here @ seen[t + 1] + right @ seen[t + 2] + bias for t in range(words)
        ]
        evidence = torch.stack(windows).clamp(min=0).mean(dim=0)
        verdicts.append(evidence @ flags.gate.verdict.weight[0] + flags.gate.verdict.bias)
        expected.append(x[b, :words] + verdicts[b].sigmoid() * added)
    mask = padding_mask(torch.tensor(WORDS), 4)
    output, context, logits = flags(x, Context(mask, phrases=PHRASES))
    assert_same(output, expected, [x, *flags.parameters()])
    torch.testing.assert_close(logits, torch.cat(verdicts))
    torch.testing.assert_close(context.gate[:, 0, 0], torch.cat(verdicts).sigmoid())
