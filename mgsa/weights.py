"""A module's weights in a safetensors file: numbers only, no code, each shared tensor once."""

from __future__ import annotations

import errno
import os
import re
from collections.abc import Mapping
from pathlib import Path

import torch
from torch import Tensor, nn

from mgsa.errors import InputError

_SYSTEM_ERROR = re.compile(r"\(os error ([0-9]+)\)")


def named_tensors(module: nn.Module) -> dict[str, Tensor]:
    """Parameters and persistent buffers, a tensor with several names under its first one."""
    kept = module.state_dict().keys()
    tensors: dict[str, Tensor] = dict(module.named_parameters())
    tensors.update((name, buffer) for name, buffer in module.named_buffers() if name in kept)
    return tensors


def save_tensors(tensors: Mapping[str, Tensor], path: Path) -> None:
    """Write `tensors` to a safetensors file; the same tensors give the same bytes.

    Raises:
        OSError: the file can't be written, for want of space or of permission.
    """
    from safetensors import SafetensorError
    from safetensors.torch import save_file

    try:
        save_file({name: tensor.detach().contiguous() for name, tensor in tensors.items()}, path)
    except SafetensorError as error:
        # What the system said is in the text alone: `… IoError(… (os error 28))`.
        found = _SYSTEM_ERROR.search(str(error))
        number = int(found[1]) if found else errno.EIO
        raise OSError(number, os.strerror(number), str(path)) from error


def load_tensors(path: Path) -> dict[str, Tensor]:
    """The tensors of a safetensors file, on the CPU.

    Raises:
        InputError: the file is missing, or is no safetensors file (a pickle is none).
    """
    from safetensors import SafetensorError
    from safetensors.torch import load_file

    if not path.is_file():
        raise InputError("no such file", path=path)
    try:
        return load_file(path)
    except SafetensorError as error:
        raise InputError(f"expected a safetensors file: {error}", path=path) from None


def load_weights(module: nn.Module, path: Path) -> None:
    """Put the weights of a safetensors file into `module`.

    Raises:
        InputError: a tensor is missing, left over, or of another shape than the module's.
    """
    put_tensors(module, load_tensors(path), path=path)


def put_tensors(module: nn.Module, tensors: Mapping[str, Tensor], *, path: Path) -> None:
    """Put `tensors`, named as `named_tensors` names them, into `module`; errors name `path`."""
    expected = named_tensors(module)
    for name in sorted(tensors.keys() ^ expected.keys()):
        problem = "missing" if name in expected else "not one of this model's"
        raise InputError(f"weight {name} is {problem}", path=path)
    with torch.no_grad():
        for name, tensor in expected.items():
            if tensors[name].shape != tensor.shape:
                raise InputError(
                    f"weight {name}: expected shape {tuple(tensor.shape)}, "
                    f"got {tuple(tensors[name].shape)}",
                    path=path,
                )
            tensor.copy_(tensors[name])
