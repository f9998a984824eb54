"""The outputs and gradients of a layer against those of its reference, sentence by sentence."""

from __future__ import annotations

from collections.abc import Sequence

import torch
from torch import Tensor


def assert_same(output: Tensor, expected: Sequence[Tensor], inputs: Sequence[Tensor]) -> None:
    """`output` (B, T, ·) begins each sentence as `expected`, (n, ·) each; so do gradients.

    Padding, positions from n on, may hold anything.
    """
    ours, theirs = torch.zeros(2, dtype=output.dtype)
    for got, wanted in zip(output, expected, strict=True):
        torch.testing.assert_close(got[: len(wanted)], wanted)
        factors = torch.randn_like(wanted)
        ours = ours + (got[: len(wanted)] * factors).sum()
        theirs = theirs + (wanted * factors).sum()
    gradients = torch.autograd.grad(ours, inputs, retain_graph=True)
    expected_gradients = torch.autograd.grad(theirs, inputs, retain_graph=True)
    for got, wanted in zip(gradients, expected_gradients, strict=True):
        torch.testing.assert_close(got, wanted)
