"""Open probing data: version and hashes checked, and every row of a split when it is read."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from mgsa.base.errors import InputError
from mgsa.base.io import MANIFEST, ManifestFile, check_files, read_json, sha256
from mgsa.base.settings import Count, Language, from_excerpt
from mgsa.data.dataset import Dataset
from mgsa.data.ragged import Ragged
from mgsa.data.schema import LABELS, TAGS, VOCABULARY, Manifest, Split
from mgsa.data.vocabulary import Vocabulary
from mgsa.probing.rows import ProbingRows
from mgsa.probing.schema import (
    KIND,
    PROBING,
    SCHEMA_VERSION,
    SPLITS,
    TASKS,
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
    levels: Count
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

    def of_dataset(self) -> Manifest:
        """The same as that of a dataset."""
        return Manifest(
            identity=self.identity,
            name="",
            source_language=self.language,
            target_language=self.language,
            levels=self.levels,
            splits={name: Split(rows, 0, (f"{name}.parquet",)) for name, rows in self.rows.items()},
            files=self.files,
            content=self.content,
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
        self._dataset = Dataset(folder, manifest.of_dataset(), PROBING)
        self.folder = folder
        self.language = manifest.language
        self.levels = manifest.levels
        self.vocabulary: Vocabulary = self._dataset.vocabularies[0]
        self.tags = self._dataset.tags
        self.classes = self._dataset.classes
        self.content = manifest.content
        self.identity = manifest.identity

    def num_rows(self, split: str) -> int:
        """Sentences of a split: `train`, `valid` or `test`."""
        return self._dataset.num_rows(split)

    def rows(self, split: str) -> ProbingRows:
        """All rows of a split, in the order of the file.

        Raises:
            InputError: a column is missing, there are more or fewer rows than the manifest says, or
                a row is not what encoders and probes rely on; the message names file and row.
        """
        groups = range(len(self._dataset.row_group_rows(split)))
        columns = self._dataset.columns(
            split, groups, words=True, phrases=True, links=False, labels=TASKS
        )
        labels = columns.labels
        return ProbingRows(
            columns=columns,
            of_sentences={t: c for t, c in labels.items() if not isinstance(c, Ragged)},
            of_words={t: c for t, c in labels.items() if isinstance(c, Ragged)},
        )
