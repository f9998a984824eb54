"""Peak memory of a training step: MG-SA, phrase attention, RNNs against our Transformer.

    python -m benchmarks.model_memory --size base --tokens 2048 4096

Each model takes some steps (`benchmarks.contestants`) in a process of its own for each size of
batch. On the CPU a figure is the highest resident set less what the process had before the model
was made; on a GPU, the most that was allocated there.
"""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import torch

from benchmarks.contestants import BASELINE, VOCABULARY, chosen_names, contestant, train_step
from benchmarks.machine import device_parser, machine
from benchmarks.random_batches import make_batches
from mgsa.cli.files import write_json
from mgsa.cli.run import run
from mgsa.decoding.opened import choose_device

STEPS = 2
"""The first one allocates Adam's moments."""


def peak_mib(name: str, size: str, tokens: int, device: torch.device) -> float:
    """Peak memory of some steps of a model, weights and optimiser included."""
    vocabulary = VOCABULARY[size]
    (batch,) = make_batches(tokens, vocabulary, 1)
    batch = batch.to(device)
    if device.type == "cpu":
        before = _resident("VmRSS")
        Path("/proc/self/clear_refs").write_text("5", encoding="utf-8")  # the peak starts from here
    model = contestant(name, size, device, vocabulary=vocabulary)
    for _ in range(STEPS):
        train_step(model, batch)
    if device.type == "cuda":
        return torch.cuda.max_memory_allocated(device) / 2**20
    return _resident("VmHWM") - before


def _resident(field: str) -> float:
    """MiB of this process, by a field of Linux's `status`."""
    for line in Path("/proc/self/status").read_text(encoding="utf-8").splitlines():
        if line.startswith(f"{field}:"):
            return int(line.split()[1]) / 1024
    raise OSError(f"no {field} in /proc/self/status")


def in_a_process(name: str, size: str, tokens: int, device: torch.device) -> float:
    """`peak_mib`, measured where nothing else has been."""
    command = [sys.executable, "-m", "benchmarks.model_memory", "--only", name]
    command += ["--size", size, "--tokens", str(tokens)]
    command += ["--accelerator", "gpu" if device.type == "cuda" else "cpu"]
    return float(subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True).stdout)


def main(argv: Sequence[str] | None = None) -> None:
    """Print the table, with `--json` write the figures."""
    parser = device_parser(__doc__)
    parser.add_argument("--size", choices=sorted(VOCABULARY), required=True)
    parser.add_argument(
        "--tokens", type=int, nargs="+", default=[4096], help="target positions of a batch"
    )
    parser.add_argument("--models", nargs="*", help="parts of the names of the models to run")
    parser.add_argument("--only", help="measure this model in this very process")
    arguments = parser.parse_args(argv)
    device, size = choose_device(arguments.accelerator), arguments.size
    if arguments.only:
        print(peak_mib(arguments.only, size, arguments.tokens[0], device))
        return
    names = chosen_names(size, arguments.models)
    found = {
        tokens: {name: in_a_process(name, size, tokens, device) for name in names}
        for tokens in arguments.tokens
    }
    print("| tokens | model | peak MiB | relative |\n| ---: | --- | ---: | ---: |")
    for tokens, peaks in found.items():
        for name, mib in peaks.items():
            print(f"| {tokens:,} | {name} | {mib:,.0f} | {mib / peaks[BASELINE]:.2f} |")
    if arguments.json:
        write_json(arguments.json, {"size": size, **machine(device), "peak_mib_by_tokens": found})


if __name__ == "__main__":
    sys.exit(run(main))
