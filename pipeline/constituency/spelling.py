"""Words as parsers learn them, as a corpus has them, and trees over either.

English parsers learn the Penn Treebank's words: `do n't`, opening and closing quotes. A corpus has
those of its tokeniser: Moses writes `don 't` and `"`. Treebanks are respelled as well before a
parser learns them, so that one in any spelling fits.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cache
from typing import TYPE_CHECKING

from mgsa.cli.languages import base_language
from pipeline.formats.trees import put_words, unescape_token

if TYPE_CHECKING:
    from nltk.tree import Tree

    from pipeline.tokenizers import Tokenizer

_QUOTES = {"“": "``", "„": "``", "«": "``", "”": "''", "»": "''", "‘": "`", "‚": "`"}
_DASHES = {"–": "--", "—": "--", "…": "..."}
_ENGLISH = _QUOTES | _DASHES
_SENTENCE_MARKS = frozenset(",.!?")
_ESCAPED = re.compile(r"\\([/*])")
_NEGATED = re.compile(r"[^\W\d_]+n", re.IGNORECASE)


def spelled_words(tree: Tree) -> list[str]:
    """The words of a tree, brackets unescaped: `(`, not `-LRB-`."""
    return [unescape_token(leaf) for leaf in tree.leaves()]


def parser_words(tokens: Sequence[str], language: str) -> list[str]:
    """A sentence's tokens, one by one, as a parser of the language is given them.

    English ones are spelled as in the Penn Treebank, whichever tokeniser made them; others are
    kept, but for the Penn Treebank's quotes and brackets, which become `"` and `(`.
    """
    words = [_ESCAPED.sub(r"\1", unescape_token(token)) for token in tokens]
    if base_language(language) != "en":
        return ['"' if word in ("``", "''") else word for word in words]
    words = [_ENGLISH.get(word, word.replace("’", "'")) for word in words]
    for place in range(1, len(words)):
        before, word = words[place - 1 : place + 1]
        if word.lower() == "'t" and _NEGATED.fullmatch(before):
            words[place - 1 : place + 1] = before[:-1], before[-1] + word
    for quote in ('"', "''"):
        places = [i for i, word in enumerate(words) if word == quote]
        # Closing quotes stand for both kinds in some tokenised corpora, which have no others.
        if quote == '"' or not (len(places) % 2 or "``" in words):
            _direct_quotes(words, places)
    _direct_single_quotes(words)
    return words


def _direct_quotes(words: list[str], places: list[int]) -> None:
    """Tell opening double quotes from closing ones: they alternate.

    The first of an odd number closes what another sentence opened if speech ends there.
    """
    opens = True
    if len(places) % 2:
        before, after = words[: places[0]][-1:], words[places[0] + 1 :][:1]
        ends = not after or (before and before[0] in _SENTENCE_MARKS and not after[0][:1].isupper())
        opens = not (before and ends)
    for place in places:
        words[place] = "``" if opens else "''"
        opens = not opens


def _direct_single_quotes(words: list[str]) -> None:
    """Tell opening single quotes from closing ones, and both from the genitive of a plural."""
    places = [i for i, word in enumerate(words) if word == "'"]
    opened = False
    for place in places:
        if opened or place == 0 or not words[place - 1].lower().endswith("s"):
            opened = not opened and place != places[-1]
            words[place] = "`" if opened else "'"


class TextSpelling:
    """Spells the words of a treebank's trees as a corpus's tokeniser does.

    The number of words is kept, since each has one label: also where the tokeniser would split
    (`3/4`, `Co.` out of context) or join (`can not`).
    """

    def __init__(self, text: Tokenizer) -> None:
        self._text = text  # of the corpus's source
        self._spell = cache(self._spell_word)

    def __call__(self, tree: Tree) -> Tree:
        """The same tree over words that are spelled so; brackets in them are escaped."""
        spelled = spelled_words(tree)
        words = [self._spell(word) for word in spelled]
        for place in range(1, len(words)):
            if words[place].lower() == "n't":
                both = self._text.tokenize("".join(spelled[place - 1 : place + 1]))
                if len(both) == 2:
                    words[place - 1 : place + 1] = both
        return put_words(tree.copy(deep=True), words)

    def _spell_word(self, word: str) -> str:
        # Of a word that nobody sees, as of a zero-width space, no token is left.
        return "".join(self._text.tokenize(_ESCAPED.sub(r"\1", word))) or word
