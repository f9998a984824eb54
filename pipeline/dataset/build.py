"""Fill a folder with the dataset artifact: vocabulary and tags, rows, manifest and card."""

from __future__ import annotations

import shutil
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from functools import lru_cache, partial
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from mgsa.base.cli import progress
from mgsa.base.errors import InputError
from mgsa.base.io import MANIFEST, describe_files, open_to_write, read_lines, write_json
from mgsa.data.schema import (
    BPE_FILES,
    PREPROCESSING,
    SCHEMA,
    SCHEMA_VERSION,
    TAGS,
    UNKNOWN_TAG,
    VOCABULARY,
)
from mgsa.data.vocabulary import UNK, Vocabulary
from mgsa.word_links import Link
from pipeline.base.stage import SIDES, SPLITS
from pipeline.base.text import split_tokens
from pipeline.base.workers import map_chunks
from pipeline.dataset.card import CARD, dataset_card
from pipeline.dataset.manifest import (
    DatasetSettings,
    aligner_description,
    library_versions,
    parser_description,
    preprocessing,
    read_object,
)
from pipeline.dataset.stage_outputs import StageOutputs
from pipeline.links import are_links, read_links
from pipeline.partition import LEVEL_SEPARATOR, Phrase, read_phrases_line
from pipeline.preprocessor import Encoder, check_length
from pipeline.subwords import check_subwords


@dataclass(frozen=True)
class Symbols:
    """What ids stand for.

    Attributes:
        vocabularies: of the source and of the target; one object twice when they share one.
        tags: of phrases, by id.
        levels: of syntactic partition that every sentence has.
    """

    vocabularies: tuple[Vocabulary, Vocabulary]
    tags: tuple[str, ...]
    levels: int


def build_dataset(
    inputs: StageOutputs,
    settings: DatasetSettings,
    parameters: Mapping[str, Any],
    figures: Mapping[str, float],
    folder: Path,
    *,
    workers: int,
) -> dict[str, int]:
    """Fill `folder` with the artifact, and give its counts.

    Args:
        parameters: the sections of the parameter file, to be recorded.
        figures: what the stages before reported, for the card.

    Raises:
        InputError: an input is missing, malformed, or doesn't fit another.
    """
    corpus = read_object(inputs.corpus / "corpus.json", {"name": str})
    languages = read_object(inputs.tokenized / "languages.json", dict.fromkeys(SIDES, str))
    parser = parser_description(inputs.parser)
    aligner = aligner_description(inputs.alignments) if inputs.alignments else None
    inputs.check(SPLITS)
    symbols = collect_symbols(inputs.bpe, inputs.partitions, joint=settings.joint_vocabulary)
    source, target = symbols.vocabularies
    joint = source is target
    shared = {"source": source.symbols, "target": None if joint else target.symbols}
    write_json(folder / VOCABULARY, shared)
    write_json(folder / TAGS, symbols.tags)
    for name in BPE_FILES:
        shutil.copyfile(inputs.bpe / name, folder / name)
    write_json(folder / PREPROCESSING, preprocessing(parameters, languages, parser))
    counts: dict[str, dict[str, int]] = {}
    splits: dict[str, dict[str, Any]] = {}
    for split in SPLITS:
        total: Counter[str] = Counter()
        tables = _tables(split, inputs, folder, symbols.levels, total, settings, workers)
        names = write_shards(
            folder, split, tables, compression=settings.compression, shard_rows=settings.shard_rows
        )
        counts[split] = dict(total)
        splits[split] = {**total, "files": names}
    manifest = {
        "schema_version": SCHEMA_VERSION,
        "name": corpus["name"],
        "source_language": languages["source"],
        "target_language": languages["target"],
        "levels": symbols.levels,
        "tags": len(symbols.tags),
        "vocabulary": {"source": len(source), "target": len(target), "joint": joint},
        "splits": splits,
        "made_by": {
            "parameters": parameters,
            "libraries": library_versions(),
            "parser": parser,
            "aligner": aligner,
        },
    }
    write_manifest(folder, manifest, figures=figures)
    return {
        "source_vocabulary": len(source),
        "target_vocabulary": len(target),
        "tags": len(symbols.tags),
        **{f"{split}_{name}": n for split in SPLITS for name, n in counts[split].items()},
    }


