"""An update's gradients: accumulation, batches that don't fit, losses that are not finite."""

from __future__ import annotations

import copy
import os
from collections.abc import Mapping
from dataclasses import replace
from unittest.mock import patch

import pytest
import torch
from lightning_fabric import Fabric
from torch import Tensor, nn

from mgsa.cli.errors import FailedError
from mgsa.data.batch import Batch, Row, make_batch
from mgsa.data.batching import Position, Update
from mgsa.training.gradients import Gradients, UpdateLoss, filler_batch
from mgsa.training.loss import NUM_SUMS, LossSums, LossWeights, Objective
from tests.random_rows import MODELS, batch_of, random_model, some_rows


class Toy(nn.Module):
    """A loss that is quadratic in the weights, with dropout, in place of a model's."""

    def __init__(self, *, dropout: float = 0.0) -> None:
        super().__init__()
        torch.manual_seed(0)
        self.embedding = nn.Embedding(20, 4)
        self.output = nn.Linear(4, 1)
        self.dropout = nn.Dropout(dropout)

    def forward(self, tensors: Mapping[str, Tensor]) -> tuple[Tensor, Tensor]:
        batch = Batch(**tensors)  # type: ignore[arg-type]
        real = (batch.target_output != 0).unsqueeze(-1)
        values = self.output(self.dropout(self.embedding(batch.target_output)))
        loss = (values.square() * real).sum()
        sums = torch.zeros(NUM_SUMS, dtype=torch.float64)
        sums[0], sums[2] = loss.detach(), real.sum()
        return loss, sums


class ForgetfulToy(Toy):
    """Has no memory for batches of more than `limit` pairs."""

    def __init__(self, limit: int, error: Exception) -> None:
        super().__init__()
        self.limit = limit
        self.error = error

    def forward(self, tensors: Mapping[str, Tensor]) -> tuple[Tensor, Tensor]:
        if len(tensors["index"]) > self.limit:
            raise self.error
        return super().forward(tensors)


def pairs(*lengths: int, first: int = 0) -> Batch:
    """A batch of pairs whose targets have these lengths."""
    rows = [
        Row(first + i, [5], list(range(4, 4 + length)), [1], [], [])
        for i, length in enumerate(lengths)
    ]
    return make_batch(rows, [], ngram_unit="subword")


def update(*batches: Batch | None) -> Update:
    tokens = sum(batch.num_target_tokens for batch in batches if batch is not None)
    return Update(tuple(enumerate(batches)), Position(0, len(batches)), tokens)


def gradient_of(
    module: nn.Module, planned: Update, *, clip_norm: float = 0.0
) -> tuple[list[Tensor], UpdateLoss]:
    """The gradient of every parameter, and the losses."""
    fabric = Fabric(accelerator="cpu", devices=1)
    wrapped = fabric.setup_module(module)
    computing = Gradients(fabric, wrapped, seed=1, clip_norm=clip_norm, filler=pairs(1))
    total = computing.compute(planned, epoch=0)
    return [p.grad.clone() for p in module.parameters() if p.grad is not None], total


@pytest.mark.parametrize("accelerator", ["cpu", pytest.param("gpu", marks=pytest.mark.gpu)])
def test_one_process_of_ddp_is_as_none(accelerator: str) -> None:
    """With gloo on the CPU, with NCCL on a GPU, which takes no second process."""
    model = random_model(MODELS["syntactic, self-attention, tags, ON-LSTM"])
    objective = Objective(model.train(), LossWeights(0.1, 0.1, 0.1))
    planned = update(*(batch_of(model, some_rows(*lengths)) for lengths in ((6, 3), (9,))))
    found = []
    for strategy in ("auto", "ddp"):
        fabric = Fabric(accelerator=accelerator, devices=1, strategy=strategy)
        with patch.dict(os.environ):  # a group of processes leaves its place there
            fabric.launch()
        try:
            module = fabric.setup_module(copy.deepcopy(objective))
            filler = filler_batch(model.granularities, model.ngram_unit)
            computing = Gradients(fabric, module, seed=1, clip_norm=1.0, filler=filler)
            losses = computing.compute(planned, epoch=0).losses
            gradients = [p.grad.cpu() for p in module.parameters() if p.grad is not None]
            found.append((losses, gradients))
        finally:
            if torch.distributed.is_initialized():
                torch.distributed.destroy_process_group()
    assert found[0][0] == found[1][0]
    torch.testing.assert_close(found[1][1], found[0][1])


