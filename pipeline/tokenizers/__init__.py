"""Sentences to tokens and back, a tokeniser a file.

cleaning    text without invisible characters, and with plain punctuation
spacing     blanks between tokens, and which splits they undo
words       words and punctuation by Unicode, for any script
moses       Moses' rules, by sacremoses
penn        tokens of the Penn Treebank, by NLTK
spacy       spaCy's tokenisers
characters  each character a token
given       tokens as given
casing      lower case, and the true case of words
sentences   the sentences of a line
side        all that happens to one side's text, as recorded settings say
"""

from collections.abc import Sequence
from typing import Protocol

from mgsa.cli.errors import InputError
from pipeline.formats.text_settings import NOTHING, Protected, TokenizerKind


class Tokenizer(Protocol):
    """The tokeniser of a language."""

    def tokenize(self, text: str) -> list[str]:
        """The tokens of a sentence without invisible characters, none with white space in it."""

    def detokenize(self, tokens: Sequence[str]) -> str:
        """Tokens joined to text."""


def tokenizer_of(kind: TokenizerKind, language: str, protected: Protected = NOTHING) -> Tokenizer:
    """The tokeniser of a language.

    Args:
        language: two letters where there are (`base_language`).
        protected: what is one token.

    Raises:
        InputError: there is none of this kind for the language.
    """
    match kind:
        case "moses":
            from pipeline.tokenizers.moses import LANGUAGES, MosesText

            if language in LANGUAGES:
                return MosesText(language, protected)
            from pipeline.tokenizers.words import Words

            return Words(language, protected)
        case "penn":
            from pipeline.tokenizers.penn import PennTreebank

            if language != "en":
                raise InputError(f"tokenize: penn is for English, not {language}")
            return PennTreebank(protected)
        case "spacy":
            from pipeline.tokenizers.spacy import SpacyWords

            return SpacyWords(language, protected)
        case "characters":
            from pipeline.tokenizers.characters import Characters

            return Characters(protected)
        case "none":
            from pipeline.tokenizers.given import GivenTokens

            return GivenTokens()
