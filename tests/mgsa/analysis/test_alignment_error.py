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
    assert counts.precision == precision
    assert counts.recall == recall
    assert counts.error_rate == pytest.approx(error_rate)


def test_where_there_is_nothing_nothing_is_wrong() -> None:
    nothing = AlignmentCounts()
    assert (nothing.precision, nothing.recall, nothing.error_rate) == (1, 1, 0)


links = st.sets(st.tuples(st.integers(0, 3), st.integers(0, 3)))


@given(links, links)
def test_with_sure_links_alone_it_is_one_less_f1(predicted: set[Link], sure: set[Link]) -> None:
    counts = count(predicted, GoldLinks.of(sure))
    if counts.predicted_sure:
        f1 = 2 / (1 / counts.precision + 1 / counts.recall)
        assert counts.error_rate == pytest.approx(1 - f1)


@given(st.lists(st.tuples(links, links, links)))
def test_counts_of_sentences_add_up(corpus: list[tuple[set[Link], set[Link], set[Link]]]) -> None:
    """As if all were one sentence, each pair's words with numbers of their own."""
    total = AlignmentCounts()
    whole: tuple[set[Link], set[Link], set[Link]] = (set(), set(), set())
    for number, sets in enumerate(corpus):
        total += count(sets[0], GoldLinks.of(sets[1], sets[2]))
        for all_links, some in zip(whole, sets, strict=True):
            all_links.update((i + 10 * number, j + 10 * number) for i, j in some)
    assert total == count(whole[0], GoldLinks.of(whole[1], whole[2]))
    assert 0 <= total.error_rate <= 1
