"""Linear maps and dropout: torch's, but in half their time or less in float32 on a CPU.

torch leaves products of matrices to MKL, which uses half the width of AMD's vector units, where
oneDNN uses all of it; and it draws a random number of 32 bits for each number to drop or to keep.
"""

from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor, nn
from torch.autograd.function import once_differentiable
from torch.nn import functional as F
from torch.nn.utils.rnn import PackedSequence

PACKS = torch.backends.mkldnn.is_available() and all(
    hasattr(torch.ops.mkldnn, name) for name in ("_linear_pointwise", "_reorder_linear_weight")
)
"""Whether this torch has oneDNN's product and packing, none of which is a public operator."""
ONEDNN = PACKS and torch.backends.mkl.is_available()
"""Whether oneDNN's product takes the place of MKL's."""
BLOCK = 64
"""oneDNN is given a multiple of so many rows: for each number of them it compiles a kernel, which
takes memory, and longer than many a product.
"""


class Linear(nn.Linear):
    """`nn.Linear`."""

    __call__: Callable[..., Tensor]

    def forward(self, x: Tensor) -> Tensor:
        """x (…, D) to (…, D')."""
        return linear(x, self.weight, self.bias)


def linear(x: Tensor, weight: Tensor, bias: Tensor | None = None) -> Tensor:
    """`F.linear`: x (…, D), weight (D', D), bias (D',) to (…, D')."""
    num_rows = x.shape[:-1].numel()
    if (
        not ONEDNN
        or not _on_cpu(x)
        or not x.dtype == weight.dtype == torch.float32
        or torch.is_autocast_enabled("cpu")
        or num_rows < BLOCK
    ):
        return F.linear(x, weight, bias)
    product = _Linear.apply if torch.is_grad_enabled() else _product_of_rows
    return product(x.reshape(num_rows, -1), weight, bias).view(*x.shape[:-1], len(weight))


class _Linear(torch.autograd.Function):
    """x (rows, D) to (rows, D')."""

    @staticmethod
    def forward(ctx: Any, x: Tensor, weight: Tensor, bias: Tensor | None) -> Tensor:
        padded = _padded(x)
        ctx.save_for_backward(padded, weight)
        # Not a view, which could not be changed in place.
        return onednn_product(padded, weight, bias).resize_(len(x), len(weight))

    @staticmethod
    @once_differentiable
    def backward(ctx: Any, gradient: Tensor) -> tuple[Tensor | None, ...]:
        x, weight = ctx.saved_tensors
        of_x, of_weight, of_bias = ctx.needs_input_grad
        padded = _padded(gradient)
        return (
            onednn_product(padded, weight.t())[: len(gradient)] if of_x else None,
            _transposed_product(padded, x) if of_weight else None,
            gradient.sum(dim=0) if of_bias else None,
        )


def _product_of_rows(x: Tensor, weight: Tensor, bias: Tensor | None) -> Tensor:
    """x (rows, D) to (rows, D'), without gradients."""
    return onednn_product(_padded(x), weight, bias)[: len(x)]


def _padded(x: Tensor) -> Tensor:
    """x (rows, D), contiguous, with zeros up to a multiple of `BLOCK` rows.

    In the gradient of weights it is a second factor: if that has gaps between its rows, oneDNN
    takes a thousand times as long.
    """
    return F.pad(x, (0, 0, 0, -len(x) % BLOCK)) if len(x) % BLOCK else x.contiguous()


def onednn_product(x: Tensor, weight: Tensor, bias: Tensor | None = None) -> Tensor:
    """`F.linear`, by oneDNN if it is there, without gradients; `weight` may be `packed`."""
    if not PACKS:
        return F.linear(x, weight, bias)
    # oneDNN has no public operator.
    product: Callable[..., Tensor] = torch.ops.mkldnn._linear_pointwise  # noqa: SLF001
    return product(x, weight, bias, "none", [], "")


def packed(weight: Tensor) -> Tensor:
    """A weight in oneDNN's own layout, for `onednn_product`; as it is without oneDNN."""
    if not PACKS:
        return weight
    pack: Callable[..., Tensor] = torch.ops.mkldnn._reorder_linear_weight  # noqa: SLF001
    return pack(weight, None)


def _transposed_product(x: Tensor, y: Tensor) -> Tensor:
    """The transpose of x (rows, D) times y (rows, D'): (D, D').

    The transpose of the first factor is copied: let it be the narrower one.
    """
    if x.shape[1] > y.shape[1]:
        return onednn_product(y.t(), x.t()).t()
    return onednn_product(x.t(), y.t())


class Dropout(nn.Dropout):
    """`nn.Dropout`."""

    __call__: Callable[..., Tensor]

    def forward(self, x: Tensor) -> Tensor:
        """x of any shape."""
        return dropout(x, self.p) if self.training else x


def dropout(x: Tensor, rate: float) -> Tensor:
    """`F.dropout`; on a CPU the rate is rounded to a multiple of 2⁻¹⁶."""
    dropped = round(rate * 2**16)
    if not _on_cpu(x) or not 0 < dropped < 2**16:
        return F.dropout(x, rate)
    drawn = torch.empty(x.numel() // 4 + 1, dtype=torch.int64).random_(-(2**63), None)
    kept = drawn.view(torch.int16)[: x.numel()].view(x.shape) >= dropped - 2**15
    return x * kept.to(x.dtype).mul_(2**16 / (2**16 - dropped))


def _on_cpu(x: Tensor) -> bool:
    """Whether x is there, and not for the compiler, which has operators of its own."""
    return x.device.type == "cpu" and not torch.compiler.is_compiling()


def run_lstm(
    lstm: nn.LSTM, x: Tensor | PackedSequence, states: tuple[Tensor, Tensor] | None = None
) -> Any:
    """`lstm(x, states)` without autocast.

    On a GPU autocast runs an LSTM in float16, whatever it was asked for; without loss scaling its
    gradients underflow.
    """
    dtype: torch.dtype = lstm.weight_hh_l0.dtype  # type: ignore[assignment]
    with torch.autocast(x.data.device.type, enabled=False):
        before = None if states is None else tuple(state.to(dtype) for state in states)
        return lstm(x.to(dtype), before)
