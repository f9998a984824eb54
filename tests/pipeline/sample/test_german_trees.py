"""German trees: English constituents over the words that translate them."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from nltk.tree import Tree

from pipeline.formats.trees import read_tree
from pipeline.sample import SamplePair, generate


@pytest.fixture(scope="module")
def pairs() -> list[tuple[SamplePair, SamplePair]]:
    """Each from English and from German."""
    languages = [
        generate(800, "german trees", ambiguity=0.3, source_language=language)
        for language in ("en", "de")
    ]
    return list(zip(*languages, strict=True))


def spans(tree: Tree, start: int = 0) -> Iterator[tuple[str, range]]:
    """Label and words of every constituent above parts of speech."""
    if isinstance(tree[0], str):
        return
    yield tree.label(), range(start, start + len(tree.leaves()))
    for child in tree:
        yield from spans(child, start)
        start += len(child.leaves())


def test_leaves_are_the_words(pairs: list[tuple[SamplePair, SamplePair]]) -> None:
    for english, german in pairs:
        assert read_tree(german.tree).leaves() == german.source_tokens == english.target_tokens


def test_a_constituent_is_what_translates_an_english_one(
    pairs: list[tuple[SamplePair, SamplePair]],
) -> None:
    found = kept = 0
    for pair, german in pairs:
        linked = {target for _, target in pair.links}
        english = [
            (label, {target for source, target in pair.links if source in span})
            for label, span in spans(read_tree(pair.tree))
        ]
        for label, span in spans(read_tree(german.tree)):
            assert (label, linked & set(span)) in english
            kept += 1
        found += len(english)
    assert kept > 0.85 * found  # verbs apart from their objects, above all, are no constituent


def test_the_pair_is_turned_round_without_variants(
    pairs: list[tuple[SamplePair, SamplePair]],
) -> None:
    for english, german in pairs:
        assert (german.source, german.target) == (english.target, english.source)
        assert german.target_tokens == english.source_tokens
        assert {(j, i) for i, j in german.links} == set(english.links)
        assert german.links == sorted(german.links)
        assert (german.voice, german.tense) == (english.voice, english.tense)
        assert german.variants == []
