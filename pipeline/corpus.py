"""Stage `corpus`: raw parallel text in three splits, generated, downloaded or copied."""

from __future__ import annotations

import re
import shutil
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path

from mgsa.base.cli import progress, run
from mgsa.base.errors import InputError
from mgsa.base.io import open_to_write, write_json
from pipeline.archive import unpack
from pipeline.base.stage import (
    ANNOTATIONS,
    SIDES,
    TREEBANK_PARTS,
    argument_parser,
    atomic_outputs,
    read_settings,
)
from pipeline.base.text import read_parallel
from pipeline.corpus_kinds import (
    KINDS,
    DownloadedCorpus,
    LocalCorpus,
    LocalSplit,
    SampleCorpus,
)
from pipeline.download import fetch, find
from pipeline.links import read_links
from pipeline.sample import write_sample
from pipeline.trees import read_tree, read_treebank

_LABEL = re.compile("[^ ]+")


class CorpusWriter:
    """Writes the splits of a corpus to a folder, checks what is written, and counts it.

    `max_bytes` bounds all that is written: a small compressed file may hold more than a disk.
    """

    def __init__(self, folder: Path, max_bytes: int | None) -> None:
        self._folder = folder
        self._max_bytes = max_bytes
        self._bytes = 0
        self.pairs: dict[str, int] = {}

    def write(self, split: str, parts: Sequence[Mapping[str, Path]]) -> None:
        """Write a split: the files of each part side by side, one part after the other.

        Args:
            parts: files by column (`source`, `target`, `trees`, …); the columns of all are alike.

        Raises:
            InputError: as `read_parallel`; a tree or links are malformed; there is too much text.
        """
        columns = list(parts[0])
        pairs = 0
        with ExitStack() as stack:
            files = [
                stack.enter_context(open_to_write(self._folder / f"{split}.{column}", "wb"))
                for column in columns
            ]
            for part in parts:
                paths = [part[column] for column in columns]
                rows = progress(
                    read_parallel(paths), f"read {split}", total=None, unit="pairs", size=_one
                )
                for line, row in enumerate(rows, start=1):
                    for column, path, text, file in zip(columns, paths, row, files, strict=True):
                        _check_annotation(column, text, path, line)
                        self._bytes += file.write(f"{text}\n".encode())
                    pairs += 1
                    if self._max_bytes is not None and self._bytes > self._max_bytes:
                        raise InputError(
                            f"expected at most {self._max_bytes:,} bytes of text in all",
                            path=paths[0],
                            line=line,
                        )
        self.pairs[split] = pairs


def write_corpus(
    settings: SampleCorpus | LocalCorpus | DownloadedCorpus, folder: Path, downloads: Path
) -> dict[str, int]:
    """Fill `folder` with the corpus; its pairs by split.

    Raises:
        InputError: a file is missing or malformed, or a download is not what was asked for.
        DownloadError: the network failed.
    """
    match settings:
        case SampleCorpus():
            name, languages = "sample", ("en", "de")
            pairs = _write_sample(settings, folder)
        case LocalCorpus():
            name = settings.name
            languages = (settings.source_language, settings.target_language)
            pairs = _write_local(settings, folder)
        case DownloadedCorpus():
            name = settings.name
            languages = (settings.source_language, settings.target_language)
            pairs = _write_downloaded(settings, folder, downloads)
    content = {f"{side}_language": code for side, code in zip(SIDES, languages, strict=True)}
    # The parser depends on this file and on the treebank: neither changes when a corpus grows.
    write_json(folder / "corpus.json", {"name": name, **content})
    _complete_treebank(folder / "treebank")
    return pairs


def _complete_treebank(folder: Path) -> None:
    """Let a corpus without trees have empty files of them, as DVC keeps no empty folder."""
    folder.mkdir(exist_ok=True)
    for part in TREEBANK_PARTS:
        (folder / f"{part}.mrg").touch()


def _write_sample(settings: SampleCorpus, folder: Path) -> dict[str, int]:
    write_sample(
        folder,
        seed=settings.seed,
        train=settings.train,
        valid=settings.valid,
        test=settings.test,
        treebank_train=settings.treebank_train,
        treebank_dev=settings.treebank_dev,
        ambiguity=settings.ambiguity,
    )
    return {"train": settings.train, "valid": settings.valid, "test": settings.test}


