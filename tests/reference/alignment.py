"""Alignment models by plain loops: IBM model 1 and the hidden Markov model, all alignments in turn.

Written from Brown et al. 1993 and Och & Ney 2003. Given words have the numbers 1 to I; 0 is the
null word. An alignment has the given word of each generated one.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from itertools import product
from math import log
from typing import NamedTuple

NULL = 0

Lexical = Mapping[tuple[int, int], float]
"""p(generated word | given word), by given and generated word."""


class Expected(NamedTuple):
    """Expected counts of word pairs and of jumps (by where from and where to), log likelihood."""

    lexical: dict[tuple[int, int], float]
    jumps: dict[tuple[int, int], float]
    log_likelihood: float


def ibm1(given: Sequence[int], generated: Sequence[int], lexical: Lexical, null: float) -> Expected:
    """Expected counts under IBM model 1, with a fixed share of the null word."""
    counts: defaultdict[tuple[int, int], float] = defaultdict(float)
    log_likelihood = 0.0
    for word in generated:
        joint = {other: (1 - null) / len(given) * lexical[other, word] for other in given}
        joint[NULL] = null * lexical[NULL, word]
        log_likelihood += log(sum(joint.values()))
        for other, probability in joint.items():
            counts[other, word] += probability / sum(joint.values())
    return Expected(dict(counts), {}, log_likelihood)


def hmm(
    given: Sequence[int],
    generated: Sequence[int],
    lexical: Lexical,
    jump: Sequence[Sequence[float]],
    null: float,
) -> tuple[Expected, list[list[float]]]:
    """Expected counts of one pair, and of each generated word the probability of each origin.

    `jump[k][i]` is the probability to go from place k (0: before the sentence) to word i + 1, or
    for i = I to the end.
    """
    num_given = len(given)
    lexicals: defaultdict[tuple[int, int], float] = defaultdict(float)
    jumps: defaultdict[tuple[int, int], float] = defaultdict(float)
    origins = [[0.0] * (num_given + 1) for _ in generated]
    total = 0.0
    for alignment in product(range(num_given + 1), repeat=len(generated)):
        probability, place, taken = 1.0, 0, []
        for word, origin in zip(generated, alignment, strict=True):
            if origin == NULL:
                probability *= null * lexical[NULL, word]
            else:
                probability *= (
                    (1 - null) * jump[place][origin - 1] * lexical[given[origin - 1], word]
                )
                taken.append((place, origin - 1))
                place = origin
        probability *= jump[place][num_given]
        taken.append((place, num_given))
        total += probability
        for step in taken:
            jumps[step] += probability
        for row, word, origin in zip(origins, generated, alignment, strict=True):
            row[origin] += probability
            lexicals[given[origin - 1] if origin else NULL, word] += probability
    expected = Expected(
        {key: value / total for key, value in lexicals.items()},
        {key: value / total for key, value in jumps.items()},
        log(total),
    )
    return expected, [[value / total for value in row] for row in origins]


def jump_probabilities(weights: Mapping[int, float], num_given: int) -> list[list[float]]:
    """From each place to each word and the end, from weights by width."""
    rows = []
    for start in range(num_given + 1):
        row = [weights[end - start] for end in range(1, num_given + 2)]
        rows.append([weight / sum(row) for weight in row])
    return rows
