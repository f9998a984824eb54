"""Settings of the stage `corpus`, one class for each kind; its splits as files to read."""

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, ClassVar, Literal, NamedTuple, TypeVar
from urllib.parse import unquote, urlsplit

from annotated_types import Interval, Len

from mgsa.cli.errors import InputError
from mgsa.cli.languages import base_language
from mgsa.cli.settings import InputPath, Language, Positive, Seed, Share
from pipeline.formats.text import ANNOTATIONS, SPLITS

SampleSentences = Annotated[int, Interval(ge=1, le=10_000_000)]
Of = TypeVar("Of")
Sets = Annotated[dict[str, Of], Len(1)]
PACKED = (".gz", ".xz", ".bz2", ".zst")


class Part(NamedTuple):
    """Files of a named set of a split; of several targets the others are further references."""

    of_set: str
    source: Path
    targets: list[Path]


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
class Columns:
    """Where both texts are in a table: names of columns, or numbers from 1."""

    source: str | int
    target: str | int


@dataclass(frozen=True)
class LocalSet:
    """Named pairs: a file of each language, or one of both; several targets are references."""

    source: InputPath
    target: InputPath | tuple[InputPath, ...]


@dataclass(frozen=True)
class LocalSplit:
    """Files as of a `LocalSet`, or several sets; annotations of all its pairs.

    With `lines`, as many pairs of `train`: another split has them in place of files.
    """

    source: InputPath | None
    target: InputPath | tuple[InputPath, ...] | None
    columns: Columns | None
    sets: Sets[LocalSet] | None
    lines: Positive | None
    trees: InputPath | None
    links: InputPath | None
    voice: InputPath | None
    tense: InputPath | None
    contrast: InputPath | None

    @property
    def annotations(self) -> dict[str, Path]:
        """The files of annotations."""
        return {name: Path(path) for name in ANNOTATIONS if (path := getattr(self, name))}


@dataclass(frozen=True)
class LocalTreebank:
    """Bracketed trees to train and score a parser on."""

    train: InputPath
    dev: InputPath


@dataclass(frozen=True)
class LocalCorpus:
    """Local files; texts that a split doesn't name are `FOLDER/PREFIXtrain.en` and so on.

    A text that is not there may be there packed.
    """

    kind: Literal["local"]
    name: str
    folder: InputPath
    prefix: str
    source_language: Language
    target_language: Language
    seed: Seed
    train: LocalSplit
    valid: LocalSplit
    test: LocalSplit
    treebank: LocalTreebank | None

    def __post_init__(self) -> None:
        if self.train.contrast and drawn_lines(self):
            raise ValueError("train.contrast: expected none where lines are drawn from train")
        for split in SPLITS:
            _check_keys(split, getattr(self, split))

    def brings(self, annotation: str) -> bool:
        """Whether all pairs have the annotation."""
        return all(annotation in getattr(self, s).annotations for s in splits_with_files(self))

    def parts(self, split: str) -> list[Part]:
        """The texts of a split; an `InputError` is raised if a file is not there."""
        named: LocalSplit = getattr(self, split)
        sets = named.sets or {
            split: LocalSet(
                named.source or self._default(split, "source"),
                named.target or self._default(split, "target"),
            )
        }
        return [
            Part(
                name,
                existing_file(of.source),
                [*map(existing_file, [of.target] if isinstance(of.target, str) else of.target)],
            )
            for name, of in sets.items()
        ]

    def _default(self, split: str, side: str) -> str:
        code: str = getattr(self, f"{side}_language")
        start, base = Path(self.folder, f"{self.prefix}{split}"), base_language(code)
        hint = f"; {start}.{base} is that of corpus.{side}_language={base}"
        return str(
            existing_file(f"{start}.{code}", hint if Path(f"{start}.{base}").exists() else "")
        )


