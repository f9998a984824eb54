"""English verb phrases, their labels, and the German words for them, as tables."""

from __future__ import annotations

import pytest

from pipeline.sample import lexicon
from pipeline.sample.derivation import THIRD, Leaf
from pipeline.sample.verb_groups import VerbGroup, active, nested, passive

VERBS = {verb.english: verb for verb in lexicon.VERBS}


def test_had_to_takes_do_where_it_is_negated_or_asked() -> None:
    """`did not have to`, not `had not to`; the tense stays past."""
    plain = active(VERBS["sleep"], "had to", THIRD, negated=False, support=False)
    assert str(nested(plain.chain, [], [])) == "(VP (VBD had) (S (VP (TO to) (VP (VB sleep)))))"
    assert german(plain) == "musste=had+to schlafen=sleep"
    denied = passive(VERBS["buy"], "had to", THIRD, negated=True, support=True)
    assert str(nested(denied.chain, [Leaf("RB", "not")], [])) == (
        "(VP (VBD did) (RB not) (VP (VB have) (S (VP (TO to) (VP (VB be) (VP (VBN bought)))))))"
    )
    assert german(denied) == "musste=did+have+to gekauft=bought werden=be"
    assert plain.tense == denied.tense == "past"


def german(group: VerbGroup) -> str:
    """The German words, each with the English words that it translates."""
    words = [group.finite, *group.end]
    return " ".join(f"{w.word}={'+'.join(leaf.word for leaf in w.sources)}" for w in words)


@pytest.mark.parametrize(
    ("construction", "without", "negated"),
    [
        ("must", "muss", "darf"),  # `muss nicht` is `need not`
        ("may", "darf", "darf"),
        ("can", "kann", "kann"),
        ("should", "soll", "soll"),
        ("had to", "musste", "musste"),
    ],
)
def test_what_must_not_be_is_forbidden(construction: str, without: str, negated: str) -> None:
    for form, is_negated in ((without, False), (negated, True)):
        for build in (active, passive):
            group = build(VERBS["buy"], construction, THIRD, negated=is_negated, support=is_negated)
            assert group.finite.word == form
