"""The training loop, on one page.

Read an update → losses, backward → clip → schedule → step → log → validate → save. Each process
computes its share of an update's micro-batches; the first one writes the files.
"""

import math
import signal
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import torch
from lightning_fabric import Fabric

from mgsa.config import ModelConfig, TrainConfig
from mgsa.data.batching import Resegment, TrainBatches
from mgsa.data.dataset import Dataset
from mgsa.model.compiled import compiled
from mgsa.model.encoder_decoder import EncoderDecoder
from mgsa.run_config import Logger
from mgsa.training.checkpoint import (
    State,
    folder_of,
    regular_updates,
    remove_checkpoints,
    restore,
    save_checkpoint,
    saved_updates,
)
from mgsa.training.gradients import Gradients, filler_batch
from mgsa.training.loss import LossSums, LossWeights, Objective
from mgsa.training.processes import in_any_process, mean_over_processes, remembering_signals
from mgsa.training.progress import Display
from mgsa.training.validation import validate

OnMetrics = Callable[[Mapping[str, int | float]], None]
"""Called with each line of the curves, a mapping of `update`, losses and scores."""


@dataclass(frozen=True)
class Run:
    """The settings and folders of a run.

    `checkpoints` is on a file system that all processes share; `code` is the hash of the code that
    they must come from (`None`: any), `parser` a folder for the artifact to hold, `logger` where
    curves go besides, `resegment` what `train.bpe_dropout` needs.
    """

    dataset: Path
    model: ModelConfig
    train: TrainConfig
    out: Path
    checkpoints: Path
    code: str | None = None
    parser: Path | None = None
    logger: Logger = "none"
    resegment: Resegment | None = None


def learning_rate(update: int, config: TrainConfig, *, last: int) -> float:
    """Linear up to the peak at update `warmup`; then as `decay` says.

    The decay is in proportion to 1 / sqrt(update), or linear to zero at update `last`, or none.
    With the peak factor / sqrt(d · warmup) and the root this is Vaswani et al. 2017, equation 3:
    0.0007 for d = 512, warmup = 4000, factor 1. Updates are counted from 1, so `warmup` 1 is no
    warm-up.
    """
    peak, warmup = config.learning_rate, config.warmup
    if update < warmup:
        return peak * update / warmup
    if config.decay == "inverse_sqrt":
        return peak * math.sqrt(warmup / update)
    if config.decay == "linear":
        return peak * max(last - update, 0) / max(last - warmup, 1)
    return peak


