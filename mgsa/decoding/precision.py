"""The precision of a search, and on a CPU the linear maps that are fastest in it.

They are packed by oneDNN, or of 8-bit integers, and have no gradients.
"""

import copy
import warnings
from collections.abc import Callable

import torch
from torch import Tensor, nn

from mgsa.cli.errors import FailedError, InputError
from mgsa.config import SearchPrecision
from mgsa.model.encoder_decoder import EncoderDecoder
from mgsa.onlstm import ONLSTM
from mgsa.operators import PACKS, Linear, onednn_product, packed

WORTH_PACKING = 1 << 18
"""A matrix of so many weights does not stay in the cache; packed, it is read once."""

INTEGER_ENGINES = ("x86", "fbgemm", "onednn")
"""Torch's engines that `Int8Linear` is made for."""


class PackedLinear(nn.Module):
    """A linear map of weights packed by oneDNN: few rows times many columns take half the time.

    torch's compiler puts the same operators in place of `nn.Linear`, for batches of any size.
    """

    def __init__(self, linear: nn.Linear) -> None:
        super().__init__()
        self.packed = packed(linear.weight.detach())
        self.bias = linear.bias

    def forward(self, x: Tensor) -> Tensor:
        """x (…, D) to (…, D')."""
        return onednn_product(x, self.packed, self.bias)


class Int8Linear(nn.Module):
    """A linear map of 8-bit integers, by dynamic quantisation of torch's quantised tensors.

    torch deprecates them: the release without them is the end of this class.

    Weights have a scale for each output, inputs one scale for all of x, so that rows are not quite
    independent of each other.

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
            warnings.simplefilter("ignore")  # of the deprecation
            quantized = torch.quantize_per_channel(weight, scales, zeros, 0, torch.qint8)
            self.packed = torch.ops.quantized.linear_prepack(quantized, bias)

    def forward(self, x: Tensor) -> Tensor:
        """x (…, D) to (…, D')."""
        # Seven bits of inputs: sums of two products could overflow 16 bits (without VNNI).
        y: Tensor = torch.ops.quantized.linear_dynamic(x, self.packed, reduce_range=True)
        return y


def for_search(model: EncoderDecoder, precision: SearchPrecision) -> EncoderDecoder:
    """A float32 CPU model with packed or int8 linear maps; any other model is returned unchanged.

    Recurrent cells keep theirs; all other weights are shared.

    Raises:
        InputError: int8 on a GPU, or on a CPU that is no x86.
        FailedError: int8 with weights that are not finite, which would become finite.
    """
    weight = model.output.weight
    make: Callable[[nn.Linear], nn.Module] = PackedLinear
    least = WORTH_PACKING
    if precision == "int8":
        if weight.is_cuda or torch.backends.quantized.engine not in INTEGER_ENGINES:
            raise InputError(
                "translate.precision: int8 is for x86 CPUs: expected accelerator cpu on one, or "
                "another precision"
            )
        if not all(bool(tensor.isfinite().all()) for tensor in model.parameters()):
            raise FailedError("the model has weights that are not finite")
        make, least = Int8Linear, 1
    elif precision == "bfloat16" or weight.is_cuda or weight.dtype != torch.float32 or not PACKS:
        return model
    model = copy.deepcopy(model, {id(tensor): tensor for tensor in model.parameters()})
    for module in list(model.modules()):
        if isinstance(module, ONLSTM):
            continue
        for name, child in module.named_children():
            if isinstance(child, Linear) and child.weight.numel() >= least:
                setattr(module, name, make(child))
    return model


def search_autocast(device: torch.device, precision: SearchPrecision) -> torch.autocast:
    """Context of a search: bfloat16 products, if that is the precision."""
    return torch.autocast(device.type, torch.bfloat16, enabled=precision == "bfloat16")
