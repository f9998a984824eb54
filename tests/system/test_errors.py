"""Bad input to every command: one line that says what to do, and every file as it was.

A row of the tables below is a command, what becomes of a file that it reads, and the line that it
ends with: one that starts with a colon names this very file, and `...` stands for anything. There
is a row for each kind of error and each kind of file; all messages are tested beside the modules
that give them. A full disk, and odd but legal text, are tests of their own.
"""

# ruff: noqa: E501 (a row of a table is one line)

from __future__ import annotations

import json
import re
import shutil
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest
import yaml

from mgsa.cli.files import read_json, write_json
from mgsa.cli.run import BAD_INPUT
from tests.all_stages import contents, in_a_process, run_command
from tests.probing_folders import record
from tests.text_folders import forget_origins

Change = Callable[[Path], object]


def shorter(path: Path) -> None:
    """A text loses its last line."""
    path.write_bytes(b"".join(path.read_bytes().splitlines(keepends=True)[:-1]))


def line(number: int, new: str | bytes) -> Change:
    """A line gives way to another one."""

    def change(path: Path) -> None:
        lines = path.read_bytes().split(b"\n")
        lines[number - 1] = new.encode() if isinstance(new, str) else new
        path.write_bytes(b"\n".join(lines))

    return change


latin_1 = line(2, "Müller".encode("latin-1"))


def empty(path: Path) -> None:
    """Nothing is left of a file but its name."""
    path.write_bytes(b"")


