"""The machine of a benchmark's figures: device, versions, and its peaks.

    python -m benchmarks.machine --accelerator gpu

Speeds are the best of some tries.
"""

from __future__ import annotations

import argparse
import json
import platform
import re
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path

import torch

from mgsa.cli.files import write_json
from mgsa.cli.run import run
from mgsa.decoding.opened import choose_device
from mgsa.operators import linear

WIDTH = {"cpu": 1024, "cuda": 8192}
"""Width of the largest product and copy, by kind of device."""
TRIES = 20


def device_parser(docstring: str | None) -> argparse.ArgumentParser:
    """A parser of --accelerator and --json, described by the first line of a module's docstring."""
    parser = argparse.ArgumentParser(description=(docstring or "").partition("\n")[0])
    parser.add_argument(
        "--accelerator", choices=["cpu", "gpu", "auto"], default="auto", help="(default: auto)"
    )
    parser.add_argument("--json", type=Path, metavar="FILE", help="also write the figures here")
    return parser


def machine(device: torch.device) -> dict[str, object]:
    """The device, the threads and vector units of torch on the CPU, and versions."""
    cpu = dict(re.findall(r"(.+?)\s*: (.*)", Path("/proc/cpuinfo").read_text("utf-8")))
    words = (f"{name} {cpu[name]}" for name in ("cpu family", "model") if name in cpu)
    return {
        "device": torch.cuda.get_device_name(device) if device.type == "cuda" else "cpu",
        "cpu": ", ".join([cpu.get("model name", platform.machine()), *words]),
        "vector_units": torch.backends.cpu.get_cpu_capability(),
        "threads": torch.get_num_threads(),
        "torch": torch.__version__,
        "python": platform.python_version(),
    }


def wait(device: torch.device) -> None:
    """Until the device has done what it was given."""
    if device.type == "cuda":
        torch.cuda.synchronize(device)


def least_seconds(work: Callable[[], object], device: torch.device) -> float:
    """The shortest of some runs."""
    seconds = []
    for _ in range(TRIES):
        wait(device)
        begin = time.perf_counter()
        work()
        wait(device)
        seconds.append(time.perf_counter() - begin)
    return min(seconds)


def peak_flops(
    device: torch.device,
    dtype: torch.dtype,
    product: Callable[[torch.Tensor, torch.Tensor], object] = linear,
) -> float:
    """Operations a second of a large matrix product, by default as our linear maps have it."""
    width = WIDTH[device.type]
    a, b = torch.randn(2, width, width, device=device, dtype=dtype)
    return 2 * width**3 / least_seconds(lambda: product(a, b), device)


def ceilings(device: torch.device) -> dict[str, float]:
    """Peaks of products in TFLOP/s, and of reading and writing memory in GB/s."""
    width = WIDTH[device.type]
    source = torch.randn(width, width, device=device)
    target = torch.empty_like(source)
    seconds = least_seconds(lambda: target.copy_(source), device)
    return {
        **{
            f"{name}_tflops": peak_flops(device, dtype) / 1e12
            for name, dtype in (("fp32", torch.float32), ("bf16", torch.bfloat16))
        },
        # On a CPU of torch's default library, MKL's; our linear maps take oneDNN's.
        "fp32_tflops_of_torch": peak_flops(device, torch.float32, torch.matmul) / 1e12,
        "memory_gb_per_second": 2 * source.nbytes / seconds / 1e9,
    }


def main(argv: Sequence[str] | None = None) -> None:
    """Measure, and print the figures as JSON."""
    parser = device_parser(__doc__)
    arguments = parser.parse_args(argv)
    device = choose_device(arguments.accelerator)
    figures = {**machine(device), **ceilings(device)}
    print(json.dumps(figures, indent=2))
    if arguments.json:
        write_json(arguments.json, figures)


if __name__ == "__main__":
    sys.exit(run(main))
