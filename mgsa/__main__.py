"""The command `mgsa`: its first word says which command, of which only that one is imported."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from importlib import import_module

from mgsa.base.cli import run

COMMANDS = {
    "train": ("mgsa.training.command", "train a model on a dataset artifact"),
    "average": ("mgsa.training.average_command", "average the newest checkpoints of a run"),
    "translate": ("mgsa.decoding.command", "translate a split of a dataset artifact"),
    "align": ("mgsa.alignment.command", "align the words of a split of a dataset artifact"),
}
"""For each command what it does, and its module: `add_arguments`, and a function of its name."""


def main(argv: Sequence[str] | None = None) -> None:
    """Read the command line and run the command it names."""
    words = list(sys.argv[1:] if argv is None else argv)
    meanings = "\n".join(f"  {name:<12}{meaning}" for name, (_, meaning) in COMMANDS.items())
    chooser = argparse.ArgumentParser(
        prog="mgsa",
        usage="mgsa COMMAND ... (mgsa COMMAND --help tells the rest)",
        description=f"commands:\n{meanings}",
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    chooser.add_argument("command", choices=COMMANDS, metavar="COMMAND", help=argparse.SUPPRESS)
    name = chooser.parse_args(words[:1]).command
    module = import_module(COMMANDS[name][0])
    parser = argparse.ArgumentParser(prog=f"mgsa {name}")
    module.add_arguments(parser)
    getattr(module, name)(parser.parse_args(words[1:]))


def command() -> None:
    """The entry point that the package installs."""
    sys.exit(run(main))


if __name__ == "__main__":
    command()
