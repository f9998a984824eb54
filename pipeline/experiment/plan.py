"""What `experiments/params.yaml` says: systems, seeds, and the tables that compare them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from mgsa.base.errors import InputError
from mgsa.base.settings import Positive, from_mapping, read_yaml

KEYS = ("overrides", "seeds", "systems", "tables")


@dataclass(frozen=True)
class Table:
    """One comparison.

    Attributes:
        title: what it compares.
        baseline: the system that the others are compared with.
        systems: the others, in the order of the rows.
        num_seeds: from how many of the plan's seeds each is trained, the first ones.
        analyze: whether the attention of each is analysed too.
    """

    title: str
    baseline: str
    systems: tuple[str, ...]
    num_seeds: Positive
    analyze: bool


@dataclass(frozen=True)
class Cell:
    """A system trained from one seed."""

    system: str
    seed: int

    @property
    def name(self) -> str:
        """As DVC names it: `train@NAME` is its training, `runs/NAME` its folder."""
        return f"{self.system}-{self.seed}"

    def stages(self, *, analyze: bool) -> tuple[str, ...]:
        """The stages of `experiments/dvc.yaml` that make it, the analysis if that is asked for."""
        steps = ("train", "translate", "evaluate", *(["analyze"] if analyze else []))
        return (f"compose@{self.system}", *(f"{step}@{self.name}" for step in steps))


@dataclass(frozen=True)
class Plan:
    """All tables, and the seeds that there are."""

    seeds: tuple[int, ...]
    tables: Mapping[str, Table]

    def rows(self, table: str) -> dict[str, list[Cell]]:
        """The cells of each system of a table, the baseline's first."""
        chosen = self.tables[table]
        seeds = self.seeds[: chosen.num_seeds]
        return {
            system: [Cell(system, seed) for seed in seeds]
            for system in (chosen.baseline, *chosen.systems)
        }


@dataclass(frozen=True)
class _Seeds:
    seeds: tuple[Positive, ...]


def read_plan(path: Path) -> Plan:
    """Read and check the parameter file of the experiments.

    Raises:
        InputError: a key or value is wrong, or a table names a system that there is not.
    """
    content = read_yaml(path)
    for key in (*KEYS, *content):
        if key not in KEYS or key not in content:
            problem = "missing" if key in KEYS else "unknown key"
            raise InputError(f"{key}: {problem}; expected {', '.join(KEYS)}", path=path)
    seeds = from_mapping(_Seeds, {"seeds": content["seeds"]}, str(path)).seeds
    systems = _mapping(content, "systems", path)
    tables = {
        name: from_mapping(Table, values, f"{path}: tables.{name}")
        for name, values in _mapping(content, "tables", path).items()
    }
    for name, table in tables.items():
        rows = (table.baseline, *table.systems)
        for system in rows:
            if system not in systems:
                raise InputError(f"tables.{name}: {system}: no such system", path=path)
        if len(set(rows)) < len(rows):
            raise InputError(f"tables.{name}: expected each system once", path=path)
        if table.num_seeds > len(seeds):
            raise InputError(
                f"tables.{name}.num_seeds: expected at most the {len(seeds)} of seeds, "
                f"got {table.num_seeds}",
                path=path,
            )
    return Plan(seeds, tables)


def _mapping(content: Mapping[str, Any], key: str, path: Path) -> dict[str, Any]:
    values = content[key]
    if not isinstance(values, dict) or not all(isinstance(name, str) for name in values):
        raise InputError(f"{key}: expected names, each with its settings", path=path)
    return values
