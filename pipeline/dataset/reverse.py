"""A dataset the other way round: its target translated into its source.

Text, subwords and links are the same, so that alignments of models of both directions can be
symmetrised. Trees are of one language alone: the reversed dataset has no syntactic phrases, and
trains models that ask for none.
"""

from __future__ import annotations

import shutil
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from mgsa.cli.command import Input, OutputFolder
from mgsa.cli.errors import InputError
from mgsa.cli.files import read_json, write_json
from mgsa.cli.outputs import CARD, MANIFEST, atomic_folder
from mgsa.cli.progress import progress
from mgsa.cli.run import run
from pipeline.formats.text import SIDES, SPLITS
from pipeline.stage.command import stage

if TYPE_CHECKING:
    import pyarrow as pa

_OTHER = {"source": "target", "target": "source"}


def swapped_sides(content: Mapping[str, Any]) -> dict[str, Any]:
    """The object with `source…` and `target…` keys swapped."""
    parts = {key: key.partition("_") for key in content}
    return {
        "".join((_OTHER.get(side, side), *rest)): content[key]
        for key, (side, *rest) in parts.items()
    }


def reversed_table(table: pa.Table) -> pa.Table:
    """The rows with their sides swapped, without phrases and further references."""
    import pyarrow as pa

    from mgsa.data.schema import SCHEMA

    renamed = {"subwords_per_word": "source_subwords_per_word"}
    swapped = swapped_sides({renamed.get(n, n): table[n] for n in table.column_names})
    columns = {name: swapped[renamed.get(name, name)] for name in SCHEMA.names}
    none: list[list[list[int]]] = [[]] * len(table)
    links = [
        pairs and sorted((link["target"], link["source"]) for link in pairs)
        for pairs in table["links"].to_pylist()
    ]
    lists_of = {"phrase_lengths": none, "phrase_tags": none, "links": links}
    for name, lists in (lists_of | {"references": [None] * len(table)}).items():
        columns[name] = pa.array(lists, SCHEMA.field(name).type)
    return pa.table(columns, schema=SCHEMA)


def reverse(
    *,
    dataset: Annotated[Path, Input("the artifact to turn round")],
    out: Annotated[Path, OutputFolder("the artifact to write", "dataset")],
) -> None:
    """Turn a dataset artifact round: its target becomes the source. It has no syntactic phrases."""
    from mgsa.data.dataset import open_dataset
    from mgsa.data.schema import BPE_FILES, CASE_FILES, PREPROCESSING, TAGS, VOCABULARY
    from pipeline.dataset.build import write_card, write_split

    opened = open_dataset(dataset)
    manifest = opened.manifest
    if CARD not in manifest.files:
        path = opened.folder / MANIFEST
        raise InputError(f"expected a dataset of the pipeline, with a {CARD}", path=path)
    source, target = opened.vocabularies
    symbols = target.symbols, None if source is target else source.symbols
    with atomic_folder(out) as folder:
        write_json(folder / VOCABULARY, dict(zip(SIDES, symbols, strict=True)))
        write_json(folder / TAGS, opened.tags[:1])
        for name in manifest.files.keys() & {*BPE_FILES, *CASE_FILES}:
            stem, _, side = name.rpartition(".")
            other = f"{stem}.{_OTHER.get(side, side)}"
            shutil.copyfile(opened.folder / name, folder / other)
        made = swapped_sides(read_json(opened.folder / PREPROCESSING))
        text = swapped_sides(made["tokenize"])
        made["tokenize"] = text | {"normalize": _OTHER.get(text["normalize"], text["normalize"])}
        write_json(folder / PREPROCESSING, made)
        splits = {}
        for split in SPLITS:
            tables = progress(
                opened.tables(split),
                f"reverse {split}",
                total=opened.num_rows(split),
                unit="pairs",
                size=len,
            )
            splits[split] = write_split(
                folder,
                split,
                map(reversed_table, tables),
                compression="zstd",
                shard_rows=max(opened.shard_rows(split)),
            )
        content = {
            **swapped_sides(manifest.content),
            "levels": 0,
            "tags": 1,
            "vocabulary": swapped_sides(manifest.content["vocabulary"]),
            "splits": splits,
            "made_by": {**manifest.content["made_by"], "reversed_from": manifest.identity},
        }
        write_card(folder, content, figures={})


main = stage(reverse)

if __name__ == "__main__":
    sys.exit(run(main))
