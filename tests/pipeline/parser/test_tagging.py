"""The tagger of a treebank, and the tags that its parser learns from."""

from __future__ import annotations

from pathlib import Path

import pytest

from pipeline.constituency.tagger import load_tagger, save_tagger
from pipeline.formats.trees import preterminals, read_tree
from pipeline.parser.tagging import FOLDS, retagged, tag_treebank


@pytest.mark.parametrize("workers", [1, 2])
def test_trees_are_tagged_by_what_has_not_seen_them(workers: int) -> None:
    """Each tree has a tag of its own, which the taggers of other folds can't know."""
    trees = [read_tree(f"(S (DT the) (NN{n} word{n}) (VB ran))") for n in range(2 * FOLDS)]
    tagger, tagged = tag_treebank(trees, seed=1, workers=workers)
    for n, (tree, other) in enumerate(zip(trees, tagged, strict=True)):
        assert retagged(tree, tagger) == tree
        assert other.leaves() == tree.leaves()
        tags = [leaf.label() for leaf in preterminals(other)]
        assert [tags[0], tags[2]] == ["DT", "VB"]
        assert tags[1] != f"NN{n}"


def test_a_saved_tagger_tags_alike(tmp_path: Path) -> None:
    tree = read_tree("(S (NP (DT the) (NN dög)) (VP (VBD was) (ADVP (RB here))))")
    tagger, _ = tag_treebank([tree], seed=1, workers=1)
    save_tagger(tagger, tmp_path / "tagger.json")
    assert retagged(tree, load_tagger(tmp_path / "tagger.json")) == tree
