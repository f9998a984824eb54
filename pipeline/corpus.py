"""Stage `corpus`: raw parallel text in three splits, generated, downloaded or copied."""

import sys
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from itertools import compress
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Annotated, ClassVar, Literal
from urllib.parse import unquote, urlsplit

from annotated_types import Interval

from mgsa.cli.command import Option, OutputFolder, Report
from mgsa.cli.errors import InputError
from mgsa.cli.files import open_to_write, write_json
from mgsa.cli.progress import progress
from mgsa.cli.run import run
from mgsa.cli.settings import InputPath, Language, Seed, Share
from pipeline.formats.contrasts import is_contrast, read_contrasts, write_contrasts
from pipeline.formats.link_files import link_lines
from pipeline.formats.links import PHARAOH
from pipeline.formats.text import (
    ANNOTATIONS,
    SIDES,
    SPLITS,
    TREEBANK_PARTS,
    files_to_write,
    read_parallel,
    read_sentences,
)
from pipeline.formats.trees import bracketed, read_treebank
from pipeline.stage.command import stage, stage_outputs
from pipeline.stage.download import check_hash, download, unpack

SampleSentences = Annotated[int, Interval(ge=1, le=10_000_000)]


@dataclass(frozen=True)
class SampleCorpus:
    """The built-in corpus: pairs and trees generated from a seed.

    `ambiguity` is the share of adverbials of place whose attachment (noun or verb) only the tree
    tells. The other language is the target's; into English there are no contrasts.
    """

    name: ClassVar = "sample"

    kind: Literal["sample"]
    source_language: Literal["en", "de"]
    seed: Seed
    train: SampleSentences
    valid: SampleSentences
    test: SampleSentences
    treebank_train: SampleSentences
    treebank_dev: SampleSentences
    ambiguity: Share

    @property
    def target_language(self) -> str:
        """The other one of `en` and `de`."""
        return "de" if self.source_language == "en" else "en"


@dataclass(frozen=True)
class LocalSplit:
    """Two text files, optional annotations of the source side and variants of the target side."""

    source: InputPath | None
    target: InputPath | None
    trees: InputPath | None
    links: InputPath | None
    voice: InputPath | None
    tense: InputPath | None
    contrast: InputPath | None


@dataclass(frozen=True)
class LocalTreebank:
    """Bracketed trees to train and score a parser on."""

    train: InputPath
    dev: InputPath


@dataclass(frozen=True)
class LocalCorpus:
    """Local files; texts that a split doesn't name are `FOLDER/PREFIXtrain.en` and so on.

    A text that is not there may be there packed (`.gz`).
    """

    kind: Literal["local"]
    name: str
    folder: str
    prefix: str
    source_language: Language
    target_language: Language
    train: LocalSplit
    valid: LocalSplit
    test: LocalSplit
    treebank: LocalTreebank | None

    def __post_init__(self) -> None:
        for split in SPLITS:
            source, target = self.texts(split).values()
            if source == target:
                raise ValueError(f"{split}: expected two files, got {source} for both languages")

    def texts(self, split: str) -> dict[str, str]:
        """Both texts of a split by side, as named or by folder, prefix and language."""
        named: LocalSplit = getattr(self, split)
        start = str(Path(self.folder, f"{self.prefix}{split}"))
        return {
            "source": named.source or f"{start}.{self.source_language}",
            "target": named.target or f"{start}.{self.target_language}",
        }


@dataclass(frozen=True)
class RemoteFile:
    """A file on the web, named by the last part of its URL.

    With `sha256: null` it is downloaded, its hash is printed, and the stage fails.
    """

    url: str
    sha256: str | None

    @property
    def name(self) -> str:
        """The last part of the URL."""
        return Path(unquote(urlsplit(self.url).path)).name


@dataclass(frozen=True)
class DownloadedSplit:
    """Files of text, concatenated: `NAME`, or `ARCHIVE/MEMBER` of a tar archive."""

    source: tuple[str, ...]
    target: tuple[str, ...]


@dataclass(frozen=True)
class DownloadedCorpus:
    """A public corpus: URLs, or a local folder with the same files."""

    kind: Literal["download"]
    name: str
    source_language: Language
    target_language: Language
    folder: InputPath | None
    files: tuple[RemoteFile, ...]
    train: DownloadedSplit
    valid: DownloadedSplit
    test: DownloadedSplit

    def __post_init__(self) -> None:
        names = [file.name for file in self.files]
        for split in SPLITS:
            part: DownloadedSplit = getattr(self, split)
            if len(part.source) != len(part.target) or not part.source:
                raise ValueError(f"{split}: expected as many source as target files, at least one")
            for text in (*part.source, *part.target):
                if text.partition("/")[0] not in names:
                    raise ValueError(f"{split}: {text} is in none of the files {', '.join(names)}")


Corpus = SampleCorpus | LocalCorpus | DownloadedCorpus


def _plain_or_packed(path: Path) -> Path:
    packed = path.with_name(f"{path.name}.gz")
    return packed if packed.exists() and not path.exists() else path


