"""`mgsa train`: a dataset artifact and a configuration in, a model artifact out."""

from __future__ import annotations

import argparse
from pathlib import Path

from mgsa.base.errors import InputError
from mgsa.base.settings import apply_overrides, from_mapping, from_tagged, read_yaml
from mgsa.config import MODEL_KINDS, TrainConfig

_DESCRIPTION = """\
Train a model on a dataset artifact. A run that was stopped or killed goes on from its latest
checkpoint when the same command is given again, and ends with the very weights of an undisturbed
one. For several GPUs set train.devices; for several machines start it with torchrun on each.
SIGTERM and SIGINT save and leave (exit status 143 and 130)."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The arguments of `mgsa train`."""
    parser.description = _DESCRIPTION
    parser.add_argument(
        "--dataset", type=Path, required=True, metavar="DIR", help="dataset artifact"
    )
    parser.add_argument(
        "--config",
        type=Path,
        required=True,
        metavar="FILE",
        help="YAML with the sections `model` and `train`; others are not read",
    )
    parser.add_argument(
        "--out", type=Path, required=True, metavar="DIR", help="where the model artifact goes"
    )
    parser.add_argument(
        "--checkpoints",
        type=Path,
        metavar="DIR",
        help="where checkpoints are kept (without it: DIR of --out with `.checkpoints` added)",
    )
    parser.add_argument(
        "--restart", action="store_true", help="remove the checkpoints and start from the beginning"
    )
    parser.add_argument(
        "--set",
        action="append",
        default=[],
        metavar="SECTION.KEY=VALUE",
        help="put another value (YAML) for a key, such as train.max_epochs=3; may be repeated",
    )


SECTIONS = ("model", "train")
"""The sections of the file that a training reads."""


def train(arguments: argparse.Namespace) -> None:
    """Run `mgsa train`."""
    content = apply_overrides(read_yaml(arguments.config), arguments.set)
    for override in arguments.set:
        if override.partition("=")[0].partition(".")[0] not in SECTIONS:
            raise InputError(f"--set {override}: expected a key of model or train: train.KEY=VALUE")
    for section in SECTIONS:
        if section not in content:
            raise InputError(f"{section}: missing section", path=arguments.config)
    model = from_tagged(MODEL_KINDS, content["model"], f"{arguments.config}: model")
    config = from_mapping(TrainConfig, content["train"], f"{arguments.config}: train")
    out: Path = arguments.out
    checkpoints = arguments.checkpoints or out.with_name(out.name + ".checkpoints")

    from mgsa.training import run as training
    from mgsa.training.curves import ignore_metrics

    run = training.Run(
        arguments.dataset, model, config, out=out, checkpoints=checkpoints, code=None
    )
    restart: training.Restart = "always" if arguments.restart else "never"
    metrics = training.train(run, restart=restart, on_metrics=ignore_metrics)
    for name, value in metrics.items():
        print(f"{name}\t{value:.6g}")
