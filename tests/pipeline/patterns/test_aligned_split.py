"""A split beside translations of it: what is read, and what is refused in one line."""

from __future__ import annotations

from pathlib import Path

import pytest

from mgsa.base.errors import InputError
from mgsa.base.io import write_json
from pipeline.patterns.aligned_split import AlignedSplit, find_links
from pipeline.patterns.categories import Occurrence

REFERENCES = ["Ich sehe (das) Haus.", "Er geht!"]
FILES = {
    "test.source": "I see ( the ) house .\nHe goes !\n",
    "test.target": "Ich sehe ( das ) Haus .\nEr geht !\n",
    "test.trees": "(S (PRP I) (VP (VBP see) (NP (X -LRB-) (DT the) (X -RRB-) (NN house))) (. .))\n"
    "(S (PRP He) (VBZ goes) (. !))\n",
    "found": "0-0 1-1 3-3 5-5 6-6\n0-0 1-1\n",
}


@pytest.fixture
def split(tmp_path: Path) -> AlignedSplit:
    for name, text in FILES.items():
        (tmp_path / name).write_text(text, encoding="utf-8")
    write_json(tmp_path / "languages.json", {"source": "en", "target": "de"})
    return AlignedSplit(tmp_path, "test", tmp_path / "test.trees", tmp_path / "found")


def test_references_are_recognised_by_their_tokens(split: AlignedSplit, tmp_path: Path) -> None:
    split.check_references(REFERENCES, tmp_path / "references")
    with pytest.raises(InputError) as caught:
        split.check_references([REFERENCES[0], "Er geht."], tmp_path / "references")
    assert str(caught.value) == (
        f"{tmp_path}/references:2: expected the text whose tokens are in {tmp_path}/test.target, "
        "'Er geht !', got 'Er geht .'"
    )


def test_source_words_are_counted(split: AlignedSplit) -> None:
    assert split.source_lengths() == [7, 3]


def test_each_pair_has_its_ngrams_and_categories(split: AlignedSplit) -> None:
    first, second = split.occurrences([2])
    assert [one.category for one in first if one.size == "2"] == [
        *("S", "VBP", "DT", "DT", "NN", "S")
    ]
    assert [one for one in first if one.size == "phrase"] == [
        Occurrence("phrase", 3, 6, "NP"),
        Occurrence("phrase", 1, 6, "VP"),
        Occurrence("phrase", 0, 7, "S"),
    ]
    assert [one.category for one in second] == ["S", "VBZ", "S"]


@pytest.mark.parametrize(
    ("name", "text", "message"),
    [
        (
            "found",
            "0-0\n0-0 3-1\n",
            "found:2: expected links between 3 source and 3 target words, counted from 0, got 3-1",
        ),
        (
            "test.trees",
            FILES["test.trees"].replace("!", "?"),
            "test.trees:2: leaf 3 of the tree is '?': expected the token '!'",
        ),
    ],
)
def test_trees_and_links_of_something_else_are_named(
    split: AlignedSplit, tmp_path: Path, name: str, text: str, message: str
) -> None:
    (tmp_path / name).write_text(text, encoding="utf-8")
    with pytest.raises(InputError) as caught:
        list(split.occurrences([1]))
    assert str(caught.value).startswith(f"{tmp_path}/{message}")


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
