"""A model with its preprocessing and parser, which translates, aligns and scores raw text."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import accumulate, pairwise, takewhile
from operator import index
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Self

from mgsa.cli.command import Input, Option
from mgsa.cli.errors import InputError
from mgsa.cli.workers import chunks
from mgsa.config import DEFAULT_TRANSLATE_CONFIG, TranslateConfig
from mgsa.run_config import DEFAULT_RUN_CONFIG, RunConfig
from pipeline.formats.phrases import Phrase
from pipeline.formats.text import split_tokens

if TYPE_CHECKING:
    import numpy as np

    from mgsa.data.batch import Row
    from mgsa.decoding.opened import OpenedModel
    from mgsa.decoding.results import Alignment, Candidate
    from pipeline.preprocessor import Preprocessor

PORTION = 1000
"""Pairs in memory at once, of which those of like length make batches."""
PEEKED = 100
"""Sentences by which raw text is told from tokens."""

ParserOption = Annotated[
    Path | None,
    Input(
        "the parser of the model's training data, for models that attend to syntactic phrases "
        "(default: the one that the model carries, or data/parser); none: words are phrases",
        "DIR|none",
    ),
]
SentenceFile = Annotated[Path, Input("a sentence a line", metavar="FILE")]
TOKENIZED = "the text is in tokens, separated by one space"
Tokenized = Annotated[bool, Option(TOKENIZED)]


@dataclass(frozen=True)
class TextTranslation:
    """The translations of a sentence of raw text."""

    source: str  #: the sentence.
    tokens: tuple[str, ...]  #: of the sentence.
    subwords: tuple[str, ...]  #: of the sentence.
    #: of its tree in tokens, by level, if the model attends to them.
    phrases: tuple[tuple[Phrase, ...], ...]
    n_best: tuple[Candidate, ...]  #: candidates, best first.
    #: if asked for, cross-attention of the best one by `layer_N.WHAT`: (H, T, S), in subwords and
    #: end of sentence.
    weights: dict[str, np.ndarray] = field(default_factory=dict)

    @property
    def text(self) -> str:
        """Text of the best candidate."""
        return self.n_best[0].text

    def __str__(self) -> str:
        """The text."""
        return self.text

    @property
    def phrases_in_words(self) -> list[str]:
        """The phrases of each level to read: `[NP The old man] [VP sees the dog]`."""
        return [
            " ".join(f"[{tag} {' '.join(self.tokens[start:end])}]" for start, end, tag in level)
            for level in self.phrases
        ]

    def to_json(self) -> dict[str, Any]:
        """All parts for JSON: phrases `[start, end, tag]`, links `[source, target]`."""
        asked = ("phrases", "weights")
        known = {name: value for name, value in vars(self).items() if value or name not in asked}
        known["n_best"] = [
            {name: value for name, value in vars(candidate).items() if value is not None}
            for candidate in self.n_best
        ]
        if self.weights:
            weights = self.weights.items()
            known["weights"] = {name: w.astype(float).round(4).tolist() for name, w in weights}
        return known


class TextModel:
    """Translates raw text, aligns and scores pairs of it."""

    def __init__(self, opened: OpenedModel, preprocessor: Preprocessor) -> None:
        self.opened = opened
        self.preprocessor = preprocessor
        self._told = False

    @classmethod
    def load(
        cls,
        models: Sequence[Path],
        *,
        parser: Path | None,
        run: RunConfig = DEFAULT_RUN_CONFIG,
    ) -> Self:
        """Open a model artifact, or several as an ensemble.

        Models without syntactic phrases need no parser; others get the given one, or that which a
        model carries, or the project's. Errors are as of `OpenedModel.load` and
        `Preprocessor.load`.
        """
        from mgsa.artifact.model import PARSER
        from mgsa.decoding.opened import OpenedModel
        from pipeline.preprocessor import NO_PARSER, Preprocessor

        opened = OpenedModel.load(models, accelerator=run.accelerator, workers=run.workers)
        carried = (model / PARSER for model in models if (model / PARSER).is_dir())
        needed = parser or next(carried, Path("data/parser")) if opened.levels else None
        if needed == NO_PARSER:
            tell_of_no_parser(models)
        elif needed is not None and parser is None and not needed.exists():
            raise InputError(
                f"expected --parser and the parser of the training data of {models[0]}: "
                f"`dvc get URL {needed}` brings it from that project, `dvc checkout` brings it back"
            )
        gpu = opened.device.type == "cuda"
        return cls(opened, Preprocessor.load(models[0], parser=needed, gpu=gpu))

    def translate(
        self,
        texts: Iterable[str],
        *,
        beam: int = DEFAULT_TRANSLATE_CONFIG.beam,
        length_penalty: float = DEFAULT_TRANSLATE_CONFIG.length_penalty,
        n_best: int = 1,
        links: bool = False,
        need_weights: bool = False,
        phrases: Sequence[Sequence[Sequence[Phrase]]] | None = None,
        tokenized: bool = False,
    ) -> list[TextTranslation]:
        """The translations of sentences, in order; a blank one's is empty.

        Args:
            n_best: translations of each, at most `beam`.
            links: whether to align each with its sentence, by the model's alignment head or a layer
                of its cross-attention.
            need_weights: whether to return weights of cross-attention.
            phrases: of each sentence, as `TextTranslation.phrases`; default: those of its tree.
            tokenized: whether sentences, and then translations, are tokens, separated by one space.

        Raises:
            InputError: a sentence is too long or not in tokens, phrases don't cover it, or an
                ensemble is asked for links or weights.
        """
        if isinstance(texts, str):  # a sequence of str, too
            raise InputError("expected a list of sentences, got one text")
        texts = list(texts)
        try:
            phrases = phrases and [
                [[Phrase(index(start), index(end), tag) for start, end, tag in p] for p in levels]
                for levels in phrases
            ]
        except (TypeError, ValueError):
            raise InputError("phrases: expected (start, end, tag) by text and level") from None
        if phrases is not None and len(phrases) != len(texts):
            raise InputError(f"phrases: expected those of {len(texts)} texts, got {len(phrases)}")
        config = replace(DEFAULT_TRANSLATE_CONFIG, beam=beam, length_penalty=length_penalty)
        asked: Any = {"n_best": n_best, "links": links, "need_weights": need_weights}
        return list(
            self.translate_stream(texts, config, **asked, phrases=phrases, tokenized=tokenized)
        )

    def translate_stream(
        self,
        texts: Sequence[str],
        config: TranslateConfig,
        *,
        n_best: int = 1,
        links: bool = False,
        need_weights: bool = False,
        phrases: Sequence[Sequence[Sequence[Phrase]]] | None = None,
        tokenized: bool = False,
        path: str = "sentence",
        lines: Sequence[int] = (),
    ) -> Iterator[TextTranslation]:
        """`translate` with all settings; an error comes after the translations before it.

        It names the sentence by `path` and its line; `lines` default to 1, 2, …
        """
        from mgsa.data.schema import LONGEST
        from pipeline.encoder import check_length

        lines = lines or range(1, len(texts) + 1)
        tokens: list[list[str]] = []
        malformed = None
        try:
            for text, line in zip(texts, lines, strict=True):
                tokens += self._tokens([text], tokenized=tokenized, paths=[Path(path)], line=line)
        except InputError as error:
            malformed = error
        if tokenized:
            self._tell_of_raw_text(tokens)
        every = self.preprocessor.rows_of_tokens(tokens, phrases=phrases)
        rows = list(takewhile(lambda row: len(row.source) <= LONGEST, every))
        translations = self.opened.translate_rows(
            rows,
            config,
            n_best=n_best,
            words=tokens[: len(rows)],
            links=links,
            need_weights=need_weights,
        )
        tags = self.opened.artifacts[0].tags
        for text, words, row, found in zip(texts, tokens, rows, translations, strict=False):
            yield TextTranslation(
                source=text,
                tokens=tuple(words),
                subwords=tuple(self.preprocessor.encoder.source.segment(words).split()),
                phrases=phrases_in_words(row, tags),
                n_best=tuple(
                    candidate
                    if tokenized
                    else replace(candidate, text=self.preprocessor.detokenize(candidate.tokens))
                    for candidate in found.n_best
                ),
                weights=found.weights,
            )
        for row in every[len(rows) :]:
            check_length(len(row.source), path=path, line=lines[len(rows)])
        if malformed:
            raise malformed

    def align(
        self,
        pairs: Iterable[Sequence[str]],
        *,
        tokenized: bool = False,
        paths: Sequence[Path] = (Path("source"), Path("target")),
    ) -> Iterator[tuple[list[str], list[str], Alignment]]:
        """Source tokens, target tokens and alignment of each pair of sentences, in order.

        Args:
            tokenized: whether sentences are tokens, separated by one space.
            paths: names of both sides for errors of tokenised text.
        """
        for sources, targets, rows in self._portions(pairs, tokenized=tokenized, paths=paths):
            yield from zip(sources, targets, self.opened.align(rows), strict=True)

    def score(
        self,
        pairs: Iterable[Sequence[str]],
        *,
        tokenized: bool = False,
        paths: Sequence[Path] = (Path("source"), Path("target")),
    ) -> Iterator[float]:
        """Natural log p(target | source) of each pair, in order; arguments as of `align`."""
        for _, _, rows in self._portions(pairs, tokenized=tokenized, paths=paths):
            yield from self.opened.score(rows)

    def _portions(
        self, pairs: Iterable[Sequence[str]], *, tokenized: bool, paths: Sequence[Path]
    ) -> Iterator[tuple[Sequence[list[str]], Sequence[list[str]], list[Row]]]:
        """Yield source tokens, target tokens and rows of some pairs at a time."""
        tokens = (
            self._tokens(pair, tokenized=tokenized, paths=paths, line=line)
            for line, pair in enumerate(pairs, start=1)
        )
        for portion in chunks(tokens, PORTION):
            sources, targets = zip(*portion, strict=True)
            if tokenized:
                self._tell_of_raw_text(sources)
            yield sources, targets, self.preprocessor.rows_of_tokens(sources, targets)

    def _tell_of_raw_text(self, sentences: Sequence[list[str]]) -> None:
        """Print, once, that most of some sentences are not in the tokens of the training data."""
        if self._told:
            return
        some = [words for words in sentences[:PEEKED] if words]
        raw = sum(self.preprocessor.tokenize(" ".join(words))[0] != words for words in some)
        if 2 * raw > len(some):
            self._told = True
            found = f"{raw} of {len(some)} sentences are not in the tokens of the training data"
            print(f"--tokenized: {found}, and are taken as they are", file=sys.stderr)

    def _tokens(
        self, texts: Sequence[str], *, tokenized: bool, paths: Sequence[Path], line: int
    ) -> list[list[str]]:
        """Tokens of a source sentence, or of a pair; `paths` and `line` are for errors."""
        for text, path in zip(texts, paths, strict=True):
            if not isinstance(text, str):
                raise InputError(f"expected text, got {text!r}", path=path, line=line)
        if not tokenized:
            return self.preprocessor.tokenize(*texts)
        sides = zip(texts, paths, strict=True)
        return [
            split_tokens(text, path=path, line=line) if text.strip() else [] for text, path in sides
        ]


def tell_of_no_parser(models: Sequence[Path]) -> None:
    """Print that words are phrases, and which models have not learned to read such."""
    from mgsa.artifact.model import CONFIG
    from mgsa.cli.files import read_json

    noise = {one: read_json(one / CONFIG).get("train", {}).get("phrase_noise") for one in models}
    clean = [f"{model}" for model, shares in noise.items() if not (shares and shares["flat"])]
    rest = f"; not so in the training of {', '.join(clean)} (train.phrase_noise)" if clean else ""
    print(f"no parser: every word is a phrase{rest}", file=sys.stderr)


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
