"""The gradients of one update, summed over micro-batches and processes.

DDP averages gradients over processes; losses are therefore multiplied by the number of processes
and divided by the target tokens of the *whole* update, as one process would have it.

A micro-batch that does not fit into memory is skipped: its process recomputes the update without
it. Gradients are exchanged in the backward pass of an update's last micro-batch; a process that
skips it, or has none (at an epoch's end), runs a filler of weight zero instead. Out of memory
during the exchange ends the run. Models have no buffers, which DDP would broadcast.
"""

import math
import sys
from collections.abc import Sequence
from typing import NamedTuple

import torch
from lightning_fabric import Fabric
from torch import Tensor, nn

from mgsa.cli.errors import FailedError, is_out_of_memory
from mgsa.data.batch import Batch, Row, make_batch
from mgsa.data.batching import Update
from mgsa.data.vocabulary import UNK
from mgsa.training.loss import NUM_SUMS, LossSums
from mgsa.training.processes import place_seed, sum_over_processes


class _BatchTooLargeError(Exception):
    """The micro-batch of this number did not fit into memory."""


_MicroBatchLoss = tuple[int, Tensor, Tensor]
"""A micro-batch's number in its epoch, row indices (B,), and `LossSums` as a tensor."""


class UpdateLoss(NamedTuple):
    """Sums of an update over all processes; `skipped` counts micro-batches."""

    losses: LossSums
    gradient_norm: float
    skipped: int


class Gradients:
    """Computes the gradients of updates.

    `objective` comes from `fabric.setup`, `filler` from `filler_batch`; a `clip_norm` of 0 is none.
    """

    def __init__(
        self,
        fabric: Fabric,
        objective: nn.Module,
        *,
        seed: int,
        clip_norm: float,
        filler: Batch,
    ) -> None:
        self.fabric = fabric
        self.objective = objective
        self.seed = seed
        self.clip_norm = clip_norm
        self.filler = filler
        if fabric.world_size > 1:
            # DDP orders its buckets, and so its rounding, by its first backward pass: it must be
            # the same in a resumed run.
            loss, _ = self._forward(filler)
            fabric.backward(loss * 0.0)
            objective.zero_grad(set_to_none=True)

    def compute(self, update: Update, *, epoch: int) -> UpdateLoss:
        """Fill the parameters' `.grad`, clipped; return the losses of all processes.

        Raises:
            FailedError: out of memory during the exchange, or losses or gradients not finite.
        """
        skipped: set[int] = set()
        losses = None
        while losses is None:
            self.objective.zero_grad(set_to_none=True)
            try:
                losses = self._attempt(update, epoch, skipped)
            except _BatchTooLargeError as error:
                (index,) = error.args
                skipped.add(index)
                where = f"epoch {epoch + 1}, micro-batch {index}"
                print(f"{where}: does not fit into memory, left out", file=sys.stderr)
                if self.fabric.device.type == "cuda":
                    torch.cuda.empty_cache()
        parameters = self.objective.parameters()
        norm = nn.utils.clip_grad_norm_(parameters, self.clip_norm or math.inf)
        own = torch.zeros(NUM_SUMS + 1, dtype=torch.float64, device=self.fabric.device)
        own[NUM_SUMS] = len(skipped)
        for _, _, sums in losses:
            own[:NUM_SUMS] += sums
        totals = sum_over_processes(self.fabric, own)
        # The only device synchronisation of an update's gradients.
        *total, all_skipped, all_norm = torch.cat([totals, norm.to(totals).view(1)]).tolist()
        if not all(math.isfinite(value) for value in (*total, all_norm)):
            raise FailedError(f"epoch {epoch + 1}, {_not_finite(losses)}")
        return UpdateLoss(LossSums(*total), all_norm, skipped=int(all_skipped))

    def _attempt(self, update: Update, epoch: int, skipped: set[int]) -> list[_MicroBatchLoss]:
        alone = self.fabric.world_size == 1
        share = self.fabric.world_size / update.num_target_tokens
        losses: list[_MicroBatchLoss] = []
        for number, (index, planned) in enumerate(update.batches, start=1):
            last = number == len(update.batches)
            batch = None if index in skipped else planned
            if batch is None and (alone or not last):
                continue
            torch.manual_seed(place_seed(self.seed, f"{epoch}/{index}"))
            exchanging = False
            try:
                with self.fabric.no_backward_sync(self.objective, enabled=not last):  # type: ignore[arg-type]
                    loss, sums = self._forward(self.filler if batch is None else batch)
                    exchanging = last and not alone
                    self.fabric.backward(loss * (0.0 if batch is None else share))
            except (RuntimeError, MemoryError) as error:
                if not is_out_of_memory(error):
                    raise
                if exchanging or batch is None:
                    raise FailedError(
                        f"epoch {epoch + 1}, micro-batch {index}: memory ran out while processes "
                        f"exchanged gradients; lower train.batch_tokens"
                    ) from error
                raise _BatchTooLargeError(index) from None
            if batch is not None:
                losses.append((index, batch.index, sums))
        return losses

    def _forward(self, batch: Batch) -> tuple[Tensor, Tensor]:
        loss, sums = self.objective(vars(batch.to(self.fabric.device)))
        return loss, sums


def _not_finite(losses: Sequence[_MicroBatchLoss]) -> str:
    """The micro-batches with losses or gradients that are not finite, for an error."""
    for number, rows, sums in losses:
        if not bool(sums.isfinite().all()):
            return f"micro-batch {number}: the loss is {sums[0]} (rows of train: {rows.tolist()})"
    numbers = ", ".join(str(number) for number, _, _ in losses)
    return f"micro-batch {numbers}: gradients, or losses of other processes, are not finite"


def filler_batch(granularities: Sequence[str], ngram_unit: str) -> Batch:
    """A batch that uses every parameter, as DDP expects of each process.

    Every partition has two phrases (the second is end of sentence), for recurrent weights.
    """
    levels = max((int(name.rpartition("_")[2]) for name in granularities), default=0)
    row = Row(-1, (UNK,), (UNK,), (1,), ((1,),) * levels, ((0,),) * levels)
    return make_batch([row], granularities, ngram_unit=ngram_unit)
