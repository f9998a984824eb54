"""A whole run: processes, identity, where to go on from, training, and the model artifact."""

from __future__ import annotations

import logging
import os
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from lightning_fabric import Fabric

from mgsa.base.errors import InputError
from mgsa.base.settings import to_mapping
from mgsa.config import ModelConfig, MultiGranularityConfig, TrainConfig, TransformerConfig
from mgsa.data.artifact import Dataset, open_dataset
from mgsa.data.needs import check_granularities, check_links
from mgsa.model.build import build_model
from mgsa.model.encoder_decoder import EncoderDecoder
from mgsa.model_artifact import check_replaceable, save_model
from mgsa.training.averaging import average
from mgsa.training.checkpoint import (
    CURVES,
    WEIGHTS,
    Checkpoint,
    folder_of,
    read_checkpoint,
    regular_updates,
    remove_checkpoints,
    saved_updates,
)
from mgsa.training.curves import Curves, OnMetrics, ignore_metrics
from mgsa.training.identity import run_identity
from mgsa.training.loss import LossWeights
from mgsa.training.processes import naming_lost_processes, processes, several_devices
from mgsa.training.randomness import seed_weights
from mgsa.training.state import State
from mgsa.training.trainer import Trainer
from mgsa.weights import put_tensors

Restart = Literal["never", "if_changed", "always"]


@dataclass(frozen=True)
class Run:
    """What a run is made of, and where it writes.

    Attributes:
        dataset: the folder of the dataset artifact.
        out: the model artifact, written when the run is over.
        checkpoints: the folder of checkpoints, from which a run that was killed goes on; every
            process can read it.
        code: which code it has to be that wrote the checkpoints; `None`: any.
    """

    dataset: Path
    model: ModelConfig
    train: TrainConfig
    out: Path
    checkpoints: Path
    code: str | None


def train(run: Run, *, restart: Restart, on_metrics: OnMetrics) -> dict[str, float]:
    """Train to the end, from the latest checkpoint if there is one, and write the artifact.

    Args:
        restart: whether checkpoints are put aside: `never` (those of other settings are an error),
            `if_changed` (of settings, data or code), or `always`.
        on_metrics: is told of every line of the curves, in the first process.

    Returns:
        What the report of the run says.

    Raises:
        InputError: a setting, the dataset or a checkpoint is not as it must be.
        Interrupted: on SIGTERM or SIGINT, after a checkpoint is written.
        FailedError: a loss is not finite, or another process of the run has ended.
    """
    devices, nodes = processes(run.train)
    check_replaceable(run.out)
    if run.checkpoints.resolve().is_relative_to(run.out.resolve()):
        raise InputError(
            f"expected a folder outside the model artifact {run.out}, which is replaced as a whole",
            path=run.checkpoints,
        )
    # Once a node is enough to read every byte.
    dataset = open_dataset(run.dataset, verify=os.environ.get("LOCAL_RANK", "0") == "0")
    identity = run_identity(
        run.model,
        run.train,
        micro_batches=devices * nodes * run.train.accumulate,
        dataset=dataset.manifest.identity,
        code=run.code,
    )
    seed_weights(run.train.seed)
    model = new_model(run.model, dataset)
    check_granularities(dataset, model.granularities)
    if run.model.alignment is not None:
        check_links(dataset, "train")  # before there are checkpoints
    logging.getLogger("lightning_fabric").setLevel(logging.WARNING)
    fabric = several_devices(run.train, devices, nodes)
    with naming_lost_processes(devices * nodes):
        fabric.launch()
        start = _checkpoint(fabric, run, identity, restart)
        first = fabric.is_global_zero
        trainer = Trainer(
            fabric,
            dataset,
            model,
            run.train,
            weights=_loss_weights(run.model, run.train),
            start=start,
            curves=Curves(
                run.checkpoints / CURVES if first else None,
                start.curves if start is not None else "",
                on_metrics if first else ignore_metrics,
            ),
            checkpoints=run.checkpoints,
            identity=identity,
        )
        trainer.fit()
        fabric.barrier()
        return _finish(run, trainer, dataset, identity)


