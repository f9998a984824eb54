"""German inflection: articles, adjectives, nouns, pronouns and verbs.

Cases are `nom`, `acc`, `dat`, `gen`; genders `m`, `f`, `n`; numbers `sg`, `pl`. Tables are in the
order masculine, feminine, neuter, plural.
"""

from __future__ import annotations

from dataclasses import replace

from pipeline.sample.lexicon import Adjective, CompoundModifier, Noun, Verb

_COLUMNS = {"m": 0, "f": 1, "n": 2}

DEFINITE = {
    "nom": ("der", "die", "das", "die"),
    "acc": ("den", "die", "das", "die"),
    "dat": ("dem", "der", "dem", "den"),
    "gen": ("des", "der", "des", "der"),
}
DER_ENDINGS = {
    "nom": ("er", "e", "es", "e"),
    "acc": ("en", "e", "es", "e"),
    "dat": ("em", "er", "em", "en"),
    "gen": ("es", "er", "es", "er"),
}
"""Of dieser, jeder, alle, viele, einige; and of adjectives after nothing, but for the genitive."""
EIN_ENDINGS = {
    "nom": ("", "e", "", "e"),
    "acc": ("en", "e", "", "e"),
    "dat": ("em", "er", "em", "en"),
    "gen": ("es", "er", "es", "er"),
}
WEAK_ENDINGS = {
    "nom": ("e", "e", "e", "en"),
    "acc": ("en", "e", "e", "en"),
    "dat": ("en", "en", "en", "en"),
    "gen": ("en", "en", "en", "en"),
}
MIXED_ENDINGS = {
    "nom": ("er", "e", "es", "en"),
    "acc": ("en", "e", "es", "en"),
    "dat": ("en", "en", "en", "en"),
    "gen": ("en", "en", "en", "en"),
}
STRONG_ENDINGS = {**DER_ENDINGS, "gen": ("en", "er", "en", "er")}

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
_STRONG_AFTER = (None, "many", "some")
_CONTRACTIONS = {
    ("in", "dem"): "im",
    ("in", "das"): "ins",
    ("an", "dem"): "am",
    ("an", "das"): "ans",
    ("zu", "dem"): "zum",
    ("zu", "der"): "zur",
    ("bei", "dem"): "beim",
    ("von", "dem"): "vom",
}
_PRONOUNS = {
    "I": {"nom": "ich", "acc": "mich", "dat": "mir"},
    "we": {"nom": "wir", "acc": "uns", "dat": "uns"},
    "he": {"nom": "er", "acc": "ihn", "dat": "ihm"},
    "she": {"nom": "sie", "acc": "sie", "dat": "ihr"},
    "they": {"nom": "sie", "acc": "sie", "dat": "ihnen"},
}
_RELATIVE_DATIVE_PLURAL = "denen"
_INTERROGATIVES = {"nom": "wer", "acc": "wen", "dat": "wem"}

# present first singular, third singular, plural; past singular, plural
_AUXILIARIES = {
    "sein": ("bin", "ist", "sind", "war", "waren"),
    "haben": ("habe", "hat", "haben", "hatte", "hatten"),
    "werden": ("werde", "wird", "werden", "wurde", "wurden"),
    "können": ("kann", "kann", "können", "konnte", "konnten"),
    "müssen": ("muss", "muss", "müssen", "musste", "mussten"),
    "dürfen": ("darf", "darf", "dürfen", "durfte", "durften"),
    "sollen": ("soll", "soll", "sollen", "sollte", "sollten"),
}


def determiner(kind: str, case: str, gender: str, number: str) -> str:
    """The German form of an English determiner: `the`, `a`, `this`, `every`, `my`, `many`, …"""
    column = _column(gender, number)
    if kind == "the":
        return DEFINITE[case][column]
    if kind in _DER_WORDS:
        return _DER_WORDS[kind] + DER_ENDINGS[case][column]
    return _EIN_WORDS[kind] + EIN_ENDINGS[case][column]


