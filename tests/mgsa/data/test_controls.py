"""Shuffled and random phrases: what they keep of the phrases they replace, and what they don't."""

from __future__ import annotations

from itertools import accumulate, pairwise
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from nltk.tree import Tree

from mgsa.data.batch import Row
from mgsa.data.controls import Boundaries, Level, apply_control, read_rows, split_rates
from mgsa.data.dataset import Dataset, open_dataset
from pipeline.partition import syntactic_partition
from tests import strategies
from tests.text_folders import build_dataset, parse_with_toy, random_texts, write_text


def levels_of(tree: Tree) -> list[Level]:
    return [
        ([end - start for start, end, _ in phrases], [tag for _, _, tag in phrases])
        for phrases in syntactic_partition(tree, 3)
    ]


def ascending(count: int) -> st.SearchStrategy[list[float]]:
    return st.lists(st.floats(0, 1), min_size=count, max_size=count).map(sorted)


@given(strategies.trees(), ascending(3), st.integers(0, 99))
def test_random_phrases_cover_and_are_nested_and_tagged_by_their_first_words(
    tree: Tree, rates: list[float], seed: int
) -> None:
    levels = levels_of(tree)
    drawn = apply_control(levels, "random", rates=rates, seed=seed, split="test", line=1)
    starts = [[0, *accumulate(lengths)] for lengths, _ in drawn]
    for (lengths, tags), bounds, (old, old_tags) in zip(drawn, starts, levels, strict=True):
        assert min(lengths) > 0
        assert sum(lengths) == len(tree.leaves())
        of_words = np.repeat(old_tags, old).tolist()
        assert tags == [of_words[start] for start in bounds[:-1]]
    assert all(set(coarse) <= set(fine) for coarse, fine in pairwise(starts))


@given(strategies.trees())
def test_shuffled_phrases_are_the_same_in_another_order(tree: Tree) -> None:
    levels = levels_of(tree)
    drawn = apply_control(levels, "shuffled", rates=(), seed=1, split="train", line=1)
    for level, moved in zip(levels, drawn, strict=True):
        assert sorted(zip(*level, strict=True)) == sorted(zip(*moved, strict=True))


def test_flat_phrases_are_words_with_their_tags() -> None:
    levels: list[Level] = [([2, 3], ["NP", "VP"]), ([1] * 5, list("abcde"))]
    flat = apply_control(levels, "flat", rates=(), seed=1, split="test", line=1)
    assert flat == [([1] * 5, ["NP", "NP", "VP", "VP", "VP"]), ([1] * 5, list("abcde"))]


def test_random_phrases_are_as_many_on_average_and_tell_no_sentences_number() -> None:
    rates = [0.1, 0.35, 1.0]
    whole, words = [([41], ["S"])] * 3, [([1] * 41, ["N"] * 41)] * 3
    at: dict[str, Any] = {"rates": rates, "seed": 1, "split": "test"}
    cuts = [
        [
            [len(lengths) - 1 for lengths, _ in apply_control(levels, "random", line=line, **at)]
            for line in range(1, 1001)
        ]
        for levels in (whole, words)
    ]
    assert cuts[0] == cuts[1]
    np.testing.assert_allclose(np.mean(cuts[0], axis=0), np.multiply(rates, 40), rtol=0.05)
    assert len({row[1] for row in cuts[0]}) > 10


def test_draws_depend_on_seed_split_and_line() -> None:
    levels = [([1] * 30, list(range(30)))]
    places = [(1, "test", 1), (2, "test", 1), (1, "valid", 1), (1, "test", 2)]
    for kind in ("shuffled", "random"):
        drawn = [
            [
                apply_control(levels, kind, rates=[0.5], seed=s, split=p, line=n)
                for s, p, n in places
            ]
            for _ in range(2)
        ]
        assert drawn[0] == drawn[1]
        assert len({str(each) for each in drawn[0]}) == len(places)


@pytest.fixture(scope="module")
def datasets(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Dataset]:
    """Datasets of the same text by `partition.boundaries`."""
    rare = [("a xylophonist jumps over quagga foals", "selten")]  # words of several subwords
    splits = ("train", "valid", "test")
    texts = {name: random_texts(25, seed) + rare for seed, name in enumerate(splits)}
    opened = {}
    for kind in ("parsed", "shuffled", "random"):
        folder = tmp_path_factory.mktemp(kind)
        write_text(folder, texts, boundaries=kind)
        parse_with_toy(folder)
        opened[kind] = open_dataset(build_dataset(folder))
    return opened


def tags_of(row: Row, tags: tuple[str, ...]) -> list[list[str]]:
    return [[tags[tag] for tag in level] for level in row.phrase_tags]


@pytest.mark.parametrize("kind", ["parsed", "shuffled", "random"])
@pytest.mark.parametrize("split", ["train", "test"])
def test_rows_have_the_phrases_that_the_partition_stage_draws(
    datasets: dict[str, Dataset], kind: Boundaries, split: str
) -> None:
    made, expected = datasets["parsed"], list(datasets[kind].read(split))
    found = list(read_rows(made, split, kind))
    assert [row.phrase_lengths for row in found] == [row.phrase_lengths for row in expected]
    assert max(max(row.subwords_per_word) for row in found) > 1
    for row, other in zip(found, expected, strict=True):
        names, others = tags_of(row, made.tags), tags_of(other, datasets[kind].tags)
        for level, theirs in zip(names, others, strict=True):
            # A tag may be missing from the training split of one of them.
            pairs = zip(level, theirs, strict=True)
            assert all("<unk>" in pair or pair[0] == pair[1] for pair in pairs)
    changed = sum(
        row.phrase_lengths != plain.phrase_lengths
        for row, plain in zip(found, made.read(split), strict=True)
    )
    assert (changed > len(found) / 2) == (kind != "parsed")


def test_rates_are_shares_of_the_places_between_words(datasets: dict[str, Dataset]) -> None:
    rows = list(datasets["parsed"].read("test"))
    places = sum(len(row.subwords_per_word) - 1 for row in rows)
    cuts = np.sum([[len(level) - 1 for level in row.phrase_lengths] for row in rows], axis=0)
    assert split_rates(datasets["parsed"], "test") == pytest.approx((cuts / places).tolist())
    assert 0 < cuts[0] < cuts[1] < cuts[2] < places
