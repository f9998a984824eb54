"""German inflection, as tables that anybody who knows German can check."""

from __future__ import annotations

import pytest

from pipeline.sample import german, lexicon
from pipeline.sample.derivation import Agreement

NOUNS = {noun.english: noun for noun in lexicon.NOUNS}
VERBS = {verb.english: verb for verb in lexicon.VERBS}
ADJECTIVES = {adjective.english: adjective for adjective in lexicon.ADJECTIVES}
MODIFIERS = {modifier.english: modifier for modifier in lexicon.COMPOUND_MODIFIERS}


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
    after = None if determiner == "-" else determiner
    for case, expected in zip(("nom", "acc", "dat", "gen"), forms.split(", "), strict=True):
        words = [
            german.adjective(ADJECTIVES[adjective], case, head.gender, number, after=after),
            german.noun(head, case, number),
        ]
        if after is not None:
            words.insert(0, german.determiner(after, case, head.gender, number))
        assert " ".join(words) == expected


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
    first, third, plural = Agreement(1, "sg"), Agreement(3, "sg"), Agreement(3, "pl")
    assert [
        *(german.finite(entry, "present", agreement) for agreement in (first, third, plural)),
        *(german.finite(entry, "past", agreement) for agreement in (third, plural)),
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
