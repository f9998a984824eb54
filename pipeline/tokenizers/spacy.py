"""spaCy's tokens: its rules for a language; Chinese by jieba, Japanese by SudachiPy.

Thai needs PyThaiNLP, as spaCy says.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import spacy

from mgsa.cli.errors import InputError
from pipeline.formats.text_settings import NOTHING, Protected
from pipeline.tokenizers.spacing import Spacing


class SpacyWords:
    """Text to tokens and back, by spaCy's tokeniser of a language, without a model."""

    def __init__(self, language: str, protected: Protected = NOTHING) -> None:
        """Load the tokeniser.

        Raises:
            InputError: spaCy lacks the language, or a package that it needs for it.
        """
        tokenizer: dict[str, Any] = {}
        if language == "zh":
            import jieba

            jieba.setLogLevel("ERROR")
            tokenizer = {"@tokenizers": "spacy.zh.ChineseTokenizer", "segmenter": "jieba"}
        elif language in ("ko", "vi"):  # words between blanks, as spaCy's Korean models have them
            tokenizer = {"@tokenizers": "spacy.Tokenizer.v1"}
        try:
            config = {"nlp": {"tokenizer": tokenizer}} if tokenizer else {}
            self._spacy = spacy.blank(language, config=config).tokenizer
        except ImportError as error:
            reason = str(error).splitlines()[0]
            message = f"tokenize: spacy can't be had for {language}: {reason}"
            raise InputError(message) from None
        self._spacing = Spacing(language, cuts_words=True, protected=protected)

    def tokenize(self, text: str) -> list[str]:
        """The tokens of a clean sentence."""
        words = [token.text for token in self._spacy(text) if not token.is_space]
        return self._spacing.undoable(text, words)

    def detokenize(self, tokens: Sequence[str]) -> str:
        """The sentence of `tokens`."""
        return self._spacing.join(tokens)
