"""The parameter file of the experiments: systems, seeds, tables."""

from dataclasses import dataclass
from typing import NamedTuple

from mgsa.cli.settings import Positive


class Cell(NamedTuple):
    """A system trained from one seed."""

    system: str
    seed: int

    @property
    def name(self) -> str:
        """DVC's name: stage `train@NAME`, folder `runs/NAME`."""
        return f"{self.system}-{self.seed}"


@dataclass(frozen=True)
class Table:
    """One comparison."""

    title: str  #: heading.
    baseline: str  #: the system that the others are compared with.
    systems: tuple[str, ...]  #: the others, in the order of the rows.
    num_seeds: Positive  #: how many of the plan's seeds to use, from the first.
    analyze: bool  #: whether to analyse attention too.

    def stages(self, cell: Cell) -> list[str]:
        """The stages of `experiments/dvc.yaml` that make a cell."""
        steps = ["train", "translate", "contrast", "evaluate", *["analyze"] * self.analyze]
        return [f"compose@{cell.system}", *(f"{step}@{cell.name}" for step in steps)]


@dataclass(frozen=True)
class Plan:
    """`experiments/params.yaml`; a system's value is its overrides of `conf/`."""

    seeds: tuple[Positive, ...]
    systems: dict[str, str]
    tables: dict[str, Table]

    def __post_init__(self) -> None:
        for name, table in self.tables.items():
            for system in (table.baseline, *table.systems):
                if system not in self.systems:
                    raise ValueError(f"tables.{name}: {system}: no such system")
            if table.num_seeds > len(self.seeds):
                raise ValueError(
                    f"tables.{name}.num_seeds: expected at most the {len(self.seeds)} of seeds"
                )

    def cells(self, table: Table, num_seeds: int | None = None) -> dict[str, list[Cell]]:
        """The cells of each system of a table, the baseline's first."""
        seeds = self.seeds[: num_seeds or table.num_seeds]
        return {s: [Cell(s, seed) for seed in seeds] for s in (table.baseline, *table.systems)}
