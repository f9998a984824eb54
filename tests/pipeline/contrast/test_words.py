"""What words alone tell: all where they do, no less than the most frequent category else."""

from __future__ import annotations

import random
from collections.abc import Sequence

import numpy as np
import pytest

from pipeline.contrast.words import Features, classify, features

NOUNS = "dog cat tree park hat table".split()  # noqa: SIM905


def sources(count: int, seed: int) -> list[str]:
    generator = random.Random(seed)
    return [f"the {' '.join(generator.choices(NOUNS, k=5))} ." for _ in range(count)]


def features_of(texts: Sequence[str]) -> list[Features]:
    return [features(text.split()) for text in texts]


def is_told(text: str) -> bool:
    """By neighbours, whatever other words there are."""
    return "dog cat" in text or "cat dog" in text


def test_features_are_words_and_pairs() -> None:
    assert features(["the", "dog", "'s", "the", "."]) == {
        *("the", "dog", "'s", "."),
        *("the dog", "dog 's", "'s the", "the ."),
        *("the … 's", "dog … the", "'s … ."),
    }


@pytest.mark.parametrize(("noise", "least"), [(0.0, 0.97), (0.2, 0.9)])
def test_what_words_tell_is_learnt(noise: float, least: float) -> None:
    generator = random.Random(1)
    train, test = sources(800, 2), sources(300, 3)
    labels = ["noun" if is_told(t) ^ (generator.random() < noise) else "verb" for t in train]
    found = classify(features_of(train), labels, features_of(test))
    assert found == classify(features_of(train), labels, features_of(test))
    right = [
        label == ("noun" if is_told(t) else "verb") for t, label in zip(test, found, strict=True)
    ]
    assert np.mean(right) > least


def test_where_words_tell_nothing_the_most_frequent_category_is_learnt() -> None:
    generator = random.Random(1)
    train, test = sources(500, 2), sources(300, 3)
    labels = ["verb" if generator.random() < 0.7 else "noun" for _ in train]
    found = classify(features_of(train), labels, features_of(test))
    assert found.count("verb") > 280
    assert classify(features_of(train[:1]), ["noun"], features_of(test[:1])) == ["noun"]