def new_model(config: ModelConfig, dataset: Dataset) -> EncoderDecoder:
    """The model for a dataset's vocabularies and tags, with weights drawn anew."""
    source, target = dataset.vocabularies
    if config.share_embeddings == "all" and source is not target:
        raise InputError(
            "expected one vocabulary for both languages, as model.share_embeddings: all needs",
            path=dataset.folder,
        )
    return build_model(
        config,
        source_vocabulary=len(source),
        target_vocabulary=len(target),
        num_tags=len(dataset.tags),
    )


def _loss_weights(model: ModelConfig, config: TrainConfig) -> LossWeights:
    """What the parts of the loss are multiplied by; a part that a model lacks by nothing."""
    match model:
        case TransformerConfig(multi_granularity=MultiGranularityConfig(tag_weight=weight)):
            tags = weight
        case _:
            tags = 0.0
    return LossWeights(
        label_smoothing=config.label_smoothing,
        tags=tags,
        alignment=model.alignment.weight if model.alignment is not None else 0.0,
    )


def _checkpoint(fabric: Fabric, run: Run, identity: str, restart: Restart) -> Checkpoint | None:
    """The checkpoint to go on from; those that are not to be used are removed."""
    updates = [] if restart == "always" else saved_updates(run.checkpoints)
    checkpoint = read_checkpoint(folder_of(run.checkpoints, updates[-1])) if updates else None
    problem = checkpoint and _mismatch(checkpoint, identity, run.train)
    if problem and restart == "never":
        raise InputError(
            f"{problem}; go back to them to resume, or start again with --restart",
            path=run.checkpoints,
        )
    if checkpoint is None or problem:
        fabric.barrier()  # every process has looked
        if fabric.is_global_zero:
            remove_checkpoints(run.checkpoints, keep=())
            if problem:
                print(f"{run.checkpoints}: {problem}: start again", file=sys.stderr)
        fabric.barrier()
        return None
    if fabric.is_global_zero:
        print(f"resume from {checkpoint.folder}", file=sys.stderr)
    return checkpoint


def _mismatch(checkpoint: Checkpoint, identity: str, config: TrainConfig) -> str | None:
    """Why a run can't go on from a checkpoint, if it can't."""
    state = checkpoint.state
    if checkpoint.identity != identity:
        return "the checkpoints are of other settings, another dataset or other code"
    if state.update > config.max_updates:
        return f"the checkpoints are beyond train.max_updates ({config.max_updates})"
    place = (state.position.epoch, state.position.micro_batch)
    if place > (config.max_epochs, 0):
        return f"the checkpoints are beyond train.max_epochs ({config.max_epochs})"
    return None


def _finish(run: Run, trainer: Trainer, dataset: Dataset, identity: str) -> dict[str, float]:
    """Choose the weights, write the artifact, and say how the run went."""
    state, model = trainer.conclude(), trainer.model
    updates = _chosen_updates(run, state)
    paths = [folder_of(run.checkpoints, update) / WEIGHTS for update in updates]
    put_tensors(model, average(paths), path=paths[-1])
    means = trainer.validation.score(model) if len(paths) > 1 else None
    if not trainer.fabric.is_global_zero:
        return {}
    scores = trainer.curves.at(updates[-1], "valid_nll") if means is None else means
    save_model(
        run.out,
        model,
        run.model,
        dataset,
        run={
            "train": to_mapping(run.train),
            "identity": identity,
            "updates": updates,
            "scores": scores,
        },
        curves=trainer.curves.text,
    )
    return {
        "updates": state.update,
        "target_tokens": state.tokens,
        "epochs": state.position.epoch,
        "best_update": state.best_update,
        "parameters": sum(parameter.numel() for parameter in model.parameters()),
        "skipped_batches": state.skipped_batches,
        "tokens_per_second": round(trainer.display.tokens_per_second, 1),
        **scores,
    }


def _chosen_updates(run: Run, state: State) -> list[int]:
    """The updates whose weights, averaged if they are several, are the artifact's."""
    config = run.train
    if config.artifact == "best":
        return [state.best_update]
    if config.artifact == "last":
        return [state.update]
    return regular_updates(
        saved_updates(run.checkpoints),
        every=config.checkpoint_every,
        keep=config.keep_last,
        last=state.update,
    )
