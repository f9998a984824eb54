"""What encoders know of syntax: classifiers of their states, scored beside the majority class.

Table 5 of Hao et al. 2019 (section 4.4): the encoders of translation models, frozen, and encoders
of three layers that learn each task from scratch, with words, n-grams, syntactic phrases (where
they begin and end, without their tags), or these and an ON-LSTM. The tasks are those of Shi et al.
2016. Beyond the paper there are intervals, and probes of every layer.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from mgsa.base.cli import run
from mgsa.base.errors import InputError
from mgsa.base.settings import to_mapping
from mgsa.probing.settings import PRETRAINED, ProbeConfig
from pipeline.base.stage import SPLITS, argument_parser, atomic_outputs, named_paths, read_settings

if TYPE_CHECKING:
    from mgsa.model_artifact import ModelArtifact
    from mgsa.probing.data import ProbingData
    from pipeline.probing.tables import Cell

TABLE = "probe.csv"


def check_model(artifact: ModelArtifact, data: ProbingData) -> None:
    """Check that a model reads these data.

    Raises:
        InputError: they have other subwords or fewer levels.
    """
    if artifact.vocabularies[0].symbols != data.vocabulary.symbols:
        raise InputError(
            f"expected the source vocabulary of the model {artifact.folder}", path=data.folder
        )
    _check_levels(artifact.levels, f"the model {artifact.folder} attends to", data)


def check_scratch(models: Iterable[ModelArtifact], data: ProbingData, config: ProbeConfig) -> None:
    """Check that the encoders from scratch that `config` names can be built.

    Raises:
        InputError: no model has sizes for them, or levels are missing.
    """
    from mgsa.probing.encoder import scratch_config, sizes_for_scratch

    like = sizes_for_scratch(artifact.config for artifact in models)
    for name in config.encoders:
        if name != PRETRAINED:
            scratch_config(name, like, config.scratch)
            if name.startswith("scratch_syntactic"):
                levels = max(config.scratch.levels)
                _check_levels(levels, f"{name} attends to (probe.scratch.levels)", data)


def _check_levels(level: int, whose: str, data: ProbingData) -> None:
    if level > data.levels:
        raise InputError(
            f"expected the level syntactic_{level}, which {whose}, but there are {data.levels} "
            "(partition.levels)",
            path=data.folder,
        )


def write_outputs(cells: Sequence[Cell], folder: Path) -> None:
    """Write the table, for programs and for people, and its figures as far as there are numbers."""
    from pipeline.probing.figures import draw_bars, draw_layers
    from pipeline.probing.tables import last_layers, write_csv, write_markdown

    write_csv(cells, folder / TABLE)
    write_markdown(cells, folder / "probe.md")
    (folder / "figures").mkdir()
    if cells:
        draw_bars(cells, folder / "figures" / "probe.svg")
    if len(cells) > len(last_layers(cells)):
        draw_layers(cells, folder / "figures" / "layers.svg")


def main(argv: Sequence[str] | None = None) -> None:
    """Probe encoders, write the table."""
    arguments = _parser().parse_args(argv)
    config = read_settings(arguments, "probe", ProbeConfig)
    folders = named_paths("--model", arguments.model, "DIR")
    for name in folders:
        if name in config.encoders and name != PRETRAINED:
            raise InputError(f"--model {name}=…: expected another name than that of an encoder")

    from mgsa.decoding.device import choose_device
    from mgsa.model_artifact import load_model
    from mgsa.probing.data import open_probing_data

    device = choose_device(arguments.accelerator)
    data = open_probing_data(arguments.probing)
    models = {name: load_model(folder) for name, folder in folders.items()}
    if PRETRAINED in config.encoders:
        for artifact in models.values():
            check_model(artifact, data)
    check_scratch(models.values(), data, config)
    read = [arguments.probing, *folders.values()]
    with atomic_outputs(arguments.out, arguments.report, TABLE, inputs=read) as (folder, report):
        from pipeline.probing.encoders import probe_encoders
        from pipeline.probing.tables import describe, report_of

        cells = probe_encoders(models, data, config, device)
        write_outputs(cells, folder)
        report.update(report_of(cells, _recipe(models, data, config)))
    for line in describe(cells):
        print(line)


def _recipe(
    models: Mapping[str, ModelArtifact], data: ProbingData, config: ProbeConfig
) -> dict[str, Any]:
    """What the numbers are of, and how they came to be."""
    import torch

    from mgsa.base.io import MANIFEST, sha256

    return {
        **to_mapping(config),
        "probing": data.identity,
        "sentences": {split: data.num_rows(split) for split in SPLITS},
        "models": {name: sha256(one.folder / MANIFEST) for name, one in models.items()},
        "torch": torch.__version__,
    }


def _parser() -> argparse.ArgumentParser:
    parser = argument_parser(
        "probe", "Probe what encoders know of syntax: one table of several models."
    )
    parser.add_argument(
        "--probing", type=Path, required=True, metavar="DIR", help="probe_data's output"
    )
    parser.add_argument(
        "--model",
        action="append",
        required=True,
        metavar="NAME=DIR",
        help="model artifact; may be repeated. Encoders from scratch take the sizes of the first",
    )
    parser.add_argument(
        "--out",
        type=Path,
        required=True,
        metavar="DIR",
        help=f"for {TABLE}, the same as probe.md, and the folder figures",
    )
    parser.add_argument(
        "--report", type=Path, required=True, metavar="FILE", help="accuracies, as JSON"
    )
    parser.add_argument(
        "--accelerator", choices=["cpu", "gpu", "auto"], default="auto", help="(default: auto)"
    )
    return parser


if __name__ == "__main__":
    sys.exit(run(main))
