"""The sentences of a line, by Unicode's sentence ends and Moses' abbreviations.

In doubt, text stays one sentence: half of one is translated worse than two at once.
"""

from functools import cache

import regex
from sacremoses.corpus import NonbreakingPrefixes

_END = regex.compile(
    r"(?V1)(?<!\p{STerm}|…)(?:[\p{STerm}…]++(?:\s?[\p{Pe}\p{Pf}\p{Pi}\"'])*\s+"
    r"|[\p{STerm}--[.!?．]]++(?![\p{Pe}\p{Pf}\"]))"  # behind quotes, Chinese may go on
    r"(?=[\p{Ps}\p{Pi}\p{Pf}\"'¿¡]*+\s?[\p{Lu}\p{Lt}\p{Lo}\p{N}\p{So}])"
)
_INITIALS = regex.compile(r"(?:\w\.)*\p{Lu}")


def split_sentences(text: str, language: str) -> list[str]:
    """The sentences of a text, which is given back as it is if it is one.

    `language` is that of `base_language`; one without abbreviations of its own has English ones.
    """
    found, start = [], 0
    for end in _END.finditer(text):
        sentence = text[start : end.end()].strip()
        if regex.search(r"\p{L}", sentence) and not _abbreviates(
            sentence, text[end.end()], language
        ):
            found.append(sentence)
            start = end.end()
    return [*found, text[start:]]


def _abbreviates(sentence: str, following: str, language: str) -> bool:
    """Whether a final period doesn't end a sentence, given the next character."""
    word = sentence.rsplit(maxsplit=1)[-1].lstrip("([{\"'„“‘«‹¿¡")
    stem, abbreviations = word.removesuffix("."), _abbreviations(language)
    if word == stem or stem.endswith("."):
        return False
    is_number = following.isdigit() and f"{stem} #NUMERIC_ONLY#" in abbreviations
    return stem in abbreviations or is_number or _INITIALS.fullmatch(stem) is not None


@cache
def _abbreviations(language: str) -> frozenset[str]:
    return frozenset(NonbreakingPrefixes().words(language))
