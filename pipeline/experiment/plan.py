"""The parameter file of the experiments: systems at several sizes, seeds, tables."""

import re
import shlex
from dataclasses import dataclass
from pathlib import Path
from string import Template
from typing import NamedTuple, Self

from mgsa.cli.errors import InputError
from mgsa.cli.settings import Positive, from_mapping, read_yaml

_NAME = re.compile(r"\w[\w.-]*")


class Cell(NamedTuple):
    """A system trained from one seed."""

    system: str
    seed: int

    @property
    def name(self) -> str:
        """DVC's name: stage `train@NAME`, folder `runs/SIZE/NAME`."""
        return f"{self.system}-{self.seed}"


@dataclass(frozen=True)
class Table:
    """One comparison."""

    systems: tuple[str, ...]  #: compared with the baseline, in the order of the rows.
    title: str = ""  #: heading.
    baseline: str = "transformer"
    num_seeds: Positive = 3  #: how many of the plan's seeds to use, from the first.
    analyze: bool = False  #: whether to count what is attended to.
    align: bool = False  #: whether to compare alignments with gold links.

    def stages(self, cell: Cell) -> list[str]:
        """The stages of `experiments/dvc.yaml` that make a cell."""
        steps = ["train", "translate", "contrast", "evaluate"]
        steps += ["analyze"] * self.analyze + ["align"] * self.align
        return [f"compose@{cell.system}", *(f"{step}@{cell.name}" for step in steps)]


@dataclass(frozen=True)
class Plan:
    """`experiments/params.yaml`."""

    seeds: tuple[Positive, ...]
    sizes: dict[str, dict[str, str]]  #: by name, the words that `$WORD` in a system stands for.
    systems: dict[str, str]  #: by name, overrides of `conf/`.
    tables: dict[str, Table]
    gold: dict[str, str]  #: files of pairs and their links, for DVC.

    @classmethod
    def read(cls, folder: Path) -> Self:
        """The plan of `experiments` or a folder laid out like it."""
        path = folder / "params.yaml"
        return from_mapping(cls, read_yaml(path), str(path))

    def __post_init__(self) -> None:
        if len({*self.seeds}) < len(self.seeds):
            raise ValueError("seeds: expected each once")
        for kind in ("sizes", "systems", "tables"):
            for name in getattr(self, kind):
                if not _NAME.fullmatch(name):  # it is in paths and in commands of a shell
                    raise ValueError(f"{kind}: {name}: expected letters, digits, _, . and -")
        for name, table in self.tables.items():
            for system in (table.baseline, *table.systems):
                if system not in self.systems:
                    raise ValueError(f"tables.{name}: {system}: no such system")
            if table.num_seeds > len(self.seeds):
                raise ValueError(
                    f"tables.{name}.num_seeds: expected at most the {len(self.seeds)} of seeds"
                )
        for name, words in self.sizes.items():
            if "overrides" not in words:
                raise ValueError(f"sizes.{name}: missing key overrides")

    def cells(self, table: Table, num_seeds: int | None = None) -> dict[str, list[Cell]]:
        """The cells of each system of a table, the baseline's first."""
        seeds = self.seeds[: num_seeds or table.num_seeds]
        return {s: [Cell(s, seed) for seed in seeds] for s in (table.baseline, *table.systems)}

    def overrides(self, system: str, size: str) -> list[str]:
        """The options of `conf/` that make a system at a size.

        Raises:
            InputError: the size lacks a word of the system.
        """
        words = self.sizes[size]
        try:
            own = Template(self.systems[system]).substitute(words, size=size)
            return [*shlex.split(words["overrides"]), *shlex.split(own)]
        except KeyError as missing:
            raise InputError(f"systems.{system}: sizes.{size} has no {missing}") from None
        except ValueError as error:
            raise InputError(f"systems.{system}: {error}") from None
