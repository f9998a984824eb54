"""Contrastive accuracy (Sennrich 2017): the share of variants whose reference is likelier.

`SPLIT.csv` has a row for each contrast: its line, category, depth and target, `parse` (beside gold
phrases: whether the parsed ones are the same, `right` or `wrong`), and for each kind of phrases the
natural log p of reference and variant, `KIND_reference` and `KIND_variant`.

Legend: C contrasts, N sentences that have some, S systems, F sets of contrasts.
"""

import math
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from mgsa.cli.errors import InputError
from pipeline.formats.tables import Row, read_csv
from pipeline.statistics.bootstrap import estimate, resampled_sums
from pipeline.statistics.randomization import randomization_test

ABOUT = ("line", "category", "depth", "target")


def read_scores(path: Path, *, same: Sequence[Row] | None = None) -> list[Row]:
    """Read `SPLIT.csv`; an `InputError` is raised if its contrasts are not those of `same`."""
    rows = read_csv(path, "category", "parse", "target")
    if rows and not kinds_of(rows):
        raise InputError("expected columns parsed_reference and parsed_variant", path=path)
    ends = [f"{kind}_{end}" for kind in kinds_of(rows) for end in ("reference", "variant")]
    for line, row in enumerate(rows, start=2):
        if not all(row[end] is not None and -math.inf < row[end] <= 0 for end in ends):
            raise InputError("expected log p of all, at most 0", path=path, line=line)
    found = [[row[name] for name in ABOUT] for row in rows]
    if same is not None and found != [[row[name] for name in ABOUT] for row in same]:
        message = f"expected the {len(same)} contrasts that it is compared on, in their order"
        raise InputError(f"{message}, got {len(rows)}, or others", path=path)
    return rows


def kinds_of(table: Sequence[Row]) -> list[str]:
    """The kinds of phrases of a table, in order."""
    columns = table[0] if table else ()
    return [name.removesuffix("_reference") for name in columns if name.endswith("_reference")]


def is_right(row: Row, kind: str) -> bool:
    """Whether the reference is likelier than the variant."""
    return bool(row[f"{kind}_reference"] > row[f"{kind}_variant"])


def sentence_counts(table: Sequence[Row], kind: str) -> np.ndarray:
    """(N, 2): of each sentence's contrasts, the right ones and all."""
    return _by_sentence(table, np.array([[is_right(row, kind), True] for row in table]))


def _by_sentence(table: Sequence[Row], values: np.ndarray) -> np.ndarray:
    """(C, …) values to (N, …), added up."""
    lines, places = np.unique([row["line"] for row in table], return_inverse=True)
    sums = np.zeros((len(lines), *values.shape[1:]))
    np.add.at(sums, places, values)
    return sums


def accuracy(counts: np.ndarray) -> np.ndarray:
    """(…, 2) counts to (…) per cent; NaN for no contrasts."""
    right, every = np.moveaxis(counts, -1, 0)
    return np.where(every > 0, 100 * right / np.maximum(every, 1), np.nan)


def accuracies(
    table: Sequence[Row], right: Mapping[str, Sequence[bool]], *, samples: int, seed: int
) -> dict[str, Any]:
    """Accuracies of each system: of all contrasts, by category, by depth and by parse.

    Each comes with its number of contrasts and, from resampled sentences, its 95% interval.

    Args:
        right: by system, of each contrast.
    """
    sets: list[tuple[str, Any]] = [("all", None)]
    for name in ("category", "depth", "parse"):
        values = {row[name] for row in table if row.get(name) is not None}
        sets += [(name, value) for value in sorted(values)]
    inside = np.array(
        [[name == "all" or row.get(name) == value for name, value in sets] for row in table]
    )
    every = np.broadcast_to(inside[:, None], (len(table), len(right), len(sets)))
    correct = every & np.array(list(right.values())).T[:, :, None]
    counts = _by_sentence(table, np.stack([correct, every], axis=-1))  # (N, S, F, 2)
    resampled = accuracy(resampled_sums(counts, samples, seed))
    found = estimate(accuracy(counts.sum(axis=0)), resampled)
    systems: dict[str, Any] = {}
    for s, system in enumerate(right):
        for f, (name, value) in enumerate(sets):
            block: dict[str, Any] = {"contrasts": int(inside[:, f].sum())}
            # Contrasts of few sentences may be in no resample.
            block |= zip(("accuracy", "low", "high"), found.cell(s, f, digits=4), strict=True)
            if name == "all":
                systems[system] = block
            else:
                systems[system].setdefault(f"by_{name}", {})[str(value)] = block
    return systems


def compared_kind(others: Sequence[Row], kind: str, path: Path) -> str:
    """The kind of phrases that a baseline is compared with: `kind`, or parsed, as of words alone.

    An `InputError` is raised if its table `path` has neither.
    """
    for name in (kind, "parsed"):
        if name in kinds_of(others) or not others:
            return name
    kinds = " or ".join(dict.fromkeys((f"{kind}_reference", "parsed_reference")))
    raise InputError(f"expected columns {kinds} and …_variant", path=path)


def comparison(
    table: Sequence[Row], others: Sequence[Row], kind: str, *, trials: int, seed: int
) -> dict[str, float]:
    """Accuracy of a baseline with a `kind` of phrases, difference to it, and p-value.

    The table's first kind is compared. Randomisation swaps sentences with all of their contrasts,
    as these depend on each other.
    """
    ours = sentence_counts(table, kinds_of(table)[0])
    theirs = sentence_counts(others, kind)
    accuracies = [float(accuracy(counts.sum(axis=0))) for counts in (ours, theirs)]
    return {
        "baseline": round(accuracies[1], 4),
        "difference": round(accuracies[0] - accuracies[1], 4),
        "p_value": randomization_test(ours, theirs, accuracy, trials=trials, seed=seed),
    }
