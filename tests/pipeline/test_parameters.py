"""The parameter file as a whole: what no stage can take, none is given."""

from __future__ import annotations

import copy
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from mgsa.base.errors import InputError
from mgsa.base.settings import MOST
from pipeline.parameters import check_parameters
from pipeline.params import compose
from tests.imports import ROOT

EXTREMES = (-1, float("nan"), MOST, 1.0e308)
LIMIT = "what there is is compared with it"
MEMORY = "batches hold no more than there is; where that is too much, memory runs out in one line"
INTERVAL = "of counts, only the remainder by it is looked at"
UNBOUNDED = {
    "tokenize.max_tokens": LIMIT,
    "tokenize.max_ratio": LIMIT,
    "parse.max_words": LIMIT,
    "bpe.merges": "the text runs out of pairs first",
    "bpe.min_frequency": LIMIT,
    "bpe.vocabulary_threshold": LIMIT,
    "align.learn_pairs": LIMIT,
    "align.max_words": LIMIT,
    "corpus.files.max_bytes": LIMIT,
    "corpus.max_text_bytes": LIMIT,
    "dataset.shard_rows": LIMIT,
    "probe_data.sentences": LIMIT,
    "probe_data.tss_classes": LIMIT,
    "probe_data.shares": "Python divides whole numbers of any size",
    "train.batch_tokens": MEMORY,
    "train.batch_sentences": MEMORY,
    "train.shuffle_window": MEMORY,
    "train.learning_rate": "a loss that is not finite ends the run in one line",
    "train.max_epochs": LIMIT,
    "train.max_updates": LIMIT,
    "train.warmup": "updates are divided by it",
    "train.validate_every": INTERVAL,
    "train.validation_sentences": LIMIT,
    "train.patience": LIMIT,
    "train.log_every": INTERVAL,
    "train.checkpoint_every": INTERVAL,
    "train.keep_last": LIMIT,
    "translate.batch_tokens": MEMORY,
    "phrasal_patterns.source_lengths": LIMIT,
    "analyze.sentences": "a row that is not there is named",
    "analyze.batch_tokens": MEMORY,
    "probe.batch_tokens": MEMORY,
    "probe.max_epochs": LIMIT,
    "probe.patience": LIMIT,
    "probe.scratch.warmup": "updates are divided by it",
    "report.sentences": LIMIT,
    "report.max_words": LIMIT,
    "report.ranked": LIMIT,
}
"""Keys that take any number, as large as it may be, and why."""

COMPOSITIONS = {
    "default": [],
    "corpus": ["corpus=multi30k", "parser=stanza"],
    "align": ["align=eflomal"],
    "phrase attention": ["model=query_k_homogeneous_tiny"],
    "alignment head": ["model=joint_alignment_tiny"],
    "rnn": ["model=rnn_attn_tiny"],
}


def places(value: Any, *path: str | int) -> Iterator[tuple[str | int, ...]]:
    """Where in a section there are numbers, or may be (`null`)."""
    if isinstance(value, dict | list):
        for key, inner in value.items() if isinstance(value, dict) else enumerate(value):
            yield from places(inner, *path, key)
    elif value is None or (isinstance(value, int | float) and not isinstance(value, bool)):
        yield path


def put(content: dict[str, Any], path: tuple[str | int, ...], value: object) -> dict[str, Any]:
    """A copy of `content` with another value in one place."""
    changed = copy.deepcopy(content)
    inner: Any = changed
    for key in path[:-1]:
        inner = inner[key]
    inner[path[-1]] = value
    return changed


@pytest.mark.parametrize("name", COMPOSITIONS)
def test_no_number_is_beyond_what_stages_take(name: str) -> None:
    """Each one is refused by its key, but for those of which it is known that any will do."""
    content = compose(ROOT / "conf", COMPOSITIONS[name])
    standard = compose(ROOT / "conf", []) if COMPOSITIONS[name] else {}
    taken: dict[str, list[object]] = {}
    for path in places(content):
        if content[path[0]] == standard.get(str(path[0])):
            continue  # another composition has it too
        for value in EXTREMES:
            try:
                check_parameters(put(content, path, value), Path("params.yaml"))
            except InputError:
                continue
            taken.setdefault(".".join(str(k) for k in path if isinstance(k, str)), []).append(value)
    assert sorted(taken.keys() - UNBOUNDED.keys()) == []
    for values in taken.values():
        assert set(values) <= {MOST, 1.0e308}
