"""Sentences to tokens and back, a tokeniser a file.

moses  Moses' rules, by sacremoses
"""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pipeline.tokenizers.moses import MosesText


@cache
def tokenizer_of(language: str) -> MosesText:
    """The tokeniser of a language, for training data and raw text alike.

    Cached, as compiling the rules takes a while.
    """
    from pipeline.tokenizers.moses import MosesText

    return MosesText(language)