def _write_local(settings: LocalCorpus, folder: Path) -> dict[str, int]:
    splits = {"train": settings.train, "valid": settings.valid, "test": settings.test}
    parts = {split: _local_files(files) for split, files in splits.items()}
    treebank = {}
    if settings.treebank is not None:
        treebank = {part: Path(getattr(settings.treebank, part)) for part in TREEBANK_PARTS}
    for path in [*treebank.values(), *(path for part in parts.values() for path in part.values())]:
        if not path.is_file():
            raise InputError("no such file", path=path)
    writer = CorpusWriter(folder, None)
    for split, part in parts.items():
        writer.write(split, [part])
    for name, path in treebank.items():
        (folder / "treebank").mkdir(exist_ok=True)
        with open_to_write(folder / "treebank" / f"{name}.mrg") as out:
            out.writelines(f"{tree}\n" for tree in read_treebank(path))
    return writer.pairs


def _local_files(split: LocalSplit) -> dict[str, Path]:
    """The files of a split by column."""
    names = {column: getattr(split, column) for column in (*SIDES, *ANNOTATIONS)}
    return {column: Path(name) for column, name in names.items() if name is not None}


def _write_downloaded(settings: DownloadedCorpus, folder: Path, downloads: Path) -> dict[str, int]:
    paths = {}
    for file in settings.files:
        if settings.folder is not None:
            paths[file.name] = find(file, Path(settings.folder))
        else:
            paths[file.name] = fetch(
                file, downloads, timeout=settings.timeout, retries=settings.retries
            )
    splits = {"train": settings.train, "valid": settings.valid, "test": settings.test}
    texts = [text for split in splits.values() for text in (*split.source, *split.target)]
    place = folder / ".unpacked"
    archives = {}
    for name, archive in paths.items():
        members = {text.partition("/")[2] for text in texts if text.startswith(f"{name}/")}
        if members:
            unpack(archive, members, place / name, max_bytes=settings.max_text_bytes)
            paths[name] = place / name
            archives[place / name] = archive
    writer = CorpusWriter(folder, settings.max_text_bytes)
    with _naming_archives(archives):
        for split, files in splits.items():
            writer.write(
                split,
                [
                    {side: _downloaded(text, paths) for side, text in zip(SIDES, pair, strict=True)}
                    for pair in zip(files.source, files.target, strict=True)
                ],
            )
    if place.exists():
        shutil.rmtree(place)
    return writer.pairs


@contextmanager
def _naming_archives(unpacked: Mapping[Path, Path]) -> Iterator[None]:
    """Errors of an archive's members that name the archive, not where they lie for a while.

    Args:
        unpacked: the archive that was unpacked to a folder.
    """
    try:
        yield
    except InputError as error:
        message = str(error)
        for folder, archive in unpacked.items():
            message = message.replace(f"{folder}/", f"{archive}/")
        raise InputError(message) from None


def _downloaded(text: str, paths: Mapping[str, Path]) -> Path:
    """Where the text `NAME` or `ARCHIVE/MEMBER` lies now."""
    name, _, member = text.partition("/")
    return paths[name] / member if member else paths[name]


def _check_annotation(column: str, text: str, path: Path, line: int) -> None:
    """An annotation is well-formed; text may be anything."""
    if column == "trees":
        read_tree(text, path=path, line=line)
    elif column == "links":
        read_links(text, path=path, line=line)
    elif column in ANNOTATIONS and not _LABEL.fullmatch(text):
        raise InputError(f"expected one label, got {text!r}", path=path, line=line)


def _one(_: object) -> int:
    return 1


def main(argv: Sequence[str] | None = None) -> None:
    """Write a corpus."""
    parser = argument_parser("corpus", "Generate, download or copy a parallel corpus.")
    parser.add_argument("--out", type=Path, required=True, metavar="DIR", help="raw text")
    parser.add_argument("--report", type=Path, required=True, metavar="FILE", help="counts (JSON)")
    parser.add_argument(
        "--downloads",
        type=Path,
        default=Path("data/downloads"),
        metavar="DIR",
        help="where downloaded files are kept (default: data/downloads)",
    )
    arguments = parser.parse_args(argv)
    settings = read_settings(arguments, "corpus", KINDS)
    with atomic_outputs(arguments.out, arguments.report, "corpus.json") as (folder, report):
        pairs = write_corpus(settings, folder, arguments.downloads)
        report.update({f"{split}_pairs": count for split, count in pairs.items()})


if __name__ == "__main__":
    sys.exit(run(main))
