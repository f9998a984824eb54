"""Tokens of the Penn Treebank by NLTK, which English parsers learned: `do n't`, opening quotes.

sacremoses has a function for them, which fails on any text (0.2.0).
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import cycle

from nltk.tokenize import TreebankWordTokenizer

from pipeline.formats.text_settings import NOTHING, Protected
from pipeline.tokenizers.spacing import Spacing

_PLAIN = {"``": '"', "''": '"'}
"""Opening and closing quotes, which alternate."""


class PennTreebank:
    """English text to tokens and back."""

    def __init__(self, protected: Protected = NOTHING) -> None:
        self._tokenizer = TreebankWordTokenizer()
        self._spacing = Spacing("en", protected=protected)

    def tokenize(self, text: str) -> list[str]:
        """The tokens of a clean sentence."""
        text = text.replace("``", '"').replace("''", '"')
        plain = [_PLAIN.get(token, token) for token in self._tokenizer.tokenize(text)]
        directed = cycle(_PLAIN)
        tokens = self._spacing.undoable(text, plain)
        return [next(directed) if token == '"' else token for token in tokens]

    def detokenize(self, tokens: Sequence[str]) -> str:
        """The sentence of `tokens`."""
        return self._spacing.join([_PLAIN.get(token, token) for token in tokens])
