"""Word vectors from the company of words."""

from __future__ import annotations

import torch

from pipeline.parser.word_vectors import word_vectors

SENTENCES = [
    ["the", "dog", "sees", "a", "cat"],
    ["the", "cat", "sees", "a", "dog"],
    ["a", "dog", "likes", "the", "cat"],
    ["a", "cat", "likes", "the", "dog"],
]


def test_words_come_by_frequency_and_those_in_the_same_company_are_alike() -> None:
    words, vectors = word_vectors(SENTENCES, dim=3, seed=1)
    assert words == ["a", "cat", "dog", "the", "likes", "sees"]
    assert vectors.shape == (6, 3)
    unit = vectors / vectors.norm(dim=1, keepdim=True)
    alike = unit @ unit.T
    at = {word: index for index, word in enumerate(words)}
    assert alike[at["sees"], at["likes"]] > 0.95
    assert alike[at["dog"], at["cat"]] > alike[at["dog"], at["sees"]]


def test_the_vectors_hold_the_information_that_fits() -> None:
    """With all dimensions kept, inner products are those of the matrix's square root scaling."""
    _, one = word_vectors(SENTENCES, dim=6, seed=1)
    _, other = word_vectors(SENTENCES, dim=6, seed=2)
    torch.testing.assert_close(one @ one.T, other @ other.T)
