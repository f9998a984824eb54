"""Stage `compose` of the experiments: the parameters of a system at the size that was asked for."""

import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

from mgsa.cli.command import Option, OutputFile, command
from mgsa.cli.run import run
from mgsa.cli.settings import from_mapping, read_yaml
from pipeline.experiment.plan import Plan
from pipeline.params.__main__ import write_parameters
from pipeline.params.presets import compose
from pipeline.params.sections import check_parameters

CHOICE = "overrides.yaml"


@dataclass(frozen=True)
class Choice:
    """`overrides.yaml`: what all cells have in common."""

    size: str  #: of those in `params.yaml`.
    overrides: tuple[str, ...]  #: of `conf/`, after those of a system.


def compose_system(
    *,
    system: Annotated[str, Option("its name in params.yaml", "NAME")],
    out: Annotated[Path, OutputFile("parameter file")],
) -> None:
    """Compose the parameters of a system, in the folder of the experiments."""
    folder = Path()
    choice = from_mapping(Choice, read_yaml(folder / CHOICE), CHOICE)
    overrides = [*Plan.read(folder).overrides(system, choice.size), *choice.overrides]
    content = compose(folder / "../conf", overrides)
    check_parameters(content, out)
    write_parameters(out, content)


main = command(compose_system, "python -m pipeline.experiment.parameters")

if __name__ == "__main__":
    sys.exit(run(main))
