"""Adam, and its state as named tensors (so that a checkpoint needs no pickle)."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import torch
from torch import Tensor, nn

from mgsa.base.errors import InputError
from mgsa.config import TrainConfig

_STATE = ("step", "exp_avg", "exp_avg_sq")
"""What Adam remembers of each parameter: updates made, and the two running means."""


def make_optimizer(model: nn.Module, config: TrainConfig) -> torch.optim.Adam:
    """Adam (Kingma & Ba 2015) over all of the model's parameters, in one fused kernel."""
    first, second = config.optimizer_betas
    return torch.optim.Adam(
        model.parameters(),
        lr=config.learning_rate,
        betas=(first, second),
        eps=config.optimizer_eps,
        fused=True,
    )


def optimizer_tensors(optimizer: torch.optim.Adam, model: nn.Module) -> dict[str, Tensor]:
    """Adam's state as `exp_avg.<parameter>` and so on; nothing before the first update."""
    return {
        f"{key}.{name}": value
        for name, parameter in model.named_parameters()
        for key, value in optimizer.state.get(parameter, {}).items()
    }


def load_optimizer_tensors(
    optimizer: torch.optim.Adam, model: nn.Module, tensors: Mapping[str, Tensor], *, path: Path
) -> None:
    """The inverse of `optimizer_tensors`; `path` is what errors name.

    Raises:
        InputError: the state of a parameter is missing, or of another shape or type.
    """
    if not tensors:  # saved before the first step
        return
    state = {
        index: {key: _state(key, name, parameter, tensors, path) for key in _STATE}
        for index, (name, parameter) in enumerate(model.named_parameters())
    }
    optimizer.load_state_dict(
        {"state": state, "param_groups": optimizer.state_dict()["param_groups"]}
    )


def _state(
    key: str, name: str, parameter: Tensor, tensors: Mapping[str, Tensor], path: Path
) -> Tensor:
    found = tensors.get(f"{key}.{name}")
    if found is None:
        raise InputError(f"optimizer state '{key}.{name}' is missing", path=path)
    like = torch.empty((), dtype=torch.float32) if key == "step" else parameter
    if (found.shape, found.dtype) != (like.shape, like.dtype):
        raise InputError(
            f"optimizer state {key}.{name}: expected {like.dtype} of shape {tuple(like.shape)}, "
            f"got {found.dtype} of shape {tuple(found.shape)}",
            path=path,
        )
    return found
