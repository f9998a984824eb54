"""The command `mgsa`, which imports the chosen subcommand only."""

import argparse
import sys
from collections.abc import Sequence
from importlib import import_module

from mgsa.cli.command import command as command_of
from mgsa.cli.run import run

COMMANDS = {
    "train": ("mgsa.training.commands", "train a model on a dataset artifact"),
    "translate": ("mgsa.decoding.commands", "translate a split of a dataset artifact"),
    "align": ("mgsa.decoding.commands", "align the words of a split of a dataset artifact"),
    "score": ("mgsa.decoding.commands", "log probabilities of a split of a dataset artifact"),
    "export": ("mgsa.artifact.export", "write a model for another engine"),
}
"""The module of each command, with a function of its name, and a summary."""


def main(argv: Sequence[str] | None = None) -> None:
    """Run the command that the first argument names."""
    words = list(sys.argv[1:] if argv is None else argv)
    meanings = "\n".join(f"  {name:<12}{meaning}" for name, (_, meaning) in COMMANDS.items())
    chooser = argparse.ArgumentParser(
        prog="mgsa",
        usage="mgsa COMMAND ... (mgsa COMMAND --help tells the rest)",
        description=f"commands:\n{meanings}",
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    chooser.add_argument("--version", action="store_true", help="show the version and exit")
    chooser.add_argument(
        "command", nargs="?", choices=COMMANDS, metavar="COMMAND", help=argparse.SUPPRESS
    )
    chosen = chooser.parse_args(words[:1])
    if chosen.version:
        from importlib.metadata import version

        print(f"mgsa {version('mgsa')}")
    elif chosen.command is None:
        chooser.print_help()
    else:
        module, _ = COMMANDS[chosen.command]
        function = getattr(import_module(module), chosen.command)
        prog = f"mgsa {chosen.command}"
        command_of(function, prog, parameters="--config", default=None)(words[1:])


def command() -> None:
    """Entry point of the installed package."""
    sys.exit(run(main))


if __name__ == "__main__":
    command()
