"""Sentences to tokens and back, a tokeniser a file.

moses  Moses' rules, by sacremoses
"""

from collections.abc import Sequence
from functools import cache
from typing import Protocol


class Tokenizer(Protocol):
    """The tokeniser of a language."""

    def normalize_and_tokenize(self, text: str) -> list[str]:
        """The tokens of a raw sentence."""

    def detokenize(self, tokens: Sequence[str]) -> str:
        """Tokens joined to text."""


@cache
def tokenizer_of(language: str) -> Tokenizer:
    """The tokeniser of a language, for training data and raw text alike.

    Cached, as compiling the rules takes a while.
    """
    from pipeline.tokenizers.moses import MosesText

    return MosesText(language)
