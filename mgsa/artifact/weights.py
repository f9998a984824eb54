"""A module's weights in a safetensors file, each shared tensor once."""

from collections.abc import Mapping
from pathlib import Path

import torch
from torch import Tensor, nn

from mgsa.cli.errors import InputError


def named_tensors(module: nn.Module) -> dict[str, Tensor]:
    """Parameters and persistent buffers, a shared tensor under its first name."""
    kept = module.state_dict().keys()
    tensors: dict[str, Tensor] = dict(module.named_parameters())
    tensors.update((name, buffer) for name, buffer in module.named_buffers() if name in kept)
    return tensors


def save_tensors(tensors: Mapping[str, Tensor], path: Path) -> None:
    """Write `tensors` to a safetensors file; equal tensors give equal bytes."""
    from safetensors.torch import save

    # Not `save_file`, which hides OS errors in its own.
    path.write_bytes(save({name: t.detach().contiguous() for name, t in tensors.items()}))


def load_tensors(path: Path) -> dict[str, Tensor]:
    """The tensors of a safetensors file, on the CPU; an `InputError` if it is none."""
    from safetensors import SafetensorError
    from safetensors.torch import load_file

    if not path.is_file():
        raise InputError("no such file", path=path)
    try:
        return load_file(path)
    except SafetensorError as error:
        raise InputError(f"expected a safetensors file: {error}", path=path) from None


def load_weights(module: nn.Module, path: Path) -> None:
    """Load a safetensors file into `module`."""
    put_tensors(module, load_tensors(path), path=path)


def put_tensors(module: nn.Module, tensors: Mapping[str, Tensor], *, path: Path) -> None:
    """Copy `tensors`, by the names of `named_tensors`, into `module`.

    An `InputError` that names `path` is raised unless names, shapes and types are the module's.
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
