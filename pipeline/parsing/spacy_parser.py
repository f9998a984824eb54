"""A spaCy pipeline with a constituency parser, such as benepar's (Kitaev et al. 2019)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from mgsa.base.errors import InputError
from mgsa.base.io import read_json, write_json
from mgsa.base.settings import from_mapping

FILE = "spacy.json"


@dataclass(frozen=True)
class SpacyPipeline:
    """The pipeline of a parser folder: an installed package or a folder, of a version.

    `benepar` is the model of a component that is added to it; `null`: it has a parser already.
    """

    pipeline: str
    version: str
    benepar: str | None


def write_spacy(folder: Path, pipeline: str, benepar: str | None, *, language: str) -> None:
    """Write what `spacy_parser` loads; an `InputError` is raised if it can't be, or is of another
    language.
    """
    loaded = _load(pipeline, benepar, gpu=False)
    if loaded.lang != language:
        message = f"expected a pipeline of {language}, got {pipeline} of {loaded.lang}"
        raise InputError(f"parser.pipeline: {message}")
    version = loaded.meta.get("version", "")
    write_json(folder / FILE, asdict(SpacyPipeline(pipeline, version, benepar)))


class SpacyParser:
    """Parses with the pipeline of a parser folder; `ConstituencyParser` has one or stanza's."""

    def __init__(self, folder: Path, *, gpu: bool) -> None:
        """An `InputError` is raised if the pipeline is not installed in the same version."""
        made = from_mapping(SpacyPipeline, read_json(folder / FILE), f"{folder / FILE}: pipeline")
        self._pipeline = _load(made.pipeline, made.benepar, gpu=gpu)
        if (version := self._pipeline.meta.get("version", "")) != made.version:
            message = f"expected {made.pipeline} {made.version} to be installed, found {version}"
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


def _load(pipeline: str, benepar: str | None, *, gpu: bool) -> Any:
    import spacy

    if gpu:
        spacy.require_gpu()
    try:
        loaded = spacy.load(pipeline)
        if benepar is not None:
            import benepar as component  # noqa: F401 (registers it)

            loaded.add_pipe("benepar", config={"model": benepar})
    except (OSError, ValueError, ImportError, LookupError) as error:
        reason = str(error).splitlines()[0]
        raise InputError(f"parser.pipeline: spaCy can't load {pipeline}: {reason}") from error
    return loaded
