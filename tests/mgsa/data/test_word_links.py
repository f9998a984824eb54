from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from mgsa.data.word_links import strongest, word_links, word_matrix


def test_a_target_position_is_linked_to_the_source_position_that_has_most() -> None:
    matrix = np.array([[0.1, 0.8, 0.0], [0.4, 0.2, 0.4], [0.0, 0.0, 0.3]])
    assert strongest(matrix) == [(1, 0), (0, 1), (2, 2)]
    assert strongest(np.zeros((0, 3))) == strongest(np.zeros((3, 0))) == []


def test_words_are_linked_if_any_of_their_subwords_are() -> None:
    # Source: one word of two subwords, one of one; target: one of one, one of three.
    subwords = [(0, 0), (1, 1), (2, 2), (0, 3)]
    links = word_links(subwords, source_words=[2, 1], target_words=[1, 3])
    assert links == [(0, 0), (0, 1), (1, 1)]


def test_a_matrix_of_words_is_summed_over_the_source_and_the_mean_of_the_target() -> None:
    matrix = np.array([[0.5, 0.25, 0.25], [0.0, 1.0, 0.0], [0.5, 0.0, 0.5]])
    words = word_matrix(matrix, source_words=[2, 1], target_words=[1, 2])
    assert words.tolist() == [[0.75, 0.25], [0.75, 0.25]]


@given(st.data())
def test_rows_of_words_add_up_to_one_if_those_of_subwords_do(data: st.DataObject) -> None:
    sizes = st.lists(st.integers(1, 3), min_size=1, max_size=4)
    source, target = data.draw(sizes), data.draw(sizes)
    matrix = np.random.default_rng(0).dirichlet(np.ones(sum(source)), size=sum(target))
    words = word_matrix(matrix, source_words=source, target_words=target)
    assert words.shape == (len(target), len(source))
    np.testing.assert_allclose(words.sum(axis=1), 1)


@given(st.lists(st.tuples(st.integers(0, 5), st.integers(0, 5))))
def test_one_subword_a_word_changes_no_link(links: list[tuple[int, int]]) -> None:
    ones = [1] * 6
    assert word_links(links, source_words=ones, target_words=ones) == sorted(set(links))
