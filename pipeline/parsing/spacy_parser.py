"""A spaCy pipeline with a constituency parser, such as benepar's (Kitaev et al. 2019)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from importlib import metadata
from pathlib import Path
from typing import Any

from mgsa.base.errors import InputError
from mgsa.base.io import describe_files, read_json, write_json
from mgsa.base.settings import from_mapping

FILE = "spacy.json"


@dataclass(frozen=True)
class SpacyPipeline:
    """The pipeline of a parser folder: an installed package or a folder.

    `benepar` is the model of a component that is added to it; `null`: it has a parser already.
    `versions` are those of pipeline and benepar, `files` SHA-256 of the pipeline's by path.
    """

    pipeline: str
    benepar: str | None
    versions: tuple[str, ...]
    files: dict[str, str]


def write_spacy(folder: Path, pipeline: str, benepar: str | None, *, language: str) -> None:
    """Write what `SpacyParser` loads.

    An `InputError` is raised if it can't be loaded, gives no trees, or is of another language.
    """
    loaded, made = _load(pipeline, benepar)
    if loaded.lang != language:
        message = f"expected a pipeline of {language}, got {pipeline} of {loaded.lang}"
        raise InputError(f"parser.pipeline: {message}")
    write_json(folder / FILE, asdict(made))


class SpacyParser:
    """Parses with the pipeline of a parser folder; `ConstituencyParser` has one or stanza's."""

    def __init__(self, folder: Path, *, gpu: bool) -> None:
        """An `InputError` is raised if what is installed is not what the folder was made with."""
        made = from_mapping(SpacyPipeline, read_json(folder / FILE), f"{folder / FILE}: pipeline")
        self._pipeline, found = _load(made.pipeline, made.benepar, gpu=gpu)
        if found != made:
            message = f"expected {made.pipeline} as it was {made.versions}, got {found.versions}"
            raise InputError(message, path=folder)

    def __call__(self, sentences: Sequence[Sequence[str]]) -> Iterator[str]:
        """The bracketed tree of each sentence of tokens."""
        from spacy.tokens import Doc

        documents = [
            # One sentence, whatever the pipeline thinks of its punctuation.
            Doc(
                self._pipeline.vocab,
                words=list(words),
                sent_starts=[True, *[False] * (len(words) - 1)],
            )
            for words in sentences
        ]
        for document in self._pipeline.pipe(documents):
            (sentence,) = document.sents
            yield sentence._.parse_string


def _load(pipeline: str, benepar: str | None, *, gpu: bool = False) -> tuple[Any, SpacyPipeline]:
    import spacy
    from spacy.tokens import Span

    try:
        if gpu:
            spacy.require_gpu()
        loaded = spacy.load(pipeline)
        versions = [loaded.meta["version"]]
        if benepar is not None:
            import benepar as component  # noqa: F401 (registers it)

            loaded.add_pipe("benepar", config={"model": benepar})
            versions.append(metadata.version("benepar"))
    except (OSError, ValueError, ImportError, LookupError) as error:
        reason = next(filter(None, str(error).splitlines()), type(error).__name__)
        raise InputError(f"parser.pipeline: spaCy can't load {pipeline}: {reason}") from error
    if not Span.has_extension("parse_string"):
        message = f"expected one with a constituency parser, got {pipeline} (parser.benepar)"
        raise InputError(f"parser.pipeline: {message}")
    files = {name: file["sha256"] for name, file in describe_files(loaded.path).items()}
    return loaded, SpacyPipeline(pipeline, benepar, tuple(versions), files)
