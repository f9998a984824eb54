"""Fill a folder with the dataset artifact: vocabulary and tags, rows, manifest and card."""

import shutil
from collections import Counter
from collections.abc import Iterable, Mapping
from contextlib import ExitStack
from functools import partial
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from mgsa.cli.errors import InputError
from mgsa.cli.files import open_to_write, read_lines, write_json
from mgsa.cli.outputs import CARD, write_manifest
from mgsa.cli.progress import progress
from mgsa.cli.settings import from_excerpt
from mgsa.cli.workers import map_chunks
from mgsa.data.checks import counts_of
from mgsa.data.schema import (
    BPE_FILES,
    CASE_FILES,
    PAIRS,
    PREPROCESSING,
    SCHEMA_VERSION,
    TAGS,
    UNKNOWN_TAG,
    VOCABULARY,
)
from mgsa.data.vocabulary import Vocabulary, read_tags, read_vocabularies
from pipeline.dataset.card import dataset_card
from pipeline.dataset.rows import StageOutputs, encode_rows
from pipeline.dataset.settings import DatasetSettings
from pipeline.formats.phrases import LEVEL_SEPARATOR
from pipeline.formats.preprocessing import Preprocessing, Segmentation
from pipeline.formats.tables import Record
from pipeline.formats.text import SIDES, SPLITS
from pipeline.formats.text_settings import read_text_settings
from pipeline.formats.trees import PARSER
from pipeline.stage.command import library_versions
from pipeline.subwords import SubwordSplitter, read_subword_counts


def build_dataset(
    inputs: StageOutputs,
    settings: DatasetSettings,
    parameters: Mapping[str, Any],
    figures: Mapping[str, Any],
    folder: Path,
    *,
    workers: int,
) -> dict[str, int]:
    """Fill `folder` with the artifact; return its counts.

    Args:
        parameters: sections by which the inputs were made.
        figures: reports of earlier stages, for the card.
    """
    corpus_name = Record.read(inputs.corpus / "corpus.json")["name"]
    made_of = read_text_settings(inputs.tokenized)
    parser = Record.read(inputs.parser / PARSER)
    # Their hashes sum up to the identity; their names tell whose tags the trees have.
    parser["models"] = sorted(parser.pop("files", {}))
    others = Path(settings.vocabulary) if settings.vocabulary else None
    # Without dropout the training split has all that are allowed.
    made = parameters["bpe"]
    threshold = made["vocabulary_threshold"] if made.get("dropout") else None
    for side in SIDES:  # an error names a file of the stage, not its copy
        SubwordSplitter.load(
            inputs.bpe,
            side,
            from_excerpt(Segmentation, made, "bpe"),
            protected=made_of.tokenize.protected,
        )
    source, target = collect_vocabularies(
        inputs.bpe, others, threshold=threshold, joint=settings.joint_vocabulary
    )
    tags, levels = collect_tags(inputs.partitions, others)
    joint = source is target
    symbols = {"source": source.symbols, "target": None if joint else target.symbols}
    write_json(folder / VOCABULARY, symbols)
    write_json(folder / TAGS, tags)
    for stage, names in ((inputs.tokenized, CASE_FILES), (inputs.bpe, BPE_FILES)):
        for name in names:
            if (stage / name).is_file():
                shutil.copyfile(stage / name, folder / name)
    preprocessing = {
        "source_language": made_of.source_language,
        "target_language": made_of.target_language,
        **{name: parameters[name] for name in ("tokenize", "parse", "bpe", "partition")},
        "parser": parser,
    }
    from_excerpt(Preprocessing, preprocessing, "parameters")
    write_json(folder / PREPROCESSING, preprocessing)
    splits = {}
    for split in SPLITS:
        tables = map_chunks(
            partial(encode_rows, folder=folder, files=inputs.row_files(split), levels=levels),
            enumerate(inputs.rows(split), start=1),
            workers=workers,
            chunk_size=settings.row_group_rows,
        )
        splits[split] = write_split(
            folder,
            split,
            progress(tables, f"dataset {split}", total=None, unit="pairs", size=len),
            compression=settings.compression,
            shard_rows=settings.shard_rows,
        )
    manifest = {
        "kind": PAIRS.name,
        "schema_version": SCHEMA_VERSION,
        "name": corpus_name,
        "source_language": made_of.source_language,
        "target_language": made_of.target_language,
        "levels": levels,
        "tags": len(tags),
        "vocabulary": {"source": len(source), "target": len(target), "joint": joint},
        "splits": splits,
        "made_by": {
            "libraries": library_versions(),
            "parser": parser,
            "aligner": inputs.aligner,
        },
    }
    write_card(folder, manifest, figures)
    return {
        "source_vocabulary": len(source),
        "target_vocabulary": len(target),
        "tags": len(tags),
        **{
            f"{split}_{name}": count
            for split, counts in splits.items()
            for name, count in counts.items()
            if name != "files"
        },
    }


