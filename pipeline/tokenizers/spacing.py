"""Blanks between tokens: tokens joined to text, and tokens that can be joined again.

Which tokens stand together is told by the tokens alone: punctuation follows its word, what opens
precedes it, quotes come in pairs. A split that these rules would not undo is not made: `10:30`
stays one token, so that text comes back as it was.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from itertools import pairwise
from typing import Literal, NamedTuple

import regex

from mgsa.cli.languages import CHINESE, UNSPACED_SCRIPTS
from pipeline.formats.text_settings import NOTHING, Protected

Kind = Literal["word", "open", "close", "quote"]

_CLOSERS = {
    "„": "“”", "‚": "‘’", "“": "”", "‘": "’", "«": "»", "»": "«»", "‹": "›", "›": "‹›",
    "”": "”", "’": "’", '"': '"', "'": "'",
}  # fmt: skip
"""Closing quotes by opening quote. Some close themselves: ”så”, »so»."""
_OPEN_ALONE = frozenset("„‚“‘«‹")
"""Quotes that open even if nothing closes them."""
_TAG = regex.compile(r"<(/?)(\w+)[^<>]*>")
_PUNCTUATION = regex.compile(r"(?P<close>[\p{Pe}\p{Terminal_Punctuation}…॰]+)|[\p{Ps}¿¡]+")
_HELD = regex.compile(r"[\p{M}\p{EMod}\p{Join_Control}]")
"""Characters that belong to the one before."""
_JOINER = regex.compile(r"\p{Join_Control}")
_CONTRACTION = regex.compile(r"n['’]t|['’](?:[smd]|ll|re|ve|t)", regex.IGNORECASE)
_ELISION = regex.compile(r"(?V1i).*(?:[\p{L}--[aeiou]]|qu)['’]")
"""`l'`, `dell'`, `qu'`, but not `po'`, which ends a word."""
_CURRENCY = regex.compile(r"\p{Sc}")
_UNSPACED = regex.compile(rf"[{UNSPACED_SCRIPTS}\u3000-\u303f\uff00-\uff0f\uff1a-\uff20]")
"""Letters of scripts that put no blank between words, and fullwidth punctuation."""
_FRENCH = frozenset("?!:;»")
"""Marks that French puts a space before."""


class _Placed(NamedTuple):
    """A token in its place: a quote is one that opens or closes; quotes that are open after it."""

    token: str
    kind: Kind
    opened: tuple[str, ...]
    blank: bool
    """Before it, in the text."""


class Spacing:
    """The rules of a language."""

    def __init__(
        self,
        language: str,
        *,
        cuts_words: bool = False,
        protected: Protected = NOTHING,
    ) -> None:
        """Set the rules.

        Args:
            language: two letters where there are.
            cuts_words: the tokeniser finds words in scripts without blanks (Thai, Khmer), so that
                such tokens stand together. Those of Chinese and Japanese always do.
            protected: what is one token.
        """
        self._language = language
        self._mixed = language in (*CHINESE, "ja")
        self._unspaced = cuts_words or self._mixed
        self._protected = protected

    def join(self, tokens: Sequence[str]) -> str:
        """The text of tokens."""
        text = ""
        before = None
        later = Counter(token for token in tokens if _kind(token) == "quote")
        for token in tokens:
            placed = _place(token, before, later, blank=True)
            spaced = before is not None and self._is_spaced(before, placed)
            text += f" {token}" if spaced else token
            before = placed
        return text

    def undoable(self, text: str, tokens: Sequence[str]) -> list[str]:
        """Tokens of `text`, those that `join` would not put together as there left in one.

        A protected string is one token; no token begins with a mark or a joiner.
        """
        pieces = list(self._pieces(text, tokens))
        later = Counter(token for token, _ in pieces if _kind(token) == "quote")
        quotes = later.total()
        done: list[_Placed] = []
        for token, blank in pieces:
            placed = _place(token, done[-1] if done else None, later, blank=blank)
            while done and not placed.blank and self._is_lost(done[-1], placed):
                last = done.pop()
                before = done[-1] if done else None
                placed = _place(last.token + placed.token, before, later, blank=last.blank)
            done.append(placed)
        kept = [placed.token for placed in done]
        # A quote that became part of a word no longer closes one before it.
        lost = sum(_kind(token) == "quote" for token in kept) < quotes
        return self.undoable(text, kept) if lost and kept != [*tokens] else kept

    def _pieces(self, text: str, tokens: Iterable[str]) -> Iterator[tuple[str, bool]]:
        """Tokens as they are in the text, and whether a blank is before each."""
        cuts = []
        place = 0
        for token in tokens:
            while text[place] == " ":
                place += 1
            cuts.append(place)
            place += len(token)
        for start, end in self._protected.spans(text):
            cuts = sorted({cut for cut in cuts if not start < cut < end} | {start, end})
        for start, end in pairwise([*cuts, len(text)]):
            if piece := text[start:end].strip():
                yield piece, start == 0 or text[start - 1] == " "

    def _is_lost(self, left: _Placed, right: _Placed) -> bool:
        """Whether a split inside of what stands together would not be undone."""
        if _HELD.match(right.token) or _JOINER.match(left.token[-1]):
            return True
        if any(map(self._protected.covers, (left.token, right.token))):
            return False
        if self._language == "fr" and (right.token in _FRENCH or left.token == "«"):
            return False  # "Quoi?" comes back as French spells it
        return self._is_spaced(left, right)

    def _is_spaced(self, left: _Placed, right: _Placed) -> bool:
        """Whether a blank is between two tokens."""
        one, other = left.token, right.token
        if self._language == "fr" and (other in _FRENCH or one == "«"):
            return True
        if left.kind == "open" or right.kind == "close":
            return False
        if self._unspaced:
            ends = [bool(_UNSPACED.match(character)) for character in (one[-1], other[0])]
            if any(ends) if self._mixed else all(ends):
                return False
        if self._language == "en":
            if left.kind == "word" and _CONTRACTION.fullmatch(other):
                return other[1:].lower() == "t" and one[-1].lower() != "n"
            if _CURRENCY.fullmatch(one) and other[0].isdigit():
                return False
            return not (other == "%" and one[-1].isdigit())
        elided = self._language in ("fr", "it") and _ELISION.fullmatch(one)
        return not (elided and other[0].isalpha())


@lru_cache(200_000)
def _kind(token: str) -> Kind:
    if token in _CLOSERS or _TAG.fullmatch(token):
        return "quote"
    found = _PUNCTUATION.fullmatch(token)
    return "word" if found is None else "close" if found["close"] else "open"


def _place(token: str, before: _Placed | None, later: Counter[str], *, blank: bool) -> _Placed:
    """Place a token; `later` counts the quotes from it on, and from the next on afterwards."""
    opened = before.opened if before else ()
    kind = _kind(token)
    if kind != "quote":
        return _Placed(token, kind, opened, blank)
    later[token] -= 1
    for depth in reversed(range(len(opened))):
        if token in _closers(opened[depth]):
            return _Placed(token, "close", opened[:depth], blank)
    closers = _closers(token)
    if any(later[closer] > 0 for closer in closers):
        return _Placed(token, "open", (*opened, token), blank)
    if tag := _TAG.fullmatch(token):
        return _Placed(token, "close" if tag[1] else "word", opened, blank)
    alone = token in _OPEN_ALONE or before is None
    return _Placed(token, "open" if alone else "close", opened, blank)


def _closers(quote: str) -> Sequence[str]:
    if tag := _TAG.fullmatch(quote):
        return () if tag[1] else (f"</{tag[2]}>",)
    return _CLOSERS.get(quote, ())
