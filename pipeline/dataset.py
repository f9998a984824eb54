"""The dataset artifact: everything the text stages made, as arrays that stand by themselves."""

from __future__ import annotations

import shutil
import sys
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, TypeVar

from mgsa.command import progress, run
from mgsa.files import read_lines, write_json
from mgsa.listed_files import MANIFEST, describe_files
from mgsa.settings import Positive, to_mapping
from pipeline.artifact.manifest import (
    DATASET_MARKS,
    aligner_description,
    library_versions,
    parser_description,
    preprocessing,
    read_object,
    recorded_parameters,
)
from pipeline.artifact.parquet_file import parquet_writer
from pipeline.artifact.stage_outputs import StageOutputs
from pipeline.stage import SIDES, SPLITS, argument_parser, read_settings, replacing_outputs

if TYPE_CHECKING:
    import pyarrow as pa

    from mgsa.data.vocabulary import Vocabulary
    from pipeline.artifact.columns import Lines

T = TypeVar("T")


@dataclass(frozen=True)
class DatasetSettings:
    """How the artifact is laid out.

    A row group is what a reader decodes at once: larger ones compress better, smaller ones need
    less memory.
    """

    joint_vocabulary: bool
    row_group_rows: Positive
    compression: Literal["zstd", "snappy", "none"]


@dataclass(frozen=True)
class Symbols:
    """What ids stand for."""

    vocabularies: tuple[Vocabulary, Vocabulary]
    tags: tuple[str, ...]
    levels: int


def build_dataset(
    inputs: StageOutputs, settings: DatasetSettings, parameters: Mapping[str, Any], folder: Path
) -> dict[str, float]:
    """Fill `folder` with the artifact, and give its counts.

    Args:
        parameters: the sections of the parameter file, to be recorded.

    Raises:
        InputError: an input is missing, malformed, or doesn't fit another.
    """
    corpus = read_object(inputs.corpus / "corpus.json", ("name",))
    languages = read_object(inputs.tokenized / "languages.json", SIDES)
    parser = parser_description(inputs.parser)
    aligner = aligner_description(inputs.alignments) if inputs.alignments else None
    inputs.check(SPLITS)

    from mgsa.data.schema import BPE_FILES, PREPROCESSING, SCHEMA_VERSION

    symbols = _collect_symbols(inputs, settings)
    _write_symbols(folder, symbols)
    counts = {split: _write_split(folder, split, inputs, settings, symbols) for split in SPLITS}
    for name in BPE_FILES:
        shutil.copyfile(inputs.bpe / name, folder / name)
    write_json(folder / PREPROCESSING, preprocessing(parameters, languages, parser))
    source, target = symbols.vocabularies
    manifest = {
        "schema_version": SCHEMA_VERSION,
        "name": corpus["name"],
        "source_language": languages["source"],
        "target_language": languages["target"],
        "levels": symbols.levels,
        "tags": len(symbols.tags),
        "vocabulary": {"source": len(source), "target": len(target), "joint": source is target},
        "splits": counts,
        "files": describe_files(folder),
        "made_by": {
            "parameters": parameters,
            "libraries": library_versions(),
            "parser": parser,
            "aligner": aligner,
        },
    }
    write_json(folder / MANIFEST, manifest)
    flat = {f"{split}_{name}": n for split in SPLITS for name, n in counts[split].items()}
    return {
        "source_vocabulary": len(source),
        "target_vocabulary": len(target),
        "tags": len(symbols.tags),
        **flat,
    }


def _collect_symbols(inputs: StageOutputs, settings: DatasetSettings) -> Symbols:
    """The subwords and tags of the training split, most frequent first."""
    from mgsa.data.schema import UNKNOWN_TAG
    from mgsa.data.vocabulary import Vocabulary
    from pipeline.artifact.columns import Lines
    from pipeline.artifact.phrase_columns import count_tags, num_levels
    from pipeline.subwords import check_subwords

    size = settings.row_group_rows
    source, target = (_count(inputs.bpe / f"train.{side}", Lines.counted, size) for side in SIDES)
    for side, subwords in zip(SIDES, (source, target), strict=True):
        check_subwords(inputs.bpe, side, subwords)
    if settings.joint_vocabulary:
        joint = Vocabulary.of(_by_frequency(source + target))
        vocabularies = (joint, joint)
    else:
        vocabularies = (
            Vocabulary.of(_by_frequency(source)),
            Vocabulary.of(_by_frequency(target)),
        )
    phrases = inputs.partitions / "train.phrases"
    tags = (UNKNOWN_TAG, *_by_frequency(_count(phrases, count_tags, size)))
    return Symbols(vocabularies, tags, num_levels(next(read_lines(phrases), "")))


def _count(path: Path, count: Callable[[Lines], Counter[str]], size: int) -> Counter[str]:
    from pipeline.artifact.columns import Lines

    total: Counter[str] = Counter()
    first = 1
    for lines in _portions(read_lines(path), size):
        total.update(count(Lines(path, first, lines)))
        first += len(lines)
    return total


def _by_frequency(counts: Counter[str]) -> list[str]:
    return sorted(counts, key=lambda symbol: (-counts[symbol], symbol))


