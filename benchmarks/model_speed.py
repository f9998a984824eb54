"""Training speed of whatever can be put into a Transformer, of RNNs and of torch's, against ours.

    python -m benchmarks.model_speed --size base --tokens 4096 --repeats 5 --profile

A step is forward, loss, backward and Adam on a batch of random sentences with random trees. In
every repetition each model takes one step on the same batch, in turn, so that whatever else the
machine does falls on all of them; a model's figure is the median over repetitions of its speed
relative to the Transformer's in the same repetition. On a GPU steps run in bf16.
"""

from __future__ import annotations

import json
import math
import statistics
import sys
import time
from collections.abc import Callable, Sequence
from typing import Any

import torch

from benchmarks.contestants import (
    BASELINE,
    VOCABULARY,
    Contestant,
    chosen_names,
    contestant,
    train_step,
)
from benchmarks.machine import device_parser, machine, peak_flops, wait
from benchmarks.random_batches import make_batches
from mgsa.cli.files import write_json
from mgsa.cli.run import run
from mgsa.data.batch import Batch
from mgsa.decoding.opened import choose_device

CLOCKS = {"wall": time.perf_counter, "processor": time.process_time}
KERNELS = 10
"""How many of a step's longest are named."""


def step_seconds(
    contestant: Contestant, batch: Batch, device: torch.device, clock: Callable[[], float]
) -> float:
    """How long one training step takes; a training reads the loss after each, so it waits too."""
    wait(device)
    begin = clock()
    train_step(contestant, batch)
    wait(device)
    return clock() - begin


def measure(
    models: Sequence[Contestant],
    batches: Sequence[Batch],
    repeats: int,
    device: torch.device,
    clock: Callable[[], float],
) -> list[dict[str, Any]]:
    """A row for each model, from `repeats` rounds over the batches."""
    seconds: dict[str, list[float]] = {model.name: [] for model in models}
    for batch in batches:  # memory is allocated and kernels chosen before the clock counts
        for model in models:
            step_seconds(model, batch, device, clock)
    for repeat in range(repeats):
        for number, batch in enumerate(batches):
            first = (repeat * len(batches) + number) % len(models)
            for model in [*models[first:], *models[:first]]:  # nobody always comes after another
                seconds[model.name].append(step_seconds(model, batch, device, clock))
    tokens = [batch.num_target_tokens for batch in batches] * repeats
    rows: list[dict[str, Any]] = []
    for model in models:
        ratios = [
            base / own for base, own in zip(seconds[BASELINE], seconds[model.name], strict=True)
        ]
        low, middle, high = statistics.quantiles(ratios, n=4) if len(ratios) > 1 else ratios * 3
        rows.append(
            {
                "model": model.name,
                "parameters": sum(p.numel() for p in model.module.parameters()),
                "target_tokens_per_second": sum(tokens) / sum(seconds[model.name]),
                "relative": middle,
                "relative_quarter": low,
                "relative_three_quarters": high,
                "first_batch_seconds": statistics.median(seconds[model.name][:: len(batches)]),
            }
        )
    return rows


def profile(model: Contestant, batch: Batch, seconds: float, peak: float) -> dict[str, object]:
    """The operations of a step's matrix products, their share of `peak`, and a GPU's launches.

    Products within torch's LSTMs can't be counted.
    """
    from torch.profiler import ProfilerActivity
    from torch.utils.flop_counter import FlopCounterMode

    device = batch.source.device
    found: dict[str, object] = {}
    if device.type == "cuda":
        with torch.profiler.profile(activities=[ProfilerActivity.CUDA]) as profiler:
            train_step(model, batch)
            wait(device)
        kernels = sorted(
            ((k.self_device_time_total / 1e3, k.count, k.key) for k in profiler.key_averages()),
            reverse=True,
        )
        found["launches"] = sum(count for _, count, _ in kernels)
        found["idle_share"] = max(0.0, 1 - sum(ms for ms, *_ in kernels) / 1e3 / seconds)
        found["longest"] = [{"ms": ms, "count": n, "kernel": k} for ms, n, k in kernels[:KERNELS]]
    if not any(isinstance(module, torch.nn.LSTM) for module in model.module.modules()):
        onednn = {torch.ops.mkldnn._linear_pointwise: _product_flops}
        # Last: it ends a compiled model's days.
        with FlopCounterMode(display=False, custom_mapping=onednn) as counter:
            train_step(model, batch)
        flops = counter.get_total_flops()
        found |= {"gflop": flops / 1e9, "peak_share": flops / seconds / peak}
    return found


