"""Beam search one sentence and one hypothesis at a time, and search without a beam: all sentences.

Written from Wu et al. 2016, section 7, without coverage, and from the rule that `beam` finished
hypotheses end a search. A model is a function from the words said so far to the log probability of
each next word.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import product
from typing import NamedTuple

PAD, BOS, EOS = 0, 1, 2

Words = tuple[int, ...]
Model = Callable[[Words], Sequence[float]]


class Found(NamedTuple):
    """A translation without end of sentence, its score, and its log probability."""

    ids: Words
    score: float
    log_probability: float


def penalty(length: int, alpha: float) -> float:
    """Equation 14's lp, as one power: rounded twice, it would tell scores apart that are equal."""
    return float(((5 + length) / (5 + 1)) ** alpha)


def search(
    model: Model, *, beam: int, n_best: int, alpha: float, longest: int, prefix: Words = ()
) -> list[Found]:
    """The best `n_best` of the translations that a beam search finishes."""
    longest = max(longest, len(prefix))
    live: list[tuple[Words, float]] = [((), 0.0)]
    finished: list[Found] = []
    for step in range(longest + 1):
        candidates = []
        for rank, (words, log_probability) in enumerate(live):
            for token, log_prob in enumerate(model(words)):
                if may_say(token, step, longest, prefix):
                    total = log_probability + log_prob
                    candidates.append((-total, rank, token, words))
        candidates.sort()
        for minus_total, _, token, words in candidates[:beam]:
            if token == EOS:
                score = -minus_total / penalty(len(words) + 1, alpha)
                finished.append(Found(words, score, -minus_total))
        if len(finished) >= beam:
            break
        continued = [candidate for candidate in candidates if candidate[2] != EOS]
        live = [((*words, token), -minus) for minus, _, token, words in continued[:beam]]
    return sorted(finished, key=lambda found: -found.score)[:n_best]


def may_say(token: int, step: int, longest: int, prefix: Words) -> bool:
    """Whether a translation may have `token` as its word number `step`."""
    if step < len(prefix):
        return token == prefix[step]
    if step == longest:
        return token == EOS
    return token not in (PAD, BOS)


def every_sentence(model: Model, *, vocabulary: int, alpha: float, longest: int) -> list[Found]:
    """All sentences of at most `longest` words, best first."""
    sentences = []
    for length in range(longest + 1):
        for ids in product(range(EOS + 1, vocabulary), repeat=length):
            total = sum(model(ids[:place])[token] for place, token in enumerate((*ids, EOS)))
            sentences.append(Found(ids, total / penalty(length + 1, alpha), total))
    return sorted(sentences, key=lambda found: -found.score)
