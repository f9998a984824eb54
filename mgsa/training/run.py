"""A whole run: processes, the checkpoint to resume from, training, and the model artifact."""

import os
import sys
from contextlib import ExitStack
from pathlib import Path
from typing import Literal

import torch
from lightning_fabric import Fabric

from mgsa.artifact.model import save_model
from mgsa.artifact.weights import put_tensors
from mgsa.cli.errors import InputError
from mgsa.cli.files import is_utf_8
from mgsa.cli.settings import to_mapping
from mgsa.config import ModelConfig
from mgsa.data.dataset import Dataset, open_dataset
from mgsa.model.build import build_model
from mgsa.model.encoder_decoder import EncoderDecoder
from mgsa.training import checkpoint
from mgsa.training.checkpoint import State, folder_of, saved_updates
from mgsa.training.initial import freeze, start_from
from mgsa.training.loggers import check_installed, sending_curves
from mgsa.training.processes import naming_lost_processes, place_seed
from mgsa.training.trainer import OnMetrics, Run, Trainer
from mgsa.training.validation import SPLIT, validate

Restart = Literal["never", "if_changed", "always"]


def train_model(
    run: Run, fabric: Fabric, *, restart: Restart, on_metrics: OnMetrics | None = None
) -> dict[str, float]:
    """Train to the end, from the latest checkpoint if there is one, and write the artifact.

    Args:
        fabric: not launched.
        restart: when checkpoints are removed: `never` (those of other settings are an error),
            `if_changed` (settings, data or code), or `always`.
        on_metrics: receives the curves, in the first process.

    Returns:
        The run's report; empty in all processes but the first.

    Raises:
        InputError: a setting, the dataset or a checkpoint is wrong.
        SystemExit, FailedError: as `Trainer.fit`, or another process has ended.
    """
    if run.train.bpe_dropout and run.resegment is None:
        raise InputError("train.bpe_dropout: expected `python -m pipeline.train`, which segments")
    for path in (run.out, run.checkpoints):
        if not is_utf_8(str(path)):  # safetensors writes no other
            raise InputError("expected a name in UTF-8", path=path)
    check_installed(run.logger)
    # One process a machine compares hashes.
    dataset = open_dataset(run.dataset, verify=os.environ.get("LOCAL_RANK", "0") == "0")
    torch.manual_seed(place_seed(run.train.seed, "weights"))
    model = new_model(run.model, dataset)
    dataset.check_granularities(model.granularities)
    freeze(model, run.train.frozen)
    if run.model.alignment is not None:
        dataset.check_links("train")
    for split in ("train", SPLIT):
        if not dataset.num_rows(split):
            raise InputError(f"expected pairs in the split {split}", path=dataset.folder)
    with naming_lost_processes():
        fabric.launch()
        identity = checkpoint.run_identity(
            run.model,
            run.train,
            micro_batches=fabric.world_size * run.train.accumulate,
            dataset=dataset.manifest.identity,
            code=run.code,
        )
        state = _saved_state(fabric, run, identity, restart)
        if state is None and run.train.initial is not None:
            start_from(Path(run.train.initial), model, dataset)
        fabric.barrier()  # all processes have read what they need
        if state is None:
            if fabric.is_global_zero:
                checkpoint.remove_checkpoints(run.checkpoints, keep=())
            fabric.barrier()
            state = State(identity)
        with ExitStack() as loggers:
            observers: list[OnMetrics] = []
            if fabric.is_global_zero:
                log = loggers.enter_context(sending_curves(run, identity, since=state.update))
                observers = [log, on_metrics] if on_metrics else [log]
            trainer = Trainer(fabric, run, dataset, model, state=state, observers=observers)
            trainer.fit()
            fabric.barrier()
            return _finish(run, trainer)


def new_model(config: ModelConfig, dataset: Dataset) -> EncoderDecoder:
    """A newly initialised model for a dataset's vocabularies and tags."""
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


def _saved_state(fabric: Fabric, run: Run, identity: str, restart: Restart) -> State | None:
    """The state to resume from, or `None` to start again, which is said if it isn't asked for."""
    updates = [] if restart == "always" else saved_updates(run.checkpoints)
    if not updates:
        return None
    state = checkpoint.read_state(run.checkpoints, updates[-1])
    config, position = run.train, state.position
    if state.identity != identity:
        problem = "the checkpoints are of other settings, another dataset or other code"
        if config.decay == "linear":
            problem += " (with train.decay: linear, the end of a run is one of its settings)"
    elif state.update > config.max_updates:
        problem = f"the checkpoints are beyond train.max_updates ({config.max_updates})"
    elif (position.epoch, position.micro_batch) > (config.max_epochs, 0):
        problem = f"the checkpoints are beyond train.max_epochs ({config.max_epochs})"
    else:
        return state
    if restart == "never":
        raise InputError(
            f"{problem}; go back to them to resume, or start again with --restart",
            path=run.checkpoints,
        )
    if fabric.is_global_zero:
        print(f"{run.checkpoints}: {problem}: start again", file=sys.stderr)
    return None


def _finish(run: Run, trainer: Trainer) -> dict[str, float]:
    """Select or average the weights, write the artifact, return the report."""
    state, model = trainer.state, trainer.model
    if state.validated_at != state.update:
        # Not in a checkpoint, so that a run resumed for more updates is as if it had not ended.
        trainer.validate()
    match run.train.artifact:
        case "best":
            updates = [state.best_update]
        case "last":
            updates = [state.update]
        case "average":
            updates = checkpoint.regular_updates(
                saved_updates(run.checkpoints),
                every=run.train.checkpoint_every,
                keep=run.train.keep_last,
                last=state.update,
            )
    weights = checkpoint.average(run.checkpoints, updates, state.identity)
    put_tensors(model, weights, path=folder_of(run.checkpoints, updates[-1]))
    if len(updates) > 1:
        scores = validate(trainer.fabric, model, trainer.dataset, run.train)
    else:
        scores = next(
            {name: value for name, value in line.items() if name != "update"}
            for line in reversed(state.curves)
            if line["update"] == updates[-1] and "valid_nll" in line
        )
    if not trainer.fabric.is_global_zero:
        return {}
    settings = {"train": to_mapping(run.train), "identity": state.identity}
    made_by = {**settings, "updates": updates, "scores": scores}
    save_model(
        run.out,
        model,
        run.model,
        trainer.dataset,
        run=made_by,
        curves=state.curves,
        parser=run.parser,
    )
    speed = trainer.display.tokens_per_second  # of this resumption, which may have had no update
    return {
        "updates": state.update,
        "target_tokens": state.tokens,
        "epochs": state.position.epoch,
        "best_update": state.best_update,
        "parameters": sum(parameter.numel() for parameter in model.parameters()),
        "skipped_batches": state.skipped_batches,
        **({"tokens_per_second": round(speed, 1)} if speed else {}),
        **scores,
    }