def write_manifest(
    folder: Path, content: Mapping[str, Any], *, figures: Mapping[str, float]
) -> None:
    """Write what is last in a dataset artifact: its card, and the manifest of all files.

    Args:
        content: of the manifest, less the files.
        figures: what the stages before reported, for the card.
    """
    with open_to_write(folder / CARD) as file:
        file.write(dataset_card(content, figures))
    write_json(folder / MANIFEST, {**content, "files": describe_files(folder)})


def collect_symbols(bpe: Path, partitions: Path, *, joint: bool) -> Symbols:
    """The subwords and tags of the training split, most frequent first.

    Args:
        joint: whether both languages share one vocabulary.

    Raises:
        InputError: a file is missing or malformed, or holds what its BPE codes don't give.
    """
    source, target = (_count(bpe / f"train.{side}", lambda subword: subword) for side in SIDES)
    for side, subwords in zip(SIDES, (source, target), strict=True):
        check_subwords(bpe, side, subwords)
    if joint:
        source = target = source + target
    vocabulary = Vocabulary.of(_by_frequency(source))
    other = vocabulary if joint else Vocabulary.of(_by_frequency(target))
    path = partitions / "train.phrases"
    tags = _count(path, lambda phrase: phrase.partition(":")[2])
    del tags[""]  # the separator of levels
    levels = next(read_lines(path), "").count(LEVEL_SEPARATOR) + 1
    return Symbols((vocabulary, other), (UNKNOWN_TAG, *_by_frequency(tags)), levels)


def _count(path: Path, symbol: Callable[[str], str]) -> Counter[str]:
    """How often each symbol occurs in the tokens of a file."""
    tokens: Counter[str] = Counter()
    for number, line in enumerate(read_lines(path), start=1):
        tokens.update(split_tokens(line, path=path, line=number))
    counts: Counter[str] = Counter()
    for token, count in tokens.items():
        counts[symbol(token)] += count
    return counts


def _by_frequency(counts: Mapping[str, int]) -> list[str]:
    return sorted(counts, key=lambda symbol: (-counts[symbol], symbol))


def write_shards(
    folder: Path, split: str, tables: Iterable[pa.Table], *, compression: str, shard_rows: int
) -> list[str]:
    """Write tables to Parquet files, each as a row group, and give the files' names.

    These are `SPLIT.parquet`, or `SPLIT-00000.parquet` and so on if there are more than
    `shard_rows` rows.
    """
    names: list[str] = []
    rows = 0
    with ExitStack() as opened:
        for table in tables:
            if not names or rows + table.num_rows > shard_rows:
                opened.close()
                names.append(f"{split}-{len(names):05}.parquet")
                writer = opened.enter_context(
                    pq.ParquetWriter(
                        folder / names[-1], table.schema, compression=compression, version="2.6"
                    )
                )
                rows = 0
            writer.write_table(table, row_group_size=table.num_rows)
            rows += table.num_rows
    if len(names) == 1:
        (folder / names.pop()).rename(folder / f"{split}.parquet")
        names.append(f"{split}.parquet")
    return names


LISTS = [field.name for field in SCHEMA if pa.types.is_list(field.type)]
"""Columns."""

Line = tuple[int, tuple[str, ...]]
"""A row's line in the files of its split, and what `StageOutputs.rows` has of it."""


def _tables(
    split: str,
    inputs: StageOutputs,
    folder: Path,
    levels: int,
    total: Counter[str],
    settings: DatasetSettings,
    workers: int,
) -> Iterator[pa.Table]:
    """A split's row groups; what they count is added to `total`."""
    portions = map_chunks(
        partial(encode_rows, folder=folder, files=inputs.row_files(split), levels=levels),
        enumerate(inputs.rows(split), start=1),
        workers=workers,
        chunk_size=settings.row_group_rows,
    )
    shown = progress(
        portions, f"dataset {split}", total=None, unit="pairs", size=lambda p: p[0].num_rows
    )
    for table, counts in shown:
        total.update(counts)
        yield table


