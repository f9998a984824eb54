"""The models that benchmarks compare: ours from the presets of a size, and torch's Transformer."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import torch
from torch import nn

from benchmarks.random_batches import NUM_TAGS
from benchmarks.torch_transformer import TorchTransformer
from mgsa.cli.settings import from_mapping, read_yaml
from mgsa.config import AlignmentConfig, ModelConfig, TransformerConfig
from mgsa.data.batch import Batch
from mgsa.model.build import build_model
from mgsa.model.compiled import compiled
from mgsa.model.encoder_decoder import EncoderDecoder
from mgsa.training.loss import LossWeights, Objective

PRESETS = Path(__file__).parents[1] / "conf" / "model"
VOCABULARY = {"tiny": 8_000, "base": 28_567, "big": 28_567}
WEIGHTS = LossWeights(label_smoothing=0.1, tags=0.001, alignment=0.05)
BASELINE, TORCH = "Transformer", "torch.nn.Transformer"


@dataclass
class Contestant:
    """A model with its optimiser; `losses`: the module, perhaps compiled, of a batch's fields."""

    name: str
    module: nn.Module
    losses: Callable[..., Any]
    optimizer: torch.optim.Optimizer


def configurations(size: str) -> dict[str, ModelConfig]:
    """The Transformer, what can be put into it, and RNNs: from the presets of a size."""
    transformer = read_yaml(PRESETS / f"transformer_{size}.yaml")
    if size != "tiny":
        transformer["share_embeddings"] = "none"  # as MG-SA's have
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
        ("composition", "max_pool"),
        ("membership", "own"),
        ("boundaries", "flags"),
        ("boundaries", "gated_flags"),
    ):
        options[f"MG-SA full, {key}: {value}"] = ("syntactic", {**full, key: value})
    plus = {"composition": "max_pool", "interaction_norm": True, "boundaries": "gated_flags"}
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
    recurrent = read_yaml(PRESETS / f"rnn_attn_{'tiny' if size == 'tiny' else 'base'}.yaml")
    for attention in ("attn", "key_value", "modifying_iw"):
        section = {**recurrent, "attention": attention}
        configs[f"RNN {attention}"] = from_mapping(ModelConfig, section, attention)
    return configs


def chosen_names(size: str, parts: Sequence[str] | None) -> list[str]:
    """The models of a size whose names have one of some parts, the baseline first in any case."""
    names = [*configurations(size), TORCH]
    return [n for n in names if not parts or n == BASELINE or any(part in n for part in parts)]


def contestant(
    name: str, size: str, device: torch.device, *, vocabulary: int, with_compiler: bool = False
) -> Contestant:
    """The model of a name with random weights, and its optimiser."""
    configs = configurations(size)
    torch.manual_seed(0)
    with device:  # drawing a billion numbers on the CPU takes its time
        if name == TORCH:
            config = configs[BASELINE]
            assert isinstance(config, TransformerConfig)
            module: nn.Module = TorchTransformer(config, vocabulary, WEIGHTS.label_smoothing)
        else:
            module = Objective(model_of(configs[name], vocabulary), WEIGHTS)
    optimizer = torch.optim.Adam(
        module.parameters(), lr=1e-4, betas=(0.9, 0.98), eps=1e-9, fused=True
    )
    return Contestant(name, module, compiled(module) if with_compiler else module, optimizer)


def model_of(config: ModelConfig, vocabulary: int) -> EncoderDecoder:
    """A model with random weights, for the batches of `benchmarks.random_batches`."""
    torch.manual_seed(0)
    return build_model(
        config, source_vocabulary=vocabulary, target_vocabulary=vocabulary, num_tags=NUM_TAGS
    )


def train_step(contestant: Contestant, batch: Batch) -> None:
    """Forward, loss, backward, and an update of the weights."""
    kind = batch.source.device.type
    with torch.autocast(kind, dtype=torch.bfloat16, enabled=kind == "cuda"):
        loss = contestant.losses(vars(batch))[0] / batch.target_output.numel()
    loss.backward()
    contestant.optimizer.step()
    contestant.optimizer.zero_grad(set_to_none=True)
