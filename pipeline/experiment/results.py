"""What the cells of a table came to, and how sure the differences are.

Each system is trained from several seeds. A row has the mean and the standard deviation over them;
significance is of a pair of translations, so it is tested seed by seed, with sacreBLEU's tests.
"""

from __future__ import annotations

import statistics
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Literal

from mgsa.base.errors import InputError
from mgsa.base.settings import from_mapping, read_yaml
from pipeline.artifact.manifest import read_object
from pipeline.base.stage import section_of
from pipeline.base.text import read_parallel
from pipeline.evaluate import EvaluateSettings, compare
from pipeline.experiment.plan import Cell

METRIC: Literal["bleu"] = "bleu"
"""What systems are compared by; the other metrics are shown."""

PARAMS = "params.yaml"
"""In the folder of a system: what all of its cells are run with."""
MODEL_MANIFEST = "model/manifest.json"
PARTS = (
    *(MODEL_MANIFEST, "train.json", "evaluate.json"),
    *("translations/test.references", "translations/test.hypotheses"),
)
"""In the folder of a cell: what is read of it here."""


@dataclass(frozen=True)
class CellResult:
    """A finished cell.

    Attributes:
        dataset: the identity of the one that it was trained on.
        scores: as the stage `evaluate` reports them.
        parameters: of the model.
        tokens_per_second: target tokens, in training.
        minutes: of training, validation not counted.
    """

    cell: Cell
    dataset: str
    scores: dict[str, float]
    parameters: int
    tokens_per_second: float
    minutes: float


@dataclass(frozen=True)
class Comparison:
    """A cell against the baseline's of the same seed.

    Attributes:
        difference: in BLEU.
        bootstrap: p-value of the paired bootstrap.
        randomization: p-value of paired approximate randomisation; `None`: not asked for.
    """

    seed: int
    difference: float
    bootstrap: float
    randomization: float | None


@dataclass(frozen=True)
class Row:
    """A system of a table.

    Attributes:
        results: of the cells that are finished.
        missing: the other cells.
        comparisons: with the baseline, of the seeds that both have.
    """

    system: str
    results: tuple[CellResult, ...]
    missing: tuple[Cell, ...]
    comparisons: tuple[Comparison, ...]


@dataclass(frozen=True)
class Spread:
    """A figure over seeds: mean and standard deviation of a sample (`None` of fewer than two)."""

    mean: float
    deviation: float | None

    @classmethod
    def of(cls, values: Sequence[float]) -> Spread:
        """Over at least one value."""
        return cls(statistics.fmean(values), statistics.stdev(values) if len(values) > 1 else None)


def read_rows(
    runs: Path,
    rows: Mapping[str, Sequence[Cell]],
    finished: Collection[Cell],
    *,
    on_comparison: Callable[[], None],
) -> list[Row]:
    """The rows of a table, of which the first is the baseline's.

    Args:
        runs: the folder of the cells' folders.
        rows: the cells of each system.
        finished: the cells to read; whatever lies in the folders of others is no result.
        on_comparison: called after each comparison, which takes seconds.

    Raises:
        InputError: what a cell wrote is malformed, or cells are of several datasets.
    """
    found = {
        system: {
            cell.seed: result
            for cell in cells
            if cell in finished and (result := read_cell(runs, cell)) is not None
        }
        for system, cells in rows.items()
    }
    _check_one_dataset(runs, [result for of in found.values() for result in of.values()])
    baseline = next(iter(rows))
    made = []
    for system, cells in rows.items():
        comparisons = []
        for seed, result in found[system].items():
            if system != baseline and seed in found[baseline]:
                comparisons.append(compare_cells(runs, result.cell, found[baseline][seed].cell))
                on_comparison()
        missing = tuple(cell for cell in cells if cell.seed not in found[system])
        made.append(Row(system, tuple(found[system].values()), missing, tuple(comparisons)))
    return made


def _check_one_dataset(runs: Path, results: Sequence[CellResult]) -> None:
    for result in results:
        if result.dataset != results[0].dataset:
            raise InputError(
                f"expected a model of the dataset that {results[0].cell.name} was trained on",
                path=runs / result.cell.name / MODEL_MANIFEST,
            )


def read_cell(runs: Path, cell: Cell) -> CellResult | None:
    """What a cell came to; `None`: a part of it is missing.

    Raises:
        InputError: its reports are malformed.
    """
    folder = runs / cell.name
    # A stage that fails again leaves the later stages' outputs of the time before.
    parts = [runs / cell.system / PARAMS, *(folder / part for part in PARTS)]
    if not all(path.is_file() for path in parts):
        return None
    scores = read_object(folder / "evaluate.json", {METRIC: int | float})
    figures = ("parameters", "target_tokens", "tokens_per_second")
    training = read_object(folder / "train.json", dict.fromkeys(figures, int | float))
    speed = training["tokens_per_second"]
    return CellResult(
        cell,
        _dataset(folder / MODEL_MANIFEST),
        {name: value for name, value in scores.items() if isinstance(value, int | float)},
        training["parameters"],
        speed,
        training["target_tokens"] / speed / 60 if speed else 0.0,
    )


def _dataset(path: Path) -> str:
    """The identity of the dataset that the manifest of a model names."""
    dataset = read_object(path, {}).get("dataset")
    identity = dataset.get("identity") if isinstance(dataset, dict) else None
    if not isinstance(identity, str):
        raise InputError("dataset.identity: expected text", path=path)
    return identity


def compare_cells(runs: Path, cell: Cell, baseline: Cell) -> Comparison:
    """Test a cell's translations against the baseline's, with the cell's settings of `evaluate`.

    Raises:
        InputError: they are not translations of the same text, or the settings are wrong.
    """
    params = runs / cell.system / PARAMS
    section = section_of(read_yaml(params), "evaluate", params)
    settings = replace(
        from_mapping(EvaluateSettings, section, f"{params}: evaluate"), metrics=(METRIC,)
    )
    of_cell, of_baseline = (runs / name / "translations" for name in (cell.name, baseline.name))
    lines = read_parallel(
        [
            of_cell / "test.references",
            of_cell / "test.hypotheses",
            of_baseline / "test.references",
            of_baseline / "test.hypotheses",
        ]
    )
    references, hypotheses, others, translations = (
        list(column) for column in zip(*lines, strict=True)
    )
    if references != others:
        raise InputError(
            f"expected the references of {of_cell}", path=of_baseline / "test.references"
        )
    scores = compare(hypotheses, translations, references, settings)
    return Comparison(
        cell.seed,
        scores[f"{METRIC}_difference"],
        scores[f"{METRIC}_p_value"],
        scores.get(f"{METRIC}_randomization_p_value"),
    )
