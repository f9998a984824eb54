"""The best continuations against sorting all of them."""

from __future__ import annotations

import torch
from hypothesis import given
from hypothesis import strategies as st

from mgsa.decoding.continuations import BLOCK, best_continuations


@given(
    beam=st.integers(1, 4),
    vocabulary=st.sampled_from([3, BLOCK - 1, BLOCK, BLOCK + 1, 3 * BLOCK, 3 * BLOCK + 7]),
    sentences=st.integers(1, 3),
    seed=st.integers(0, 10_000),
)
def test_best_continuations_are_those_of_sorting_all(
    beam: int, vocabulary: int, sentences: int, seed: int
) -> None:
    generator = torch.Generator().manual_seed(seed)
    log_probs = -torch.randint(0, 30, (sentences * beam, vocabulary), generator=generator) / 8
    scores = torch.randint(-24, 1, (sentences, beam), generator=generator) / 8
    count = min(2 * beam, beam * vocabulary)
    values, index = best_continuations(log_probs, scores, count)
    totals = (log_probs.view(sentences, beam, -1) + scores[..., None]).flatten(1)
    expected = [
        [i for _, i in sorted((-x, i) for i, x in enumerate(row))][:count]
        for row in totals.tolist()
    ]
    assert index.tolist() == expected
    assert values.tolist() == totals.gather(1, torch.tensor(expected)).tolist()


def test_the_order_is_that_of_floats_of_any_size() -> None:
    numbers = [-(2.0**99), -1.5, -1.25, -(2.0**-99), -0.0, 0.0, 2.0**-99, 1.25, 2.0**99]
    shuffled = torch.tensor([[numbers[i] for i in (4, 8, 0, 6, 2, 7, 1, 5, 3)]])
    values, _ = best_continuations(shuffled, torch.zeros(1, 1), 9)
    assert values.tolist() == [sorted(numbers, reverse=True)]
