"""Word vectors from the company of words."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from pipeline.parsing.word_vectors import word_vectors, write_vectors

SENTENCES = [
    ["the", "dog", "sees", "a", "cat"],
    ["the", "cat", "sees", "a", "dog"],
    ["a", "dog", "likes", "the", "cat"],
    ["a", "cat", "likes", "the", "dog"],
]


def test_words_come_by_frequency() -> None:
    words, vectors = word_vectors(SENTENCES, dim=3, seed=1)
    assert words == ["a", "cat", "dog", "the", "likes", "sees"]
    assert vectors.shape == (6, 3)


def test_words_in_the_same_company_are_alike() -> None:
    words, vectors = word_vectors(SENTENCES, dim=3, seed=1)
    unit = vectors / np.linalg.norm(vectors, axis=1, keepdims=True)
    alike = unit @ unit.T
    at = {word: index for index, word in enumerate(words)}
    assert alike[at["sees"], at["likes"]] > 0.95
    assert alike[at["dog"], at["cat"]] > alike[at["dog"], at["sees"]]


def test_the_vectors_hold_the_information_that_fits() -> None:
    """With all dimensions kept, inner products are those of the matrix's square root scaling."""
    _, one = word_vectors(SENTENCES, dim=6, seed=1)
    _, other = word_vectors(SENTENCES, dim=6, seed=2)
    np.testing.assert_allclose(one @ one.T, other @ other.T, atol=1e-8)


def test_the_text_format(tmp_path: Path) -> None:
    write_vectors(tmp_path / "v.txt", ["a", "b"], np.array([[1.0, -0.5], [0.0, 2.0]]))
    assert (tmp_path / "v.txt").read_text("utf-8") == (
        "2 2\na 1.000000 -0.500000\nb 0.000000 2.000000\n"
    )
