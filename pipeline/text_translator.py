"""Raw text in, translations out: a model, its preprocessing and its parser as one object."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import accumulate, pairwise, takewhile
from operator import index
from pathlib import Path
from typing import TYPE_CHECKING, Any

from mgsa.base.errors import InputError
from mgsa.base.settings import Accelerator
from mgsa.base.word_links import Link
from mgsa.config import STANDARD_SEARCH, TranslateConfig
from mgsa.data.schema import LONGEST
from pipeline.partition import Phrase

if TYPE_CHECKING:
    import numpy as np

    from mgsa.data.batch import Row
    from mgsa.decoding.translate import Translator
    from pipeline.dataset.preprocessor import Preprocessor


@dataclass(frozen=True)
class TextCandidate:
    """One translation of a sentence.

    `score` is a log probability over length penalty; `links`, if asked for, are of the sentence's
    tokens and these `tokens`, counted from 0.
    """

    text: str
    tokens: tuple[str, ...]
    subwords: tuple[str, ...]
    score: float
    links: tuple[Link, ...] | None = None


@dataclass(frozen=True)
class TextTranslation:
    """The translations of a sentence.

    Attributes:
        source: the sentence.
        tokens, subwords: of the sentence.
        phrases: of its tree in tokens, by level, if the model attends to them.
        n_best: candidates, best first.
        weights: if asked for, cross-attention of the best one by `layer_N.WHAT`: (H, T, S), in
            subwords and end of sentence.
    """

    source: str
    tokens: tuple[str, ...]
    subwords: tuple[str, ...]
    phrases: tuple[tuple[Phrase, ...], ...]
    n_best: tuple[TextCandidate, ...]
    weights: dict[str, np.ndarray] = field(default_factory=dict)

    @property
    def text(self) -> str:
        """Of the best candidate."""
        return self.n_best[0].text

    def to_json(self) -> dict[str, Any]:
        """What there is, for JSON: phrases `[start, end, tag]`, links `[source, target]`."""
        known = vars(self).copy()
        for name in ("phrases", "weights"):
            if not known[name]:
                del known[name]
        known["n_best"] = [
            {name: value for name, value in vars(candidate).items() if value is not None}
            for candidate in self.n_best
        ]
        if self.weights:
            short = {name: w.astype(float).round(4) for name, w in self.weights.items()}
            known["weights"] = {name: w.tolist() for name, w in short.items()}
        return known


class TextTranslator:
    """Translates raw text."""

    def __init__(self, translator: Translator, preprocessor: Preprocessor) -> None:
        self.translator = translator
        self.preprocessor = preprocessor

    @classmethod
    def load(
        cls, models: Sequence[Path], *, parser: Path | None, accelerator: Accelerator = "auto"
    ) -> TextTranslator:
        """Open a model artifact, or several as an ensemble.

        `parser` is as in `parser_of`; models without syntactic phrases need none. Errors are as of
        `Translator.load` and `Preprocessor.load`.
        """
        from mgsa.decoding.translate import Translator
        from pipeline.dataset.preprocessor import Preprocessor

        translator = Translator.load(models, accelerator=accelerator)
        needed = parser_of(models, parser) if translator.levels else None
        gpu = translator.device.type == "cuda"
        return cls(translator, Preprocessor.load(models[0], parser=needed, gpu=gpu))

    def translate(
        self,
        texts: Sequence[str],
        *,
        beam: int = STANDARD_SEARCH.beam,
        length_penalty: float = STANDARD_SEARCH.length_penalty,
        n_best: int = 1,
        links: bool = False,
        need_weights: bool = False,
        phrases: Sequence[Sequence[Sequence[Phrase]]] | None = None,
    ) -> list[TextTranslation]:
        """The translations of sentences, in order; a blank one's is empty.

        Args:
            n_best: translations of each, at most `beam`.
            links: whether to align each with its sentence, by the model's alignment head or a layer
                of its cross-attention.
            need_weights: whether to return weights of cross-attention.
            phrases: of each sentence, as `TextTranslation.phrases`; default: those of its tree.

        Raises:
            InputError: a sentence is too long, phrases don't cover it, or an ensemble is asked for
                links or weights.
        """
        if isinstance(texts, str):  # a sequence of str, too
            raise InputError("expected a list of sentences, got one text")
        try:
            phrases = phrases and [
                [[Phrase(index(start), index(end), tag) for start, end, tag in p] for p in levels]
                for levels in phrases
            ]
        except (TypeError, ValueError):
            message = "expected (start, end, tag) of each phrase, by text and level"
            raise InputError(f"phrases: {message}") from None
        if phrases is not None and len(phrases) != len(texts):
            raise InputError(f"phrases: expected those of {len(texts)} texts, got {len(phrases)}")
        config = replace(STANDARD_SEARCH, beam=beam, length_penalty=length_penalty)
        found = self.search(
            texts, config, n_best=n_best, links=links, need_weights=need_weights, phrases=phrases
        )
        return list(found)

    def search(
        self,
        texts: Sequence[str],
        config: TranslateConfig,
        *,
        n_best: int = 1,
        links: bool = False,
        need_weights: bool = False,
        phrases: Sequence[Sequence[Sequence[Phrase]]] | None = None,
        path: str = "sentence",
        first_line: int = 1,
    ) -> Iterator[TextTranslation]:
        """`translate` with all settings; an error comes after the translations before it.

        It names the sentence by `path` and its number, from `first_line` on.
        """
        from pipeline.dataset.preprocessor import check_length

        tokens = [self.preprocessor.tokenize(text)[0] for text in texts]
        every = self.preprocessor.rows_of_tokens(tokens, phrases=phrases)
        rows = list(takewhile(lambda row: len(row.source) <= LONGEST, every))
        translations = self.translator.translate_rows(
            rows, config, n_best=n_best, need_weights=need_weights
        )
        if links:
            from mgsa.decoding.align import Aligner

            if len(self.translator.artifacts) > 1:
                raise InputError("links: expected one model, got several")
            aligner = Aligner(self.translator.artifacts[0], self.translator.device, layer=None)
            translations = aligner.align_translations(
                translations, rows, batch_tokens=config.batch_tokens
            )
        tags = self.translator.artifacts[0].tags
        for text, words, row, found in zip(texts, tokens, rows, translations, strict=False):
            candidates = (
                TextCandidate(
                    self.preprocessor.detokenize(candidate.subwords),
                    tuple(candidate.text.split()),
                    candidate.subwords,
                    candidate.score,
                    candidate.links,
                )
                for candidate in found.n_best
            )
            seen = phrases_in_words(row, tags)
            subwords = tuple(self.preprocessor.encoder.source.segment(words).split())
            yield TextTranslation(
                text, tuple(words), subwords, seen, tuple(candidates), found.weights
            )
        for row in every[len(rows) :]:
            check_length(len(row.source), path=path, line=first_line + len(rows))


def parser_of(models: Sequence[Path], given: Path | None) -> Path:
    """The parser to take: the given one, or that which a model carries, or the project's."""
    from mgsa.model_artifact import PARSER

    carried = (model / PARSER for model in models if (model / PARSER).is_dir())
    return given or next(carried, Path("data/parser"))


def phrases_in_words(row: Row, tags: Sequence[str]) -> tuple[tuple[Phrase, ...], ...]:
    """The phrases of a row in words, by level; `tags` by id."""
    word_of = {end: n for n, end in enumerate(accumulate(row.subwords_per_word, initial=0))}
    return tuple(
        tuple(
            Phrase(word_of[start], word_of[end], tags[tag])
            for (start, end), tag in zip(pairwise(accumulate(lengths, initial=0)), ids, strict=True)
        )
        for lengths, ids in zip(row.phrase_lengths, row.phrase_tags, strict=True)
    )