_encoder = lru_cache(maxsize=1)(Encoder.load)
"""A worker's: read once."""


def encode_rows(
    lines: Sequence[Line], *, folder: Path, files: Sequence[Path], levels: int
) -> tuple[pa.Table, dict[str, int]]:
    """Rows as a table of the schema, and what they count.

    Args:
        folder: that of the artifact, with its vocabularies, tags and BPE files.
        files: of the lines, which errors name: those of `StageOutputs.row_files`.

    Raises:
        InputError: a line is malformed, or does not fit the line of another file.
    """
    encoder = _encoder(folder)
    rows = [_encode(encoder, number, fields, files, levels) for number, fields in lines]
    table = pa.Table.from_pylist(rows, SCHEMA)
    return table, _counts(table)


def _counts(table: pa.Table) -> dict[str, int]:
    flat = {name: table[name].combine_chunks().flatten() for name in LISTS}
    tags = flat["phrase_tags"].flatten()
    return {
        "rows": table.num_rows,
        "source_words": len(flat["subwords_per_word"]),
        "target_words": len(flat["target_subwords_per_word"]),
        "source_subwords": len(flat["source_ids"]),
        "target_subwords": len(flat["target_ids"]),
        "source_unknown": int(np.count_nonzero(flat["source_ids"].to_numpy() == UNK)),
        "target_unknown": int(np.count_nonzero(flat["target_ids"].to_numpy() == UNK)),
        "phrases": len(tags),
        "phrases_unknown": int(np.count_nonzero(tags.to_numpy() == 0)),
        "links": len(flat["links"]),
    }


def _encode(
    encoder: Encoder, line: int, fields: Sequence[str], files: Sequence[Path], levels: int
) -> dict[str, Any]:
    source_text, target_text, *texts = fields
    sides = []
    for side, place in ((encoder.source, 0), (encoder.target, 1)):
        tokens = split_tokens(texts[place], path=files[place], line=line)
        if " ".join(side.splitter.split(tokens)) != texts[place + 2]:
            message = f"expected the subwords of line {line} of {files[place]}"
            raise InputError(message, path=files[place + 2], line=line)
        sides.append(tokens)
    source, target = sides
    links = None
    if len(texts) > 5:
        links = _word_links(texts[5], len(source), len(target), path=files[5], line=line)
    phrases = _word_phrases(texts[4], levels, len(source), path=files[4], line=line)
    row = encoder.encode(source, target, phrases=phrases, links=links)
    for name, path in (("source_length", files[2]), ("target_length", files[3])):
        check_length(row[name], path=path, line=line)
    row |= {"source_text": source_text, "target_text": target_text}
    return row | {"source_tokens": texts[0], "target_tokens": texts[1]}


def _word_phrases(
    text: str, levels: int, num_words: int, *, path: Path, line: int
) -> list[list[Phrase]]:
    found = text.count(LEVEL_SEPARATOR) + 1
    if found != levels:
        raise InputError(f"expected {levels} levels, got {found}", path=path, line=line)
    return read_phrases_line(text, levels=levels, num_words=num_words, path=path, line=line)


def _word_links(text: str, source: int, target: int, *, path: Path, line: int) -> list[Link]:
    """Links between words, of which source and target have so many."""
    if not are_links(text):
        read_links(text, path=path, line=line)  # says what is wrong
    numbers = [*map(int, text.replace("-", " ").split())]
    links = [*zip(numbers[::2], numbers[1::2], strict=True)]
    for i, j in links:
        if i >= source or j >= target:
            raise InputError(
                f"expected links between {source} and {target} words, counted from 0, got {i}-{j}",
                path=path,
                line=line,
            )
    return links
