"""A module's weights in a safetensors file: numbers only, no code, each shared tensor once."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import torch
from torch import Tensor, nn

from mgsa.base.errors import InputError


def named_tensors(module: nn.Module) -> dict[str, Tensor]:
    """Parameters and persistent buffers, a tensor with several names under its first one."""
    kept = module.state_dict().keys()
    tensors: dict[str, Tensor] = dict(module.named_parameters())
    tensors.update((name, buffer) for name, buffer in module.named_buffers() if name in kept)
    return tensors


def save_tensors(tensors: Mapping[str, Tensor], path: Path) -> None:
    """Write `tensors` to a safetensors file; the same tensors give the same bytes."""
    from safetensors.torch import save

    # Not `save_file`, whose errors are safetensors' own.
    path.write_bytes(save({name: t.detach().contiguous() for name, t in tensors.items()}))


def load_tensors(path: Path) -> dict[str, Tensor]:
    """The tensors of a safetensors file, on the CPU.

    Raises:
        InputError: the file is missing, or no safetensors file (a pickle is none).
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
    """Put the weights of a safetensors file into `module`."""
    put_tensors(module, load_tensors(path), path=path)


def put_tensors(module: nn.Module, tensors: Mapping[str, Tensor], *, path: Path) -> None:
    """Copy `tensors`, named as `named_tensors` names them, into `module`; errors name `path`.

    Raises:
        InputError: a tensor is missing, left over, or of another shape or type than the module's.
    """
    expected = named_tensors(module)
    for name in sorted(tensors.keys() | expected.keys()):
        ours, theirs = (
            f"{each[name].dtype} of shape {tuple(each[name].shape)}" if name in each else "none"
            for each in (expected, tensors)
        )
        if ours != theirs:
            raise InputError(f"weight {name}: expected {ours}, got {theirs}", path=path)
    with torch.no_grad():
        for name, tensor in expected.items():
            tensor.copy_(tensors[name])


def materialize(module: nn.Module) -> None:
    """Give a module on the meta device memory for its tensors; shared ones stay shared."""
    tensors = module.state_dict(keep_vars=True)
    empty: dict[int, Tensor] = {}
    for tensor in tensors.values():
        memory = torch.empty_like(tensor, device="cpu")
        empty[id(tensor)] = nn.Parameter(memory) if isinstance(tensor, nn.Parameter) else memory
    module.load_state_dict({name: empty[id(t)] for name, t in tensors.items()}, assign=True)
