"""Links are in their cells, and are what they are against gold."""

from __future__ import annotations

from pipeline.report_page.charts.link_matrix import CELL, Gold, kinds_of, link_matrix

SOURCE, TARGET = ("He", "has", "been", "called"), ("Er", "ist", "angerufen", "worden")


def test_every_kind_of_link() -> None:
    gold = Gold(sure={(0, 0), (1, 1), (3, 2)}, possible={(2, 3), (2, 2), (0, 0)})
    assert kinds_of({(0, 0), (2, 3), (3, 3)}, gold) == {
        (0, 0): "sure",
        (1, 1): "missed",
        (3, 2): "missed",
        (2, 3): "possible",
        (2, 2): "unneeded",
        (3, 3): "wrong",
    }


def test_without_gold_a_link_is_a_link() -> None:
    matrix = link_matrix(SOURCE, TARGET, {(0, 0), (3, 2)}, None)
    assert matrix.counts == {"link": 2}


def test_a_mark_is_in_the_column_of_its_source_and_the_row_of_its_target() -> None:
    matrix = link_matrix(SOURCE, TARGET, {(3, 2)}, None)
    (mark,) = matrix.marks
    assert (mark.source, mark.target) == ("called", "angerufen")
    assert (mark.x, mark.y) == (matrix.columns[3][0], matrix.rows[2][0])
    assert abs(mark.x - (matrix.left + 3.5 * CELL)) <= 0.1
    assert abs(mark.y - (matrix.top + 2.5 * CELL)) <= 0.1


def test_a_long_word_is_shortened_and_known_in_full() -> None:
    matrix = link_matrix(("x" * 600,), ("y",), set(), None)
    ((_, shown, word),) = matrix.columns
    assert len(shown) < 30
    assert word == "x" * 600
    assert matrix.height < 1000