def write_card(folder: Path, content: Mapping[str, Any], figures: Mapping[str, Any]) -> None:
    """Write card and manifest, the last files of an artifact."""
    with open_to_write(folder / CARD) as file:
        file.write(dataset_card(content, figures))
    write_manifest(folder, content)


def collect_vocabularies(
    bpe: Path, others: Path | None, *, threshold: int | None, joint: bool
) -> tuple[Vocabulary, Vocabulary]:
    """The subwords of the training split, most frequent first; a joint vocabulary is one object.

    Subwords of the artifact `others` come before them, and after them subwords of `threshold`
    counts or more that the stage `bpe` drew with dropout.
    """
    counts = [_count_tokens(bpe / f"train.{side}") for side in SIDES]
    for side, subwords in zip(SIDES, counts, strict=True):
        if threshold is not None:
            drawn = read_subword_counts(bpe / f"vocab.{side}")
            subwords.update({s: 0 for s, count in drawn.items() if count >= threshold})
    if joint:
        counts[0].update(counts.pop())
    known: list[tuple[str, ...]] = [(), ()]
    if others:
        known = [vocabulary.symbols for vocabulary in known_vocabularies(others, joint=joint)]
    vocabularies = [
        Vocabulary.of(dict.fromkeys([*before, *_by_frequency(subwords)]))
        for before, subwords in zip(known, counts, strict=False)
    ]
    return vocabularies[0], vocabularies[-1]


def known_vocabularies(artifact: Path, *, joint: bool) -> tuple[Vocabulary, Vocabulary]:
    """Vocabularies of an artifact; an `InputError` unless they are `joint` as expected."""
    read = read_vocabularies(artifact / VOCABULARY)
    if (read[0] is read[1]) != joint:
        lists = "one list" if joint else "two lists"
        message = f"expected {lists}, as dataset.joint_vocabulary says"
        raise InputError(message, path=artifact / VOCABULARY)
    return read


def collect_tags(partitions: Path, others: Path | None) -> tuple[tuple[str, ...], int]:
    """The tags of the training split's phrases, most frequent first, and the number of levels.

    Tags of the artifact `others` come before them.
    """
    path = partitions / "train.phrases"
    levels = next(read_lines(path), "").count(LEVEL_SEPARATOR) + 1
    phrases = _count_tokens(path)
    del phrases[LEVEL_SEPARATOR.strip()]
    tags: Counter[str] = Counter()
    for phrase, count in phrases.items():
        tags[phrase.partition(":")[2]] += count
    known = read_tags(others / TAGS) if others else ()
    return tuple(dict.fromkeys([UNKNOWN_TAG, *known, *_by_frequency(tags)])), levels


def _count_tokens(path: Path) -> Counter[str]:
    tokens: Counter[str] = Counter()
    for line in read_lines(path):
        tokens.update(line.split(" "))  # checked when the rows are encoded
    return tokens


def _by_frequency(counts: Mapping[str, int]) -> list[str]:
    return sorted(counts, key=lambda symbol: (-counts[symbol], symbol))


def write_split(
    folder: Path, split: str, tables: Iterable[pa.Table], *, compression: str, shard_rows: int
) -> dict[str, Any]:
    """Write tables as row groups of Parquet files; return the split's manifest entry.

    More than `shard_rows` rows go to `SPLIT-00000.parquet` and so on, instead of `SPLIT.parquet`.
    """
    names: list[str] = []
    counts: Counter[str] = Counter()
    rows = 0
    with ExitStack() as opened:
        for table in tables:
            if not names or rows + len(table) > shard_rows:
                opened.close()
                names.append(f"{split}-{len(names):05}.parquet")
                # A file of Python's may have any name; pyarrow takes none that is not UTF-8.
                file = opened.enter_context(open_to_write(folder / names[-1], "wb"))
                writer = pq.ParquetWriter(
                    file, table.schema, compression=compression, version="2.6"
                )
                opened.enter_context(writer)
                rows = 0
            writer.write_table(table, row_group_size=len(table))
            rows += len(table)
            counts.update({"rows": len(table), **counts_of(table)})
    if len(names) == 1:
        (folder / names.pop()).rename(folder / f"{split}.parquet")
        names.append(f"{split}.parquet")
    return {**counts, "files": names}
