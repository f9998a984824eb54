"""The mask convention as literal tables: 1 = may attend."""

from __future__ import annotations

import torch

from mgsa.masks import Phrases, causal_mask, padding_mask, phrase_mask

CPU = torch.device("cpu")


def test_padding_is_hidden() -> None:
    mask = padding_mask(torch.tensor([3, 1]), 4)
    assert mask.dtype == torch.bool
    assert mask.int().tolist() == [[[[1, 1, 1, 0]]], [[[1, 0, 0, 0]]]]


def test_a_position_sees_itself_and_those_before_it() -> None:
    assert causal_mask(3, 3, CPU)[0, 0].int().tolist() == [[1, 0, 0], [1, 1, 0], [1, 1, 1]]


def test_the_last_query_sees_all_keys() -> None:
    assert causal_mask(2, 4, CPU)[0, 0].int().tolist() == [[1, 1, 1, 0], [1, 1, 1, 1]]


def test_a_phrase_sees_its_own_positions() -> None:
    mask = phrase_mask(torch.tensor([[0, 0, 1, -1]]), 3)
    assert mask[0, 0].int().tolist() == [[1, 1, 0, 0], [0, 0, 1, 0], [0, 0, 0, 0]]


def test_phrases_know_how_many_they_are() -> None:
    phrases = Phrases(torch.tensor([[0, 0, 1], [0, -1, -1]]), torch.tensor([[2, 1], [1, 0]]))
    assert phrases.mask.int().tolist() == [[[[1, 1]]], [[[1, 0]]]]
    assert phrases.counts.tolist() == [2, 1]


def test_phrases_know_where_they_begin_and_whose_a_position_is() -> None:
    phrases = Phrases(
        torch.tensor([[0, 0, 1, 2], [0, 1, -1, -1]]), torch.tensor([[2, 1, 1], [1, 1, 0]])
    )
    assert phrases.first[0].int().tolist() == [1, 0, 1, 1]
    assert phrases.first[1, :2].int().tolist() == [1, 1]
    assert phrases.own[0, 0].int().tolist() == [[1, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]]
    assert phrases.own[1, 0].int().tolist() == [[1, 0, 0], [0, 1, 0], [0, 0, 0], [0, 0, 0]]
