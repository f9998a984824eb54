"""The kinds of corpora, and the settings of each."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Literal

from annotated_types import Interval

from mgsa.base.settings import Language, Positive, Seed, Share
from pipeline.base.stage import SPLITS
from pipeline.download import RemoteFile

SampleSentences = Annotated[int, Interval(ge=1, le=10_000_000)]
"""What held-out splits say is kept in memory, so that no other split says it."""


@dataclass(frozen=True)
class SampleCorpus:
    """The built-in corpus: pairs and trees generated from a seed.

    `ambiguity` is the share of places that may belong to a noun as well as to the verb, which only
    the tree tells; for the others the place tells it too.
    """

    kind: Literal["sample"]
    seed: Seed
    train: SampleSentences
    valid: SampleSentences
    test: SampleSentences
    treebank_train: SampleSentences
    treebank_dev: SampleSentences
    ambiguity: Share


@dataclass(frozen=True)
class LocalSplit:
    """Two files of text, and annotations of the source side or none (`null`)."""

    source: str
    target: str
    trees: str | None
    links: str | None
    voice: str | None
    tense: str | None


@dataclass(frozen=True)
class LocalTreebank:
    """Bracketed trees to train a parser on, and to see how good it is."""

    train: str
    dev: str


@dataclass(frozen=True)
class LocalCorpus:
    """One's own files, by their paths from where the command runs."""

    kind: Literal["local"]
    name: str
    source_language: Language
    target_language: Language
    train: LocalSplit
    valid: LocalSplit
    test: LocalSplit
    treebank: LocalTreebank | None


@dataclass(frozen=True)
class DownloadedSplit:
    """Files of text, put one after the other: `NAME`, or `ARCHIVE/MEMBER` of a tar archive."""

    source: tuple[str, ...]
    target: tuple[str, ...]


@dataclass(frozen=True)
class DownloadedCorpus:
    """A public corpus: files from the web, or in a local folder that stands in for it."""

    kind: Literal["download"]
    name: str
    source_language: Language
    target_language: Language
    folder: str | None
    files: tuple[RemoteFile, ...]
    train: DownloadedSplit
    valid: DownloadedSplit
    test: DownloadedSplit
    max_text_bytes: Positive
    timeout: Annotated[float, Interval(ge=1, le=86_400)]
    retries: Annotated[int, Interval(ge=0, le=20)]  # each waits twice as long

    def __post_init__(self) -> None:
        names = [file.name for file in self.files]
        if len(set(names)) != len(names):
            raise ValueError(f"files: expected names of which each is there once, got {names}")
        for split in SPLITS:
            part: DownloadedSplit = getattr(self, split)
            if len(part.source) != len(part.target) or not part.source:
                raise ValueError(f"{split}: expected as many source as target files, at least one")
            for text in (*part.source, *part.target):
                if text.partition("/")[0] not in names:
                    raise ValueError(f"{split}: {text} is in none of the files {', '.join(names)}")


KINDS: dict[str, type[SampleCorpus | LocalCorpus | DownloadedCorpus]] = {
    "sample": SampleCorpus,
    "local": LocalCorpus,
    "download": DownloadedCorpus,
}
