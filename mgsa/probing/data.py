"""Open probing data: version and hashes checked, and every row of a split when it is read."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from mgsa.base.errors import InputError
from mgsa.base.io import MANIFEST, ManifestFile, check_files, read_json, sha256
from mgsa.base.settings import Count, Language, from_excerpt
from mgsa.data.batch import RowColumns
from mgsa.data.limits import MAX_PROBING_BYTES, Levels
from mgsa.data.ragged import Ragged, level_lists
from mgsa.data.row_checks import Failure, first_wrong, wrong_ids, wrong_levels, wrong_phrases
from mgsa.data.schema import TAGS, VOCABULARY
from mgsa.data.shards import Shards
from mgsa.data.verification import wrong_side
from mgsa.data.vocabulary import Vocabulary, read_tags, read_vocabularies
from mgsa.probing.rows import NO_LABEL, ProbingRows
from mgsa.probing.schema import (
    KIND,
    LABELS,
    SCHEMA,
    SCHEMA_VERSION,
    SENTENCE_TASKS,
    SPLITS,
    TASKS,
    WORD_TASKS,
)


def open_probing_data(folder: str | Path, *, verify: bool = True) -> ProbingData:
    """Open the probing data in `folder`.

    Args:
        verify: whether to read every file once and compare its SHA-256; sizes are compared in any
            case.

    Raises:
        InputError: the folder is no probing data of this version, or a file of it is missing,
            truncated or altered; the message names the file.
    """
    folder = Path(folder)
    manifest = _Manifest.read(folder / MANIFEST)
    for name in [*(f"{split}.parquet" for split in SPLITS), LABELS, VOCABULARY, TAGS]:
        if name not in manifest.files:
            raise InputError(f"expected {name} among the files", path=folder / MANIFEST)
    check_files(folder, manifest.files, verify=verify)
    return ProbingData(folder, manifest)


@dataclass(frozen=True)
class _Split:
    sentences: Count


@dataclass(frozen=True)
class _Content:
    """What is read of a manifest."""

    language: Language
    levels: Levels
    splits: dict[str, _Split]
    files: dict[str, ManifestFile]

    def __post_init__(self) -> None:
        for split in SPLITS:
            if split not in self.splits:
                raise ValueError(f"splits.{split}: missing")


@dataclass(frozen=True)
class _Manifest:
    """What `manifest.json` says."""

    language: str
    levels: int
    rows: dict[str, int]
    files: dict[str, ManifestFile]
    content: dict[str, Any]
    identity: str

    @classmethod
    def read(cls, path: Path) -> _Manifest:
        content = read_json(path)
        if not isinstance(content, dict) or content.get("kind") != KIND:
            raise InputError(f"expected the manifest of probing data ({KIND!r})", path=path)
        version = content.get("schema_version")
        if version != SCHEMA_VERSION:
            raise InputError(
                f"expected probing data of schema version {SCHEMA_VERSION}, got {version!r}",
                path=path,
            )
        where = f"{path}: manifest"
        found = from_excerpt(_Content, content, where)
        return cls(
            language=found.language,
            levels=found.levels,
            rows={split: found.splits[split].sentences for split in SPLITS},
            files=found.files,
            content=content,
            identity=sha256(path),
        )


class ProbingData:
    """Open probing data: what ids and classes stand for, and the rows of each split.

    Attributes:
        folder: where it lies.
        language: of the sentences.
        levels: how many levels of syntactic partition every row has.
        vocabulary: of the subwords' ids.
        tags: names of the phrases' tags, by id.
        classes: for each task, the names of its classes, by id.
        content: all that the manifest says.
        identity: SHA-256 of the manifest, which holds those of all other files.
    """

    def __init__(self, folder: Path, manifest: _Manifest) -> None:
        self.folder = folder
        self.language = manifest.language
        self.levels = manifest.levels
        self.vocabulary: Vocabulary = read_vocabularies(folder / VOCABULARY)[0]
        self.tags: tuple[str, ...] = read_tags(folder / TAGS)
        self.classes = _read_classes(folder / LABELS)
        self.content = manifest.content
        self.identity = manifest.identity
        self._rows = manifest.rows

    def num_rows(self, split: str) -> int:
        """Sentences of a split: `train`, `valid` or `test`."""
        if split not in self._rows:
            raise InputError(f"no split {split!r}; it has {', '.join(SPLITS)}", path=self.folder)
        return self._rows[split]

    def rows(self, split: str) -> ProbingRows:
        """All rows of a split, in the order of the file.

        Raises:
            InputError: a column is missing, there are more or fewer rows than the manifest says or
                more than fit memory, or a row is not what encoders and probes rely on; the message
                names file and row.
        """
        num_rows, path = self.num_rows(split), self.folder / f"{split}.parquet"
        shards = Shards([path])
        shards.check_columns(SCHEMA)
        shards.check_size(MAX_PROBING_BYTES)
        (found,) = shards.rows
        if found != num_rows:
            raise InputError(
                f"expected {num_rows} rows as in the manifest, found {found}", path=path
            )
        row_groups = range(len(shards.row_group_rows))
        table = shards.read(row_groups, SCHEMA.names).combine_chunks()
        wrong = self._wrong_row(table) if num_rows else None
        if wrong is not None:
            row, expectation = wrong
            raise InputError(f"row {row}: expected {expectation}", path=path)
        return _rows_of(table, self.levels)

    def _wrong_row(self, table: pa.Table) -> Failure | None:
        """The first wrong row, of the first expectation that fails, and what it is."""
        failure = None
        for name in ("phrase_lengths", "phrase_tags"):
            levels = table[name].combine_chunks()
            failure = failure or wrong_levels(levels, self.levels, name)
        if failure:
            return failure
        columns, words = _rows_of(table, self.levels).columns, table["subwords_per_word"]
        failure = (
            wrong_ids(columns.source, self.vocabulary, "source_ids")
            or wrong_side(table, "source", "subwords_per_word")
            or wrong_phrases(columns, len(self.tags))
        )
        for task in TASKS:
            classes, rows = table[task], np.arange(table.num_rows)
            if task in WORD_TASKS:
                failure = failure or first_wrong(
                    pc.not_equal(*map(pc.list_value_length, (classes, words))).to_numpy(),
                    f"a class of {task} for every word",
                )
                rows = pc.list_parent_indices(classes).to_numpy()
                classes = pc.list_flatten(classes)
            ids = pc.fill_null(classes, 0).to_numpy()
            outside = (ids < 0) | (ids >= len(self.classes[task]))
            failure = failure or first_wrong(outside, f"classes of {task} of {LABELS}", rows)
        return failure


def _rows_of(table: pa.Table, levels: int) -> ProbingRows:
    none = np.zeros(table.num_rows, dtype=np.int64)
    arrays = {name: table[name].combine_chunks() for name in SCHEMA.names}
    return ProbingRows(
        columns=RowColumns(
            index=np.arange(table.num_rows),
            source=Ragged.of_arrow(arrays["source_ids"]),
            target=Ragged(np.zeros(0, dtype=np.int64), none, none),
            subwords_per_word=Ragged.of_arrow(arrays["subwords_per_word"]),
            phrase_lengths=level_lists(arrays["phrase_lengths"], levels),
            phrase_tags=level_lists(arrays["phrase_tags"], levels),
        ),
        of_sentences={
            task: pc.fill_null(arrays[task], NO_LABEL).to_numpy() for task in SENTENCE_TASKS
        },
        of_words={task: Ragged.of_arrow(arrays[task]) for task in WORD_TASKS},
    )


def _read_classes(path: Path) -> dict[str, tuple[str, ...]]:
    content = read_json(path)
    if not isinstance(content, dict) or not all(_are_names(content.get(task)) for task in TASKS):
        raise InputError(f"expected lists of classes of {', '.join(TASKS)}", path=path)
    return {task: tuple(content[task]) for task in TASKS}


def _are_names(classes: Any) -> bool:
    return isinstance(classes, list) and {*map(type, classes)} == {str}
