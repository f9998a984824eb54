"""The model card, `README.md` of a model artifact: its settings, data and scores as Markdown."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import yaml

from mgsa.config import ModelConfig, TransformerConfig

SCORES = {
    "valid_bleu_tokenized": ("BLEU", "per cent, of tokens"),
    "valid_perplexity": ("perplexity", "a subword"),
    "valid_nll": ("negative log-likelihood", "nats a subword"),
    "valid_tag_accuracy": ("phrase tags", "share of right ones"),
}
"""Scores of the validation split that a card shows, with their names and units."""


def model_card(
    config: ModelConfig, run: Mapping[str, Any], manifest: Mapping[str, Any], *, parameters: int
) -> str:
    """The card of a model.

    Args:
        run: `updates` and `scores` of `config.json`, if known.
        manifest: of the model artifact.
        parameters: how many the model has, shared ones counted once.
    """
    source, target = manifest["source_language"], manifest["target_language"]
    dataset = manifest["dataset"]
    front = {"language": [source, target], "library_name": "mgsa", "pipeline_tag": "translation"}
    facts = {
        "translates": f"{source} to {target}",
        "trained on": f"{dataset['name']}, {dataset['rows']['train']:,} pairs",
        "dataset": f"SHA-256 of its manifest: `{dataset['identity']}`",
        "weights": _weights(run.get("updates", [])),
        "parameters": f"{parameters:,}",
        "sees": _sees(config),
    }
    sections = [
        f"---\n{yaml.safe_dump(front, sort_keys=False)}---",
        f"# {source} → {target}, from {dataset['name']}",
        describe(config),
        "\n".join(["| | |", "| --- | --- |", *(f"| {k} | {v} |" for k, v in facts.items() if v)]),
        *_scores(run.get("scores", {}), dataset["rows"].get("valid")),
        _USE.format(source=source),
    ]
    return "\n\n".join(sections) + "\n"


def describe(config: ModelConfig) -> str:
    """A model's architecture in words."""
    layers = f"{config.encoder_layers} layers of encoder and {config.decoder_layers} of decoder"
    if isinstance(config, TransformerConfig):
        text = (
            f"A Transformer (Vaswani et al. 2017), {layers}, width {config.dim}, feed-forward "
            f"{config.ffn_dim}, {config.heads} heads."
        )
        if multi := config.multi_granularity:
            interaction = {"none": "no interaction", "lstm": "an LSTM", "on_lstm": "an ON-LSTM"}
            text += (
                f" Multi-granularity self-attention (Hao et al. 2019) in encoder layers "
                f"{_listed(multi.layers)}: {_listed(multi.granularities)}; composition by "
                f"{multi.composition.replace('_', '-')}, {interaction[multi.interaction]} over the "
                f"phrases{', tag supervision' if multi.tags else ''}."
            )
        if phrase := config.phrase_attention:
            technique = {"conv_kv": "ConvKV", "query_k": "QueryK"}[phrase.technique]
            text += (
                f" Phrase-based attention (Nguyen & Joty 2018), {technique}, {phrase.structure}, "
                f"n = {_listed(phrase.ngrams)}, in {_listed(phrase.attentions)}."
            )
    else:
        name = {"attn": "attn", "key_value": "key-value", "modifying_iw": "modifying-IW"}
        text = (
            f"LSTMs, {layers}, width {config.dim}, attention {name[config.attention]} "
            "(Mino et al. 2017)."
        )
    if alignment := config.alignment:
        context = "the full context" if alignment.full_context else "one pass"
        text += (
            f" A head of decoder layer {alignment.layer} aligns words (Garg et al. 2019), "
            f"from {context}."
        )
    return text


def _listed(items: tuple[object, ...]) -> str:
    return ", ".join(map(str, items))


def _weights(updates: list[int]) -> str:
    if len(updates) < 2:
        return "".join(f"of update {update:,}" for update in updates)
    return f"the mean of those of updates {', '.join(f'{u:,}' for u in updates)}"


def _sees(config: ModelConfig) -> str:
    """What a source sentence must come with."""
    multi = config.multi_granularity if isinstance(config, TransformerConfig) else None
    if multi and any(name.startswith("syntactic") for name in multi.granularities):
        return "subwords, and the phrases of the sentence's constituency tree: it needs the parser"
    return "subwords alone: it needs no parser"


def _scores(scores: Mapping[str, float], num_pairs: int | None) -> list[str]:
    rows = [
        f"| {name} | {scores[key]:.4g} | {unit} |"
        for key, (name, unit) in SCORES.items()
        if key in scores
    ]
    if not rows:
        return []
    said = (
        f"Of the validation split ({num_pairs:,} pairs), by which the weights were chosen. Scores "
        "on test data stand beside the project's other metrics, at the revision that the model is "
        "of."
    )
    return ["## Scores", said, "\n".join(["| | | |", "| --- | ---: | --- |", *rows])]


_USE = """\
## Use

```console
$ mgsa translate --model DIR --dataset DATASET --split test
$ python -m pipeline.translate --model DIR < text.{source}
```

`config.json` has every setting, `curves.jsonl` how training went, `manifest.json` the SHA-256 of
every file. Weights are safetensors: nothing in the folder is unpickled, or run."""
