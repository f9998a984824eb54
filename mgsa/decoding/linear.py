"""Linear maps as a search on the CPU computes them fastest: packed by oneDNN, or in 8-bit integers
by FBGEMM; without gradients.
"""

from __future__ import annotations

import copy
import warnings

import torch
from torch import Tensor, nn

from mgsa.base.errors import InputError
from mgsa.config import SearchPrecision
from mgsa.model.encoder_decoder import EncoderDecoder
from mgsa.onlstm import ONLSTM

WORTH_PACKING = 1 << 18
"""Weights of a matrix that no longer lies in the cache: packed, it is read once."""


class PackedLinear(nn.Module):
    """A linear map whose weights lie in oneDNN's blocks, which many columns for few rows take half
    the time of. These are the operators that torch's compiler puts in place of `nn.Linear`.
    """

    def __init__(self, linear: nn.Linear) -> None:
        super().__init__()
        self.packed = torch.ops.mkldnn._reorder_linear_weight(linear.weight.detach(), None)
        self.bias = linear.bias

    def forward(self, x: Tensor) -> Tensor:
        """x (…, D) to (…, D')."""
        return torch.ops.mkldnn._linear_pointwise(x, self.packed, self.bias, "none", [], "")


class Int8Linear(nn.Module):
    """A linear map of 8-bit integers: weights have a scale for each output, inputs are quantised as
    they come (dynamic quantisation).

    torchao, where quantisation goes on, is made for `torch.compile`: called as it is, its products
    are slower than those of float32.
    """

    def __init__(self, linear: nn.Linear) -> None:
        super().__init__()
        weight = linear.weight.detach()
        scales = weight.abs().amax(dim=1).clamp(min=torch.finfo(weight.dtype).tiny) / 127
        zeros = torch.zeros(len(weight), dtype=torch.int64)
        bias = None if linear.bias is None else linear.bias.detach()
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # a later torch will have no quantised tensors
            quantized = torch.quantize_per_channel(weight, scales, zeros, 0, torch.qint8)
            self.packed = torch.ops.quantized.linear_prepack(quantized, bias)

    def forward(self, x: Tensor) -> Tensor:
        """x (…, D) to (…, D')."""
        # Seven bits of inputs: sums of two products could overflow 16 bits (without VNNI).
        return torch.ops.quantized.linear_dynamic(x, self.packed, reduce_range=True)


def prepared(model: EncoderDecoder, precision: SearchPrecision) -> EncoderDecoder:
    """The model with such linear maps in place of its own, but for those of recurrences; it shares
    all other weights. The model itself in bfloat16, in float64, and on a GPU.

    Raises:
        InputError: int8 on a GPU, or where torch has no FBGEMM.
    """
    weight = model.output.weight
    if precision == "int8":
        if weight.is_cuda or "fbgemm" not in torch.backends.quantized.supported_engines:
            raise InputError("translate.precision: int8 is for x86 CPUs; expected another one here")
        torch.backends.quantized.engine = "fbgemm"
    elif precision == "bfloat16" or weight.is_cuda or weight.dtype != torch.float32:
        return model
    shared = {id(tensor): tensor for tensor in model.parameters()}
    model = copy.deepcopy(model, shared)
    for module in list(model.modules()):
        if isinstance(module, ONLSTM):
            continue
        for name, child in module.named_children():
            if type(child) is not nn.Linear:
                continue
            if precision == "int8":
                setattr(module, name, Int8Linear(child))
            elif child.weight.numel() >= WORTH_PACKING:
                setattr(module, name, PackedLinear(child))
    return model
