"""Contrasts made of trees and links: as the sample's grammar makes them, by hand, on any tree."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st
from nltk.tree import Tree

import pipeline.tokenize
from mgsa.cli.files import read_json, write_json
from pipeline.contrast.reorder import KINDS, attachments, clauses, main
from pipeline.formats.contrasts import contrasts_of, is_contrast
from pipeline.formats.links import read_links, translation
from pipeline.formats.trees import constituents, read_tree
from pipeline.sample import write_sample
from tests.lines import lines
from tests.parameters import PARAMETERS
from tests.strategies import trees
from tests.text_folders import stage_argv

CLAUSE = "(S (NP i) (VP (V stay) (ADVP home) (SBAR (IN if) (S (NP it) (VP rains)))) (. .))"


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The sample's corpus, whose pairs have two readings each, and its tokens."""
    folder = tmp_path_factory.mktemp("sample")
    (folder / "corpus").mkdir()
    write_sample(
        folder / "corpus",
        seed=1,
        **{"train": 2, "valid": 2, "test": 1000, "treebank_train": 1, "treebank_dev": 1},
        ambiguity=1.0,
        source_language="en",
    )
    languages = {"source_language": "en", "target_language": "de"}
    write_json(folder / "corpus/corpus.json", {"name": "sample", **languages})
    (folder / "params.yaml").write_text(yaml.safe_dump(PARAMETERS), encoding="utf-8")
    pipeline.tokenize.main(stage_argv(folder, corpus="corpus", out="tokenized", report="t.json"))
    return folder


def test_those_of_the_sample_are_found(folder: Path) -> None:
    given = dict.fromkeys(("tokenized", "trees", "links"), "tokenized")
    paths = given | {"out": "made", "report": "made.json"}
    argv = [f"--{name}={folder / path}" for name, path in paths.items()]
    main([*argv, "--kind=attachment"])
    references = lines(folder / "corpus/test.target")
    made = contrasts_of(folder / "corpus", "test", folder / "made")
    assert all(is_contrast(one.target, references[one.line - 1]) for one in made)
    expected = contrasts_of(folder / "corpus", "test")
    found = [one for one in expected if one in made]
    assert {one.category for one in found} == {"noun", "verb"}
    # Others precede two objects: `Er gibt im Haus dem Kind das Buch.`
    assert len(found) > 0.95 * len(expected) > 50
    assert read_json(folder / "made.json")["test"] == Counter(one.category for one in made)


@pytest.mark.parametrize(
    ("links", "expected"),
    [
        # 雨 が 降れ ば うち に いる よ 。: が, ば, に and よ have no link
        ("4-0 5-2 3-3 2-4 1-6 6-8", "うち に いる よ 雨 が 降れ ば 。"),
        ("4-0 5-2 2-4 1-6 6-8", "うち に いる よ 雨 が 降れ ば 。"),  # nor ば
        ("4-0 5-2 3-4 2-3 1-6 6-8", None),  # `if` behind a word of the other clause
        ("4-4 5-6 3-7 2-0 1-2 6-8", None),  # the same order in both languages
    ],
)
def test_a_clause_goes_to_the_end(links: str, expected: str | None) -> None:
    target = ["雨", "が", "降れ", "ば", "うち", "に", "いる", "よ", "。"]
    tree = constituents(read_tree(CLAUSE))
    found = list(clauses(tree, set(read_links(links)), target))
    assert [" ".join(target[place] for place in one.order) for one in found] == (
        [expected] if expected else []
    )


def test_a_word_that_may_belong_to_the_phrases_is_left_in_peace() -> None:
    tree = constituents(read_tree("(S (NP i) (VP (V saw) (NP (NP him) (PP (P at) (NP work)))))"))
    target = ["ich", "sah", "ihn", "bei", "der", "Arbeit"]
    linked = {(0, 0), (1, 1), (2, 2), (3, 3), (4, 4), (4, 5)}
    (made,) = attachments(tree, linked, target)
    assert (made.category, made.level) == ("noun", 2)
    assert [target[place] for place in made.order] == ["ich", "sah", "bei", "der", "Arbeit", "ihn"]
    assert not list(attachments(tree, linked - {(1, 1)}, target))


@given(trees(max_leaves=10), st.data())
def test_variants_have_the_same_words(tree: Tree, data: st.DataObject) -> None:
    ends = st.tuples(st.integers(0, len(tree.leaves()) - 1), st.integers(0, 6))
    links, target = data.draw(st.sets(ends)), list("abcdefg")
    for kind in KINDS.values():
        for one in kind(constituents(tree), links, target):
            assert sorted(one.order) == list(range(7)) != one.order


@given(
    st.integers(0, 5), st.integers(1, 6), st.sets(st.tuples(st.integers(0, 5), st.integers(0, 6)))
)
def test_a_translation_has_all_links_of_its_words(
    start: int, width: int, links: set[tuple[int, int]]
) -> None:
    inside = range(start, start + width)
    found = translation((start, start + width), links)
    of_phrase = [target for source, target in links if source in inside]
    if found is not None:
        assert (found[0], found[1] - 1) == (min(of_phrase), max(of_phrase))
    between = [(s, t) for s, t in links if of_phrase and min(of_phrase) <= t <= max(of_phrase)]
    assert (found is None) == (not of_phrase or any(s not in inside for s, _ in between))
