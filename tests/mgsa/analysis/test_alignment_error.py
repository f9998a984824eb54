"""AER, precision and recall by hand, and as Och & Ney's definitions bound them."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mgsa.analysis.alignment_error import AlignmentCounts, GoldLinks, Link, count

SURE = {(0, 0), (1, 1)}
POSSIBLE = {(1, 2), (2, 1)}


@pytest.mark.parametrize(
    ("predicted", "precision", "recall", "error_rate"),
    [
        (SURE, 1, 1, 0),
        (SURE | POSSIBLE, 1, 1, 0),  # what is possible is no mistake
        ({(0, 0)}, 1, 1 / 2, 1 - (1 + 1) / (1 + 2)),
        ({(0, 0), (1, 2), (2, 2), (3, 3)}, 2 / 4, 1 / 2, 1 - (1 + 2) / (4 + 2)),
        (POSSIBLE, 1, 0, 1 - (0 + 2) / (2 + 2)),
        ({(5, 5)}, 0, 0, 1),
        (set(), 1, 0, 1),
    ],
)
def test_by_hand(predicted: set[Link], precision: float, recall: float, error_rate: float) -> None:
    counts = count(predicted, GoldLinks.of(SURE, POSSIBLE))
    found = (counts.precision, counts.recall, counts.error_rate)
    assert found == pytest.approx((precision, recall, error_rate))


links = st.sets(st.tuples(st.integers(0, 3), st.integers(0, 3)))


@given(st.lists(st.tuples(links, links)))
def test_counts_add_up_and_with_sure_links_alone_it_is_one_less_f1(
    corpus: list[tuple[set[Link], set[Link]]],
) -> None:
    total = sum((count(found, GoldLinks.of(sure)) for found, sure in corpus), AlignmentCounts())
    found, sure = (sum(len(pair[side]) for pair in corpus) for side in (0, 1))
    right = sum(len(pair[0] & pair[1]) for pair in corpus)
    assert total == AlignmentCounts(found, sure, right, right)
    if found and sure:
        assert (total.precision, total.recall) == (right / found, right / sure)
    assert total.error_rate == pytest.approx(
        1 - (2 * right / (found + sure) if found + sure else 1)
    )
