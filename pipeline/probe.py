"""What encoders know of syntax: classifiers of their states, scored beside the majority class.

Table 5 of Hao et al. 2019 (section 4.4): the encoders of translation models, frozen, and encoders
of three layers that learn each task from scratch, with words, n-grams, syntactic phrases (where
they begin and end, without their tags), or these and an ON-LSTM. The tasks are those of Shi et al.
2016. Beyond the paper there are intervals, and probes of every layer.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from mgsa.command import progress_bar, run
from mgsa.errors import InputError
from mgsa.probing.settings import PRETRAINED, ProbeConfig
from mgsa.settings import to_mapping
from pipeline.stage import SPLITS, argument_parser, named_paths, read_settings, replacing_outputs

if TYPE_CHECKING:
    import torch

    from mgsa.config import TransformerConfig
    from mgsa.model_artifact import ModelArtifact
    from mgsa.probing.data import ProbingData
    from mgsa.probing.encoder import StatesOf
    from mgsa.probing.rows import ProbingRows
    from mgsa.probing.training import Splits, Told
    from pipeline.probe_tables import Cell

TABLE = "probe.csv"

Rows = Mapping[str, "ProbingRows"]
"""The sentences of each split."""


def check_model(artifact: ModelArtifact, data: ProbingData, config: ProbeConfig) -> None:
    """Check that the encoder of a model can be asked what `config` wants to know, on these data.

    Raises:
        InputError: they have other subwords or fewer levels, or it is asked for layers that it
            does not tell apart.
    """
    if artifact.vocabularies[0].symbols != data.vocabulary.symbols:
        raise InputError(
            f"expected the source vocabulary of the model {artifact.folder}", path=data.folder
        )
    _check_levels(artifact.levels, f"the model {artifact.folder} attends to", data)
    if config.layers == "all" and artifact.config.kind != "transformer":
        raise InputError(
            "probe.layers: all takes a Transformer; expected last, for a model of kind "
            f"{artifact.config.kind}",
            path=artifact.folder,
        )


def check_scratch(like: ModelArtifact, data: ProbingData, config: ProbeConfig) -> None:
    """Check that the encoders from scratch that `config` names can be built.

    Raises:
        InputError: the model whose sizes they take has none for them, or levels are missing.
    """
    from mgsa.probing.encoder import scratch_config

    for name in config.encoders:
        if name != PRETRAINED:
            scratch_config(name, like.config, config.scratch)
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


def labelled_tasks(rows: Rows, data: ProbingData, tasks: Sequence[str]) -> dict[str, float]:
    """The tasks that every split has labels of, with the accuracy of the majority class.

    The others are said on stderr: sentences of other languages than English have no voice and no
    tense, flat trees nothing at all.
    """
    from mgsa.probing.accuracy import class_counts, majority_accuracy

    majority = {}
    for task in tasks:
        counts = {
            split: class_counts(rows[split], task, len(data.classes[task])) for split in SPLITS
        }
        empty = [split for split in SPLITS if not counts[split].any()]
        if empty:
            print(f"probe: {task} has no labels in {', '.join(empty)}: left out", file=sys.stderr)
        else:
            majority[task] = majority_accuracy(counts["train"], counts["test"])
    return majority


def probe_encoders(
    models: Mapping[str, ModelArtifact],
    data: ProbingData,
    config: ProbeConfig,
    device: torch.device,
) -> list[Cell]:
    """Probe the encoder of every model, then those from scratch, of the first model's sizes."""
    from mgsa.probing.encoder import FrozenEncoder, scratch_config

    rows = {split: data.rows(split) for split in SPLITS}
    majority = labelled_tasks(rows, data, config.tasks)
    classes = {task: len(data.classes[task]) for task in majority}
    cells: list[Cell] = []
    if not classes:
        return cells
    for name, artifact in models.items():
        if PRETRAINED in config.encoders:
            model = artifact.model.to(device)
            frozen = FrozenEncoder(model, artifact.config, layers=config.layers)
            splits = _examples(frozen, rows, list(classes), config, device)
            told = _probe(frozen, name, splits, classes, config)
            cells += _cells(name, told, classes, majority, config)
            model.cpu()
    like = next(iter(models.values())).config
    for name in config.encoders:
        if name != PRETRAINED:
            sizes = scratch_config(name, like, config.scratch)
            told = _probe_from_scratch(
                name, sizes, len(data.vocabulary), rows, classes, config, device
            )
            cells += _cells(name, told, classes, majority, config)
    return cells


def _probe_from_scratch(
    name: str,
    sizes: TransformerConfig,
    source_vocabulary: int,
    rows: Rows,
    classes: Mapping[str, int],
    config: ProbeConfig,
    device: torch.device,
) -> list[Told]:
    """For each task an encoder of its own, all of which start alike."""
    from mgsa.probing.encoder import build_scratch
    from mgsa.training.randomness import seed_weights

    told: list[Told] = []
    splits: Splits = {}
    for task in classes:
        seed_weights(config.seed)
        encoder = build_scratch(sizes, source_vocabulary=source_vocabulary)
        encoder.model.to(device)
        splits = splits or _examples(encoder, rows, list(classes), config, device)
        told += _probe(encoder, f"{name} {task}", splits, {task: classes[task]}, config)
    return told


def _examples(
    encoder: StatesOf, rows: Rows, tasks: Sequence[str], config: ProbeConfig, device: torch.device
) -> Splits:
    from mgsa.probing.examples import make_examples

    return {
        split: make_examples(
            rows[split],
            tasks,
            encoder.model.granularities,
            ngram_unit=encoder.model.ngram_unit,
            batch_tokens=config.batch_tokens,
            device=device,
        )
        for split in SPLITS
    }


def _probe(
    encoder: StatesOf, shown: str, splits: Splits, classes: Mapping[str, int], config: ProbeConfig
) -> list[Told]:
    from mgsa.probing.training import run_probes

    sentences = sum(len(example.rows) for example in splits["train"])
    total = config.max_epochs * sentences
    with progress_bar(f"probe {shown}", total=total, unit="sentences") as advance:
        return run_probes(encoder, splits, classes, config, advance)


def _cells(
    encoder: str,
    told: Sequence[Told],
    classes: Mapping[str, int],
    majority: Mapping[str, float],
    config: ProbeConfig,
) -> list[Cell]:
    from mgsa.probing.accuracy import accuracies
    from pipeline.probe_tables import Cell

    estimated = accuracies(told, samples=config.bootstrap_samples, seed=config.seed)
    return [
        Cell(
            encoder=encoder,
            layer=one.layer,
            task=one.task,
            classes=classes[one.task],
            counted=int(one.counted.sum()),
            accuracy=round(float(estimated.value[place]), 6),
            low=round(float(estimated.low[place]), 6),
            high=round(float(estimated.high[place]), 6),
            majority=round(majority[one.task], 6),
        )
        for place, one in enumerate(told)
    ]


def write_outputs(cells: Sequence[Cell], folder: Path) -> None:
    """Write the table, for programs and for people, and its figures as far as there are numbers."""
    from pipeline.probe_figures import draw_bars, draw_layers
    from pipeline.probe_tables import last_layers, write_csv, write_markdown

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
            check_model(artifact, data, config)
    check_scratch(next(iter(models.values())), data, config)
    with replacing_outputs(arguments.out, arguments.report, mark=TABLE) as (folder, report):
        from pipeline.probe_tables import describe, report_of

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

    from mgsa.files import sha256
    from mgsa.model_artifact import MANIFEST

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
