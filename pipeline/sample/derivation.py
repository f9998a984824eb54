"""One derivation in two languages: an English tree, German words and where they come from."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

CLOSING = (".", "?")


@dataclass(eq=False, slots=True)
class Leaf:
    """An English word under its part of speech; two leaves are the same only if identical."""

    tag: str
    word: str


@dataclass(eq=False, slots=True)
class Node:
    """An English constituent."""

    label: str
    children: list[Node | Leaf]

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
        inner = " ".join(
            f"({child.tag} {child.word})" if isinstance(child, Leaf) else str(child)
            for child in self.children
        )
        return f"({self.label} {inner})"


@dataclass(slots=True)
class GermanWord:
    """A German word and the English words that it translates (none for a comma)."""

    word: str
    sources: tuple[Leaf, ...] = ()


@dataclass(slots=True)
class Phrase:
    """The two sides of a constituent."""

    english: Node
    german: list[GermanWord]


@dataclass(slots=True)
class SamplePair:
    """A sentence pair with everything the grammar knows about it.

    Attributes:
        source, target: raw text.
        source_tokens, target_tokens: the words, as a Moses tokeniser splits the raw text.
        tree: the English constituency tree, PTB labels and tags, on one line.
        links: word links (source, target), from zero, sorted.
        voice: `active` or `passive`, of the main clause.
        tense: `past` or `nonpast`, of the main clause's finite verb.
    """

    source: str
    target: str
    source_tokens: list[str]
    target_tokens: list[str]
    tree: str
    links: list[tuple[int, int]]
    voice: str
    tense: str


@dataclass(slots=True)
class Sentence:
    """A finished derivation: an English root, German words, and the main clause's labels."""

    english: Node
    german: list[GermanWord]
    voice: str
    tense: str
    label: str = field(default="ROOT")

    def pair(self) -> SamplePair:
        """Put in capitals, drop commas that German leaves out, number the words, read off links."""
        leaves = self.english.leaves()
        words = _without_idle_commas(self.german)
        leaves[0].word = _capitalised(leaves[0].word)
        words[0] = GermanWord(_capitalised(words[0].word), words[0].sources)
        position = {id(leaf): index for index, leaf in enumerate(leaves)}
        links = sorted(
            {(position[id(s)], target) for target, w in enumerate(words) for s in w.sources}
        )
        source_tokens = [leaf.word for leaf in leaves]
        target_tokens = [word.word for word in words]
        return SamplePair(
            source=_text(source_tokens),
            target=_text(target_tokens),
            source_tokens=source_tokens,
            target_tokens=target_tokens,
            tree=f"({self.label} {self.english})",
            links=links,
            voice=self.voice,
            tense=self.tense,
        )


def comma() -> GermanWord:
    """A comma that German grammar asks for."""
    return GermanWord(",")


def _without_idle_commas(words: Sequence[GermanWord]) -> list[GermanWord]:
    """A clause closes with a comma unless the sentence ends or another comma stands there."""
    kept: list[GermanWord] = []
    for index, word in enumerate(words):
        following = words[index + 1].word if index + 1 < len(words) else "."
        if word.word == "," and (following in CLOSING or following == ","):
            # What the dropped comma translates goes to the one that stands in for it.
            if word.sources and following == ",":
                words[index + 1].sources += word.sources
            continue
        kept.append(word)
    return kept


def _capitalised(word: str) -> str:
    return word[:1].upper() + word[1:]


def _text(tokens: Iterable[str]) -> str:
    """Raw text: no space before punctuation and the possessive."""
    text = " ".join(tokens)
    for mark in (",", ".", "?", "'s"):
        text = text.replace(f" {mark}", mark)
    return text
