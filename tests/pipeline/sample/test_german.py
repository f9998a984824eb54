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


NOUN_PHRASES = """
the old man sg: der alte Mann, den alten Mann, dem alten Mann, des alten Mannes
a old man sg: ein alter Mann, einen alten Mann, einem alten Mann, eines alten Mannes
my old mother sg: meine alte Mutter, meine alte Mutter, meiner alten Mutter, meiner alten Mutter
a high house sg: ein hohes Haus, ein hohes Haus, einem hohen Haus, eines hohen Hauses
this expensive book sg: dieses teure Buch, dieses teure Buch, diesem teuren Buch, dieses teuren Buches
every clever student sg: jeder kluge Student, jeden klugen Studenten, jedem klugen Studenten, jedes klugen Studenten
the small child pl: die kleinen Kinder, die kleinen Kinder, den kleinen Kindern, der kleinen Kinder
many dark forest pl: viele dunkle Wälder, viele dunkle Wälder, vielen dunklen Wäldern, vieler dunkler Wälder
all tired woman pl: alle müden Frauen, alle müden Frauen, allen müden Frauen, aller müden Frauen
our new car pl: unsere neuen Autos, unsere neuen Autos, unseren neuen Autos, unserer neuen Autos
- fresh bread sg: frisches Brot, frisches Brot, frischem Brot, frischen Brotes
"""  # noqa: E501


@pytest.mark.parametrize("line", NOUN_PHRASES.strip().splitlines())
def test_noun_phrases(line: str) -> None:
    """In the nominative, accusative, dative and genitive."""
    english, forms = line.split(": ")
    determiner, adjective, noun, number = english.split(" ")
    head = NOUNS[noun]
    for case, expected in zip(CASES, forms.split(", "), strict=True):
        declension = german.declension_after(None if determiner == "-" else determiner)
        form = german.adjective_form(ADJECTIVES[adjective], case, head.gender, number, declension)
        words = f"{form} {german.noun_form(head, case, number)}"
        if determiner != "-":
            words = f"{german.determiner(determiner, case, head.gender, number)} {words}"
        assert words == expected


VERB_FORMS = """
read: lese, liest, lesen, las, lasen, gelesen, zu lesen
work: arbeite, arbeitet, arbeiten, arbeitete, arbeiteten, gearbeitet, zu arbeiten
smile: lächle, lächelt, lächeln, lächelte, lächelten, gelächelt, zu lächeln
wander: wandere, wandert, wandern, wanderte, wanderten, gewandert, zu wandern
repair: repariere, repariert, reparieren, reparierte, reparierten, repariert, zu reparieren
invite: lade, lädt, laden, lud, luden, eingeladen, einzuladen
call: rufe, ruft, rufen, rief, riefen, angerufen, anzurufen
translate: übersetze, übersetzt, übersetzen, übersetzte, übersetzten, übersetzt, zu übersetzen
"""


@pytest.mark.parametrize("line", VERB_FORMS.strip().splitlines())
def test_verbs(line: str) -> None:
    """Present of `ich`, `er`, `sie`, past of `er`, `sie`, participle, infinitive with `zu`."""
    english, forms = line.split(": ")
    entry = VERBS[english]
    persons = ((1, "sg"), (3, "sg"), (3, "pl"))
    assert [
        *(german.finite(entry, "present", person, number) for person, number in persons),
        *(german.finite(entry, "past", 3, number) for number in ("sg", "pl")),
        entry.participle,
        german.zu_infinitive(entry),
    ] == forms.split(", ")


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
