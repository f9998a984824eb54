"""The mean of several checkpoints' weights (Vaswani et al. 2017, section 6.1)."""

from collections.abc import Sequence
from pathlib import Path

from torch import Tensor

from mgsa.artifact.weights import load_tensors
from mgsa.cli.errors import InputError


def average(paths: Sequence[Path]) -> dict[str, Tensor]:
    """The mean of each tensor over safetensors files, in float64, one file in memory at a time.

    Different tensors or shapes are an `InputError`.
    """
    assert paths
    first = load_tensors(paths[0])
    sums = {name: tensor.double() for name, tensor in first.items()}
    for path in paths[1:]:
        tensors = load_tensors(path)
        if {n: t.shape for n, t in tensors.items()} != {n: t.shape for n, t in first.items()}:
            raise InputError(f"expected the same weights as {paths[0]}", path=path)
        for name, tensor in tensors.items():
            sums[name] += tensor
    return {name: (sums[name] / len(paths)).to(first[name].dtype) for name in first}
