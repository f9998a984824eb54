"""German trees: English constituents over the words that translate them."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from nltk.tree import Tree

from pipeline.sample import SamplePair, generate
from pipeline.tokens.trees import read_tree


@pytest.fixture(scope="module")
def pairs() -> list[SamplePair]:
    return list(generate(800, "german trees", ambiguity=0.3))


def spans(tree: Tree, start: int = 0) -> Iterator[tuple[str, range]]:
    """Label and words of every constituent above parts of speech."""
    if isinstance(tree[0], str):
        return
    yield tree.label(), range(start, start + len(tree.leaves()))
    for child in tree:
        yield from spans(child, start)
        start += len(child.leaves())


def test_leaves_are_the_words(pairs: list[SamplePair]) -> None:
    for pair in pairs:
        assert read_tree(pair.target_tree).leaves() == pair.target_tokens


def test_a_constituent_is_what_translates_an_english_one(pairs: list[SamplePair]) -> None:
    found = kept = 0
    for pair in pairs:
        linked = {target for _, target in pair.links}
        english = [
            (label, {target for source, target in pair.links if source in span})
            for label, span in spans(read_tree(pair.tree))
        ]
        for label, span in spans(read_tree(pair.target_tree)):
            assert (label, linked & set(span)) in english
            kept += 1
        found += len(english)
    assert kept > 0.85 * found  # verbs apart from their objects, above all, are no constituent


def test_reversed_twice_is_the_pair_without_variants(pairs: list[SamplePair]) -> None:
    for pair in pairs:
        back = pair.reversed()
        assert (back.source, back.tree) == (pair.target, pair.target_tree)
        assert [pair.source_tokens[j] for _, j in back.links] == [
            pair.source_tokens[i] for i, _ in sorted(pair.links, key=lambda link: link[::-1])
        ]
        pair.variants = []
        assert back.reversed() == pair
