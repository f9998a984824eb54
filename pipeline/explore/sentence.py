"""One sentence as models see it: its tree, its phrases, what they make of these or of others."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise

from nltk.tree import Tree

from mgsa.cli.errors import InputError
from pipeline.analyze.heat_maps import HeatMap, heat_maps_of_row
from pipeline.formats.phrases import Phrase
from pipeline.formats.preprocessing import Preprocessing
from pipeline.partition import syntactic_partition
from pipeline.text_model import TextModel, TextTranslation

Levels = Sequence[Sequence[Phrase]]
Cuts = tuple[tuple[int, ...], ...]
"""The tokens, counted from 0, before which a phrase ends and the next begins, by level."""

REMEMBERED = 64
"""Sentences and cuts whose translations are kept."""
MOST_SUBWORDS = 250
"""Limit of a sentence: a poor model may take minutes for a longer one."""


@dataclass(frozen=True)
class Reading:
    """A model's translations of a sentence; `maps` show its attention to the best one."""

    translation: TextTranslation
    maps: Sequence[HeatMap]


@dataclass(frozen=True)
class Exploration:
    """A sentence, and its phrases as they were translated, by level.

    Without a model that attends to syntactic phrases there is no tree, and no level.
    """

    tokens: Sequence[str]
    tree: Tree | None
    phrases: Levels
    readings: Mapping[str, Reading]


class Explorer:
    """Models that read one language, and the preprocessing that they share."""

    def __init__(self, models: Mapping[str, TextModel], *, beam: int, n_best: int) -> None:
        """Models by name.

        An `InputError` is raised if they don't read one language, or phrases of one parser.
        """
        self.models = dict(models)
        self.beam, self.n_best = beam, n_best
        artifacts = {name: model.opened.artifacts[0] for name, model in models.items()}
        (self.source, *others) = {artifact.languages[0] for artifact in artifacts.values()}
        if others:
            raise InputError("expected models of one source language")
        self.targets = {name: artifact.languages[1] for name, artifact in artifacts.items()}
        syntactic = [name for name, model in models.items() if model.preprocessor.levels]
        made = [Preprocessing.read(artifacts[name].folder) for name in syntactic]
        if len({(each.parser, each.partition) for each in made}) > 1:
            raise InputError(f"expected models of one parser and partition: {', '.join(syntactic)}")
        self._reader = models[(syntactic or list(models))[0]].preprocessor
        self._tree = lru_cache(REMEMBERED)(self._parse)
        self._read = lru_cache(REMEMBERED)(self._translate)

    def _parse(self, tokens: tuple[str, ...]) -> Tree | None:
        return self._reader.trees([tokens]).get(0) if self._reader.levels else None

    def explore(self, text: str, cuts: Cuts | None = None) -> Exploration:
        """A sentence, its phrases cut anew at `cuts` if there are some.

        An `InputError` is raised if it is too long, or cuts are not within it and in order.
        """
        tokens = tuple(self._reader.tokenize(text)[0])
        if (size := len(self._reader.encoder.source.encode(tokens)[0])) > MOST_SUBWORDS:
            raise InputError(f"expected at most {MOST_SUBWORDS} subwords, got {size}")
        tree = self._tree(tokens)
        parsed = syntactic_partition(tree, self._reader.levels) if tree else []
        phrases = tuple(map(tuple, parsed if cuts is None else recut(parsed, cuts, len(tokens))))
        readings = {
            name: self._read(name, text, phrases if model.preprocessor.levels else None)
            for name, model in self.models.items()
        }
        return Exploration(tokens, tree, phrases, readings)

    def _translate(self, name: str, text: str, phrases: Levels | None) -> Reading:
        model, given = self.models[name], None if phrases is None else [phrases]
        (translation,) = model.translate(
            [text], beam=self.beam, n_best=self.n_best, links=True, phrases=given
        )
        artifact = model.opened.artifacts[0]
        (row,) = model.preprocessor.rows_of_tokens([translation.tokens], phrases=given)
        target = row.with_target(translation.n_best[0].subwords, artifact.vocabularies[1])
        return Reading(translation, heat_maps_of_row(artifact, target) if row.source else ())


def recut(levels: Levels, cuts: Cuts, num_tokens: int) -> Levels:
    """The phrases between cuts; those that were there before keep their tags."""
    if len(cuts) != len(levels):
        raise InputError(f"cuts: expected {len(levels)} levels, got {len(cuts)}")
    recut_levels = []
    for phrases, at in zip(levels, cuts, strict=True):
        tags = {(start, end): tag for start, end, tag in phrases}
        spans = pairwise((0, *at, num_tokens))
        recut_levels.append([Phrase(*span, tags.get(span)) for span in spans])
    return recut_levels


def cuts_of(levels: Levels) -> Cuts:
    """Where phrases begin at each level, but for the first."""
    return tuple(tuple(start for start, _, _ in phrases[1:]) for phrases in levels)
