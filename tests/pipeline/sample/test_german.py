"""German inflection, as tables that anybody who knows German can check."""

from __future__ import annotations

import pytest

from pipeline.sample import german
from pipeline.sample.lexicon import load_lexicon

LEXICON = load_lexicon()
NOUNS = {noun.english: noun for noun in LEXICON.nouns}
VERBS = {verb.english: verb for verb in LEXICON.verbs}
ADJECTIVES = {adjective.english: adjective for adjective in LEXICON.adjectives}
MODIFIERS = {modifier.english: modifier for modifier in LEXICON.compound_modifiers}
CASES = ("nom", "acc", "dat", "gen")


@pytest.mark.parametrize(
    ("determiner", "adjective", "noun", "number", "forms"),
    [
        (
            "the",
            "old",
            "man",
            "sg",
            ("der alte Mann", "den alten Mann", "dem alten Mann", "des alten Mannes"),
        ),
        (
            "a",
            "old",
            "man",
            "sg",
            ("ein alter Mann", "einen alten Mann", "einem alten Mann", "eines alten Mannes"),
        ),
        (
            "my",
            "old",
            "mother",
            "sg",
            (
                "meine alte Mutter",
                "meine alte Mutter",
                "meiner alten Mutter",
                "meiner alten Mutter",
            ),
        ),
        (
            "a",
            "high",
            "house",
            "sg",
            ("ein hohes Haus", "ein hohes Haus", "einem hohen Haus", "eines hohen Hauses"),
        ),
        (
            "this",
            "expensive",
            "book",
            "sg",
            (
                "dieses teure Buch",
                "dieses teure Buch",
                "diesem teuren Buch",
                "dieses teuren Buches",
            ),
        ),
        (
            "every",
            "clever",
            "student",
            "sg",
            (
                "jeder kluge Student",
                "jeden klugen Studenten",
                "jedem klugen Studenten",
                "jedes klugen Studenten",
            ),
        ),
        (
            "the",
            "small",
            "child",
            "pl",
            (
                "die kleinen Kinder",
                "die kleinen Kinder",
                "den kleinen Kindern",
                "der kleinen Kinder",
            ),
        ),
        (
            "many",
            "dark",
            "forest",
            "pl",
            (
                "viele dunkle Wälder",
                "viele dunkle Wälder",
                "vielen dunklen Wäldern",
                "vieler dunkler Wälder",
            ),
        ),
        (
            "all",
            "tired",
            "woman",
            "pl",
            ("alle müden Frauen", "alle müden Frauen", "allen müden Frauen", "aller müden Frauen"),
        ),
        (
            "our",
            "new",
            "car",
            "pl",
            (
                "unsere neuen Autos",
                "unsere neuen Autos",
                "unseren neuen Autos",
                "unserer neuen Autos",
            ),
        ),
        (
            None,
            "fresh",
            "bread",
            "sg",
            ("frisches Brot", "frisches Brot", "frischem Brot", "frischen Brotes"),
        ),
    ],
)
def test_noun_phrases(
    determiner: str | None, adjective: str, noun: str, number: str, forms: tuple[str, ...]
) -> None:
    head = NOUNS[noun]
    for case, expected in zip(CASES, forms, strict=True):
        words = [
            german.adjective_form(
                ADJECTIVES[adjective],
                case,
                head.gender,
                number,
                german.declension_after(determiner),
            ),
            german.noun_form(head, case, number),
        ]
        if determiner is not None:
            words.insert(0, german.determiner(determiner, case, head.gender, number))
        assert " ".join(words) == expected


@pytest.mark.parametrize(
    ("verb", "present", "past", "participle", "zu"),
    [
        ("read", ("lese", "liest", "lesen"), ("las", "lasen"), "gelesen", "zu lesen"),
        (
            "work",
            ("arbeite", "arbeitet", "arbeiten"),
            ("arbeitete", "arbeiteten"),
            "gearbeitet",
            "zu arbeiten",
        ),
        (
            "smile",
            ("lächle", "lächelt", "lächeln"),
            ("lächelte", "lächelten"),
            "gelächelt",
            "zu lächeln",
        ),
        (
            "wander",
            ("wandere", "wandert", "wandern"),
            ("wanderte", "wanderten"),
            "gewandert",
            "zu wandern",
        ),
        (
            "repair",
            ("repariere", "repariert", "reparieren"),
            ("reparierte", "reparierten"),
            "repariert",
            "zu reparieren",
        ),
        ("invite", ("lade", "lädt", "laden"), ("lud", "luden"), "eingeladen", "einzuladen"),
        ("call", ("rufe", "ruft", "rufen"), ("rief", "riefen"), "angerufen", "anzurufen"),
        (
            "translate",
            ("übersetze", "übersetzt", "übersetzen"),
            ("übersetzte", "übersetzten"),
            "übersetzt",
            "zu übersetzen",
        ),
    ],
)
def test_verbs(
    verb: str, present: tuple[str, ...], past: tuple[str, ...], participle: str, zu: str
) -> None:
    entry = VERBS[verb]
    persons = ((1, "sg"), (3, "sg"), (3, "pl"))
    assert tuple(german.finite(entry, "present", p, n) for p, n in persons) == present
    assert tuple(german.finite(entry, "past", 3, number) for number in ("sg", "pl")) == past
    assert entry.participle == participle
    assert german.zu_infinitive(entry) == zu


@pytest.mark.parametrize(
    ("modifier", "head", "expected"),
    [
        ("kitchen", "table", ("Küchentisch", "Küchentische", "Küchentisches")),
        ("luxury", "hotel", ("Luxushotel", "Luxushotels", "Luxushotels")),
    ],
)
def test_compounds(modifier: str, head: str, expected: tuple[str, str, str]) -> None:
    noun = german.compound(MODIFIERS[modifier], NOUNS[head])
    assert (noun.german, noun.plural, noun.genitive) == expected
    assert noun.gender == NOUNS[head].gender


@pytest.mark.parametrize(
    ("preposition", "article", "expected"),
    [
        ("in", "dem", "im"),
        ("in", "das", "ins"),
        ("zu", "der", "zur"),
        ("in", "der", None),
        ("auf", "dem", None),
    ],
)
def test_contractions(preposition: str, article: str, expected: str | None) -> None:
    assert german.contract(preposition, article) == expected
