"""The device that translates."""

from __future__ import annotations

from typing import Literal

import torch

from mgsa.base.errors import InputError

Accelerator = Literal["cpu", "gpu", "auto"]


def choose_device(accelerator: Accelerator) -> torch.device:
    """The device that is asked for; `auto` is a GPU if there is one.

    Raises:
        InputError: there is no GPU to be had.
    """
    if accelerator == "cpu" or (accelerator == "auto" and not torch.cuda.is_available()):
        return torch.device("cpu")
    if not torch.cuda.is_available():
        raise InputError("accelerator: expected cpu or auto, as there is no GPU; got gpu")
    return torch.device("cuda")
