"""`python -m pipeline`: the stages and other commands, each with a line on what it does."""

import ast
import sys
from argparse import ArgumentParser
from collections.abc import Iterator, Sequence
from pathlib import Path

from mgsa.cli.run import run

STAGES = (
    *("params", "corpus", "tokenize", "parser", "parse", "bpe", "partition", "align", "dataset"),
    *("train", "translate.split", "evaluate", "contrast", "phrasal_patterns", "analyze"),
    *("probe_data", "probe", "report"),
)
"""In the order of `dvc.yaml`."""
COMMANDS = (
    *("new", "translate", "score", "forced_align", "explore", "experiment"),
    *("align.error_rate", "contrast.reorder", "dataset.reverse"),
)
"""Beside the stages."""


def main(argv: Sequence[str] | None = None) -> None:
    """Print a table of all commands."""
    ArgumentParser("python -m pipeline", description="List all commands.").parse_args(argv)
    for title, names in (("stages", STAGES), ("other commands", COMMANDS)):
        print(f"{title} (python -m pipeline.NAME --help):")
        print(*_lines(names), sep="\n")


def _lines(names: tuple[str, ...]) -> Iterator[str]:
    """A line for each command, of its module's docstring, without importing it."""
    for name in names:
        path = Path(__file__).parent.joinpath(*name.split("."))
        file = path / "__main__.py" if path.is_dir() else path.with_suffix(".py")
        docstring = ast.get_docstring(ast.parse(file.read_text(encoding="utf-8"))) or ""
        yield f"  {name:<18}{docstring.splitlines()[0]}"


if __name__ == "__main__":
    sys.exit(run(main))
