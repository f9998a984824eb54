"""The dataset card: what a dataset artifact says of itself to people, as Markdown.

It travels in the artifact as `README.md`. Its front matter is the one that dataset hubs read, so
`datasets.load_dataset` knows the splits of the folder.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import yaml

from pipeline.dataset.description import COUNTS, facts

COLUMNS = {
    "source_text, target_text": "the sentences as the corpus has them",
    "source_tokens, target_tokens": "their tokens, separated by a space",
    "source_ids, target_ids": "their subwords, as places in `vocab.json`, without end of sentence",
    "source_length, target_length": "how many subwords these are",
    "subwords_per_word, target_subwords_per_word": "how many subwords each token has",
    "phrase_lengths": "for each level, the lengths of its phrases in subwords, which add up to the "
    "source's",
    "phrase_tags": "for each level, the tag of each phrase, as a place in `tags.json`",
    "links": "word alignments, as places of subwords; null where there are none",
}
"""The columns of the Parquet files, and what they hold."""

HUB_SPLITS = {"train": "train", "valid": "validation", "test": "test"}
"""What dataset hubs call the splits."""

FIGURES = {
    "train_pairs": "training pairs of the corpus",
    "train_kept": "of them kept",
    "train_dropped_empty": "dropped, as one side was empty",
    "train_dropped_short": "dropped as too short",
    "train_dropped_long": "dropped as too long",
    "train_dropped_ratio": "dropped for the ratio of their lengths",
    "train_dropped_token": "dropped for a token of more than 1,000 characters",
    "train_dropped_duplicate": "dropped as duplicates",
    "labelled_f1": "parser: labelled bracketing F1, per cent",
    "tagging_accuracy": "parser: part-of-speech accuracy, per cent",
    "dev_trees": "parser: held-out trees that these are of",
    "flat_too_long": "sentences too long to parse, with a flat tree",
    "flat_failed": "sentences that the parser gave no tree for, with a flat one",
    "train_unaligned_source": "share of source words without a link",
    "test_aer": "aligner: alignment error rate on the test split, per cent",
}
"""Figures of the stages before that a card shows, and what they are."""


def dataset_card(content: Mapping[str, Any], figures: Mapping[str, Any]) -> str:
    """The card of a dataset.

    Args:
        content: the manifest.
        figures: what the stages before reported, of which those in `FIGURES` are shown.
    """
    splits = content["splits"]
    files = [
        {"split": HUB_SPLITS[split], "path": counts["files"]} for split, counts in splits.items()
    ]
    front_matter = {
        "pretty_name": content["name"],
        "language": [content["source_language"], content["target_language"]],
        "task_categories": ["translation"],
        "configs": [{"config_name": "default", "data_files": files}],
    }
    rows = [[split, *(counts[name] for name in COUNTS)] for split, counts in splits.items()]
    shown = [(what, figures[name]) for name, what in FIGURES.items() if name in figures]
    sections = [
        f"---\n{yaml.safe_dump(front_matter, sort_keys=False)}---",
        f"# {content['name']}, {content['source_language']} → {content['target_language']}",
        "Sentence pairs as arrays for neural machine translation: subwords, syntactic phrases with "
        "their tags, word links, and the text that they are of.",
        _table(["", ""], facts(content).items()),
        "## Splits",
        _table(["split", *COUNTS.values()], rows),
        *(["## How it came about", _table(["", ""], shown)] if shown else []),
        "Every parameter of the stages that made it stands in `manifest.json`, with the SHA-256 of "
        "every file. Terms of use are those of the corpus.",
        "## Columns",
        _table(["column", "what"], [(f"`{names}`", what) for names, what in COLUMNS.items()]),
        _USE.format(file=splits["test"]["files"][0]),
    ]
    return "\n\n".join(sections) + "\n"


def _table(heads: Sequence[str], rows: Iterable[Sequence[Any]]) -> str:
    rows = list(rows)
    numbers = all(isinstance(cell, int | float) for _, *cells in rows for cell in cells)
    ruler = ["---", *["---:" if numbers else "---"] * (len(heads) - 1)]
    texts = [[c if isinstance(c, str) else f"{c:,}" for c in row] for row in rows]
    return "\n".join(f"| {' | '.join(row)} |" for row in [heads, ruler, *texts])


_USE = """\
## Use

```console
$ mgsa train --dataset DIR --config params.yaml --out MODEL
$ python -m pipeline.dataset --verify DIR
```

```python
import pandas
pandas.read_parquet("DIR/{file}")
```"""
