"""Phrase boundaries: flags on the words, against loops."""

from __future__ import annotations

import torch

from mgsa.boundaries import BoundaryFlags
from mgsa.masks import Context, Phrases
from tests.gradients import assert_same

SEGMENTS = {"coarse": [[0, 0, 0, 1], [0, 0, 1, -1]], "fine": [[0, 1, 1, 2], [0, 1, 2, -1]]}
LENGTHS = {"coarse": [[3, 1], [2, 1]], "fine": [[1, 2, 1], [1, 1, 1]]}
PHRASES = {
    name: Phrases(torch.tensor(SEGMENTS[name]), torch.tensor(LENGTHS[name])) for name in SEGMENTS
}


def test_a_word_has_for_each_granularity_one_of_two_vectors() -> None:
    torch.manual_seed(0)
    flags = BoundaryFlags(4, SEGMENTS).double()
    x = torch.randn(2, 4, 4, dtype=torch.float64, requires_grad=True)
    expected = []
    for b, positions in enumerate((4, 3)):
        vectors = []
        for t in range(positions):
            vector = x[b, t]
            for g, rows in enumerate(SEGMENTS.values()):
                begins = t == 0 or rows[b][t] != rows[b][t - 1]
                vector = vector + (flags.first if begins else flags.inside)[g]
            vectors.append(vector)
        expected.append(torch.stack(vectors))
    output = flags(x, Context(mask=None, phrases=PHRASES))
    assert_same(output, expected, [x, *flags.parameters()])
