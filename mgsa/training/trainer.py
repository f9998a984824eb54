"""The training loop, on one page.

Read an update → losses, backward → clip → schedule → step → log → validate → save. Each process
sees its share of an update's micro-batches, all hold the same weights, the first writes the files.
"""

from __future__ import annotations

import signal
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import torch
from lightning_fabric import Fabric

from mgsa.config import ModelConfig, TrainConfig
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
from mgsa.training.gradients import Gradients, gradient_norm
from mgsa.training.loss import LossSums, LossWeights, Objective
from mgsa.training.processes import remembering_signals
from mgsa.training.progress import Curves, Display, State
from mgsa.training.schedule import learning_rate
from mgsa.training.validation import Validation


@dataclass(frozen=True)
class Run:
    """What a run is made of, and where it writes.

    Attributes:
        dataset: the folder of the dataset artifact.
        out: the model artifact, written at the end.
        checkpoints: the folder of checkpoints, on a file system that all processes share.
        code: hash of the code that checkpoints must come from; `None`: any.
    """

    dataset: Path
    model: ModelConfig
    train: TrainConfig
    out: Path
    checkpoints: Path
    code: str | None = None


class Trainer:
    """A training run from its start, or a checkpoint, to its end.

    Args:
        fabric: launched.
        model: freshly built, the same in every process.
        start: the checkpoint to resume from.
        identity: of the run, written into every checkpoint.
    """

    def __init__(
        self,
        fabric: Fabric,
        run: Run,
        dataset: Dataset,
        model: EncoderDecoder,
        *,
        start: Checkpoint | None,
        curves: Curves,
        identity: str,
    ) -> None:
        config = run.train
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
        self.checkpoints = run.checkpoints
        self.identity = identity
        self.batches = TrainBatches(
            dataset,
            batch_tokens=config.batch_tokens,
            batch_sentences=config.batch_sentences,
            seed=config.seed,
            shuffle_window=config.shuffle_window,
            granularities=model.granularities,
            ngram_unit=model.ngram_unit,
            links=model.alignment_head is not None,
        )
        multi, alignment = getattr(run.model, "multi_granularity", None), run.model.alignment
        weights = LossWeights(
            label_smoothing=config.label_smoothing,
            tags=multi.tag_weight if multi else 0.0,
            alignment=alignment.weight if alignment else 0.0,
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
            SystemExit: a SIGTERM or SIGINT came; a checkpoint is saved.
            FailedError: a loss is not finite; the last checkpoint is of before.
        """
        config = self.config
        parameters = list(self.model.parameters())
        with remembering_signals() as signals, self.display.running():
            if self._due(config.validate_every) and self.state.validated_at != self.state.update:
                self._validate()  # the run was interrupted just before
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
                rate = learning_rate(
                    number, peak=config.learning_rate, warmup=config.warmup, decay=config.decay
                )
                for group in self.optimizer.param_groups:
                    group["lr"] = rate
                self.stepper.step()
                self.state = self.state.updated(
                    update.position_after, total.losses, skipped=total.skipped
                )
                self._show(total.losses)
                if self._due(config.log_every):
                    self._log(learning_rate=rate, gradient_norm=total.gradient_norm)
                if self.gradients.anywhere(bool(signals)):
                    self.save()
                    self._leave(signals)
                if self._due(config.validate_every):
                    self._validate()
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
        if self.state.validated_at != self.state.update:
            self._validate()
        return self.state

    def _validate(self) -> None:
        with self.display.pausing():
            metrics = self.validation.score(self.model)
            self.display.validated(self.state.update, metrics)
        self.curves.append(self.state.update, metrics)
        by_bleu = self.config.best_by == "bleu"
        score = metrics["valid_bleu_tokenized"] if by_bleu else -metrics["valid_nll"]
        self.state = self.state.validated(score)

    def _due(self, every: int) -> bool:
        return self.state.update % every == 0

    def _log(self, **more: float) -> None:
        metrics = {f"train_{name}": v for name, v in self.state.interval.metrics().items()}
        metrics |= more | {"skipped_batches": self.state.skipped_batches}
        self.state = self.state.logged()
        self.curves.append(self.state.update, metrics)

    def _show(self, losses: LossSums) -> None:
        state, config = self.state, self.config
        epochs = state.position.epoch + state.position.micro_batch / self._epoch_length
        self.display.updated(
            state.update,
            tokens=losses.tokens,
            loss=losses.loss / max(losses.tokens, 1),
            done=max(state.update / config.max_updates, epochs / config.max_epochs),
        )

    def _leave(self, signals: Sequence[signal.Signals]) -> None:
        """End the program by the signal that came; without one, another process got it."""
        number = signals[0] if signals else signal.SIGTERM
        self.display.line(
            f"{number.name}: saved at update {self.state.update}; the same command resumes"
        )
        raise SystemExit(128 + number)
