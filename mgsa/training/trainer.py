"""The training loop, on one page.

Read an update → losses, backward → clip → schedule → step → log → validate → save. Each process
sees its share of an update's micro-batches, all hold the same weights, the first writes the files.
"""

from __future__ import annotations

import signal
from pathlib import Path

import torch
from lightning_fabric import Fabric

from mgsa.config import TrainConfig
from mgsa.data.batching import TrainBatches
from mgsa.data.dataset import Dataset
from mgsa.model.encoder_decoder import EncoderDecoder
from mgsa.training.checkpoint import (
    Checkpoint,
    regular_updates,
    remove_checkpoints,
    save_checkpoint,
    saved_updates,
)
from mgsa.training.gradients import Gradients, UpdateLoss, gradient_norm
from mgsa.training.loss import LossWeights, Objective
from mgsa.training.processes import Interrupted, Interruption
from mgsa.training.progress import Curves, Display, State
from mgsa.training.schedule import learning_rate
from mgsa.training.validation import Validation


class Trainer:
    """A training run from its start, or a checkpoint, to its end."""

    def __init__(
        self,
        fabric: Fabric,
        dataset: Dataset,
        model: EncoderDecoder,
        config: TrainConfig,
        *,
        weights: LossWeights,
        start: Checkpoint | None,
        curves: Curves,
        checkpoints: Path,
        identity: str,
    ) -> None:
        """
        Args:
            fabric: launched.
            model: freshly built, the same in every process.
            weights: of the parts of the loss.
            start: the checkpoint to resume from.
            checkpoints: the folder of checkpoints.
            identity: of the run, written into every checkpoint.
        """
        self.fabric = fabric
        self.config = config
        self.model = model.to(fabric.device)
        self.optimizer = torch.optim.Adam(
            model.parameters(), betas=config.optimizer_betas, eps=config.optimizer_eps, fused=True
        )
        self.state = State.start()
        if start is not None:
            start.restore(model, self.optimizer)
            self.state = start.state
        self.curves = curves
        self.checkpoints = checkpoints
        self.identity = identity
        self.batches = TrainBatches(
            dataset,
            batch_tokens=config.batch_tokens,
            batch_sentences=config.batch_sentences,
            seed=config.seed,
            shuffle_window=config.shuffle_window,
            granularities=model.granularities,
            ngram_unit=model.ngram_unit,
            max_length=None,
            links=model.alignment_head is not None,
        )
        objective: torch.nn.Module = Objective(model, weights)
        if config.compile:
            objective = torch.compile(objective, dynamic=True)  # type: ignore[assignment]
        wrapped, self.stepper = fabric.setup(objective, self.optimizer)
        self.gradients = Gradients(
            fabric,
            wrapped,
            seed=config.seed,
            granularities=model.granularities,
            ngram_unit=model.ngram_unit,
        )
        self.gradients.settle()
        self.validation = Validation(fabric, dataset, config)
        self.display = Display(visible=fabric.is_global_zero)
        self._epoch_length = 1
        if self.display.has_bar:  # epochs differ by a batch or two, which a bar doesn't show
            self._epoch_length = self.batches.num_micro_batches(self.state.position.epoch)

    def fit(self) -> None:
        """Train to the end of the run.

        Raises:
            Interrupted: a SIGTERM or SIGINT came; a checkpoint is saved.
            FailedError: a loss is not finite; the last checkpoint is of before.
        """
        config = self.config
        parameters = list(self.model.parameters())
        with Interruption() as interruption, self.display.running():
            if self._due(config.validate_every) and self.state.validated_at != self.state.update:
                self.state = self._validated()  # the run was interrupted just before
            updates = self.batches.updates(
                self.state.position,
                rank=self.fabric.global_rank,
                world_size=self.fabric.world_size,
                accumulate=config.accumulate,
            )
            while not self.finished:
                number = self.state.update + 1
                update = next(updates)
                losses, skipped = self.gradients.compute(update, epoch=self.state.position.epoch)
                norm = gradient_norm(parameters, clip_norm=config.clip_norm)
                total = self.gradients.total(losses, norm, skipped=skipped, update=number)
                for group in self.optimizer.param_groups:
                    group["lr"] = self._learning_rate(number)
                self.stepper.step()
                self.state = self.state.updated(
                    update.position_after, total.losses, skipped=total.skipped
                )
                self._show(total)
                if self._due(config.log_every):
                    self._log(total)
                if self.gradients.anywhere(interruption.signal is not None):
                    self.save()
                    raise self._interrupted(interruption.signal)
                if self._due(config.validate_every):
                    self.state = self._validated()
                if self._due(config.checkpoint_every) or self.state.just_improved:
                    self.save()
            if self.state.update not in saved_updates(self.checkpoints):
                self.save()

    @property
    def finished(self) -> bool:
        """Whether the run has made its updates or epochs, or stops early."""
        state, config = self.state, self.config
        return (
            state.update >= config.max_updates
            or state.position.epoch >= config.max_epochs
            or (config.patience is not None and state.bad_validations >= config.patience)
        )

    def save(self) -> None:
        """Write a checkpoint, then remove those no longer needed."""
        if not self.fabric.is_global_zero:
            return
        with self.display.pausing():
            save_checkpoint(
                self.checkpoints,
                self.model,
                self.optimizer,
                self.state,
                identity=self.identity,
                curves=self.curves.text,
            )
            regular = regular_updates(
                saved_updates(self.checkpoints),
                every=self.config.checkpoint_every,
                keep=self.config.keep_last,
            )
            needed = [*regular, self.state.update, self.state.best_update]
            remove_checkpoints(self.checkpoints, keep=needed)

    def conclude(self) -> State:
        """The state with the last weights validated.

        No checkpoint holds this validation: whether a run ended here makes no difference to one
        that is resumed for more updates.
        """
        return self.state if self.state.validated_at == self.state.update else self._validated()

    def _validated(self) -> State:
        """Score the present weights on the validation split; the state after it."""
        with self.display.pausing():
            metrics = self.validation.score(self.model)
            self.display.validated(self.state.update, metrics)
        self.curves.append(self.state.update, metrics)
        by_bleu = self.config.best_by == "bleu"
        score = metrics["valid_bleu_tokenized"] if by_bleu else -metrics["valid_nll"]
        return self.state.validated(score)

    def _due(self, every: int) -> bool:
        return self.state.update % every == 0

    def _learning_rate(self, update: int) -> float:
        config = self.config
        return learning_rate(
            update, peak=config.learning_rate, warmup=config.warmup, decay=config.decay
        )

    def _log(self, total: UpdateLoss) -> None:
        metrics = {f"train_{name}": v for name, v in self.state.interval.metrics().items()}
        self.state = self.state.logged()
        metrics["learning_rate"] = self._learning_rate(self.state.update)
        metrics["gradient_norm"] = total.gradient_norm
        metrics["skipped_batches"] = self.state.skipped_batches
        self.curves.append(self.state.update, metrics)

    def _show(self, total: UpdateLoss) -> None:
        state, config = self.state, self.config
        epochs = state.position.epoch + state.position.micro_batch / self._epoch_length
        self.display.updated(
            state.update,
            tokens=total.losses.tokens,
            loss=total.losses.loss / max(total.losses.tokens, 1),
            done=max(state.update / config.max_updates, epochs / config.max_epochs),
        )

    def _interrupted(self, number: int | None) -> Interrupted:
        """The exception to leave with; `None`: another process got the signal."""
        number = signal.SIGTERM if number is None else number
        name = signal.Signals(number).name
        self.display.line(f"{name}: saved at update {self.state.update}; the same command resumes")
        return Interrupted(number)
