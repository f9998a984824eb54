"""English auxiliaries by person and number, and the indefinite article by sound."""

from __future__ import annotations

SPELLED_WITH_A_VOWEL = ("uni", "use", "usu", "european", "one")
"""Beginnings that are written with a vowel and spoken with a consonant."""
SILENT_H = ("hour", "honest", "honour", "heir", "herb")


def be(tense: str, person: int, number: str) -> str:
    """`am`, `is`, `are`, `was` or `were`."""
    if tense == "past":
        return "was" if number == "sg" else "were"
    if number == "pl":
        return "are"
    return "am" if person == 1 else "is"


def have(tense: str, person: int, number: str) -> str:
    """`have`, `has` or `had`."""
    if tense == "past":
        return "had"
    return "has" if (person, number) == (3, "sg") else "have"


def do(tense: str, person: int, number: str) -> str:
    """`do`, `does` or `did`."""
    if tense == "past":
        return "did"
    return "does" if (person, number) == (3, "sg") else "do"


def indefinite_article(following: str) -> str:
    """`a` or `an`, by the sound that the next word begins with."""
    word = following.lower()
    if word.startswith(SILENT_H):
        return "an"
    if word.startswith(SPELLED_WITH_A_VOWEL):
        return "a"
    return "an" if word[0] in "aeiou" else "a"
