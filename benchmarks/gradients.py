"""Losses and gradients of every model, in fp32 and in bf16, against float64 on the CPU.

    python -m benchmarks.gradients --accelerator gpu

Models are those of `benchmarks.contestants` at tiny size in training mode, without what is drawn.
Batches are about 64 positions wide, where a tile of fused attention ends; the largest errors count.
An error is the norm of the difference relative to the norm of what is right; of gradients, of all
parameters together, and of the worst one with a thousandth of the whole norm. A model fails if it
exceeds its precision's tolerance, or if gradients vanish.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import fields, replace
from typing import Any

import torch
from torch import Tensor

from benchmarks.contestants import WEIGHTS, configurations, model_of
from benchmarks.machine import device_parser, machine
from benchmarks.random_batches import batch_of_lengths
from mgsa.cli.errors import FailedError
from mgsa.cli.files import write_json
from mgsa.cli.run import run
from mgsa.config import ModelConfig
from mgsa.data.batch import Batch
from mgsa.decoding.opened import choose_device
from mgsa.training.loss import Objective

LENGTHS = ((62, 1), (63, 1), (64, 1))  # and end of sentence
VOCABULARY = 500
TOLERANCE = {"fp32": 1e-4, "bf16": 5e-2}
"""Largest relative error of the loss, and of all gradients together."""


def objective(config: ModelConfig) -> Objective:
    """A model of a configuration that draws nothing, in training mode."""
    fixed: dict[str, Any] = {f.name: 0.0 for f in fields(config) if f.name.endswith("dropout")}
    if config.alignment:
        fixed["alignment"] = replace(config.alignment, sentences=1.0)
    return Objective(model_of(replace(config, **fixed), VOCABULARY).train(), WEIGHTS)


def loss_and_gradients(module: Objective, batch: Batch, *, bf16: bool) -> dict[str, Tensor]:
    """The loss a target token, and gradients by parameter, in float64 on the CPU."""
    device = next(module.parameters()).device
    module.zero_grad(set_to_none=True)
    with torch.autocast(device.type, dtype=torch.bfloat16, enabled=bf16):
        loss = module(vars(batch.to(device)))[0] / batch.num_target_tokens
    loss.backward()
    found = {n: p.grad for n, p in module.named_parameters() if p.grad is not None}
    found["loss"] = loss.detach()
    return {name: x.to("cpu", torch.float64, copy=True) for name, x in found.items()}


def errors(found: dict[str, Tensor], right: dict[str, Tensor]) -> dict[str, Any]:
    """Relative errors, and the names of the worst parameter and of those without gradient."""
    right, found = dict(right), dict(found)
    loss, ours = right.pop("loss"), found.pop("loss")
    whole = torch.stack([g.square().sum() for g in right.values()]).sum().sqrt()
    misses = {
        name: (found[name] - g).norm() if name in found else g.norm() for name, g in right.items()
    }
    relative = {
        n: float(m / right[n].norm()) for n, m in misses.items() if right[n].norm() > 1e-3 * whole
    }
    worst = max(relative, key=lambda name: relative[name])
    vanished = [n for n, g in right.items() if g.any() and not (n in found and found[n].any())]
    return {
        "loss": float((ours - loss).abs() / loss.abs()),
        "gradients": float(torch.stack(list(misses.values())).norm() / whole),
        "worst": relative[worst],
        "worst_parameter": worst,
        "vanished": " ".join(vanished),
    }


def main(argv: Sequence[str] | None = None) -> None:
    """Compare, print a table, and fail if a model does."""
    parser = device_parser(__doc__)
    parser.add_argument("--models", nargs="*", help="parts of the names of the models to compare")
    parser.add_argument("--cudnn-attention", action="store_true", help="which is off elsewhere")
    arguments = parser.parse_args(argv)
    device = choose_device(arguments.accelerator)
    batches = [batch_of_lengths(lengths, VOCABULARY) for lengths in LENGTHS]
    torch.backends.cudnn.allow_tf32 = False  # in its LSTMs, by default
    torch.backends.cuda.enable_cudnn_sdp(arguments.cudnn_attention)
    figures: dict[str, dict[str, Any]] = {}
    print("| model | precision | loss | gradients | worst parameter |")
    print("| --- | --- | ---: | ---: | --- |")
    for name, config in configurations("tiny").items():
        if arguments.models and not any(part in name for part in arguments.models):
            continue
        module = objective(config)
        module.double()
        right = [loss_and_gradients(module, batch, bf16=False) for batch in batches]
        module.float().to(device)
        for precision in TOLERANCE:
            bf16 = precision == "bf16"
            given = [loss_and_gradients(module, batch, bf16=bf16) for batch in batches]
            rows = [errors(*both) for both in zip(given, right, strict=True)]
            row = max(rows, key=lambda each: (each["vanished"], each["gradients"]))
            row["loss"] = max(each["loss"] for each in rows)
            figures[f"{name}, {precision}"] = row
            print(
                f"| {name} | {precision} | {row['loss']:.1e} | {row['gradients']:.1e} | "
                f"{row['worst']:.1e} {row['worst_parameter']} |"
            )
    if arguments.json:
        write_json(arguments.json, {**machine(device), "relative_errors": figures})
    wrong = [
        name
        for name, row in figures.items()
        if row["vanished"]
        or not all(row[key] <= TOLERANCE[name.rpartition(" ")[2]] for key in ("loss", "gradients"))
    ]
    if wrong:
        raise FailedError(f"beyond tolerance, or without gradients: {'; '.join(wrong)}")


if __name__ == "__main__":
    sys.exit(run(main))
