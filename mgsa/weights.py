"""A module's weights in a safetensors file: numbers only, no code, each shared tensor once."""

from __future__ import annotations

import errno
import os
import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

import torch
from torch import Tensor, nn

from mgsa.base.errors import InputError

_TYPES = {
    torch.float64: "F64",
    torch.float32: "F32",
    torch.float16: "F16",
    torch.bfloat16: "BF16",
}
"""Types of floating-point numbers, as safetensors calls them."""

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
        InputError: the file is missing, is no safetensors file (a pickle is none), or holds
            something else than floating-point numbers.
    """
    return _load(path, None)


def count_tensors(path: Path) -> int:
    """How many tensors a safetensors file holds, by its header alone.

    Raises:
        InputError: the file is missing, or no safetensors file.
    """
    with _opened(path) as file:
        return len(file.keys())


def load_weights(module: nn.Module, path: Path) -> None:
    """Put the weights of a safetensors file into `module`, as `put_tensors` does.

    What the file says of them is compared with the module before one of them is read.

    Raises:
        InputError: as `load_tensors` and `put_tensors`.
    """
    put_tensors(module, _load(path, named_tensors(module)), path=path)


def put_tensors(module: nn.Module, tensors: Mapping[str, Tensor], *, path: Path) -> None:
    """Put `tensors`, named as `named_tensors` names them, into `module`; errors name `path`.

    A module on the meta device, whose weights have a shape and nothing else, is on the CPU then.

    Raises:
        InputError: a tensor is missing, left over, not finite, or of another shape or type than the
            module's.
    """
    found = {name: _Described(tuple(t.shape), _TYPES[t.dtype]) for name, t in tensors.items()}
    _check_alike(found, named_tensors(module), path)
    for name, tensor in tensors.items():
        if not bool(tensor.isfinite().all()):
            raise InputError(f"weight {name}: expected finite numbers", path=path)
    _leave_meta_device(module)
    with torch.no_grad():
        for name, tensor in named_tensors(module).items():
            tensor.copy_(tensors[name])


class _Described(NamedTuple):
    """What a file says of a tensor."""

    shape: tuple[int, ...]
    type: str


def _load(path: Path, expected: Mapping[str, Tensor] | None) -> dict[str, Tensor]:
    """The tensors of a file, once it is known that they are like `expected`, if that is given."""
    with _opened(path) as file:
        names = list(file.keys())
        slices = [file.get_slice(name) for name in names]
        found = {
            name: _Described(tuple(part.get_shape()), part.get_dtype())
            for name, part in zip(names, slices, strict=True)
        }
        for name, (_, kind) in found.items():
            if kind not in _TYPES.values():
                raise InputError(f"tensor {name}: expected floating-point numbers", path=path)
        if expected is not None:
            _check_alike(found, expected, path)
        return {name: file.get_tensor(name) for name in names}


@contextmanager
def _opened(path: Path) -> Iterator[Any]:
    """The safetensors file `path`; what safetensors says of it becomes an `InputError`."""
    from safetensors import SafetensorError, safe_open

    if not path.is_file():
        raise InputError("no such file", path=path)
    try:
        with safe_open(path, framework="pt") as file:
            yield file
    except SafetensorError as error:
        raise InputError(f"expected a safetensors file: {error}", path=path) from None


def _check_alike(
    found: Mapping[str, _Described], expected: Mapping[str, Tensor], path: Path
) -> None:
    for name in sorted(found.keys() ^ expected.keys()):
        problem = "missing" if name in expected else "not one of this model's"
        raise InputError(f"weight {name} is {problem}", path=path)
    for name, tensor in expected.items():
        shape, kind = found[name]
        if shape != tensor.shape:
            raise InputError(
                f"weight {name}: expected shape {tuple(tensor.shape)}, got {shape}", path=path
            )
        if kind != _TYPES[tensor.dtype]:
            raise InputError(
                f"weight {name}: expected type {_TYPES[tensor.dtype]}, got {kind}", path=path
            )


def _leave_meta_device(module: nn.Module) -> None:
    """Give room to weights that have none yet; those that are shared stay so."""
    tensors = module.state_dict(keep_vars=True)
    if not any(tensor.is_meta for tensor in tensors.values()):
        return
    roomy = {id(tensor): _with_room(tensor) for tensor in tensors.values()}
    module.load_state_dict({name: roomy[id(t)] for name, t in tensors.items()}, assign=True)


def _with_room(tensor: Tensor) -> Tensor:
    empty = torch.empty_like(tensor, device="cpu")
    if isinstance(tensor, nn.Parameter):
        return nn.Parameter(empty, requires_grad=tensor.requires_grad)
    return empty
