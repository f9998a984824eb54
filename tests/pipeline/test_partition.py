"""Phrases of n-grams and of tree levels, by hand and by property; the stage that writes them."""

from __future__ import annotations

import json
from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from nltk.tree import Tree

from mgsa.cli.errors import InputError
from mgsa.cli.files import write_json
from pipeline.formats.phrases import Phrase, read_phrases_line, write_phrases_line
from pipeline.formats.trees import bracketed, preterminals, read_tree
from pipeline.partition import main, ngram_partition, syntactic_partition, to_subwords
from tests import strategies
from tests.parameters import RUN
from tests.text_folders import stage_argv

BUSH = (
    "(ROOT (S (NP (NNP Bush)) (VP (VBD held) (NP (DT a) (NN talk)) (PP (IN with) (NNP Sharon)))))"
)


@pytest.mark.parametrize(
    ("length", "n", "bounds"),
    [
        (0, 2, []),
        (1, 4, [(0, 1)]),
        (4, 2, [(0, 2), (2, 4)]),
        (5, 2, [(0, 2), (2, 4), (4, 5)]),
        (3, 1, [(0, 1), (1, 2), (2, 3)]),
    ],
)
def test_ngrams_are_cut_from_the_left(length: int, n: int, bounds: list[tuple[int, int]]) -> None:
    assert ngram_partition(length, n) == [Phrase(start, end, None) for start, end in bounds]


LEVELS = [
    # Figure 1 of the paper: [Bush] [held a talk with Sharon], then one level down.
    (BUSH, ["1:NP 5:VP", "1:NNP 1:VBD 2:NP 2:PP", "1:NNP 1:VBD 1:DT 1:NN 1:IN 1:NNP"]),
    # Words stay as they are below their level.
    ("(ROOT (NP (NNP Bush)))", ["1:NNP", "1:NNP", "1:NNP"]),
    # A top node that is a preterminal is the one phrase of every level.
    ("(ROOT (UH Yes))", ["1:UH", "1:UH"]),
    # Wrappers of every kind, and none.
    ("(TOP (S (NP (PRP I)) (VP (VBP go))))", ["1:NP 1:VP", "1:PRP 1:VBP"]),
    ("( (S (NP (PRP I)) (VP (VBP go))))", ["1:NP 1:VP", "1:PRP 1:VBP"]),
    ("(S (NP (PRP I)) (VP (VBP go)))", ["1:NP 1:VP", "1:PRP 1:VBP"]),
    ("(ROOT (NP (NN a)) (VP (VB b)))", ["1:NP 1:VP", "1:NN 1:VB"]),
    # A unary chain is one level a node.
    ("(ROOT (S (VP (VB go) (ADVP (RB home)))))", ["2:VP", "1:VB 1:ADVP", "1:VB 1:RB"]),
    # Tags that are punctuation.
    ("(ROOT (NP (NN a) (: :) (NN b) (. .)))", ["1:NN 1:: 1:NN 1:."]),
    ("(ROOT (FRAG (X a) (X b)))", ["1:X 1:X", "1:X 1:X"]),
]


@pytest.mark.parametrize(("tree", "levels"), LEVELS)
def test_levels_of_a_tree(tree: str, levels: list[str]) -> None:
    partitions = syntactic_partition(tree, len(levels))
    assert [write_phrases_line([phrases]) for phrases in partitions] == levels
    assert syntactic_partition(read_tree(tree), len(levels)) == partitions


def assert_covers(phrases: list[Phrase], length: int) -> None:
    """Once, in order, without overlap, no phrase empty."""
    assert [position for start, end, _ in phrases for position in range(start, end)] == list(
        range(length)
    )
    assert all(start < end for start, end, _ in phrases)


@given(strategies.trees(), st.integers(1, 5))
def test_every_level_covers_the_sentence_and_refines_the_one_above(tree: Tree, levels: int) -> None:
    partitions = syntactic_partition(tree, levels)
    assert len(partitions) == levels
    for phrases in partitions:
        assert_covers(phrases, len(tree.leaves()))
    for coarse, fine in pairwise(partitions):
        assert {start for start, _, _ in coarse} <= {start for start, _, _ in fine}
    assert syntactic_partition(bracketed(tree), levels) == partitions
    words = [Phrase(i, i + 1, word.label()) for i, word in enumerate(preterminals(tree))]
    assert syntactic_partition(tree, 20)[-1] == words


