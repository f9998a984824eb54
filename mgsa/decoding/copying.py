"""Candidates aligned with their sources: links, and words that no vocabulary has, copied.

An unknown word of a translation becomes the source word that it is aligned with (Luong et al. 2015,
section 3). Subword models see no `<unk>` in training, so that they don't say it either: there, what
the source vocabulary can't spell is copied in place of the word that is aligned with it most or, if
there is none, behind the translation of the word before it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import accumulate, islice, pairwise, starmap

import numpy as np

from mgsa.data.batch import Row
from mgsa.data.batching import EVALUATION_WINDOW
from mgsa.data.vocabulary import SPECIAL_SYMBOLS, UNK, Vocabulary
from mgsa.decoding.results import Alignment, Candidate, Translation

UNKNOWN = SPECIAL_SYMBOLS[UNK]


def align_candidates(
    translated: Iterable[tuple[Row, Translation, Sequence[str]]],
    *,
    align: Callable[[Iterable[Row]], Iterator[Alignment]],
    target: Vocabulary,
    of_subwords: bool,
    links: bool,
) -> Iterator[Translation]:
    """Translations of rows with `links` and, where source words are given, unknown ones copied."""

    def is_aligned(row: Row, candidate: Candidate, words: Sequence[str]) -> bool:
        copies = UNKNOWN in candidate.text or (of_subwords and UNK in row.source)
        return links or (copies and len(words) > 0)

    def finished(row: Row, candidate: Candidate, words: Sequence[str]) -> Candidate:
        if not is_aligned(row, candidate, words):
            return candidate
        alignment = next(alignments)
        if links:
            candidate = replace(candidate, links=tuple(alignment.links))
        unknown = unknown_words(row) if of_subwords else ()
        return copied(candidate, words, unknown, alignment.words) if words else candidate

    stream = iter(translated)
    while window := list(islice(stream, EVALUATION_WINDOW)):
        every = [(row, each, words) for row, found, words in window for each in found.n_best]
        alignments = align(
            row.with_target(candidate.subwords, target)
            for row, candidate, words in every
            if is_aligned(row, candidate, words)
        )
        candidates = starmap(finished, every)
        for _, found, _ in window:
            yield replace(found, n_best=tuple(islice(candidates, len(found.n_best))))


def unknown_words(row: Row) -> list[int]:
    """The source words that have `<unk>` among their subwords."""
    spans = pairwise(accumulate(row.subwords_per_word, initial=0))
    return [word for word, (start, end) in enumerate(spans) if UNK in row.source[start:end]]


def copied(
    candidate: Candidate, source: Sequence[str], unknown: Sequence[int], matrix: np.ndarray
) -> Candidate:
    """A candidate with unknown words copied; subwords and score stay the model's.

    Args:
        source: source words.
        unknown: those of them that the translation must have, counted from 0.
        matrix: (target words, source words), how much they are aligned.
    """
    linked, links = matrix.argmax(axis=1), list(candidate.links or ())
    tokens = [
        source[word] if UNKNOWN in token else token
        for token, word in zip(candidate.tokens, linked, strict=True)
    ]
    if len(unknown) == len(source):  # nothing of the sentence is known, and it stays
        tokens, links, unknown = list(source), [(word, word) for word in unknown], ()
    missing = []
    for word in unknown:
        places = [
            (matrix[place, word], place)
            for place, token in enumerate(candidate.tokens)
            if linked[place] == word and any(map(str.isalnum, token))
        ]
        if places:
            tokens[max(places)[1]] = source[word]
        else:
            before = matrix[:, word - 1].argmax() + 1 if word and tokens else 0
            missing.append((int(before), word))
    for place, word in sorted(missing, reverse=True):
        tokens.insert(place, source[word])
        links = [(other, at + (at >= place)) for other, at in links] + [(word, place)]
    given = None if candidate.links is None else tuple(sorted(links))
    return replace(candidate, text=" ".join(tokens), tokens=tuple(tokens), links=given)