def _write_local(settings: LocalCorpus, folder: Path) -> dict[str, int]:
    metrics = {}
    for split in SPLITS:
        named = asdict(getattr(settings, split)) | settings.texts(split)
        files = {column: Path(name) for column, name in named.items() if name is not None}
        files |= {side: _plain_or_packed(files[side]) for side in SIDES}
        contrast = files.pop("contrast", None)
        metrics[f"{split}_pairs"] = num_pairs = _write_split(folder, split, [files])
        if contrast is not None:
            metrics |= _write_contrasts(contrast, folder, split, num_pairs)
    if settings.treebank is not None:
        (folder / "treebank").mkdir()
        for part, name in asdict(settings.treebank).items():
            with open_to_write(folder / "treebank" / f"{part}.mrg") as out:
                out.writelines(f"{bracketed(tree)}\n" for tree in read_treebank(Path(name)))
    return metrics


def _write_contrasts(path: Path, folder: Path, split: str, pairs: int) -> dict[str, int]:
    """Write the variants of a split that differ from their references; return counts."""
    references = [*read_sentences(folder / f"{split}.target")]
    contrasts = read_contrasts(path, pairs=pairs)
    useful = [is_contrast(one.target, references[one.line - 1]) for one in contrasts]
    if not all(useful):
        first = contrasts[useful.index(False)].line
        message = f"{useful.count(False):,} of {len(useful):,} variants are left out"
        reason = f"without a word, or with those of their reference (the first one of pair {first})"
        print(f"{path}: {message}, {reason}", file=sys.stderr)
    with open_to_write(folder / f"{split}.contrast") as out:
        write_contrasts(compress(contrasts, useful), out)
    return {
        f"{split}_contrasts": useful.count(True),
        f"{split}_contrasts_left_out": useful.count(False),
    }


def _write_downloaded(settings: DownloadedCorpus, folder: Path, downloads: Path) -> dict[str, int]:
    stored = downloads if settings.folder is None else Path(settings.folder)
    splits: dict[str, DownloadedSplit] = {split: getattr(settings, split) for split in SPLITS}
    texts = {text for files in splits.values() for text in (*files.source, *files.target)}
    with TemporaryDirectory(dir=folder) as unpacked:
        for file in settings.files:
            path = stored / file.name
            if not path.exists() and settings.folder is None:
                download(file.url, path)
            check_hash(path, file.sha256, url=file.url)
            members = {text.partition("/")[2] for text in texts if text.startswith(f"{file.name}/")}
            if members:
                unpack(path, members, Path(unpacked, file.name))
        paths = {text: (Path(unpacked) if "/" in text else stored) / text for text in texts}
        pairs = {}
        try:
            for split, files in splits.items():
                both = zip(files.source, files.target, strict=True)
                parts = [{"source": paths[s], "target": paths[t]} for s, t in both]
                pairs[f"{split}_pairs"] = _write_split(folder, split, parts)
        except InputError as error:
            raise InputError(str(error).replace(f"{unpacked}/", f"{stored}/")) from None
    return pairs


def _write_split(folder: Path, split: str, parts: Sequence[Mapping[str, Path]]) -> int:
    """Concatenate the parts of a split; return the number of pairs.

    Annotations are checked by `tokenize`, of the pairs that it keeps; links are written in
    Pharaoh's format.
    """
    pairs = 0
    with files_to_write(folder, [f"{split}.{column}" for column in parts[0]]) as files:
        for part in parts:
            lines = {column: read_sentences(path) for column, path in part.items()}
            if "links" in part:
                sides = [part[side] for side in SIDES]
                lines["links"] = link_lines(part["links"], PHARAOH, sides)
            rows = read_parallel([*part.values()], lines.values())
            for row in progress(rows, f"read {split}", unit="pairs"):
                for column, text in zip(part, row, strict=True):
                    files[f"{split}.{column}"].write(f"{text}\n")
                pairs += 1
    return pairs


def write_corpus(
    corpus: Corpus,
    *,
    out: Annotated[
        Path,
        OutputFolder(
            "raw text",
            "corpus.json",
            *(f"{s}.{column}" for s in SPLITS for column in (*SIDES, *ANNOTATIONS, "contrast")),
            *(f"treebank/{part}.mrg" for part in TREEBANK_PARTS),
        ),
    ],
    report: Annotated[Path | None, Report()] = None,
    downloads: Annotated[Path, Option("where downloaded files are kept", "DIR")] = Path(
        "data/downloads"
    ),
) -> None:
    """Generate, download or copy a parallel corpus."""
    with stage_outputs(out, report) as (folder, metrics):
        match corpus:
            case SampleCorpus():
                from pipeline.sample import write_sample

                settings = asdict(corpus)
                write_sample(folder, **{k: v for k, v in settings.items() if k != "kind"})
                counts = {f"{split}_pairs": settings[split] for split in SPLITS}
            case LocalCorpus():
                counts = _write_local(corpus, folder)
            case DownloadedCorpus():
                counts = _write_downloaded(corpus, folder, downloads)
        metrics.update(counts)
        # The parser depends on this file and on the treebank: neither changes when a corpus grows.
        about = ("name", "source_language", "target_language")
        write_json(folder / "corpus.json", {name: getattr(corpus, name) for name in about})
        (folder / "treebank").mkdir(exist_ok=True)
        for part in TREEBANK_PARTS:
            (folder / "treebank" / f"{part}.mrg").touch()  # DVC keeps no empty folder


main = stage(write_corpus)

if __name__ == "__main__":
    sys.exit(run(main))
