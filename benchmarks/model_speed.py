"""Training speed of whatever can be put into a Transformer, of RNNs and of torch's, against ours.

    python -m benchmarks.model_speed --size base --tokens 4096 --repeats 5

A step is forward, loss, backward and Adam on a batch of random sentences with random trees. In
every repetition each model takes one step on the same batch, in turn, so that whatever else the
machine does falls on all of them; a model's figure is the median over repetitions of its speed
relative to the Transformer's in the same repetition. On a GPU steps run in bf16, and the share of
the card's measured bf16 peak is given too.
"""

from __future__ import annotations

import argparse
import json
import statistics
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, fields, replace
from pathlib import Path

import torch
from torch import Tensor, nn

from benchmarks.machine import machine
from benchmarks.random_batches import NUM_TAGS, make_batches
from benchmarks.torch_transformer import TorchTransformer
from mgsa.base.cli import run
from mgsa.base.settings import from_mapping, read_yaml
from mgsa.config import AlignmentConfig, ModelConfig, TransformerConfig
from mgsa.data.batch import Batch
from mgsa.decoding.translate import choose_device
from mgsa.model.build import build_model
from mgsa.training.loss import LossWeights, Objective, translation_nll

PRESETS = Path(__file__).parents[1] / "conf" / "model"
VOCABULARY = {"tiny": 8_000, "base": 28_567, "big": 28_567}
WEIGHTS = LossWeights(label_smoothing=0.1, tags=0.001, alignment=0.05)
CLOCKS = {"wall": time.perf_counter, "processor": time.process_time}
BASELINE, TORCH = "Transformer", "torch.nn.Transformer"
Step = Callable[[Batch], Tensor]


@dataclass
class Contestant:
    """A model with its optimiser, and how it makes a loss of a batch."""

    name: str
    module: nn.Module
    loss: Step
    optimizer: torch.optim.Optimizer


def configurations(size: str) -> dict[str, ModelConfig]:
    """The Transformer, what can be put into it, and RNNs: from the presets of a size."""
    transformer = read_yaml(PRESETS / f"transformer_{size}.yaml")
    sections = {
        kind: read_yaml(PRESETS / f"mgsa_{kind}_{size}.yaml")["multi_granularity"]
        for kind in ("ngram", "syntactic")
    }
    plain = {"interaction": "none", "tags": False}
    full = {"interaction": "on_lstm", "tags": True}
    options: dict[str, tuple[str, dict[str, object]]] = {
        "MG-SA n-gram": ("ngram", plain),
        "MG-SA syntactic": ("syntactic", plain),
        "MG-SA syntactic, tags": ("syntactic", {"interaction": "none", "tags": True}),
        "MG-SA syntactic, tags, LSTM": ("syntactic", {"interaction": "lstm", "tags": True}),
        "MG-SA syntactic, tags, ON-LSTM": ("syntactic", full),
        "MG-SA syntactic, max-pooling": ("syntactic", {**plain, "composition": "max_pool"}),
        "MG-SA syntactic, LSTM composition": ("syntactic", {**plain, "composition": "lstm"}),
    }
    for key, value in (
        ("composition", "self_attention_residual"),
        ("composition", "max_pool"),
        ("membership", "bias"),
        ("membership", "own"),
        ("boundaries", "flags"),
        ("boundaries", "extent"),
    ):
        options[f"MG-SA full, {key}: {value}"] = ("syntactic", {**full, key: value})
    plus = {"composition": "max_pool", "boundaries": "flags"}
    options["MG-SA plus"] = ("syntactic", {**full, **plus})
    configs = {BASELINE: from_mapping(ModelConfig, transformer, "transformer")}
    for name, (kind, changes) in options.items():
        section = {**transformer, "multi_granularity": {**sections[kind], **changes}}
        configs[name] = from_mapping(ModelConfig, section, name)
    for path in sorted(PRESETS.glob(f"*_{size}.yaml")):
        phrase = read_yaml(path).get("phrase_attention")
        if phrase:
            section = {**transformer, "phrase_attention": phrase}
            configs[path.stem] = from_mapping(ModelConfig, section, path.stem)
    baseline = from_mapping(TransformerConfig, transformer, "transformer")
    for kind, full_context, sentences in (
        ("one pass", False, 1.0),
        ("full context", True, 1.0),
        ("full context of half of the sentences", True, 0.5),
    ):
        head = AlignmentConfig(
            baseline.decoder_layers - 1, full_context, sentences, WEIGHTS.alignment
        )
        configs[f"alignment head, {kind}"] = replace(baseline, alignment=head)
    recurrent = read_yaml(PRESETS / f"rnn_attn{'_tiny' if size == 'tiny' else ''}.yaml")
    for attention in ("attn", "key_value", "modifying_iw"):
        section = {**recurrent, "attention": attention}
        configs[f"RNN {attention}"] = from_mapping(ModelConfig, section, attention)
    return configs


def chosen_names(size: str, parts: Sequence[str] | None) -> list[str]:
    """The models of a size whose names have one of some parts, the baseline first in any case."""
    names = [*configurations(size), TORCH]
    return [n for n in names if not parts or n == BASELINE or any(part in n for part in parts)]