def declension_after(kind: str | None) -> str:
    """How adjectives are declined after a determiner: `weak`, `mixed` or `strong`."""
    if kind in _STRONG_AFTER:
        return "strong"
    return "mixed" if kind in _EIN_WORDS else "weak"


def adjective_form(
    adjective: Adjective, case: str, gender: str, number: str, declension: str
) -> str:
    """An adjective before its noun."""
    endings = {"weak": WEAK_ENDINGS, "mixed": MIXED_ENDINGS, "strong": STRONG_ENDINGS}[declension]
    ending = endings[case][_column(gender, number)]
    return adjective.german if adjective.invariable else adjective.stem + ending


def noun_form(noun: Noun, case: str, number: str) -> str:
    """A noun in its case: -n in the dative plural, -(e)n of weak nouns, the lexicon's genitive."""
    if number == "pl":
        takes_n = case == "dat" and not noun.plural.endswith(("n", "s"))
        return noun.plural + ("n" if takes_n else "")
    if case == "gen":
        return noun.genitive
    return noun.genitive if noun.weak and case != "nom" else noun.german


def name_genitive(name: str) -> str:
    """A person's name as owner: `Annas`."""
    return f"{name}s"


def compound(modifier: CompoundModifier, head: Noun) -> Noun:
    """One noun of two: the head keeps its gender and inflection."""
    return replace(
        head,
        german=modifier.german + _lowered(head.german),
        plural=modifier.german + _lowered(head.plural),
        genitive=modifier.german + _lowered(head.genitive),
    )


def contract(preposition: str, article: str) -> str | None:
    """`im` for `in dem` and its like, or `None`."""
    return _CONTRACTIONS.get((preposition, article))


def pronoun(english: str, case: str) -> str:
    """A personal pronoun, by its English subject form."""
    return _PRONOUNS[english][case]


def relative_pronoun(case: str, gender: str, number: str) -> str:
    """`der`, `die`, `das` as a relative pronoun (nominative, accusative, dative)."""
    if (case, number) == ("dat", "pl"):
        return _RELATIVE_DATIVE_PLURAL
    return DEFINITE[case][_column(gender, number)]


def interrogative(case: str) -> str:
    """`wer`, `wen`, `wem`."""
    return _INTERROGATIVES[case]


def finite_auxiliary(infinitive: str, tense: str, person: int, number: str) -> str:
    """A form of an auxiliary or modal verb, first or third person."""
    first, third, plural, past, past_plural = _AUXILIARIES[infinitive]
    if tense == "past":
        return past if number == "sg" else past_plural
    if number == "pl":
        return plural
    return first if person == 1 else third


def finite(verb: Verb, tense: str, person: int, number: str) -> str:
    """A finite form without a separable prefix, first or third person."""
    if tense == "past":
        return verb.past if number == "sg" else _past_plural(verb.past)
    base = verb.german.rpartition("|")[2]
    if number == "pl":
        return base
    return _first_person(base) if person == 1 else verb.third


def prefix(verb: Verb) -> str:
    """The separable prefix, or nothing."""
    return verb.german.rpartition("|")[0]


def infinitive(verb: Verb) -> str:
    """The infinitive in one word."""
    return verb.german.replace("|", "")


def zu_infinitive(verb: Verb) -> str:
    """`zu lesen`; within the word of a separable verb: `aufzumachen`."""
    before, separable, base = verb.german.rpartition("|")
    return f"{before}zu{base}" if separable else f"zu {base}"


def _column(gender: str, number: str) -> int:
    return 3 if number == "pl" else _COLUMNS[gender]


def _lowered(word: str) -> str:
    return word[:1].lower() + word[1:]


def _first_person(infinitive: str) -> str:
    """`ich lese`, `ich lächle`, `ich wandere`."""
    if infinitive.endswith("eln"):
        return f"{infinitive[:-3]}le"
    return f"{infinitive.removesuffix('n').removesuffix('e')}e" if infinitive != "tun" else "tue"


def _past_plural(past: str) -> str:
    """`las`, `lasen`; `machte`, `machten`."""
    return f"{past}n" if past.endswith("e") else f"{past}en"
