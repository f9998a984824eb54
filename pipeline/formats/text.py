r"""Parallel text on disk: UTF-8, one sentence a line, lines that end with `\n` and nothing else."""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from itertools import chain, islice, zip_longest
from pathlib import Path
from typing import IO

import regex

from mgsa.cli.errors import InputError
from mgsa.cli.files import PARTIAL, open_to_write, read_json, read_lines
from mgsa.cli.outputs import manifest_of
from mgsa.cli.settings import Language, from_excerpt

SPLITS = ("train", "valid", "test")
SIDES = ("source", "target")
TREEBANK_PARTS = ("train", "dev")
ANNOTATIONS = ("trees", "links", "voice", "tense")
"""Annotations of a corpus's pairs, one line each: trees, links, labels of the source side."""
Pair = tuple[str, str]
"""Source and target, tokens with one space between them."""

PEEKED_LINES = 100
"""Lines from which it is told whether a file is text."""
SEPARATORS = ("\t", " ||| ")
"""Separators of columns."""
_DOCUMENT = re.compile(r"<[?!]|<(?!unk>)[^<>/]+>\s*$")
"""First line of a document: a prolog, or an opening tag alone."""
_EMPHASIS = r"(?:[biuas]|em|strong|span|su[bp])\b"
_MARKUP = rf"^\s*(?:(?:<(?!unk>)[^<>]+>\s*)+|<(?!{_EMPHASIS})(\w[\w:-]*)\b[^<>]*>.*</\1>\s*)$"
"""A line of markup alone: tags, or an element that is no emphasis."""
_COMMAS = re.compile(r"\w+(?:,\w+)+|\"[^\"]*\"(?:,\"[^\"]*\")+")
"""The first line of columns with commas: names, or quoted cells."""
_JSON = re.compile(r'\{\s*("|$)|\[\s*([\[{"]|$)')
PARQUET = b"PAR1\x15"
"""How Parquet begins: its magic number, and that of the first field."""
_BINARY = (PARQUET.decode(), "PK\x03\x04", "%PDF-", "{\\rtf")

_INVISIBLE = regex.compile(r"(?!\s)[\p{Default_Ignorable_Code_Point}\p{Cc}\p{Cf}\u2800]")


def visible_text(text: str) -> str:
    """Text without characters that nobody sees, nor blanks at its ends."""
    return text.strip() if text.isascii() else _INVISIBLE.sub("", text).strip()


def read_sentences(path: Path) -> Iterator[str]:
    """Yield the lines of a text file, as `read_lines`.

    Raises:
        InputError: no such file, an empty or damaged one, invalid UTF-8; it is not ours, and its
            first lines are markup, JSON, columns or binary.
    """
    lines = read_lines(path)
    peeked = [*islice(lines, PEEKED_LINES)]
    if not peeked:
        raise InputError("empty file; expected a line for each sentence", path=path)
    if not _is_written_here(path) and (found := _other_format(peeked)):
        expected = "expected text, a line for each sentence"
        raise InputError(f"{expected}, found {found}", path=path, line=1)
    yield from chain(peeked, lines)


def _is_written_here(path: Path) -> bool:
    """Whether a file is text for sure: the output of a command, finished or not."""
    listed = (manifest_of(path.parent) or {"files": {}})["files"]
    return path.name in listed or path.parent.name.startswith(PARTIAL)


def _other_format(lines: Sequence[str]) -> str | None:
    """The format of a file with these first lines, if it is not text."""
    start = next((line for line in lines if line.strip()), "").lstrip()
    if "\0ustar" in start:
        return "a tar archive"
    if start.startswith(_BINARY) or is_usual("\0", lines):
        return "a binary file"
    if _DOCUMENT.match(start) or is_usual(_MARKUP, lines):
        return f"markup: {start[:40]}"
    if _JSON.match(start):
        return "JSON"
    if table_separator(lines) == "\t":
        return "columns with tabs between them"
    commas = _COMMAS.fullmatch(start) and all("," in line for line in lines if line.strip())
    return "columns with commas between them" if commas and len(lines) > 1 else None


