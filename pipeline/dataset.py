"""The dataset artifact: everything the text stages made, as arrays that stand by themselves.

The command builds one, or tells of one that there is: what it is, whether it is whole, and how it
differs from another.
"""

from __future__ import annotations

import argparse
import shutil
import sys
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from mgsa.base.cli import one_line, progress, run
from mgsa.base.io import write_json
from mgsa.base.settings import Positive, to_mapping
from pipeline.artifact.manifest import (
    DATASET_MARKS,
    aligner_description,
    library_versions,
    parser_description,
    preprocessing,
    read_figures,
    read_object,
    recorded_parameters,
    write_manifest,
)
from pipeline.artifact.parquet_file import ShardWriter
from pipeline.artifact.stage_outputs import StageOutputs
from pipeline.base.stage import SIDES, SPLITS, argument_parser, atomic_outputs, read_settings
from pipeline.base.workers import chunks

if TYPE_CHECKING:
    import pyarrow as pa

    from pipeline.artifact.symbols import Symbols


@dataclass(frozen=True)
class DatasetSettings:
    """How the artifact is laid out.

    A row group is what a reader decodes at once: larger ones compress better, smaller ones need
    less memory. A split of more than `shard_rows` rows is several files.
    """

    joint_vocabulary: bool
    row_group_rows: Positive
    shard_rows: Positive
    compression: Literal["zstd", "snappy", "none"]


def build_dataset(
    inputs: StageOutputs,
    settings: DatasetSettings,
    parameters: Mapping[str, Any],
    figures: Mapping[str, float],
    folder: Path,
) -> dict[str, float]:
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

    from mgsa.data.schema import BPE_FILES, PREPROCESSING, SCHEMA_VERSION
    from pipeline.artifact.symbols import collect_symbols, write_symbols

    symbols = collect_symbols(inputs.bpe, inputs.partitions, joint=settings.joint_vocabulary)
    write_symbols(folder, symbols)
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
        "made_by": {
            "parameters": parameters,
            "libraries": library_versions(),
            "parser": parser,
            "aligner": aligner,
        },
    }
    write_manifest(folder, manifest, figures=figures)
    flat = {
        f"{split}_{name}": count
        for split in SPLITS
        for name, count in counts[split].items()
        if name != "files"
    }
    return {
        "source_vocabulary": len(source),
        "target_vocabulary": len(target),
        "tags": len(symbols.tags),
        **flat,
    }


def _write_split(
    folder: Path, split: str, inputs: StageOutputs, settings: DatasetSettings, symbols: Symbols
) -> dict[str, Any]:
    """Write a split's Parquet files, a row group at a time; its counts, and the files' names."""
    from mgsa.data.schema import SCHEMA

    files = inputs.row_files(split)
    totals: Counter[str] = Counter()
    portions = progress(
        chunks(inputs.rows(split), settings.row_group_rows, lambda row: sum(map(len, row))),
        f"dataset {split}",
        total=None,
        unit="pairs",
        size=len,
    )
    with ShardWriter(
        folder, split, SCHEMA, compression=settings.compression, shard_rows=settings.shard_rows
    ) as writer:
        for portion in portions:
            table, counts = _table(portion, files, totals["rows"] + 1, symbols)
            writer.write(table)
            totals.update(counts)
    return {**totals, "files": writer.names}


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
        "--reports",
        type=Path,
        nargs="+",
        default=[],
        metavar="FILE",
        help="what the stages before reported, as JSON, for the card",
    )
    instead = parser.add_mutually_exclusive_group()
    instead.add_argument("--info", type=Path, metavar="DIR", help="say what this artifact is")
    instead.add_argument(
        "--verify", type=Path, metavar="DIR", help="check this artifact, every row of it"
    )
    instead.add_argument(
        "--diff", type=Path, nargs=2, metavar="DIR", help="say how these two artifacts differ"
    )
    arguments = parser.parse_args(argv)
    if arguments.info or arguments.verify or arguments.diff:
        _tell(arguments)
        return
    for name in [*folders, "report"]:
        if name != "alignments" and getattr(arguments, name) is None:
            parser.error(f"--{name} is required (or --info, --verify, --diff)")
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
    given = [*(path for path in read if path is not None), *arguments.reports]
    figures = read_figures(arguments.reports)
    outputs = atomic_outputs(arguments.out, arguments.report, *DATASET_MARKS, inputs=given)
    with outputs as (folder, report):
        report.update(build_dataset(inputs, settings, parameters, figures, folder))


def _tell(arguments: argparse.Namespace) -> None:
    """Print what is asked about a dataset, or two."""
    from mgsa.data.dataset import open_dataset, verify_dataset
    from pipeline.artifact.description import description
    from pipeline.artifact.difference import differences

    if arguments.info:
        lines = description(open_dataset(arguments.info, verify=False))
    elif arguments.verify:
        counts = verify_dataset(arguments.verify).manifest.rows.items()
        rows = ", ".join(f"{count:,} {split}" for split, count in counts)
        lines = iter([f"{arguments.verify}: {rows} rows, all as the manifest says"])
    else:
        lines = differences(*(open_dataset(folder, verify=False) for folder in arguments.diff))
    for line in lines:
        print(one_line(line))  # of which others may have written a part


if __name__ == "__main__":
    sys.exit(run(main))
