"""`mgsa average`: the mean of a run's newest checkpoints as a model artifact."""

from __future__ import annotations

import argparse
from pathlib import Path

from mgsa.base.errors import InputError

_DESCRIPTION = """\
Average the weights of the newest checkpoints of a run. All but the weights is taken from the model
artifact that the run wrote."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The arguments of `mgsa average`."""
    parser.description = _DESCRIPTION
    parser.add_argument("--model", type=Path, required=True, metavar="DIR", help="model artifact")
    parser.add_argument(
        "--checkpoints", type=Path, required=True, metavar="DIR", help="checkpoints of its run"
    )
    parser.add_argument(
        "--last", type=int, required=True, metavar="N", help="how many checkpoints to average"
    )
    parser.add_argument(
        "--out", type=Path, required=True, metavar="DIR", help="where the model artifact goes"
    )


def average(arguments: argparse.Namespace) -> None:
    """Run `mgsa average`."""
    if arguments.last < 1:
        raise InputError(f"--last: expected at least 1, got {arguments.last}")

    from mgsa.model_artifact import check_replaceable, load_model, replace_weights
    from mgsa.training import averaging
    from mgsa.training.checkpoint import folder_of, read_checkpoint, saved_updates

    check_replaceable(arguments.out)
    artifact = load_model(arguments.model)
    updates = saved_updates(arguments.checkpoints)[-arguments.last :]
    if len(updates) < arguments.last:
        raise InputError(
            f"expected at least {arguments.last} checkpoints, found {len(updates)}",
            path=arguments.checkpoints,
        )
    paths = [read_checkpoint(folder_of(arguments.checkpoints, n)).weights for n in updates]
    replace_weights(
        artifact,
        averaging.average(paths),
        source=paths[-1],
        updates=updates,
        out=arguments.out,
    )
