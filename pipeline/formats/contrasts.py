"""Contrastive variants: targets that are wrong in one known respect (Sennrich 2017).

`{split}.contrast` is a JSON object a line, any number of them for a pair, of raw text as the split:

    {"line": 3, "category": "noun", "target": "Er liest im Park das Buch.", "depth": 2}

LingEval97 is read too, by its first character: one JSON array with an object a pair, whose `errors`
are its variants.
"""

import json
import re
import unicodedata
from collections.abc import Iterable, Iterator
from dataclasses import asdict, dataclass
from operator import attrgetter
from pathlib import Path
from typing import IO, Annotated, Any

from annotated_types import Len, Predicate

from mgsa.cli.errors import InputError
from mgsa.cli.files import parse_json, read_json, read_lines
from mgsa.cli.settings import Positive, from_excerpt, from_mapping
from pipeline.formats.text import visible_text

Text = Annotated[str, Len(1)]
Category = Annotated[Text, Predicate(lambda text: text.isprintable() and text == text.strip())]
_FOLDED = {
    **dict.fromkeys(map(ord, "„“”«»"), '"'),
    **dict.fromkeys(map(ord, "‘’‚‹›´`"), "'"),
    **dict.fromkeys(map(ord, "‐‑–—―"), "-"),
    0x200B: " ",
}


@dataclass(frozen=True)
class Contrast:
    """A wrong variant of the target of a pair."""

    line: Positive  #: of the pair in its split, from 1.
    category: Category  #: what is wrong in it, or what a model must see to tell.
    target: Text
    depth: Positive | None = None  #: the level of the syntactic partition that tells, if known.


@dataclass(frozen=True)
class _Error:
    type: Category
    contrastive: Text


@dataclass(frozen=True)
class _Sentence:
    errors: tuple[_Error, ...]


def read_contrasts(path: Path, *, pairs: int) -> list[Contrast]:
    """The variants of a split, in the file's order; the file may be empty.

    Args:
        pairs: how many the split has.

    Raises:
        InputError: no such file, something is no variant, or one of before, or belongs to no pair;
            of LingEval97, the pairs are not as many as the split's.
    """
    first = next(filter(str.strip, read_lines(path)), "")
    contrasts = (_lingeval if first.lstrip().startswith("[") else _json_lines)(path, pairs)
    found: dict[Contrast, None] = {}
    for contrast in contrasts:
        if contrast in found:
            message = f"expected each variant once, got one of line {contrast.line} again"
            raise InputError(f"{message}: {contrast.target}", path=path)
        if not {"\n", "\r"}.isdisjoint(contrast.target):
            raise InputError(f"expected a target of one line, got {contrast.target!r}", path=path)
        found[contrast] = None
    return [*found]


def is_contrast(variant: str, *others: str) -> bool:
    """Whether a variant has words, and other words or marks than its reference, and others of it.

    White space beside marks, invisible characters and forms of quotes and dashes, on which
    tokenisers differ, make no contrast.
    """
    words = _words(variant)
    return bool(words) and words not in map(_words, others)


def _words(text: str) -> list[str]:
    """Words and marks of a text, in a form that tokenisers of any kind map alike."""
    normal = unicodedata.normalize("NFKC", text).translate(_FOLDED)
    return re.findall(r"\w+|[^\w\s]", visible_text(normal))


def contrasts_of(corpus: Path, split: str, folder: Path | None = None) -> list[Contrast]:
    """`read_contrasts` of a split of a corpus or `folder`, by line; a corpus may have none."""
    path = (folder or corpus) / f"{split}.contrast"
    if folder is None and not path.is_file():
        return []
    pairs = sum(1 for _ in read_lines(corpus / f"{split}.source"))
    return sorted(read_contrasts(path, pairs=pairs), key=attrgetter("line"))


def _json_lines(path: Path, pairs: int) -> Iterator[Contrast]:
    for number, text in enumerate(read_lines(path), start=1):
        if not text.strip():
            continue
        values = parse_json(text, path, line=number)
        contrast = from_mapping(Contrast, values, f"{path}:{number}: contrast")
        if contrast.line > pairs:
            message = f"contrast.line: expected 1 to {pairs}, got {contrast.line}"
            raise InputError(message, path=path, line=number)
        yield contrast


def _lingeval(path: Path, pairs: int) -> Iterator[Contrast]:
    content = read_json(path)
    if content and isinstance(content[0], dict) and "line" in content[0]:
        raise InputError("expected a JSON object a line, found an array", path=path, line=1)
    sentences: Any = from_excerpt(list[_Sentence], content, f"{path}: sentences")
    if pairs != len(sentences):
        message = f"expected a sentence for each of {pairs} pairs, got {len(sentences)}"
        raise InputError(message, path=path)
    for line, sentence in enumerate(sentences, start=1):
        for error in sentence.errors:
            yield Contrast(line, error.type, error.contrastive)


def write_contrasts(contrasts: Iterable[Contrast], file: IO[str]) -> None:
    """Write variants as JSON lines."""
    for contrast in contrasts:
        known = {name: value for name, value in asdict(contrast).items() if value is not None}
        file.write(f"{json.dumps(known, ensure_ascii=False)}\n")