def _product_flops(x: Sequence[int], weight: Sequence[int], *_: object, **__: object) -> int:
    """Operations of a product of (rows, D) and (D', D)."""
    return 2 * math.prod(x) * weight[0]


def markdown(rows: Sequence[dict[str, Any]]) -> str:
    """The table, medians with quartiles, and what `profile` found."""
    profiled = {
        "gflop": ("GFLOP", ".1f"),
        "peak_share": ("share of peak", ".2f"),
        "launches": ("launches", ","),
        "idle_share": ("idle", ".2f"),
    }
    columns = {key: how for key, how in profiled.items() if key in rows[0]}
    header = ["model", "parameters", "target tokens/s", "relative (quartiles)"]
    header += [name for name, _ in columns.values()]
    lines = [f"| {' | '.join(header)} |", "| --- " * len(header) + "|"]
    for row in rows:
        extra = [(row.get(key), how) for key, (_, how) in columns.items()]
        cells = [
            str(row["model"]),
            f"{row['parameters'] / 1e6:.1f} M",
            f"{row['target_tokens_per_second']:,.0f}",
            f"{row['relative']:.3f} ({row['relative_quarter']:.3f} to "
            f"{row['relative_three_quarters']:.3f})",
            *("" if value is None else format(value, how) for value, how in extra),
        ]
        lines.append(f"| {' | '.join(cells)} |")
    return "\n".join(lines)


def main(argv: Sequence[str] | None = None) -> None:
    """Print the table, with `--json` write the figures."""
    parser = device_parser(__doc__)
    parser.add_argument("--size", choices=sorted(VOCABULARY), required=True)
    parser.add_argument("--tokens", type=int, default=4096, help="target positions of a batch")
    parser.add_argument("--repeats", type=int, default=5, help="rounds over the batches")
    parser.add_argument("--batches", type=int, default=3)
    parser.add_argument("--threads", type=int, help="torch threads on the CPU")
    parser.add_argument(
        "--clock",
        choices=sorted(CLOCKS),
        default="wall",
        help="processor: time spent by all threads, for a CPU that others use (with --threads 1)",
    )
    parser.add_argument("--vocabulary", type=int, help="(default: the size's)")
    parser.add_argument("--models", nargs="*", help="parts of the names of the models to run")
    parser.add_argument("--compile", action="store_true", help="with torch.compile")
    parser.add_argument("--cudnn-attention", action="store_true", help="which is off elsewhere")
    parser.add_argument(
        "--profile",
        action="store_true",
        help="also the share of the peak of matrix products; on a GPU launches and idle time",
    )
    arguments = parser.parse_args(argv)
    if arguments.threads:
        torch.set_num_threads(arguments.threads)
    device = choose_device(arguments.accelerator)
    torch.backends.cuda.enable_cudnn_sdp(arguments.cudnn_attention)
    names = chosen_names(arguments.size, arguments.models)
    vocabulary = arguments.vocabulary or VOCABULARY[arguments.size]
    models = [
        contestant(
            name, arguments.size, device, vocabulary=vocabulary, with_compiler=arguments.compile
        )
        for name in names
    ]
    batches = [b.to(device) for b in make_batches(arguments.tokens, vocabulary, arguments.batches)]
    rows = measure(models, batches, arguments.repeats, device, CLOCKS[arguments.clock])
    figures: dict[str, object] = {
        "size": arguments.size,
        "vocabulary": vocabulary,
        "tokens": arguments.tokens,
        "repeats": arguments.repeats,
        "compile": arguments.compile,
        "cudnn_attention": arguments.cudnn_attention,
        "clock": arguments.clock,
        **machine(device),
        "models": rows,
    }
    if arguments.profile:
        peak = peak_flops(device, torch.bfloat16 if device.type == "cuda" else torch.float32)
        for model, row in zip(models, rows, strict=True):
            row.update(profile(model, batches[0], row["first_batch_seconds"], peak))
    if arguments.compile:
        figures["dynamo"] = dict(torch._dynamo.utils.counters["stats"])
    print(markdown(rows))
    print(json.dumps(figures, indent=2))
    if arguments.json:
        write_json(arguments.json, figures)


if __name__ == "__main__":
    sys.exit(run(main))