def existing_file(name: str, hint: str = "") -> Path:
    """The only file of that name, packed or not; else an `InputError` that ends in `hint`."""
    paths = [Path(name + packed) for packed in ("", *PACKED)]
    found = [path for path in paths if path.exists()]
    if len(found) == 1:
        return found[0]
    if found:
        names = " and ".join(path.name for path in found)
        raise InputError(f"expected one file, packed or not, found {names}{hint}", path=name)
    raise InputError(f"no such file, and none packed (as {', '.join(PACKED)}){hint}", path=name)


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


Texts = dict[Language, tuple[str, ...]]
"""Files of text by language, concatenated: `NAME`, or `ARCHIVE/MEMBER` of a tar archive."""


@dataclass(frozen=True)
class DownloadedSplit:
    """Texts, or several sets of them; `lines` as of a `LocalSplit`."""

    texts: Texts | None
    sets: Sets[Texts] | None
    lines: Positive | None


@dataclass(frozen=True)
class DownloadedCorpus:
    """A public corpus: URLs, or a local folder with the same files.

    Files that the splits don't name in the two languages are not downloaded.
    """

    kind: Literal["download"]
    name: str
    source_language: Language
    target_language: Language
    seed: Seed
    folder: InputPath | None
    files: tuple[RemoteFile, ...]
    train: DownloadedSplit
    valid: DownloadedSplit
    test: DownloadedSplit

    def __post_init__(self) -> None:
        names = [file.name for file in self.files]
        for split in SPLITS:
            _check_keys(split, getattr(self, split))
        for split in splits_with_files(self):
            for texts in self._sets(split).values():
                source, target = self._of_sides(texts)
                if len(source) != len(target) or not source:
                    expected = "expected as many source as target files, at least one"
                    raise ValueError(f"{split}: {expected}")
                for text in (*source, *target):
                    if text.partition("/")[0] not in names:
                        message = f"{text} is in none of the files {', '.join(names)}"
                        raise ValueError(f"{split}: {message}")

    def _sets(self, split: str) -> dict[str, Texts]:
        named: DownloadedSplit = getattr(self, split)
        return named.sets or {split: named.texts or {}}

    def _of_sides(self, texts: Texts) -> list[tuple[str, ...]]:
        """The files of source and target; those of `de` are also those of `de_DE`."""
        found = []
        for code in (self.source_language, self.target_language):
            alike = (one for one in texts if base_language(one) == base_language(code))
            key = code if code in texts else next(alike, None)
            if key is None:
                languages = ", ".join(sorted(texts)) or "none"
                raise ValueError(f"no files in {code}; {self.name} has {languages}")
            found.append(texts[key])
        return found

    def parts(self, split: str, folder: Path) -> list[Part]:
        """The texts of a split below `folder`."""
        return [
            Part(name, folder / source, [folder / target])
            for name, texts in self._sets(split).items()
            for source, target in zip(*self._of_sides(texts), strict=True)
        ]


def _check_keys(split: str, named: LocalSplit | DownloadedSplit) -> None:
    """Raise a `ValueError` if keys contradict each other; presets have `texts` besides."""
    given = [name for name, value in vars(named).items() if value and name != "texts"]
    rivals = [("sets", name) for name in ("source", "target")]
    if split != "train":
        rivals += [("lines", name) for name in given if name != "lines"]
    for one, other in rivals:
        if {one, other} <= {*given}:
            raise ValueError(f"{split}: expected {one} or {other}, got both")
    if not all(map(str.strip, named.sets or ())):
        raise ValueError(f"{split}.sets: expected names, got a blank one")


def drawn_lines(corpus: LocalCorpus | DownloadedCorpus) -> dict[str, int]:
    """How many pairs of `train` are drawn for each split, which comes last itself."""
    return {split: lines for split in reversed(SPLITS) if (lines := getattr(corpus, split).lines)}


def splits_with_files(corpus: LocalCorpus | DownloadedCorpus) -> list[str]:
    """Splits that are not drawn from `train`."""
    return [split for split in SPLITS if split == "train" or split not in drawn_lines(corpus)]


Corpus = SampleCorpus | LocalCorpus | DownloadedCorpus
