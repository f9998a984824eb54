"""What a benchmark's figures were measured with."""

from __future__ import annotations

import platform

import torch


def machine(device: torch.device) -> dict[str, object]:
    """The device, the threads of torch on the CPU, and versions."""
    return {
        "device": torch.cuda.get_device_name(device) if device.type == "cuda" else "cpu",
        "threads": torch.get_num_threads(),
        "torch": torch.__version__,
        "python": platform.python_version(),
    }
