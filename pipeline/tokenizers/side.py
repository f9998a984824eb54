"""The text of one side to tokens and back, as the settings of `tokenize` say."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from pathlib import Path

from mgsa.cli.languages import base_language
from pipeline.formats.text_settings import (
    PREPROCESSING,
    Protected,
    TextSettings,
    read_text_settings,
)
from pipeline.tokenizers import tokenizer_of
from pipeline.tokenizers.casing import Truecaser, lowered
from pipeline.tokenizers.cleaning import PunctuationNormalizer, clean


class SideText:
    """Cleans, normalises, tokenises, and sets the case; the other way round, joins tokens."""

    def __init__(
        self, settings: TextSettings, side: str, language: str, truecaser: Truecaser | None = None
    ) -> None:
        """Set up one side.

        Args:
            side: source or target.
            truecaser: with `case: truecase`, what was learned on the training split; without one,
                case stays as it is.
        """
        base = base_language(language)
        kind = settings.source if side == "source" else settings.target
        protected = Protected(settings.protected)
        self._given = kind == "none"
        self._language = base
        self._normalizer = None
        if settings.normalize in (side, "both") and not self._given:
            self._normalizer = PunctuationNormalizer(base, protected)
        self._tokenizer = tokenizer_of(kind, base, protected)
        self._lower = settings.case == "lower"
        self._truecaser = truecaser

    def tokenize(self, text: str) -> list[str]:
        """The tokens of a sentence; none for a blank one."""
        if not self._given:
            text = clean(text)
            if self._normalizer:
                text = " ".join(self._normalizer.normalize(text).split())
        if self._lower:
            text = lowered(text, self._language)
        tokens = self._tokenizer.tokenize(text)
        return self._truecaser.truecase(tokens) if self._truecaser else tokens

    def detokenize(self, tokens: Sequence[str]) -> str:
        """Tokens joined to text."""
        return self._tokenizer.detokenize(
            self._truecaser.undo(tokens, self._language) if self._truecaser else tokens
        )


@cache
def side_text(folder: Path, side: str) -> SideText:
    """One side's text as a folder of tokenised text, a dataset or a model records it.

    Raises:
        InputError: a file is missing or malformed, or a package that the tokeniser needs.
    """
    recorded = read_text_settings(folder)
    truecaser = None
    path = folder / f"truecase.{side}"  # not yet, while its text is tokenised
    if recorded.tokenize.case == "truecase" and (
        path.is_file() or (folder / PREPROCESSING).is_file()
    ):
        truecaser = Truecaser(path)
    return SideText(recorded.tokenize, side, recorded.language(side), truecaser)
