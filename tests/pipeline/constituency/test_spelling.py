"""Words respelled for a parser, one to one, and treebanks' words as a tokeniser spells them."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from pipeline.constituency.spelling import TextSpelling, parser_words, spelled_words
from pipeline.constituency.treebank import as_parser_spells, read_gold_trees
from pipeline.formats.text_settings import text_settings
from pipeline.formats.trees import preterminals, read_tree
from pipeline.tokenizers.side import SideText
from tests.imports import ROOT

ENGLISH = SideText(text_settings(ROOT / "params.yaml"), "source", "en")
MOSES = "I don 't , you WON 'T , we can ’t ; isn 't it John 's ?"


@pytest.mark.parametrize(
    ("tokens", "words"),
    [
        (MOSES, "I do n't , you WO N'T , we ca n't ; is n't it John 's ?"),
        # Of other tokenisers, or of the Penn Treebank: as they are.
        ("I do n't , he wo n't , it is John 's", "I do n't , he wo n't , it is John 's"),
        ("he don't", "he don't"),
        ("'t is", "'t is"),
        ("don '", "don '"),
        # Double quotes by their places.
        ('" Go , " he said , " now ! "', "`` Go , '' he said , `` now ! ''"),
        ("'' go , '' he said", "`` go , '' he said"),
        ("`` go , '' he said", "`` go , '' he said"),
        ("he said . ''", "he said . ''"),
        ('they went , " he said', "they went , '' he said"),
        ('he said , " They went .', "he said , `` They went ."),
        ('he left . "', "he left . ''"),
        ("“ a ” « b » „ c “", "`` a '' `` b '' `` c ``"),
        # Single ones, beside genitives of plurals.
        ("' yes , ' he said", "` yes , ' he said"),
        ("an ' easy ' thing", "an ` easy ' thing"),
        ("the boys ' dog", "the boys ' dog"),
        ("‘ a ’", "` a '"),
        ("-LRB- a -RRB- [ 3\\/4 ]", "( a ) [ 3/4 ]"),
        ("a – b — c …", "a -- b -- c ..."),
    ],
)
def test_english_tokens_are_respelled_as_in_the_penn_treebank(tokens: str, words: str) -> None:
    assert parser_words(tokens.split(), "en") == words.split()
    assert parser_words(words.split(), "en_GB") == words.split()


def test_other_languages_keep_their_words_but_for_the_treebanks_quotes() -> None:
    tokens = ["``", "don", "'t", "''", "-LRB-", "“", "«", "’", '"', "-", "–"]
    assert parser_words(tokens, "de") == ['"', "don", "'t", '"', "(", "“", "«", "’", '"', "-", "–"]


WORDS = st.sampled_from(
    [
        *("a", "Men", "don", "DON", "can", "s", "-LRB-", "(", ",", ".", "!", "–"),
        *("'t", "'T", "’t", "n't", "'", '"', "``", "''", "`", "’", "“", "”"),
    ]
)


@given(st.lists(WORDS), st.sampled_from(["en", "de"]))
@example(['"'], "en")
@example(["'"], "en")
def test_respelling_is_one_to_one_and_done_once(tokens: list[str], language: str) -> None:
    words = parser_words(tokens, language)
    assert len(words) == len(tokens)
    assert all(words)
    assert parser_words(words, language) == words


@pytest.mark.real
def test_the_penn_treebanks_words_come_back_from_moses(shared: Path) -> None:
    """But for five quotes of 3,509 trees, which their places do not tell."""
    spell = TextSpelling(ENGLISH)
    trees = read_gold_trees(shared / "treebank/train.mrg")
    known = [spelled_words(as_parser_spells(tree, "en")) for tree in trees]
    found = [parser_words(spelled_words(spell(tree)), "en") for tree in trees]
    assert sum(one != two for one, two in zip(known, found, strict=True)) <= 10


@pytest.mark.parametrize(
    ("words", "tokens", "text"),
    [
        # Words of a treebank, the tokens of the text that they were, and that text.
        ("`` No , '' he said", '" No , " he said', '"No," he said'),
        ("It ` is -LRB- not -RRB- '", "It ' is ( not ) '", "It 'is (not)'"),
        ("I do n't , you WO N'T", "I don 't , you WON 'T", "I don't, you WON'T"),
        ("we ca n’t ; he 's", "we can 't ; he 's", "we can’t; he's"),
        ("“ a ” – b", '" a " - b', "“a” – b"),
        ("\\* a", "* a", "* a"),
        # These would be more tokens, or fewer: a word stays one.
        ("at 3\\/4", "at 3/4", None),
        ("AT&T Co.", "AT&T Co.", None),
        ("you can not", "you can not", None),
        # There is nothing to put its n to.
        ("n't \u200b", "n't \u200b", None),
    ],
)
def test_a_treebanks_words_are_spelled_as_tokens_of_text(
    words: str, tokens: str, text: str | None
) -> None:
    tree = read_tree(f"( (S {' '.join(f'(TAG {word})' for word in words.split(' '))}))")
    spelled = TextSpelling(ENGLISH)(tree)
    assert spelled_words(spelled) == tokens.split(" ")
    assert [leaf.label() for leaf in preterminals(spelled)] == ["TAG"] * len(words.split(" "))
    assert text is None or ENGLISH.tokenize(text) == tokens.split(" ")


def test_a_tree_keeps_its_shape_and_its_escaped_brackets() -> None:
    tree = read_tree("( (S-1 (`` ``) (NP (-LRB- -LRB-) (NN a\\/b)) (VP (VBD did) (RB n't))))")
    expected = "( (S-1 (`` \") (NP (-LRB- -LRB-) (NN a/b)) (VP (VBD didn) (RB 't))))"
    assert TextSpelling(ENGLISH)(tree) == read_tree(expected)


def test_a_tokeniser_that_splits_as_the_treebank_keeps_its_words() -> None:
    class Splitting:
        def tokenize(self, text: str) -> list[str]:
            return text.replace("n't", " n't").split()

        def detokenize(self, tokens: object) -> str:
            raise NotImplementedError

    tree = read_tree("(S (VBD did) (RB n't))")
    assert spelled_words(TextSpelling(Splitting())(tree)) == ["did", "n't"]
