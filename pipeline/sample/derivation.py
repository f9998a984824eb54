"""One derivation in two languages: an English tree, German words and where they come from."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import NamedTuple


@dataclass(eq=False, slots=True)
class Leaf:
    """An English word under its part of speech; two leaves are the same only if identical."""

    tag: str
    word: str

    def __str__(self) -> str:
        return f"({self.tag} {self.word})"


@dataclass(eq=False, slots=True)
class Node:
    """An English constituent."""

    label: str
    children: list[Node | Leaf]
    #: of the place that it is, or ends in, if that has another reading.
    attachment: Attachment | None = None

    def leaves(self) -> list[Leaf]:
        """The words below, left to right."""
        found: list[Leaf] = []
        for child in self.children:
            if isinstance(child, Leaf):
                found.append(child)
            else:
                found += child.leaves()
        return found

    def __str__(self) -> str:
        return f"({self.label} {' '.join(map(str, self.children))})"


@dataclass(slots=True)
class GermanWord:
    """A German word and the English words that it translates (none for a comma of German's own)."""

    word: str
    sources: tuple[Leaf, ...] = ()


class Attachment(NamedTuple):
    """The attachment of a place that the grammar lets belong to noun and verb."""

    category: str  #: `noun` or `verb`.
    #: of the German clause, adjacent; in the other reading they change places.
    parts: tuple[list[GermanWord], list[GermanWord]]

    def misread(self, words: list[GermanWord]) -> list[GermanWord]:
        """The German words of the sentence in the other reading."""
        first, second = self.parts
        start = words.index(first[0])
        return [*words[:start], *second, *first, *words[start + len(first) + len(second) :]]


@dataclass(slots=True)
class Phrase:
    """The two sides of a constituent."""

    english: Node
    german: list[GermanWord]


class Place(Phrase):
    """Where a thing is, or where something happens."""

    __slots__ = ()


def one_word(label: str, tag: str, english: str, german: str) -> Phrase:
    """A constituent of one word in both languages."""
    leaf = Leaf(tag, english)
    return Phrase(Node(label, [leaf]), [GermanWord(german, (leaf,))])


class Agreement(NamedTuple):
    """Features that a finite verb agrees with: person 1 or 3, number `sg` or `pl`."""

    person: int
    number: str

    def form(self, forms: tuple[str, str, str, str, str], tense: str) -> str:
        """The form for this person of five.

        Args:
            forms: present first singular, third singular, plural; past singular, plural.
            tense: `present` or `past`.
        """
        first, third, plural, past, past_plural = forms
        if tense == "past":
            return past if self.number == "sg" else past_plural
        if self.number == "pl":
            return plural
        return first if self.person == 1 else third


THIRD = Agreement(3, "sg")


class Variant(NamedTuple):
    """The target of a pair in the reading that its tree excludes."""

    category: str  #: `noun` or `verb`, what the tree attaches the place to.
    target: str  #: raw text.
    depth: int  #: the first level of the syntactic partition that the two readings differ in.


@dataclass(slots=True)
class SamplePair:
    """A sentence pair with everything the grammar knows about it."""

    source: str  #: raw text.
    target: str  #: raw text.
    source_tokens: list[str]  #: the words, as a Moses tokeniser splits the raw text.
    target_tokens: list[str]  #: the words, as a Moses tokeniser splits the raw text.
    tree: str  #: the source's constituency tree, PTB labels and tags, on one line.
    links: list[tuple[int, int]]  #: word links (source, target), from zero, sorted.
    voice: str  #: `active` or `passive`, of the main clause.
    tense: str  #: `past` or `nonpast`, of the main clause's finite verb.
    variants: list[Variant]  #: one for each place that could belong to noun and verb.


@dataclass(slots=True)
class Sentence:
    """A finished derivation: an English root, German words, and the main clause's labels."""

    english: Node
    german: list[GermanWord]
    voice: str
    tense: str

    def pair(self, source_language: str = "en") -> SamplePair:
        """Put in capitals, drop commas that German leaves out, number the words, read off links."""
        leaves, words = self.english.leaves(), _without_idle_commas(self.german)
        leaves[0].word = _capitalised(leaves[0].word)
        position = {id(leaf): index for index, leaf in enumerate(leaves)}
        source_tokens = [leaf.word for leaf in leaves]
        target_tokens = _german_tokens(words)
        pair = SamplePair(
            source=_text(source_tokens),
            target=_text(target_tokens),
            source_tokens=source_tokens,
            target_tokens=target_tokens,
            tree=f"(ROOT {self.english})",
            links=sorted(
                {(position[id(leaf)], index) for index, w in enumerate(words) for leaf in w.sources}
            ),
            voice=self.voice,
            tense=self.tense,
            variants=[
                Variant(found.category, _text(_german_tokens(found.misread(words))), depth)
                for found, depth in _attachments(self.english)
            ],
        )
        if source_language == "en":
            return pair
        return replace(
            pair,
            source=pair.target,
            target=pair.source,
            source_tokens=target_tokens,
            target_tokens=source_tokens,
            tree=f"(ROOT {german_tree(self.english, words)})",
            links=sorted((target, source) for source, target in pair.links),
            variants=[],  # they are of German targets
        )


def _attachments(node: Node, depth: int = 1) -> Iterator[tuple[Attachment, int]]:
    """Attachments in a constituent, each with its number of steps below it."""
    for child in node.children:
        if isinstance(child, Node):
            if child.attachment is not None:
                yield child.attachment, depth
            yield from _attachments(child, depth + 1)


def german_tree(english: Node, words: list[GermanWord]) -> Node:
    """The tree of German words: each English constituent whose words are neighbours there.

    Unaligned words attach between their neighbours; of constituents that cross, as where one word
    translates two, the larger is kept.
    """
    leaves: list[Node | Leaf] = [
        Leaf(_german_tag(word), token)
        for word, token in zip(words, _german_tokens(words), strict=True)
    ]
    places: dict[int, set[int]] = {}
    for index, word in enumerate(words):
        for leaf in word.sources:
            places.setdefault(id(leaf), set()).add(index)
    own = {index for index, word in enumerate(words) if not word.sources}

    def constituent(node: Node, start: int, end: int) -> Node:
        """The constituent of the words `start` to `end`, with those within it."""
        children: list[Node | Leaf] = []
        at = start
        for first, last, inner in sorted(inside(node, start, end), key=lambda found: found[:2]):
            children += [*leaves[at:first], constituent(inner, first, last)]
            at = last
        return Node(node.label, [*children, *leaves[at:end]])

    def inside(node: Node, start: int, end: int) -> Iterator[tuple[int, int, Node]]:
        """The largest constituents below a node that are neighbours in German."""
        taken: set[int] = set()
        for child in (child for child in node.children if isinstance(child, Node)):
            found = set().union(*(places.get(id(leaf), ()) for leaf in child.leaves()))
            span = set(range(min(found, default=0), max(found, default=-1) + 1))
            is_whole = found and span - found <= own and span <= {*range(start, end)} - taken
            whole = [(min(span), max(span) + 1, child)] if is_whole else inside(child, start, end)
            for first, last, within in whole:
                if not taken & {*range(first, last)}:
                    taken |= {*range(first, last)}
                    yield first, last, within

    return constituent(english, 0, len(words))


def _german_tag(word: GermanWord) -> str:
    """The part of speech of the first word that it translates, a comma or `not` (kein) last."""
    tags = sorted((leaf.tag for leaf in word.sources), key=lambda tag: tag in (",", "RB"))
    own = {",": ",", "dass": "IN"}  # and a relative pronoun that English leaves out
    return tags[0] if tags else own.get(word.word, "WDT")


def _without_idle_commas(words: list[GermanWord]) -> list[GermanWord]:
    """A clause closes with a comma unless the sentence ends or another comma stands there."""
    kept: list[GermanWord] = []
    for word, following in zip(words, [*words[1:], GermanWord(".")], strict=True):
        if word.word != "," or following.word not in (",", ".", "?"):
            kept.append(word)
        elif following.word == ",":  # which then translates what the dropped one did
            following.sources += word.sources
    return kept


def _german_tokens(words: list[GermanWord]) -> list[str]:
    return [_capitalised(words[0].word), *(word.word for word in words[1:])]


def _capitalised(word: str) -> str:
    return word[:1].upper() + word[1:]


def _text(tokens: list[str]) -> str:
    """Raw text: no space before punctuation and the possessive."""
    text = " ".join(tokens)
    for mark in (",", ".", "?", "'s"):
        text = text.replace(f" {mark}", mark)
    return text
