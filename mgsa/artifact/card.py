"""The model card: `README.md` of a model artifact, with its data and scores."""

import json
from collections.abc import Mapping
from typing import Any

from mgsa.cli.languages import base_language
from mgsa.cli.run import markdown_text
from mgsa.config import ModelConfig, TransformerConfig

PAPERS = {
    "transformer": "Transformer (Vaswani et al. 2017)",
    "rnn": "recurrent encoder-decoder (Mino et al. 2017)",
    "multi_granularity": "multi-granularity self-attention (Hao et al. 2019)",
    "phrase_attention": "phrase-based attention (Nguyen & Joty 2018)",
    "alignment": "a head that aligns words (Garg et al. 2019)",
}
"""Kinds of models, and optional sections of their settings."""
SCORES = {
    "valid_bleu_tokenized": ("BLEU", "per cent, of tokens"),
    "valid_perplexity": ("perplexity", "a subword"),
    "valid_nll": ("negative log-likelihood", "nats a subword"),
    "valid_tag_accuracy": ("phrase tags", "share of right ones"),
}
"""Validation scores on a card, with names and units."""


def model_card(
    config: ModelConfig,
    run: Mapping[str, Any],
    manifest: Mapping[str, Any],
    *,
    parameters: int,
    with_parser: bool,
) -> str:
    """The card, given the `run` of `config.json`, the number of parameters, and what is there."""
    dataset = manifest["dataset"]
    parts = [PAPERS[name] for name in PAPERS if getattr(config, name, None)]
    updates = [f"{update:,}" for update in run.get("updates", [])]
    weights = "the mean of those of updates" if len(updates) > 1 else "of update"
    facts = {
        "architecture": " with ".join([PAPERS[config.kind], *parts]),
        "trained on": f"{markdown_text(dataset['name'])}, {dataset['rows']['train']:,} pairs",
        "dataset": f"SHA-256 of its manifest: `{dataset['identity']}`",
        "weights": f"{weights} {', '.join(updates)}",
        "parameters": f"{parameters:,}",
        "sees": "subwords alone: it needs no parser",
    }
    parser = ""
    if _reads_trees(config):
        origin = "the one in `parser`" if with_parser else "`data/parser` of its training data"
        facts["sees"] = f"subwords and phrases of a tree: raw text needs the parser, {origin}"
        parser = "" if with_parser else " --parser PARSER"
    scores = [
        f"| {name} | {run['scores'][key]:.4g} | {unit} |"
        for key, (name, unit) in SCORES.items()
        if key in run.get("scores", {})
    ]
    return _CARD.format(
        languages=json.dumps(
            [base_language(manifest[f"{s}_language"]) for s in ("source", "target")]
        ),
        source=manifest["source_language"],
        target=manifest["target_language"],
        name=markdown_text(dataset["name"]),
        facts="\n".join(f"| {name} | {fact} |" for name, fact in facts.items()),
        scores="\n".join(["", _SCORES, *scores, ""]) if scores else "",
        parser=parser,
    )


def _reads_trees(config: ModelConfig) -> bool:
    multi = config.multi_granularity if isinstance(config, TransformerConfig) else None
    return multi is not None and any(n.startswith("syntactic") for n in multi.granularities)


_SCORES = """\
## Scores

Of the validation split, by which the weights were chosen. Scores on test data stand beside the
project's other metrics, at the revision that the model is of.

| | | |
| --- | ---: | --- |"""
_CARD = """\
---
language: {languages}
library_name: mgsa
pipeline_tag: translation
---

# {source} → {target}, from {name}

| | |
| --- | --- |
{facts}
{scores}
## Use

```console
$ mgsa translate --model DIR --dataset DATASET --split test
$ python -m pipeline.translate --model DIR{parser} < text.{source}
```

`config.json` has every setting, `curves.jsonl` how training went, `manifest.json` the SHA-256 of
every file. Weights are safetensors: nothing is unpickled, or run, but a parser by stanza.
"""