def _write_symbols(folder: Path, symbols: Symbols) -> None:
    from mgsa.data.schema import TAGS, VOCABULARY

    source, target = symbols.vocabularies
    write_json(
        folder / VOCABULARY,
        {"source": source.symbols, "target": None if source is target else target.symbols},
    )
    write_json(folder / TAGS, symbols.tags)


def _write_split(
    folder: Path, split: str, inputs: StageOutputs, settings: DatasetSettings, symbols: Symbols
) -> dict[str, int]:
    """Write a split's Parquet file, a row group at a time; its counts."""
    from mgsa.data.schema import SCHEMA

    files = inputs.row_files(split)
    totals: Counter[str] = Counter()
    portions = progress(
        _portions(inputs.rows(split), settings.row_group_rows),
        f"dataset {split}",
        total=None,
        unit="pairs",
        size=len,
    )
    path = folder / f"{split}.parquet"
    with parquet_writer(path, SCHEMA, settings.compression) as writer:
        for portion in portions:
            table, counts = _table(portion, files, totals["rows"] + 1, symbols)
            writer.write_table(table, row_group_size=settings.row_group_rows)
            totals.update(counts)
    return dict(totals)


def _table(
    portion: Sequence[tuple[str, ...]], files: Sequence[Path], first: int, symbols: Symbols
) -> tuple[pa.Table, dict[str, int]]:
    """Rows as a table, and what they count; `first` is the line where they start in `files`."""
    from mgsa.data.vocabulary import UNK
    from pipeline.artifact.columns import Lines, encode_side, make_table
    from pipeline.artifact.link_columns import encode_links
    from pipeline.artifact.phrase_columns import encode_phrases

    source_text, target_text, *fields = ([*field] for field in zip(*portion, strict=True))
    lines = [Lines(file, first, field) for file, field in zip(files, fields, strict=True)]
    source = encode_side(lines[0], lines[2], symbols.vocabularies[0])
    target = encode_side(lines[1], lines[3], symbols.vocabularies[1])
    tag_ids = {tag: index for index, tag in enumerate(symbols.tags)}
    phrases = encode_phrases(lines[4], source, tag_ids, symbols.levels)
    links = encode_links(lines[5], source, target) if len(lines) > 5 else None
    table = make_table(
        texts=(source_text, target_text, lines[0].lines, lines[1].lines),
        source=source,
        target=target,
        phrases=phrases,
        links=links,
    )
    counts = {
        "rows": len(portion),
        "source_words": len(source.subwords_per_word),
        "target_words": len(target.subwords_per_word),
        "source_subwords": len(source.ids),
        "target_subwords": len(target.ids),
        "source_unknown": int((source.ids == UNK).sum()),
        "target_unknown": int((target.ids == UNK).sum()),
        "phrases": len(phrases.lengths),
        "phrases_unknown": int((phrases.tags == 0).sum()),
        "links": 0 if links is None else len(links.ends),
    }
    return table, counts


def _portions(items: Iterable[T], size: int) -> Iterator[list[T]]:
    iterator = iter(items)
    while portion := list(islice(iterator, size)):
        yield portion


def main(argv: Sequence[str] | None = None) -> None:
    """Build the dataset, or verify one."""
    parser = argument_parser("dataset", "Build the dataset artifact, or verify one.")
    folders = {
        "corpus": "raw parallel text",
        "tokenized": "tokenised text",
        "bpe": "BPE codes, vocabularies and segmented text",
        "partitions": "phrases",
        "parser": "the parser that the phrases come from",
        "alignments": "word links of the tokenised text (without it: none)",
        "out": "the artifact to write",
    }
    for name, meaning in folders.items():
        parser.add_argument(f"--{name}", type=Path, metavar="DIR", help=meaning)
    parser.add_argument("--report", type=Path, metavar="FILE", help="counts, as JSON")
    parser.add_argument(
        "--verify", type=Path, metavar="DIR", help="check this artifact, every row of it, instead"
    )
    arguments = parser.parse_args(argv)
    if arguments.verify is not None:
        _verify(arguments.verify)
        return
    for name in [*folders, "report"]:
        if name != "alignments" and getattr(arguments, name) is None:
            parser.error(f"--{name} is required (or --verify)")
    settings = read_settings(arguments, "dataset", DatasetSettings)
    parameters = recorded_parameters(arguments.params) | {"dataset": to_mapping(settings)}
    inputs = StageOutputs(
        corpus=arguments.corpus,
        tokenized=arguments.tokenized,
        bpe=arguments.bpe,
        partitions=arguments.partitions,
        parser=arguments.parser,
        alignments=arguments.alignments,
    )
    read = [getattr(arguments, name) for name in folders if name != "out"]
    given = [path for path in read if path is not None]
    outputs = replacing_outputs(arguments.out, arguments.report, *DATASET_MARKS, inputs=given)
    with outputs as (folder, report):
        report.update(build_dataset(inputs, settings, parameters, folder))


def _verify(folder: Path) -> None:
    from mgsa.data.verification import verify_dataset

    dataset = verify_dataset(folder)
    rows = ", ".join(f"{count:,} {split}" for split, count in dataset.manifest.rows.items())
    print(f"{folder}: {rows} rows, all as the manifest says")


if __name__ == "__main__":
    sys.exit(run(main))
