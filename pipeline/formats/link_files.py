"""Files of word links as aligners and annotators write them, and what they say of their words.

Known by the first line: GIZA++'s `.A3.final`, three lines a pair; the shared task of NAACL 2003, a
line a link, `1 3 4 S`; else Pharaoh's format, a line a pair, as in Moses' `aligned.*`.
"""

import re
import sys
from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from itertools import chain, islice, zip_longest
from pathlib import Path

from mgsa.cli.errors import InputError
from mgsa.cli.run import one_line
from mgsa.data.word_links import Link
from pipeline.formats.links import PHARAOH, Notation, read_gold_links
from pipeline.formats.text import SIDES, SPLITS, read_parallel, read_sentences

GoldLinks = tuple[set[Link], set[Link]]
"""Sure and possible links of a pair: both are scored, the sure ones are learned from."""

_GIZA_HEAD = re.compile(r"# Sentence pair \(([0-9]{1,9})\)")
_GIZA_GIVEN = re.compile(r"NULL \(\{[ \d]*\}\)(?: \S+ \(\{[ \d]*\}\))* ?")
_GIZA_LINKED = re.compile(r"\(\{([ \d]*)\}\)")
_NAACL = re.compile(r"([0-9]{1,9}) ([0-9]{1,9}) ([0-9]{1,9})(?: ([SP]))?(?: [0-9.]+)?")
PEEKED_PAIRS = 1_000
"""Pairs from whose words the direction of a GIZA++ file is told."""
FEWEST_LINKS = 3
"""With fewer in a file, a word 0 may be missing by chance."""


def read_gold_file(
    path: Path, tokenized: Path, split: str, notation: Notation = PHARAOH
) -> Iterator[GoldLinks]:
    """Yield the sure and the possible links of each pair of a split of tokenised text.

    Raises:
        InputError: a line is malformed or points outside its pair, or the number of lines differs.
    """
    sides = [tokenized / f"{split}.{side}" for side in SIDES]
    lines = [*map(read_sentences, sides), link_lines(path, notation, sides)]
    rows = read_parallel([*sides, path], lines)
    for line, (source, target, text) in enumerate(rows, start=1):
        lengths = source.count(" ") + 1, target.count(" ") + 1
        yield read_gold_links(text, notation, lengths=lengths, path=path, line=line)


def read_link_file(
    path: Path,
    tokenized: Path,
    split: str,
    notation: Notation = PHARAOH,
    *,
    mend: str = "write them from 0",
) -> Iterator[set[Link]]:
    """Yield the sure links of each pair, as `read_gold_file`; `tell_contradictions` at the end."""
    found = Counter[str]()
    for sure, _ in read_gold_file(path, tokenized, split, notation):
        found.update(evidence(sure))
        yield sure
    if notation.first == 0:
        tell_contradictions(path, found, mend=mend)


def corpus_links(tokenized: Path) -> dict[str, Iterator[GoldLinks]]:
    """The links that came with the corpus, by split."""
    files = {split: tokenized / f"{split}.links" for split in SPLITS}
    return {s: read_gold_file(path, tokenized, s) for s, path in files.items() if path.is_file()}


def link_lines(
    path: Path, notation: Notation, sides: Sequence[Path] = (), *, pairs: int = 0
) -> Iterator[str]:
    """Yield the links of each pair as a line in `notation`; a file in Pharaoh's format as it is.

    Args:
        sides: source and target text, by whose words the direction of a GIZA++ file is known;
            without them its links begin with its given words, which `notation` tells apart.
        pairs: how many there are at least: a NAACL file may leave out the last ones.
    """
    lines = read_sentences(path)
    first = next(lines)
    lines = chain([first], lines)
    if _GIZA_HEAD.match(first):
        given = _given_side(path, sides) if sides else int(notation.target_first)
        return _giza_lines(path, lines, notation, given_first=given == notation.target_first)
    if not _NAACL.fullmatch(first.strip()):
        return lines
    return _naacl_lines(path, lines, notation, pairs)


def _given_side(path: Path, sides: Sequence[Path]) -> int:
    """Which side the words with lists in a GIZA++ file are, if the others are more like one."""
    generated = islice(read_sentences(path), 1, None, 3)
    rows = zip(generated, *map(read_sentences, sides), strict=False)
    shared = Counter[int]()
    for words, *texts in islice(rows, PEEKED_PAIRS):
        for side, text in enumerate(texts):
            shared[side] += len({*words.lower().split()} & {*text.lower().split()})
    return int(shared[0] > shared[1])


def _giza_lines(
    path: Path, lines: Iterator[str], notation: Notation, *, given_first: bool
) -> Iterator[str]:
    for pair, (head, _, given) in enumerate(zip_longest(*[lines] * 3, fillvalue=""), start=1):
        match = _GIZA_HEAD.match(head)
        if not match or int(match[1]) != pair or not _GIZA_GIVEN.fullmatch(given):
            message = f"expected three lines of GIZA++'s sentence pair ({pair}), in order"
            raise InputError(message, path=path, line=3 * pair - 2)
        linked = islice(_GIZA_LINKED.findall(given), 1, None)
        ends = [(i, int(j) - 1) for i, js in enumerate(linked) for j in js.split()]
        links = ends if given_first else [(j, i) for i, j in ends]
        yield " ".join(f"{i + notation.first}-{j + notation.first}" for i, j in links)


def _naacl_lines(path: Path, lines: Iterator[str], notation: Notation, pairs: int) -> Iterator[str]:
    pair, links = 1, list[str]()
    for line, text in enumerate(lines, start=1):
        match = _NAACL.fullmatch(text.strip())
        if not match or int(match[1]) < pair:
            message = f"expected links such as {pair} 3 4 S, by pair, got {text!r}"
            raise InputError(message, path=path, line=line)
        for _ in range(pair, int(match[1])):
            yield " ".join(links)
            links = []
        pair = int(match[1])
        ends = int(match[2]), int(match[3])
        if not any(ends):
            message = "expected words counted from 1, as 0 is the null word"
            raise InputError(message, path=path, line=line)
        if min(ends):  # 0 is the null word
            mark = "p" if match[4] == "P" else "-"
            links.append(mark.join(str(end - 1 + notation.first) for end in ends))
    yield " ".join(links)
    yield from [""] * (pairs - pair)  # the last have none


def evidence(
    links: Collection[Link], tokens: Sequence[int] = (), words: Sequence[int] = ()
) -> dict[str, int]:
    """Evidence of a pair's links about the words that they count, as counts to be added up.

    Args:
        tokens, words: numbers of tokens and of words between blanks, of source and target.
    """
    return {
        "links": len(links),
        "first": sum(0 in link for link in links),
        "longer": int(bool(links) and any(map(int.__gt__, tokens, words))),
        "beyond": sum(any(map(int.__ge__, link, words)) for link in links),
    }


def tell_contradictions(path: Path, found: Mapping[str, int], *, mend: str) -> None:
    """A line on stderr if the links of a file seem to count from 1, or words between blanks.

    Args:
        found: the sum of the `evidence` of its pairs.
        mend: what to do if they count from 1.
    """
    if found["links"] >= FEWEST_LINKS and not found["first"]:
        message = f"no link has a word 0 on either side: if words are counted from 1, {mend}"
    elif found["longer"] and not found["beyond"]:
        message = (
            "links count the tokens of data/tokenized, but none reaches beyond the words between "
            f"blanks, though {found['longer']:,} pairs have more tokens"
        )
    else:
        return
    print(one_line(f"{path}: {message}"), file=sys.stderr)