def test_a_phrase_takes_all_the_subwords_of_its_words() -> None:
    # Bu@@ sh | held | a talk@@ s | ... : 2 + 1 + (1 + 2) subwords
    phrases = [Phrase(0, 1, "NNP"), Phrase(1, 2, "VBD"), Phrase(2, 4, None)]
    assert to_subwords(phrases, [2, 1, 1, 2]) == [
        Phrase(0, 2, "NNP"),
        Phrase(2, 3, "VBD"),
        Phrase(3, 6, None),
    ]
    assert to_subwords([], []) == []


@given(st.data())
def test_subword_phrases_cover_the_subwords(data: st.DataObject) -> None:
    tree = data.draw(strategies.trees())
    words = len(tree.leaves())
    counts = data.draw(st.lists(st.integers(1, 5), min_size=words, max_size=words))
    for phrases in syntactic_partition(tree, 3):
        found = to_subwords(phrases, counts)
        assert_covers(found, sum(counts))
        assert [phrase.tag for phrase in found] == [phrase.tag for phrase in phrases]
        assert to_subwords(phrases, [1] * words) == phrases


@pytest.mark.parametrize(
    ("counts", "message"),
    [([1], "phrases cover 2 words: expected 1"), ([1, 0], "at least 1 subword for every word")],
)
def test_subwords_that_do_not_fit_are_refused(counts: list[int], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        to_subwords([Phrase(0, 2, "NP")], counts)


@pytest.mark.real
def test_worked_examples(shared: Path) -> None:
    expected = json.loads((shared / "expected" / "partition.json").read_text(encoding="utf-8"))
    for example in expected["syntactic"]:
        levels = [[Phrase(*phrase) for phrase in level] for level in example["levels"]]
        partitions = syntactic_partition(example["tree"], len(levels))
        assert partitions == levels
        assert [to_subwords(level, example["subwords_per_word"]) for level in partitions] == [
            [Phrase(*phrase) for phrase in level] for level in example["subword_levels"]
        ]
    for example in expected["ngram"]:
        assert ngram_partition(example["length"], example["n"]) == [
            Phrase(*phrase) for phrase in example["phrases"]
        ]
    assert expected["syntactic"]
    assert expected["ngram"]


@given(strategies.trees(), st.integers(1, 4))
def test_a_line_of_phrases_is_read_back(tree: Tree, levels: int) -> None:
    partitions = syntactic_partition(tree, levels)
    line = write_phrases_line(partitions)
    assert read_phrases_line(line, num_words=len(tree.leaves())) == partitions


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("3:NP ||| 1:NN", "level 1: lengths add up to 3 words, expected 2"),
        ("2:NP ||| ", "level 2: expected LENGTH:TAG, found ''"),
        ("2:NP ||| 1:NN  1:NN", "level 2: expected LENGTH:TAG, found ''"),
        (f"{'9' * 5000}:NP ||| 1:NN", f"level 1: expected LENGTH:TAG, found '{'9' * 5000}:NP'"),
        ("2: ||| 1:NN 1:NN", "level 1: expected LENGTH:TAG, found '2:'"),
        ("0:NP 2:NP ||| 1:NN 1:NN", "level 1: expected LENGTH:TAG, found '0:NP'"),
        ("²:NP ||| 1:NN 1:NN", "level 1: expected LENGTH:TAG, found '²:NP'"),
    ],
)
def test_a_malformed_line_of_phrases_is_refused(line: str, message: str) -> None:
    with pytest.raises(InputError, match=f"^train.phrases:4: {message}$"):
        read_phrases_line(line, num_words=2, path="train.phrases", line=4)


