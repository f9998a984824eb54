"""The few words of noun phrases: numerals, determiners, pronouns; and how frequent they are."""

from __future__ import annotations

NUMERALS = {
    "two": "zwei",
    "three": "drei",
    "four": "vier",
    "five": "fünf",
    "six": "sechs",
    "seven": "sieben",
    "eight": "acht",
    "nine": "neun",
    "ten": "zehn",
    "twelve": "zwölf",
}
SINGULAR_DETERMINERS = {
    "the": 46,
    "a": 26,
    "this": 7,
    "every": 4,
    "possessive": 12,
    "genitive": 5,
}
"""None is `no`: inside a phrase it would negate what is negated, and want inversion in front."""
PLURAL_DETERMINERS = {
    "the": 36,
    "": 12,
    "these": 6,
    "possessive": 12,
    "many": 7,
    "some": 7,
    "all": 4,
    "numeral": 11,
    "digits": 3,
    "genitive": 4,
}
POSSESSIVES = {"my": 4, "his": 5, "her": 5, "our": 3, "their": 3}
PRONOUNS = {
    "I": ("me", 1, "sg"),
    "we": ("us", 1, "pl"),
    "he": ("him", 3, "sg"),
    "she": ("her", 3, "sg"),
    "they": ("them", 3, "pl"),
}
"""Each personal pronoun's object form, person and number."""
