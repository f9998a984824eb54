"""`torch.compile` for every model."""

from typing import TypeVar

import torch
from torch import nn

from mgsa import composition, interaction
from mgsa.model.recurrent import RecurrentDecoder, RecurrentEncoder

LOOPS = (composition.LSTM, interaction.Interactions, RecurrentDecoder, RecurrentEncoder)
"""They would be unrolled, and compiled anew for each number of steps; packing phrases for an LSTM
depends on the values of their lengths."""

Module = TypeVar("Module", bound=nn.Module)


def compiled(module: Module, *, backend: str = "inductor") -> Module:
    """A module compiled for batches of any shape.

    Its loops over positions, which are marked in the module itself, are left as they are.
    """
    for part in module.modules():
        if isinstance(part, LOOPS):
            part.forward = torch.compiler.disable(part.forward)  # type: ignore[method-assign]
    return torch.compile(module, dynamic=True, backend=backend)  # type: ignore[return-value]
