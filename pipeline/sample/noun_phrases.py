"""Noun and prepositional phrases in both languages, agreeing in German case, gender and number."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, field

from pipeline.sample import english, german
from pipeline.sample.chooser import Chooser
from pipeline.sample.derivation import GermanWord, Leaf, Node, Phrase
from pipeline.sample.function_words import (
    NUMERALS,
    PLURAL_DETERMINERS,
    POSSESSIVES,
    PRONOUNS,
    SINGULAR_DETERMINERS,
)
from pipeline.sample.lexicon import Lexicon, Noun, Preposition
from pipeline.sample.verb_groups import Agreement


@dataclass(slots=True)
class NounPhrase:
    """A noun phrase with what other parts of a sentence need to know of it.

    Attributes:
        kind: `pronoun`, `name`, or the determiner of a common noun.
        classes: what the head noun is, for the verbs of a relative clause.
    """

    english: Node
    german: list[GermanWord]
    agreement: Agreement
    gender: str
    kind: str
    classes: frozenset[str]


@dataclass(slots=True)
class _Determiner:
    """What stands before the adjectives, what governs their endings, a genitive that follows."""

    english: list[Node | Leaf]
    german: list[GermanWord]
    declined_after: str | None
    genitive: list[GermanWord] = field(default_factory=list)


class NounPhrases:
    """Builds noun phrases from a lexicon by the choices of a chooser."""

    def __init__(self, lexicon: Lexicon, chooser: Chooser, *, ambiguity: float) -> None:
        """Args: ambiguity, the share of places that may belong to a noun as well as to the verb."""
        self.lexicon = lexicon
        self.choose = chooser
        self.ambiguity = ambiguity

    def argument(
        self,
        classes: Collection[str],
        case: str,
        *,
        pronouns: bool = True,
        simple: bool = False,
        beside: Agreement | None = None,
    ) -> NounPhrase:
        """A pronoun, a name or a common noun of one of these classes, in this case.

        Args:
            simple: no phrase inside the phrase.
            beside: the subject of the verb that this is an object of.
        """
        if "human" in classes:
            if pronouns and self.choose.chance(0.22):
                return self.pronoun(case, beside=beside)
            if self.choose.chance(0.2):
                return self.name()
        return self.common(frozenset(classes), case, simple=simple)

    def pronoun(self, case: str, *, beside: Agreement | None = None) -> NounPhrase:
        """A personal pronoun; beside a subject of the first person none of the first person."""
        first = beside is not None and beside.person == 1
        fitting = [name for name, (_, person, _) in PRONOUNS.items() if not (first and person == 1)]
        subject = self.choose.one(fitting)
        other, person, number = PRONOUNS[subject]
        leaf = Leaf("PRP", subject if case == "nom" else other)
        return NounPhrase(
            english=Node("NP", [leaf]),
            german=[GermanWord(german.pronoun(subject, case), (leaf,))],
            agreement=Agreement(person, number),
            gender={"he": "m", "she": "f"}.get(subject, "m"),
            kind="pronoun",
            classes=frozenset({"human"}),
        )

    def name(self) -> NounPhrase:
        """A person's name, the same in both languages and every case."""
        kind = self.choose.weighted({"person_m": 1, "person_f": 1})
        name = self.choose.one(self.lexicon.names_of(kind))
        leaf = Leaf("NNP", name.english)
        return NounPhrase(
            english=Node("NP", [leaf]),
            german=[GermanWord(name.german, (leaf,))],
            agreement=Agreement(3, "sg"),
            gender=kind[-1],
            kind="name",
            classes=frozenset({"human"}),
        )

    def common(
        self,
        classes: frozenset[str],
        case: str,
        *,
        simple: bool = False,
        determiner: str | None = None,
    ) -> NounPhrase:
        """A common noun with determiner, adjectives and perhaps a phrase of its own.

        Args:
            determiner: this one instead of any, the noun in the singular.
        """
        choose = self.choose
        noun = choose.one(self.lexicon.nouns_of(classes))
        countable = bool(noun.english_plural)
        number = "pl" if countable and determiner is None and choose.chance(0.28) else "sg"
        if determiner is not None:
            kind = determiner
        else:
            kind = choose.weighted(PLURAL_DETERMINERS if number == "pl" else SINGULAR_DETERMINERS)
        if (kind in ("a", "every") and not countable) or (kind == "genitive" and simple):
            kind = "the"
        modifier, german_noun = self._compound(noun)
        start = self._determiner(kind, case, noun, number)
        adjectives, german_adjectives = self._adjectives(noun, case, number, start.declined_after)
        head = Leaf(*(("NN", noun.english) if number == "sg" else ("NNS", noun.english_plural)))
        english_words: list[Node | Leaf] = [*start.english, *adjectives, *modifier, head]
        if kind == "a":
            _agree_article(english_words)
        german_words = [
            *start.german,
            *german_adjectives,
            GermanWord(german.noun_form(german_noun, case, number), (*modifier, head)),
            *start.genitive,
        ]
        phrase = NounPhrase(
            english=Node("NP", english_words),
            german=german_words,
            agreement=Agreement(3, number),
            gender=noun.gender,
            kind=kind,
            classes=noun.classes,
        )
        if not simple and choose.chance(0.4):
            self._attribute(phrase)
        return phrase

    def prepositional(self, preposition: Preposition, *, simple: bool = True) -> Phrase:
        """A preposition with a noun phrase in the case that it governs."""
        argument = self.argument(
            preposition.complements, preposition.case, pronouns=False, simple=simple
        )
        return self.governed(preposition, argument)

    def place(self, kind: str) -> Phrase:
        """A place of a `setting` or an `attributive` one, or an ambiguous one of either kind."""
        if self.choose.chance(self.ambiguity):
            kind = self.choose.weighted({"setting": 1, "attributive": 1})
        return self.prepositional(self.choose.one(self.lexicon.prepositions_of(kind)))

    def governed(self, preposition: Preposition, argument: NounPhrase) -> Phrase:
        """A preposition before a noun phrase; `in dem` and its like become one word."""
        leaf = Leaf("IN" if preposition.english != "to" else "TO", preposition.english)
        words = [GermanWord(preposition.german, (leaf,)), *argument.german]
        if preposition.contracts and argument.kind == "the":
            contracted = german.contract(preposition.german, words[1].word)
            if contracted is not None:
                words[:2] = [GermanWord(contracted, (leaf, *words[1].sources))]
        return Phrase(Node("PP", [leaf, argument.english]), words)

    def _compound(self, noun: Noun) -> tuple[list[Leaf], Noun]:
        """Now and then a noun before the noun: one word in German."""
        fitting = self.lexicon.modifiers_for(noun.classes)
        if not fitting or not self.choose.chance(0.22):
            return [], noun
        modifier = self.choose.one(fitting)
        if modifier.english in (noun.english, noun.english_plural):
            return [], noun
        return [Leaf("NN", modifier.english)], german.compound(modifier, noun)

    def _determiner(self, kind: str, case: str, noun: Noun, number: str) -> _Determiner:
        if kind == "":
            return _Determiner([], [], None)
        if kind == "genitive":
            return self._owner(case, noun, number)
        if kind == "numeral":
            word = self.choose.one(list(NUMERALS))
            leaf = Leaf("CD", word)
            return _Determiner([leaf], [GermanWord(NUMERALS[word], (leaf,))], None)
        if kind == "digits":
            leaf = Leaf("CD", str(self.choose.number(11, 99)))
            return _Determiner([leaf], [GermanWord(leaf.word, (leaf,))], None)
        word = self.choose.weighted(POSSESSIVES) if kind == "possessive" else kind
        lemma = "this" if kind == "these" else word
        leaf = Leaf({"possessive": "PRP$", "many": "JJ"}.get(kind, "DT"), word)
        form = german.determiner(lemma, case, noun.gender, number)
        return _Determiner([leaf], [GermanWord(form, (leaf,))], lemma)

    def _owner(self, case: str, noun: Noun, number: str) -> _Determiner:
        """A name is a genitive before the noun; other owners an article and a genitive after it."""
        mark = Leaf("POS", "'s")
        if self.choose.chance(0.5):
            name = self.name().english.children[0]
            assert isinstance(name, Leaf)
            genitive = GermanWord(german.name_genitive(name.word), (name, mark))
            return _Determiner([Node("NP", [name, mark])], [genitive], None)
        article = german.determiner("the", case, noun.gender, number)
        owner = self.common(frozenset({"human"}), "gen", simple=True, determiner="the")
        node = Node("NP", [*owner.english.children, mark])
        return _Determiner([node], [GermanWord(article, (mark,))], "the", owner.german)

    def _adjectives(
        self, noun: Noun, case: str, number: str, after: str | None
    ) -> tuple[list[Leaf], list[GermanWord]]:
        count = self.choose.weighted({0: 68, 1: 28, 2: 4})
        fitting = self.lexicon.adjectives_for(noun.classes)
        leaves: list[Leaf] = []
        words: list[GermanWord] = []
        declension = german.declension_after(after)
        for _ in range(count if fitting else 0):
            adjective = self.choose.one(fitting)
            if any(leaf.word == adjective.english for leaf in leaves):
                continue
            leaf = Leaf("JJ", adjective.english)
            form = german.adjective_form(adjective, case, noun.gender, number, declension)
            leaves.append(leaf)
            words.append(GermanWord(form, (leaf,)))
        return leaves, words

    def _attribute(self, phrase: NounPhrase) -> None:
        """Attach a place, or to a person `from Berlin` or `with the hat`."""
        person = "human" in phrase.classes
        match self.choose.weighted({"place": 4, "worn": 2 * person, "origin": person}):
            case "place":
                attribute = self.place("attributive")
            case "worn":
                attribute = self.prepositional(self.lexicon.preposition("with", "worn"))
            case "origin":
                attribute = self._origin()
        phrase.english = Node("NP", [phrase.english, attribute.english])
        phrase.german = phrase.german + attribute.german

    def _origin(self) -> Phrase:
        city = self.choose.one(self.lexicon.names_of("city"))
        preposition, name = Leaf("IN", "from"), Leaf("NNP", city.english)
        german_preposition = self.lexicon.preposition("from", "origin").german
        return Phrase(
            Node("PP", [preposition, Node("NP", [name])]),
            [GermanWord(german_preposition, (preposition,)), GermanWord(city.german, (name,))],
        )


def coordinated(first: NounPhrase, second: NounPhrase) -> NounPhrase:
    """`first and second`, a plural; `I` and its like never stand here."""
    conjunction = Leaf("CC", "and")
    return NounPhrase(
        english=Node("NP", [first.english, conjunction, second.english]),
        german=[*first.german, GermanWord("und", (conjunction,)), *second.german],
        agreement=Agreement(3, "pl"),
        gender="m",
        kind="pair",
        classes=first.classes,
    )


def _agree_article(words: list[Node | Leaf]) -> None:
    """`a` or `an`, by the word that follows it."""
    article, following = words[0], words[1]
    assert isinstance(article, Leaf)
    assert isinstance(following, Leaf)
    article.word = english.indefinite_article(following.word)
