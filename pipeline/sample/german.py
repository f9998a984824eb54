"""German inflection: articles, adjectives, nouns, pronouns and verbs.

Cases are `nom`, `acc`, `dat`, `gen`; genders `m`, `f`, `n`; numbers `sg`, `pl`. Tables are in the
order masculine, feminine, neuter, plural.
"""

from pipeline.sample.derivation import Agreement
from pipeline.sample.lexicon import Adjective, CompoundModifier, Noun, Verb

Declension = dict[str, tuple[str, str, str, str]]

DEFINITE: Declension = {
    "nom": ("der", "die", "das", "die"),
    "acc": ("den", "die", "das", "die"),
    "dat": ("dem", "der", "dem", "den"),
    "gen": ("des", "der", "des", "der"),
}
DER_ENDINGS: Declension = {
    "nom": ("er", "e", "es", "e"),
    "acc": ("en", "e", "es", "e"),
    "dat": ("em", "er", "em", "en"),
    "gen": ("es", "er", "es", "er"),
}
"""Endings of dieser, jeder, alle, viele, einige, and of adjectives alone but in the genitive."""
EIN_ENDINGS: Declension = {**DER_ENDINGS, "nom": ("", "e", "", "e"), "acc": ("en", "e", "", "e")}
STRONG_ENDINGS: Declension = {**DER_ENDINGS, "gen": ("en", "er", "en", "er")}
WEAK_ENDINGS: Declension = {
    "nom": ("e", "e", "e", "en"),
    "acc": ("en", "e", "e", "en"),
    "dat": ("en", "en", "en", "en"),
    "gen": ("en", "en", "en", "en"),
}
MIXED_ENDINGS: Declension = {
    **WEAK_ENDINGS,
    "nom": ("er", "e", "es", "en"),
    "acc": ("en", "e", "es", "en"),
}

_DER_WORDS = {"this": "dies", "every": "jed", "all": "all", "many": "viel", "some": "einig"}
_EIN_WORDS = {
    "a": "ein",
    "no": "kein",
    "my": "mein",
    "his": "sein",
    "her": "ihr",
    "our": "unser",
    "their": "ihr",
}
CONTRACTIONS = {
    ("in", "dem"): "im",
    ("in", "das"): "ins",
    ("an", "dem"): "am",
    ("an", "das"): "ans",
    ("zu", "dem"): "zum",
    ("zu", "der"): "zur",
    ("bei", "dem"): "beim",
    ("von", "dem"): "vom",
}
PRONOUNS = {
    "I": {"nom": "ich", "acc": "mich", "dat": "mir"},
    "we": {"nom": "wir", "acc": "uns", "dat": "uns"},
    "he": {"nom": "er", "acc": "ihn", "dat": "ihm"},
    "she": {"nom": "sie", "acc": "sie", "dat": "ihr"},
    "they": {"nom": "sie", "acc": "sie", "dat": "ihnen"},
}
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
_AUXILIARIES = {
    "sein": ("bin", "ist", "sind", "war", "waren"),
    "haben": ("habe", "hat", "haben", "hatte", "hatten"),
    "werden": ("werde", "wird", "werden", "wurde", "wurden"),
    "können": ("kann", "kann", "können", "konnte", "konnten"),
    "müssen": ("muss", "muss", "müssen", "musste", "mussten"),
    "dürfen": ("darf", "darf", "dürfen", "durfte", "durften"),
    "sollen": ("soll", "soll", "sollen", "sollte", "sollten"),
}
"""The five forms of `Agreement.form`."""


def determiner(kind: str, case: str, gender: str, number: str) -> str:
    """The German form of an English determiner: `the`, `a`, `this`, `every`, `my`, `many`, …"""
    column = _column(gender, number)
    if kind == "the":
        return DEFINITE[case][column]
    if kind in _DER_WORDS:
        return _DER_WORDS[kind] + DER_ENDINGS[case][column]
    return _EIN_WORDS[kind] + EIN_ENDINGS[case][column]


def adjective(
    word: Adjective, case: str, gender: str, number: str, *, after: str | None = None
) -> str:
    """An adjective before its noun, declined by the determiner that it comes after."""
    if after in (None, "many", "some"):
        endings = STRONG_ENDINGS
    else:
        endings = MIXED_ENDINGS if after in _EIN_WORDS else WEAK_ENDINGS
    return (word.stem or word.german) + endings[case][_column(gender, number)]


def noun(word: Noun, case: str, number: str) -> str:
    """A noun in its case: -n in the dative plural, -(e)n of weak nouns, the lexicon's genitive."""
    if number == "pl":
        takes_n = case == "dat" and not word.plural.endswith(("n", "s"))
        return word.plural + ("n" if takes_n else "")
    return word.genitive if case == "gen" or (word.weak and case != "nom") else word.german


def compound(modifier: CompoundModifier, head: Noun) -> Noun:
    """One noun of two: the head keeps its gender and inflection."""
    forms = (head.german, head.plural, head.genitive)
    german, plural, genitive = (modifier.german + form[:1].lower() + form[1:] for form in forms)
    return head._replace(german=german, plural=plural, genitive=genitive)


def auxiliary(infinitive: str, tense: str, agreement: Agreement) -> str:
    """A finite form of an auxiliary or modal verb."""
    return agreement.form(_AUXILIARIES[infinitive], tense)


def finite(verb: Verb, tense: str, agreement: Agreement) -> str:
    """A finite form without a separable prefix."""
    base = verb.german.rpartition("|")[2]
    past_plural = verb.past + ("n" if verb.past.endswith("e") else "en")
    return agreement.form((_first_person(base), verb.third, base, verb.past, past_plural), tense)


def prefix(verb: Verb) -> str:
    """The separable prefix, or nothing."""
    return verb.german.rpartition("|")[0]


def zu_infinitive(verb: Verb) -> str:
    """`zu lesen`; within the word of a separable verb: `aufzumachen`."""
    before, separable, base = verb.german.rpartition("|")
    return f"{before}zu{base}" if separable else f"zu {base}"


def _column(gender: str, number: str) -> int:
    return 3 if number == "pl" else "mfn".index(gender)


def _first_person(infinitive: str) -> str:
    """`ich lese`, `ich lächle`, `ich wandere`, `ich tue`."""
    if infinitive.endswith("eln"):
        return f"{infinitive[:-3]}le"
    return infinitive.removesuffix("n").removesuffix("e") + "e"
