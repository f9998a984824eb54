"""One sentence as models see it: its tree, its phrases, what they make of these or of others."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise
from typing import TYPE_CHECKING

from mgsa.base.errors import InputError
from pipeline.partition import Phrase, syntactic_partition
from pipeline.text_translator import TextTranslation, TextTranslator

if TYPE_CHECKING:
    from nltk.tree import Tree

    from mgsa.analysis.heat_maps import HeatMap

Levels = Sequence[Sequence[Phrase]]
Cuts = tuple[tuple[int, ...], ...]
"""Of each level, the tokens before which one phrase ends and the next begins, counted from 0."""

REMEMBERED = 64
"""Sentences and cuts whose translations are kept."""


@dataclass(frozen=True)
class Reading:
    """What a model makes of a sentence; `maps` are of its attention to the best translation."""

    translation: TextTranslation
    maps: Sequence[HeatMap]


@dataclass(frozen=True)
class Exploration:
    """A sentence: `parsed` are the phrases of its tree, `phrases` those that were translated.

    Without a model that attends to syntactic phrases there is no tree, and no level.
    """

    tokens: Sequence[str]
    tree: Tree | None
    parsed: Levels
    phrases: Levels
    readings: Mapping[str, Reading]


class Explorer:
    def __init__(self, models: Mapping[str, TextTranslator], *, beam: int, n_best: int) -> None:
        """Models by name.

        An `InputError` is raised if they don't read one language, or phrases of one tree.
        """
        self.models = dict(models)
        self.beam, self.n_best = beam, n_best
        artifacts = [model.translator.artifacts[0] for model in models.values()]
        languages = {artifact.languages[0] for artifact in artifacts}
        if len(languages) > 1:
            raise InputError(f"expected models of one source language, got {sorted(languages)}")
        self.languages = artifacts[0].languages
        preprocessors = [model.preprocessor for model in models.values()]
        syntactic = [each for each in preprocessors if each.levels]
        if len(levels := {each.levels for each in syntactic}) > 1:
            raise InputError(f"expected models of as many levels of phrases, got {sorted(levels)}")
        self._reader = (syntactic or preprocessors)[0]
        self._tree = lru_cache(REMEMBERED)(self._parse)
        self.explore = lru_cache(REMEMBERED)(self._explore)

    def _parse(self, tokens: tuple[str, ...]) -> Tree | None:
        return self._reader.trees([tokens]).get(0) if self._reader.levels else None

    def _explore(self, text: str, cuts: Cuts | None = None) -> Exploration:
        """A sentence, its phrases cut anew at `cuts` if there are some.

        An `InputError` is raised if it is too long, or cuts are not within it and in order.
        """
        tokens = tuple(self._reader.tokenize(text)[0])
        tree = self._tree(tokens)
        parsed = syntactic_partition(tree, self._reader.levels) if tree else []
        phrases = parsed if cuts is None else recut(parsed, cuts, len(tokens))
        readings = {name: self._read(model, text, phrases) for name, model in self.models.items()}
        return Exploration(tokens, tree, parsed, phrases, readings)

    def _read(self, model: TextTranslator, text: str, phrases: Levels) -> Reading:
        from mgsa.analysis.heat_maps import heat_maps_of_row

        given = [phrases] if model.preprocessor.levels else None
        (translation,) = model.translate(
            [text], beam=self.beam, n_best=self.n_best, links=True, phrases=given
        )
        artifact = model.translator.artifacts[0]
        (row,) = model.preprocessor.rows_of_tokens([translation.tokens], phrases=given)
        target = row.with_target(translation.n_best[0].subwords, artifact.vocabularies[1])
        return Reading(translation, heat_maps_of_row(artifact, target) if row.source else ())


def recut(levels: Levels, cuts: Cuts, num_tokens: int) -> Levels:
    """The phrases between cuts; those that were there before keep their tags."""
    recut_levels = []
    for phrases, at in zip(levels, cuts, strict=False):
        tags = {(start, end): tag for start, end, tag in phrases}
        spans = pairwise((0, *at, num_tokens))
        recut_levels.append([Phrase(*span, tags.get(span)) for span in spans])
    return recut_levels


def cuts_of(levels: Levels) -> Cuts:
    return tuple(tuple(start for start, _, _ in phrases[1:]) for phrases in levels)
