"""A split beside translations of it: what is read, and what is refused in one line."""

from __future__ import annotations

from pathlib import Path

import pytest

from mgsa.base.errors import InputError
from mgsa.base.io import write_json
from pipeline.patterns.aligned_split import (
    check_references,
    find_links,
    read_occurrences,
    tokenize_target,
)
from pipeline.patterns.categories import Occurrence

FILES = {
    "test.source": "I see ( the ) house .\nHe goes !\n",
    "test.target": "Ich sehe ( das ) Haus .\nEr geht !\n",
    "test.trees": "(S (PRP I) (VP (VBP see) (NP (X -LRB-) (DT the) (X -RRB-) (NN house))) (. .))\n"
    "(S (PRP He) (VBZ goes) (. !))\n",
    "found": "0-0 1-1 3-3 5-5 6-6\n0-0 1-1\n",
}


@pytest.fixture
def tokenized(tmp_path: Path) -> Path:
    for name, text in FILES.items():
        (tmp_path / name).write_text(text, encoding="utf-8")
    write_json(tmp_path / "languages.json", {"source": "en", "target": "de"})
    return tmp_path


def read(tokenized: Path, *sizes: int) -> list[list[Occurrence]]:
    files = (tokenized / "test.trees", tokenized / "found")
    return list(read_occurrences(tokenized, "test", *files, sizes))


def test_references_are_recognised_by_their_tokens(tokenized: Path) -> None:
    path = tokenized / "test.target"
    target = path.read_text("utf-8").splitlines()
    tokens = tokenize_target(["Ich sehe (das) Haus.", "Er geht!"], tokenized)
    check_references(tokens, target, path=Path("mine"), target_path=path)
    with pytest.raises(InputError) as caught:
        check_references(tokens[::-1], target, path=Path("mine"), target_path=path)
    assert str(caught.value) == (
        f"mine:1: expected the text whose tokens are in {path}, 'Ich sehe ( das ) Haus .', "
        "got 'Er geht !'"
    )


def test_each_pair_has_its_ngrams_and_categories(tokenized: Path) -> None:
    first, second = read(tokenized, 2)
    assert [one.category for one in first if one.size == "2"] == [
        *("S", "VBP", "DT", "DT", "NN", "S")
    ]
    assert [one for one in first if one.size == "phrase"] == [
        Occurrence("phrase", 3, 6, "NP"),
        Occurrence("phrase", 1, 6, "VP"),
        Occurrence("phrase", 0, 7, "S"),
    ]
    assert [one.category for one in second] == ["S", "VBZ", "S"]


def test_trees_of_something_else_are_named(tokenized: Path) -> None:
    other = FILES["test.trees"].replace("!", "?")
    (tokenized / "test.trees").write_text(other, encoding="utf-8")
    with pytest.raises(InputError, match=r"test.trees:2: leaf 3 of the tree is '\?': expected"):
        read(tokenized, 1)


def test_links_are_a_file_or_gold_or_the_aligners(tmp_path: Path) -> None:
    tokenized, alignments = tmp_path / "tokenized", tmp_path / "alignments"
    for folder in (tokenized, alignments):
        folder.mkdir()
    description = {"kind": "pharaoh", "deterministic": True, "splits": ["train", "test"]}
    write_json(alignments / "aligner.json", description)
    file = tmp_path / "mine"
    assert find_links(file, tokenized, "test") == file
    assert find_links(alignments, tokenized, "test") == alignments / "test.links"
    assert find_links(alignments, tokenized, "valid") is None
    gold = tokenized / "test.links"
    gold.touch()
    assert find_links(alignments, tokenized, "test") == gold
    assert find_links(file, tokenized, "test") == file
    with pytest.raises(InputError, match=r"tokenized/aligner.json: no such file"):
        find_links(tokenized, tokenized, "test")