def half(path: Path) -> None:
    """The first half is left of a file."""
    data = path.read_bytes()
    path.write_bytes(data[: len(data) // 2])


def half_recorded(path: Path) -> None:
    """The first half is left of a file, and its manifest finds that right."""
    half(path)
    record(path)


def foreign_codes(path: Path) -> None:
    """The codes of another corpus; where there is a manifest, it finds them right."""
    path.write_text("#version: 0.2\nq u\nqu x</w>\n", encoding="utf-8")
    record(path)


def value(new: Any, *keys: str) -> Change:
    """A value of a JSON or YAML file gives way to another one; without `keys`, all of it does."""

    def change(path: Path) -> None:
        content = yaml.safe_load(path.read_text(encoding="utf-8"))
        if not keys:
            content = new
        inner = content
        for key in keys[:-1]:
            inner = inner[key]
        if keys:
            inner[keys[-1]] = new
        dump = json.dumps if path.suffix == ".json" else yaml.safe_dump
        path.write_text(dump(content), encoding="utf-8")

    return change


def output_of(stage: str) -> Change:
    """The output of another stage stands in a folder's place."""

    def change(path: Path) -> None:
        shutil.rmtree(path)
        shutil.copytree(path.parent / stage, path)

    return change


def without(name: str) -> Change:
    """A file of a folder is gone."""
    return lambda path: (path / name).unlink()


def of_another_parser(path: Path) -> None:
    """The phrases are of a parser that is no longer there."""
    manifest = read_json(path / "manifest.json")
    manifest["made_of"]["mgsa parser"] = ["c0ffee"]
    write_json(path / "manifest.json", manifest)


def of_one_level(_: Path) -> None:
    """The dataset is built anew with one level of phrases."""
    assert run_command("partition", "--set", "levels=1") == 0
    assert run_command("dataset") == 0


def of_other_words(_: Path) -> None:
    """The dataset is built anew with fewer merges."""
    assert run_command("bpe", "--set", "merges=2") == 0
    assert run_command("dataset") == 0


# fmt: off
UNEQUAL = "ends after 23 lines; expected as many as in"
UNEQUAL_LINE_COUNTS = [
    ("corpus", shorter, "raw/train.de", f":23: {UNEQUAL} raw/train.en (24 lines)"),
    ("parse", shorter, "tokenized/train.trees", ": 23 trees: expected 24, one for each line of tokenized, ..."),
    ("partition", shorter, "parsed/train.trees", f":23: {UNEQUAL} tokenized/train.source (24 lines)"),
    ("dataset", shorter, "alignments/train.links", f":23: {UNEQUAL} tokenized/train.lines (24 lines)"),
    ("dataset", shorter, "corpus/train.target", f":23: {UNEQUAL} corpus/train.source (24 lines)"),
    ("evaluate", shorter, "translations/test.hypotheses", ":5: ends after 5 lines; expected as many as in translations/test.references (6 lines)"),
    ("score text", shorter, "raw/test.de", ":5: ends after 5 lines; expected as many as in raw/test.en (6 lines)"),
    ("contrast", shorter, "corpus/test.source", ":6: expected the text of row 5 of test in dataset, none of whose pairs is dropped"),
    ("report", shorter, "parsed/test.trees", ":5: ends after 5 lines; expected as many as in corpus/test.source (6 lines)"),
]

NOT_UTF_8 = [
    (command, latin_1, file, ":2: expected UTF-8 text: invalid start byte at byte 2")
    for command, file in [
        ("corpus", "raw/valid.de"),
        ("parse", "parser/parser.json"),
        ("parse", "tokenized/test.trees"),
        ("bpe", "tokenized/valid.target"),
        ("dataset", "alignments/test.links"),
        ("dataset", "tokenized/test.lines"),
        ("dataset", "bpe/bpe.codes"),
        ("dataset", "bpe/vocab.target"),
        ("dataset", "partitions/valid.phrases"),
        ("verify", "dataset/manifest.json"),
        ("analyze", "model/manifest.json"),
        ("mgsa train", "params.yaml"),
        ("params", "conf/model/own.yaml"),
    ]
]

NO_LINE = "empty file; expected a line for each sentence"
NO_JSON = "expected JSON: Expecting value at column 1"
EMPTY_FILES = [
    ("corpus", empty, "raw/valid.en", f": {NO_LINE}"),
    ("parse", empty, "tokenized/train.trees", f": {NO_LINE}"),
    ("dataset", empty, "bpe/bpe.codes", ":1: expected BPE codes: '#version: 0.2', got ''"),
    ("verify", empty, "dataset/manifest.json", f":1: {NO_JSON}"),
    ("verify", empty, "dataset/train.parquet", ": expected ... bytes as in manifest.json, found 0"),
    ("phrasal_patterns", empty, "parsed/test.trees", f": {NO_LINE}"),
    ("params", empty, "conf/config.yaml", ": expected a mapping of sections, found null"),
]

OPEN = "expected one bracketed tree, found an unclosed bracket"
MORE = "column 17: expected (LABEL (…) …) or (TAG word), found ')'"
LETTERS = "the tree has 'Nobody' where the tokens have ...: expected a tree over their letters"
OTHER = "leaf 1 of the tree is 'Nobody': expected the token ..."
TREES = [
    ("tokenize", line(3, "(ROOT (X (A a))"), "corpus/train.trees", f":3: {OPEN}"),
    ("parse", line(3, "(ROOT (X (A Nobody)))"), "tokenized/train.trees", f":3: {LETTERS}"),
    ("parse", line(3, "a  man"), "tokenized/train.source", ":3: expected tokens with one space between them"),
    ("partition", line(3, "(ROOT (X (A a))))"), "parsed/train.trees", f":3: {MORE}"),
    ("probe_data", line(3, "(ROOT (X (A Nobody)))"), "parsed/train.trees", f":3: {OTHER}"),
    ("phrasal_patterns", line(3, "(ROOT (X (A Nobody)))"), "parsed/test.trees", f":3: {OTHER}"),
    ("partition", line(3, ""), "tokenized/train.source", ":3: expected tokens with one space between them, found an empty line"),
]

LINKS = [
    ("tokenize", lambda path: path.write_text("0-99\n" * 6), "corpus/test.links", ":1: expected links between ... words, counted from 0, got 0-99"),
    ("align", value("best", "align", "symmetrization"), "params.yaml", "params.yaml: align.symmetrization: expected 'forward', 'reverse', 'intersection', 'union', ... got 'best'"),
    ("align", value({"kind": "corpus"}, "align"), "params.yaml", "tokenized: align.kind: corpus: expected links that came with the corpus, such as train.links"),
    ("alignment error", line(3, "0p0"), "alignments/test.links", ":3: expected links such as 0-0 1-2, got '0p0'"),
    ("alignment error", line(3, "0:0"), "alignments/valid.links", ":3: expected gold links such as 3-4 and 3p4, got '0:0'"),
    ("phrasal_patterns", line(3, "99-0"), "alignments/test.links", ":3: expected links between ... words, counted from 0, got 99-0"),
]

PAIRS = [
    ("tokenize", line(3, " "), "corpus/valid.target", ":3: no token in this line; pairs of valid are never dropped"),
    ("tokenize", line(3, "x" * 1001), "corpus/test.target", ":3: a token of 1,001 characters in this line; pairs of test are never dropped"),
    ("tokenize", value({}), "corpus/corpus.json", ": corpus.source_language: missing key"),
    ("dataset", line(3, "2"), "tokenized/train.lines", ":3: expected the number of a line after line 2 of the corpus, got '2'"),
    ("dataset", line(3, "1:X ||| 1:X ||| 1:X"), "partitions/test.phrases", ":3: level 1: lengths add up to 1 words, expected ..."),
]

NINE = "dataset: expected the level of syntactic_9, but the dataset has 3 levels (partition.levels)"
TWO = "dataset: expected the level of syntactic_2, but the dataset has 1 levels (partition.levels)"
NO_NAME = "granularities: expected ngram_N or syntactic_N, got 'tree_1'"


def granularity(first: str) -> Change:
    """The model attends to another granularity."""
    keys = ("model", "multi_granularity", "granularities")
    return value([first, "syntactic_1", "ngram_2"], *keys)


LEVELS = [
    ("partition", value(0, "partition", "levels"), "params.yaml", "params.yaml: partition.levels: expected greater than or equal to 1, got 0"),
    ("dataset", line(3, "8:X"), "partitions/valid.phrases", ":3: expected 3 levels, got 1"),
    ("train", granularity("syntactic_9"), "params.yaml", NINE),
    ("mgsa train", granularity("tree_1"), "params.yaml", f": model.multi_granularity: {NO_NAME}"),
    ("mgsa translate", of_one_level, "dataset", TWO),
    ("translate", of_one_level, "dataset", TWO),
]

NO_MERGE = "these codes and the vocabulary are of different corpora"
FOREIGN_CODES = [
    ("dataset", foreign_codes, "bpe/bpe.codes", f": no merge gives ...: {NO_MERGE}"),
    ("dataset", line(1, "qux 9"), "bpe/vocab.source", f"bpe/bpe.codes: no merge gives 'qux': {NO_MERGE}"),
    ("dataset", line(3, "q@@ u@@ x"), "bpe/train.source", ":3: expected the subwords of line 3 of tokenized/train.source"),
    ("translate", of_other_words, "dataset", ": expected the source vocabulary of the model model"),
    ("translate text", foreign_codes, "words/bpe.codes", f": no merge gives ...: {NO_MERGE}"),
]

SHORT = "expected ... bytes as in manifest.json, found ..."
ALTERED = "expected the file as its command wrote it"
UNREADABLE = "expected a readable Parquet file: ..."
ZEROS = "0" * 64
DAMAGED_ARTIFACTS = [
    ("verify", half, "dataset/train.parquet", f": {SHORT}"),
    ("report", half, "plots/attention/attention_shares.csv", f": {SHORT}"),
    ("verify", half_recorded, "dataset/train.parquet", f": {UNREADABLE}"),
    ("train", half, "dataset/train.parquet", f": {SHORT}"),
    ("probe", half_recorded, "probing/valid.parquet", f": {UNREADABLE}"),
    ("translate", half_recorded, "dataset/test.parquet", f": {UNREADABLE}"),
    ("verify", value(ZEROS, "files", "vocab.json", "sha256"), "dataset/manifest.json", f"dataset/vocab.json: {ALTERED}"),
    ("translate", value(ZEROS, "files", "vocab.json", "sha256"), "model/manifest.json", f"model/vocab.json: {ALTERED}"),
    ("translate text", value(ZEROS, "files", "bpe.codes", "sha256"), "words/manifest.json", f"words/bpe.codes: {ALTERED}"),
    ("mgsa translate", half_recorded, "model/model.safetensors", ": expected a safetensors file: ..."),
    ("verify", value([]), "dataset/manifest.json", ": expected the manifest of a dataset"),
    ("mgsa train", value(1, "schema_version"), "dataset/manifest.json", ": expected a dataset of schema version 3, got 1"),
    ("parser", value([]), "corpus/corpus.json", ": corpus: expected a section with keys, got []"),
    ("parse", value(ZEROS, "identity"), "parser/parser.json", ": the identity does not fit the rest of the file"),
    ("translate text with phrases", value("de", "language"), "parser/parser.json", ": the identity does not fit the rest of the file"),
]

OTHER_STAGES = [
    *((command, output_of("corpus"), "tokenized", ": expected mgsa tokenised text, found mgsa raw text")
      for command in ("bpe", "align", "parse", "partition", "dataset", "probe_data")),
    ("tokenize", output_of("tokenized"), "corpus", ": expected mgsa raw text, found mgsa tokenised text"),
    ("partition", output_of("tokenized"), "parsed", ": expected mgsa trees, found mgsa tokenised text"),
    ("dataset", output_of("tokenized"), "partitions", ": expected mgsa phrases, found mgsa tokenised text"),
    ("dataset", output_of("tokenized"), "bpe", ": expected mgsa subwords, found mgsa tokenised text"),
    ("dataset", without("test.sets"), "corpus", "corpus/test.sets: no such file, but manifest.json lists it"),
    ("dataset", of_another_parser, "partitions", ": expected mgsa phrases made of the same mgsa parser as parser"),
]

CUT = "expected the file that was saved with its state; ..."
LAST = "checkpoints/step-00000012"
CHECKPOINTS = [
    ("train", half, f"{LAST}/weights.safetensors", f": {CUT}"),
    ("train", half, f"{LAST}/state.json", ":...: expected JSON: ..."),
    ("mgsa train", half, f"mgsa_model.{LAST}/optimizer.safetensors", f": {CUT}"),
]


# fmt: on


def pattern(file: str, message: str) -> str:
    """The line on stderr; a message that starts with a colon is about `file`."""
    line = f"error: {file if message.startswith(':') else ''}{message}\n"
    return re.escape(line).replace(r"\.\.\.", ".+")


MISTAKES: dict[str, Sequence[tuple[str, Change, str, str]]] = {
    "unequal": UNEQUAL_LINE_COUNTS,
    "not UTF-8": NOT_UTF_8,
    "empty": EMPTY_FILES,
    "trees": TREES,
    "links": LINKS,
    "pairs": PAIRS,
    "levels": LEVELS,
    "codes": FOREIGN_CODES,
    "artifacts": DAMAGED_ARTIFACTS,
    "checkpoints": CHECKPOINTS,
    "stages": OTHER_STAGES,
}


TEXTS = ("corpus", "tokenized", "parsed", "partitions", "bpe", "parser")


@pytest.mark.parametrize(
    ("command", "change", "file", "message"),
    [
        pytest.param(*row, id=f"{heading}: {row[0]}, {row[2]}")
        for heading, rows in MISTAKES.items()
        for row in rows
    ],
)
def test_a_mistake_is_one_line_and_changes_nothing(
    folder: Path,
    command: str,
    change: Change,
    file: str,
    message: str,
    capsys: pytest.CaptureFixture[str],
) -> None:
    change(folder / file)
    if file.partition("/")[0] in TEXTS and (folder / file).is_file():
        record(folder / file)  # as its command might have written it, and what was made of it
        forget_origins(folder)
    capsys.readouterr()
    before = contents(folder)
    assert run_command(command) == BAD_INPUT
    said = capsys.readouterr()
    assert re.fullmatch(pattern(file, message), said.err), said.err
    assert said.out == ""
    assert contents(folder) == before


def test_a_process_of_its_own_says_no_more(folder: Path) -> None:
    granularity("syntactic_9")(folder / "params.yaml")
    done = in_a_process("mgsa train")
    assert done.returncode == BAD_INPUT
    assert done.stderr == f"error: {NINE}\n"