def table_separator(lines: Sequence[str]) -> str | None:
    """The separator of a table's columns, which half of its lines have."""
    return next((mark for mark in SEPARATORS if is_usual(re.escape(mark), lines)), None)


def is_usual(mark: str, lines: Sequence[str]) -> bool:
    """Whether half of the lines that are not blank have a mark, a regular expression."""
    found = [bool(re.search(mark, line)) for line in lines if line.strip()]
    return any(found) and 2 * sum(found) >= len(found)


def read_parallel(
    paths: Sequence[Path], lines: Iterable[Iterator[str]] | None = None
) -> Iterator[tuple[str, ...]]:
    """Yield a tuple of lines, one of each file, by `read_sentences` unless they are given.

    Raises:
        InputError: as `read_sentences`, or the files differ in their numbers of lines.
    """
    files = [*(lines or map(read_sentences, paths))]
    for number, row in enumerate(zip_longest(*files)):
        if None in row:
            counts = {
                path: number + (line is not None) + sum(1 for _ in file)
                for path, line, file in zip(paths, row, files, strict=True)
            }
            raise unequal_lines(counts)
        yield row


def read_splits(*columns: tuple[Path, str]) -> Iterator[tuple[str, int, tuple[str, ...]]]:
    """Yield split, line number and texts of the files `FOLDER/SPLIT.NAME`."""
    for split in SPLITS:
        rows = read_parallel([folder / f"{split}.{name}" for folder, name in columns])
        for line, texts in enumerate(rows, start=1):
            yield split, line, texts


@contextmanager
def files_to_write(folder: Path, names: Iterable[str]) -> Iterator[dict[str, IO[str]]]:
    """Open files of a folder for writing, by name."""
    with ExitStack() as stack:
        yield {name: stack.enter_context(open_to_write(folder / name)) for name in names}


def split_tokens(text: str, *, path: Path, line: int) -> list[str]:
    """The tokens of a line of tokenised text.

    Raises:
        InputError: no token, a separator other than one space, or a tab or carriage return.
    """
    tokens = text.split(" ")
    if "" in tokens:
        found = "" if text else ", found an empty line"
        raise InputError(
            f"expected tokens with one space between them{found}", path=path, line=line
        )
    if "\t" in text or "\r" in text:
        raise InputError("expected tokens without tabs and carriage returns", path=path, line=line)
    return tokens


def unequal_lines(counts: Mapping[Path, int]) -> InputError:
    """The error for files whose numbers of lines differ; it names two of them."""
    short = min(counts, key=lambda path: counts[path])
    other = next(path for path, count in counts.items() if count != counts[short])
    ends, full = (f"{n:,} line{'s' * (n != 1)}" for n in (counts[short], counts[other]))
    message = f"ends after {ends}; expected as many as in {other} ({full})"
    return InputError(message, path=short, line=counts[short])


def read_pairs(tokenized: Path, split: str) -> Iterator[Pair]:
    """The lines of source and target of a split of tokenised text, checked by `split_tokens`."""
    paths = [tokenized / f"{split}.{side}" for side in SIDES]
    for line, (source, target) in enumerate(read_parallel(paths), start=1):
        for path, text in zip(paths, (source, target), strict=True):
            split_tokens(text, path=path, line=line)
        yield source, target


@dataclass(frozen=True)
class _Languages:
    source_language: Language
    target_language: Language


def read_languages(folder: Path, name: str = "corpus.json") -> dict[str, str]:
    """The language code of each side of a corpus, from its `corpus.json`, or of an artifact."""
    path = folder / name
    languages = from_excerpt(_Languages, read_json(path), f"{path}: corpus")
    return {"source": languages.source_language, "target": languages.target_language}