SETTINGS = {"levels": 3, "ngrams": [2, 3], "boundaries": "parsed", "seed": 1}
SENTENCES = {
    "train": [
        (BUSH, "Bush held a talk with Sharon"),
        ("(ROOT (NP (NN dog) (-LRB- -LRB-) (NN x) (-RRB- -RRB-)))", "dog ( x )"),
    ],
    "valid": [("(ROOT (UH Yes))", "Yes")],
    "test": [("(ROOT (S (NP (PRP I)) (VP (VBP go)) (, ,)))", "I go ,")],
}


@pytest.fixture
def corpus(tmp_path: Path) -> Path:
    """A folder with `parsed/`, `tokenized/` and `params.yaml`."""
    for file in ("parsed/parser.json", "tokenized/text.json"):
        write_json(tmp_path / file, {"kind": "trees"})
    for split, sentences in SENTENCES.items():
        trees, tokens = zip(*sentences, strict=True)
        (tmp_path / "parsed" / f"{split}.trees").write_text("\n".join(trees) + "\n", "utf-8")
        (tmp_path / "tokenized" / f"{split}.source").write_text("\n".join(tokens) + "\n", "utf-8")
    (tmp_path / "params.yaml").write_text(json.dumps({"partition": SETTINGS, "run": RUN}), "utf-8")
    return tmp_path


def partition(folder: Path, *overrides: str) -> dict[str, str]:
    """The files that the stage writes, by name."""
    paths = {"parsed": "parsed", "tokenized": "tokenized", "out": "partitions", "plots": "plots"}
    main(stage_argv(folder, *overrides, **paths, report="report.json"))
    files = [*folder.glob("partitions/*"), *folder.glob("plots/*"), folder / "report.json"]
    return {path.name: path.read_text("utf-8") for path in files if path.is_file()}


def test_the_stage_writes_phrases_report_and_plots(
    corpus: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A sentence at a time, by two workers."""
    monkeypatch.setattr("pipeline.partition.SENTENCES_PER_CHUNK", 1)
    written = partition(corpus, "run.workers=2")
    assert written["train.phrases"] == (
        "1:NP 5:VP ||| 1:NNP 1:VBD 2:NP 2:PP ||| 1:NNP 1:VBD 1:DT 1:NN 1:IN 1:NNP\n"
        + " ||| ".join(["1:NN 1:-LRB- 1:NN 1:-RRB-"] * 3)
        + "\n"
    )
    assert written["valid.phrases"] == "1:UH ||| 1:UH ||| 1:UH\n"
    assert written["test.phrases"] == "1:NP 1:VP 1:, ||| 1:PRP 1:VBP 1:, ||| 1:PRP 1:VBP 1:,\n"
    assert json.loads(written["report.json"]) | {"written_by": None} == {
        "written_by": None,
        "sentences": 4,
        "words": 14,  # 6 + 4 + 1 + 3
        "words_per_sentence": 3.5,
        "phrases_per_sentence_ngram_2": 2.0,  # 3 + 2 + 1 + 2
        "phrases_per_sentence_ngram_3": 1.5,  # 2 + 2 + 1 + 1
        "phrases_per_sentence_syntactic_1": 2.5,  # 2 + 4 + 1 + 3
        "phrases_per_sentence_syntactic_2": 3.0,  # 4 + 4 + 1 + 3
        "phrases_per_sentence_syntactic_3": 3.5,  # every word
        "words_per_phrase_ngram_2": 1.75,
        "words_per_phrase_ngram_3": 2.3333,
        "words_per_phrase_syntactic_1": 1.4,
        "words_per_phrase_syntactic_2": 1.1667,
        "words_per_phrase_syntactic_3": 1.0,
        "tags": 14,  # NP VP NNP VBD PP DT NN IN -LRB- -RRB- UH , PRP VBP
    }
    assert written["phrase_lengths.csv"] == (
        "level,length,count\n1,1,9\n1,5,1\n2,1,10\n2,2,2\n3,1,14\n"
    )
    assert written["tags.csv"].startswith(
        'level,tag,count\n1,",",1\n1,-LRB-,1\n1,-RRB-,1\n1,NN,2\n1,NP,2\n1,UH,1\n1,VP,2\n2,",",1\n'
    )
