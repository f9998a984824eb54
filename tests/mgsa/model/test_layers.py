"""Embeddings: positions as the paper's formula gives them, and the scale of vectors."""

from __future__ import annotations

import math

import pytest
import torch

from mgsa.data.vocabulary import PAD
from mgsa.model.layers import Embedding, make_embedding, sinusoids


def test_positions_are_the_sinusoids_of_the_paper() -> None:
    table = sinusoids(torch.arange(3, 7), 6)
    for row, position in enumerate(range(3, 7)):
        for i in range(3):
            angle = position / 10000 ** (2 * i / 6)
            assert float(table[row, i]) == pytest.approx(math.sin(angle), abs=1e-6)
            assert float(table[row, 3 + i]) == pytest.approx(math.cos(angle), abs=1e-6)


def test_a_vector_is_scaled_before_its_position_is_added() -> None:
    torch.manual_seed(0)
    subwords = make_embedding(10, 8)
    embedded = Embedding(subwords, dropout=0.0)(torch.tensor([[5, 7]]), start=2)
    expected = subwords.weight[[5, 7]] * math.sqrt(8) + sinusoids(torch.tensor([2, 3]), 8)
    torch.testing.assert_close(embedded[0], expected)


def test_padding_has_no_vector_and_learns_none() -> None:
    subwords = make_embedding(10, 8)
    assert subwords.weight[PAD].eq(0).all()
    Embedding(subwords, dropout=0.0)(torch.tensor([[PAD, 4]])).sum().backward()
    assert subwords.weight.grad is not None
    assert subwords.weight.grad[PAD].eq(0).all()
    assert subwords.weight.grad[4].ne(0).all()