def contestant(name: str, size: str, device: torch.device) -> Contestant:
    """The model of a name with random weights, and its optimiser."""
    configs = configurations(size)
    vocabulary = VOCABULARY[size]
    torch.manual_seed(0)
    if name == TORCH:
        config = configs[BASELINE]
        assert isinstance(config, TransformerConfig)
        module: nn.Module = TorchTransformer(config, vocabulary).to(device)
        loss = _torch_loss(module)
    else:
        model = build_model(
            configs[name],
            source_vocabulary=vocabulary,
            target_vocabulary=vocabulary,
            num_tags=NUM_TAGS,
        )
        module = Objective(model, WEIGHTS).to(device)
        loss = _objective_loss(module)
    optimizer = torch.optim.Adam(
        module.parameters(), lr=1e-4, betas=(0.9, 0.98), eps=1e-9, fused=True
    )
    return Contestant(name, module, loss, optimizer)


def _objective_loss(module: nn.Module) -> Step:
    return lambda batch: module({f.name: getattr(batch, f.name) for f in fields(batch)})[0]


def _torch_loss(module: nn.Module) -> Step:
    def loss(batch: Batch) -> Tensor:
        logits = module(batch)
        return translation_nll(
            logits, batch.target_output, label_smoothing=WEIGHTS.label_smoothing
        )[0]

    return loss


def step_seconds(
    contestant: Contestant, batch: Batch, device: torch.device, clock: Callable[[], float]
) -> float:
    """How long one training step takes."""
    _wait(device)
    begin = clock()
    with torch.autocast(device.type, dtype=torch.bfloat16, enabled=device.type == "cuda"):
        loss = contestant.loss(batch) / batch.target_output.numel()
    loss.backward()
    contestant.optimizer.step()
    contestant.optimizer.zero_grad(set_to_none=True)
    _wait(device)
    return clock() - begin


def _wait(device: torch.device) -> None:
    if device.type == "cuda":
        torch.cuda.synchronize(device)


def measure(
    models: Sequence[Contestant],
    batches: Sequence[Batch],
    repeats: int,
    device: torch.device,
    clock: Callable[[], float],
) -> list[dict[str, float | str]]:
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
    rows: list[dict[str, float | str]] = []
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
            }
        )
    return rows


def bf16_share(model: Contestant, batch: Batch, device: torch.device) -> float:
    """The step's matrix products a second, over those of one large bf16 product."""
    from torch.utils.flop_counter import FlopCounterMode

    clock = time.perf_counter
    counter = FlopCounterMode(display=False)
    with counter:
        step_seconds(model, batch, device, clock)
    seconds = statistics.median(step_seconds(model, batch, device, clock) for _ in range(20))
    a, b = torch.randn(2, 8192, 8192, device=device, dtype=torch.bfloat16)
    best = float("inf")
    for _ in range(20):
        _wait(device)
        begin = clock()
        a @ b
        _wait(device)
        best = min(best, clock() - begin)
    return (counter.get_total_flops() / seconds) / (2 * 8192**3 / best)


def markdown(rows: Sequence[dict[str, float | str]]) -> str:
    """The table, medians with quartiles."""
    lines = [
        "| model | parameters | target tokens/s | relative (quartiles) |",
        "| --- | --- | --- | --- |",
    ]
    lines += [
        f"| {row['model']} | {row['parameters'] / 1e6:.1f} M | "  # type: ignore[operator]
        f"{row['target_tokens_per_second']:,.0f} | {row['relative']:.3f} "
        f"({row['relative_quarter']:.3f} to {row['relative_three_quarters']:.3f}) |"
        for row in rows
    ]
    return "\n".join(lines)


def main(argv: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--size", choices=sorted(VOCABULARY), required=True)
    parser.add_argument("--tokens", type=int, default=4096, help="target positions of a batch")
    parser.add_argument("--repeats", type=int, default=5, help="rounds over the batches")
    parser.add_argument("--batches", type=int, default=3)
    parser.add_argument("--threads", type=int, help="torch threads on the CPU")
    parser.add_argument(
        "--accelerator", choices=["cpu", "gpu", "auto"], default="auto", help="(default: auto)"
    )
    parser.add_argument(
        "--clock",
        choices=sorted(CLOCKS),
        default="wall",
        help="processor: time spent by all threads, for a CPU that others use (with --threads 1)",
    )
    parser.add_argument("--models", nargs="*", help="parts of the names of the models to run")
    parser.add_argument("--json", type=Path, help="also write the figures here")
    arguments = parser.parse_args(argv)
    if arguments.threads:
        torch.set_num_threads(arguments.threads)
    device = choose_device(arguments.accelerator)
    names = chosen_names(arguments.size, arguments.models)
    models = [contestant(name, arguments.size, device) for name in names]
    vocabulary = VOCABULARY[arguments.size]
    batches = [b.to(device) for b in make_batches(arguments.tokens, vocabulary, arguments.batches)]
    rows = measure(models, batches, arguments.repeats, device, CLOCKS[arguments.clock])
    figures: dict[str, object] = {
        "size": arguments.size,
        "tokens": arguments.tokens,
        "repeats": arguments.repeats,
        "clock": arguments.clock,
        **machine(device),
        "models": rows,
    }
    if device.type == "cuda":
        figures["bf16_share_of_peak"] = bf16_share(models[0], batches[0], device)
    print(markdown(rows))
    print(json.dumps(figures, indent=2))
    if arguments.json:
        arguments.json.write_text(json.dumps(figures, indent=2) + "\n", encoding="utf-8")


if __name__ == "__main__":
    sys.exit(run(main))