class Trainer:
    """A training run from its start, or a checkpoint, to its end.

    `fabric` is launched, `model` newly built and the same in every process, `state` that of a new
    run or of the checkpoint to resume from. `observers` also receive the curves in `state`.
    """

    def __init__(
        self,
        fabric: Fabric,
        run: Run,
        dataset: Dataset,
        model: EncoderDecoder,
        *,
        state: State,
        observers: Sequence[OnMetrics] = (),
    ) -> None:
        config = run.train
        self.fabric = fabric
        self.config = config
        self.dataset = dataset
        self.state = state
        self.checkpoints = run.checkpoints
        self.model = model.to(fabric.device)
        self.optimizer = torch.optim.Adam(
            model.parameters(), betas=config.optimizer_betas, eps=config.optimizer_eps, fused=True
        )
        self.display = Display(visible=fabric.is_global_zero)
        if state.update:
            folder = folder_of(run.checkpoints, state.update)
            restore(folder, model, self.optimizer)
            self.display.line(f"resume from {folder}")
        self.batches = TrainBatches(
            dataset,
            batch_tokens=config.batch_tokens,
            batch_sentences=config.batch_sentences,
            seed=config.seed,
            shuffle_window=config.shuffle_window,
            granularities=model.granularities,
            ngram_unit=model.ngram_unit,
            links=model.alignment_head is not None,
            resegment=run.resegment,
            phrase_noise=config.phrase_noise,
        )
        multi, alignment = getattr(run.model, "multi_granularity", None), run.model.alignment
        weights = LossWeights(
            label_smoothing=config.label_smoothing,
            tags=multi.tag_weight if multi else 0.0,
            alignment=alignment.weight if alignment else 0.0,
        )
        objective: torch.nn.Module = Objective(model, weights)
        if config.compile:
            objective = compiled(objective)
        wrapped, self.stepper = fabric.setup(objective, self.optimizer)
        self.gradients = Gradients(
            fabric,
            wrapped,
            seed=config.seed,
            clip_norm=config.clip_norm,
            filler=filler_batch(model.granularities, model.ngram_unit),
        )
        # The length of epochs varies by a batch or two; the first one's will do.
        of_epoch = self.batches.num_micro_batches(0) / (fabric.world_size * config.accumulate)
        self._last_update = min(config.max_updates, config.max_epochs * math.ceil(of_epoch))
        self._began = time.monotonic() - state.seconds
        self._observers = observers
        for line in state.curves:
            self._tell(line)

    def fit(self) -> None:
        """Train to the end of the run.

        Raises:
            SystemExit: on SIGTERM or SIGINT, after a checkpoint is saved.
            FailedError: a loss is not finite; the last checkpoint precedes it.
        """
        config, state = self.config, self.state
        with remembering_signals() as signals, self.display.running():
            if self._validation_is_due and state.validated_at != state.update:
                self.validate()  # interrupted before this validation
                self.save()  # as an uninterrupted run, with its score
            updates = self.batches.updates(
                state.position,
                rank=self.fabric.global_rank,
                world_size=self.fabric.world_size,
                accumulate=config.accumulate,
            )
            while not self.finished:
                update = next(updates)
                losses, norm, skipped = self.gradients.compute(update, epoch=state.position.epoch)
                state.update += 1
                rate = learning_rate(state.update, config, last=self._last_update)
                for group in self.optimizer.param_groups:
                    group["lr"] = rate
                self.stepper.step()
                state.tokens += round(losses.tokens)
                state.position = update.position_after
                state.interval += losses
                state.skipped_batches += skipped
                self._spend()
                self._show(losses)
                if self._due(config.log_every):
                    metrics = {f"train_{k}": v for k, v in state.interval.metrics().items()}
                    metrics |= {"learning_rate": rate, "gradient_norm": norm}
                    self._record(metrics | {"skipped_batches": state.skipped_batches})
                    state.interval = LossSums()
                if in_any_process(self.fabric, bool(signals)):
                    self.save()
                    self._leave(signals)
                if self._validation_is_due:
                    self.validate()
                if self._due(config.checkpoint_every) or state.best_update == state.update:
                    self.save()
            if state.update not in saved_updates(self.checkpoints):
                self.save()

    @property
    def finished(self) -> bool:
        """Whether the run reached its updates, epochs or seconds, or stops early."""
        state, config = self.state, self.config
        return (
            state.update >= config.max_updates
            or state.position.epoch >= config.max_epochs
            or (config.max_seconds is not None and state.seconds >= config.max_seconds)
            or (config.patience is not None and state.bad_validations >= config.patience)
        )

    def save(self) -> None:
        """Write a checkpoint and remove those no longer needed."""
        if not self.fabric.is_global_zero:
            return
        state = self.state
        with self.display.pausing():
            save_checkpoint(self.checkpoints, self.model, self.optimizer, state)
            regular = regular_updates(
                saved_updates(self.checkpoints),
                every=self.config.checkpoint_every,
                keep=self.config.keep_last,
            )
            needed = [*regular, state.update, state.best_update]
            remove_checkpoints(self.checkpoints, keep=needed)

    def validate(self) -> None:
        """Score the weights, and update the best score."""
        with self.display.pausing():
            metrics = validate(self.fabric, self.model, self.dataset, self.config)
        scores = "  ".join(f"{name} {value:.4g}" for name, value in metrics.items())
        speed = f"{self.display.tokens_per_second:,.0f} tokens/s"
        self.display.line(f"update {self.state.update}: {scores}  {speed}")
        self._record(metrics)
        by_bleu = self.config.best_by == "bleu"
        self.state.validated(metrics["valid_bleu_tokenized"] if by_bleu else -metrics["valid_nll"])
        self._spend()

    def _spend(self) -> None:
        """Count the time, if it is limited."""
        if self.config.max_seconds is not None:
            seconds = time.monotonic() - self._began
            self.state.seconds = mean_over_processes(self.fabric, seconds)

    def _due(self, every: int) -> bool:
        return self.state.update % every == 0

    @property
    def _validation_is_due(self) -> bool:
        every = self.config.validate_every
        return self._due(every) if every else self.state.position.micro_batch == 0

    def _record(self, metrics: Mapping[str, int | float]) -> None:
        self.state.curves.append({"update": self.state.update, **metrics})
        self._tell(self.state.curves[-1])

    def _tell(self, line: Mapping[str, int | float]) -> None:
        for observe in self._observers:
            observe(line)

    def _show(self, losses: LossSums) -> None:
        state, config = self.state, self.config
        self.display.updated(
            state.update,
            tokens=losses.tokens,
            loss=losses.loss / max(losses.tokens, 1),
            done=max(
                state.update / self._last_update,
                state.seconds / (config.max_seconds or math.inf),
            ),
        )

    def _leave(self, signals: Sequence[signal.Signals]) -> None:
        """Exit by the signal received; without one, another process received it."""
        number = signals[0] if signals else signal.SIGTERM
        self.display.line(
            f"{number.name}: saved at update {self.state.update}; the same command resumes"
        )
        raise SystemExit(128 + number)