def test_two_micro_batches_are_as_one_of_both() -> None:
    whole, one = gradient_of(Toy(), update(pairs(3, 7, 2, 5)))
    parts, two = gradient_of(Toy(), update(pairs(3, 7), None, pairs(2, 5)))
    torch.testing.assert_close(whole, parts)
    assert one.losses.tokens == two.losses.tokens == 3 + 7 + 2 + 5 + 4
    assert one.losses.loss == pytest.approx(two.losses.loss)


@pytest.mark.parametrize("share", [0.5, 1.0, 2.0])
def test_the_gradient_is_that_of_the_mean_over_tokens_and_clipped(share: float) -> None:
    batch, module = pairs(3, 7), Toy()
    loss, _ = module(vars(batch))
    expected = torch.autograd.grad(loss / 12, list(module.parameters()))
    norm = torch.cat([gradient.flatten() for gradient in expected]).norm().item()
    taken, found = gradient_of(module, update(batch), clip_norm=share * norm)
    assert found.gradient_norm == pytest.approx(norm)
    torch.testing.assert_close(taken, [min(share, 1.0) * gradient for gradient in expected])


def test_dropout_depends_on_the_place_alone() -> None:
    module, batch = Toy(dropout=0.5), pairs(6, 6)
    torch.manual_seed(1)
    (first, *_), _ = gradient_of(module, update(batch))
    torch.manual_seed(2)
    (again, *_), _ = gradient_of(module, update(batch))
    (other_place, *_), _ = gradient_of(module, update(None, batch))
    assert torch.equal(first, again)
    assert not torch.equal(first, other_place)


@pytest.mark.parametrize("error", [torch.OutOfMemoryError("CUDA out of memory"), MemoryError()])
def test_a_batch_that_does_not_fit_is_left_out_and_counted(
    error: Exception, capsys: pytest.CaptureFixture[str]
) -> None:
    fits, too_large = pairs(3, 7), pairs(1, 1, 1, first=10)
    planned = update(fits, too_large, fits)
    taken, total = gradient_of(ForgetfulToy(2, error), planned)
    # The others' share stays what it was planned to be.
    expected, _ = gradient_of(Toy(), replace(planned, batches=((0, fits), (2, fits))))
    assert all(map(torch.equal, taken, expected))
    assert (total.losses.tokens, total.skipped) == (24, 1)
    assert "epoch 1, micro-batch 1: does not fit into memory, left out" in capsys.readouterr().err


def test_an_update_of_which_nothing_fits_changes_nothing() -> None:
    taken, total = gradient_of(ForgetfulToy(1, MemoryError()), update(pairs(3, 7)))
    assert (taken, total) == ([], UpdateLoss(LossSums(), 0.0, 1))


def test_a_loss_that_is_not_finite_names_batch_and_rows() -> None:
    module = Toy()
    module.embedding.weight.data[9] = torch.nan  # only a target of six or more subwords has it
    message = r"epoch 1, micro-batch 1: the loss is nan \(rows of train: \[10, 11\]\)"
    with pytest.raises(FailedError, match=message):
        gradient_of(module, update(pairs(3), pairs(7, 2, first=10)))


def test_a_gradient_that_is_not_finite_names_the_batches() -> None:
    module = Toy()
    module.output.weight.register_hook(lambda gradient: gradient * torch.inf)
    with pytest.raises(FailedError, match=r"epoch 1, micro-batch 0, 1: gradients, .*not finite"):
        gradient_of(module, update(pairs(3), pairs(3)))
