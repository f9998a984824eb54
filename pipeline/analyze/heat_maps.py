"""The attention of one sentence pair, with the labels of its axes.

Rows are the queries of one layer, columns their keys, in parts: words, then n-grams or phrases.
Weights are means over the heads of a part.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import torch

from mgsa.artifact.model import ModelArtifact
from mgsa.attention.word import WORDS
from mgsa.data.batch import Batch, Row, make_batch
from mgsa.data.vocabulary import Vocabulary
from mgsa.model.encoder_decoder import ModelOutput, Weights
from pipeline.analyze.quadrants import Place, ngram_sizes, weights_of

Parts = dict[str, tuple[str, ...]]
"""The labels of an axis, by part."""


@dataclass(frozen=True)
class HeatMap:
    """The attention of one layer."""

    place: Place
    layer: int  #: counted from 1.
    #: labels of rows and columns; queries of cross-attention are labelled with the predicted word,
    #: those of the decoder's self-attention with its input.
    queries: Parts
    keys: Parts
    weights: np.ndarray  #: (all queries, all keys).


def heat_maps(
    output: ModelOutput, batch: Batch, vocabularies: tuple[Vocabulary, Vocabulary]
) -> Iterator[HeatMap]:
    """The map of every layer for a batch of one pair, from encoder to cross-attention."""
    assert len(batch.index) == 1, "one pair"
    source, target_input, target_output = (
        tuple(vocabulary.symbols[index] for index in ids[0].tolist())
        for ids, vocabulary in (
            (batch.source, vocabularies[0]),
            (batch.target_input, vocabularies[1]),
            (batch.target_output, vocabularies[1]),
        )
    )
    words: dict[Place, tuple[Sequence[str], Sequence[str]]] = {
        "encoder": (source, source),
        "decoder": (target_input, target_input),
        "cross": (target_output, source),
    }
    phrases = {
        name: tuple(_phrases(source, lengths[0].tolist()))
        for name, lengths in batch.phrase_lengths.items()
    }
    for place, (queries, keys) in words.items():
        for layer, weights in enumerate(weights_of(output, place), start=1):
            yield HeatMap(place, layer, *_joined(weights, queries, keys, phrases))


def heat_maps_of_row(artifact: ModelArtifact, row: Row) -> list[HeatMap]:
    """The maps of every layer for a pair with its target, computed where the model is."""
    model = artifact.model
    batch = make_batch([row], model.granularities, ngram_unit=model.ngram_unit)
    device = next(model.parameters()).device
    with torch.inference_mode():
        output = model(batch.to(device), need_weights=True)
    return list(heat_maps(output, batch, artifact.vocabularies))


def _joined(
    weights: Weights,
    query_words: Sequence[str],
    key_words: Sequence[str],
    phrases: Mapping[str, Sequence[str]],
) -> tuple[Parts, Parts, np.ndarray]:
    """Labels of queries and keys, and the weights of all parts in one matrix."""
    blocks: dict[str, dict[str, np.ndarray]] = {}
    queries: Parts = {}
    keys: Parts = {}
    for name, of_heads in weights.items():
        block = of_heads[0].mean(dim=0).numpy(force=True)
        sizes = ngram_sizes(name)
        if sizes is None:
            query, key, rows = WORDS, name, query_words
            columns = key_words if name == WORDS else phrases[name]
        else:
            query, rows, row_ends = _ngrams(query_words, sizes[0], block)
            key, columns, column_ends = _ngrams(key_words, sizes[1], block.T)
            block = block[np.ix_(row_ends, column_ends)]
        queries[query], keys[key] = tuple(rows), tuple(columns)
        blocks.setdefault(query, {})[key] = block
    matrix = np.block([[blocks[query][key] for key in keys] for query in queries])
    return queries, keys, matrix


def _ngrams(
    words: Sequence[str], size: int, weights: np.ndarray
) -> tuple[str, tuple[str, ...], list[int]]:
    """The n-grams of a size: the part's name, the n-grams as text, and their last positions.

    N-grams that begin before the sentence are kept if they have weights (n-grams, other axis).
    """
    ends = [end for end in range(len(words)) if end >= size - 1 or weights[end].any()]
    written = tuple(
        " ".join(["·"] * (size - 1 - end) + list(words[max(0, end - size + 1) : end + 1]))
        for end in ends
    )
    return (WORDS if size == 1 else f"{size}-grams"), written, ends


def _phrases(words: Sequence[str], lengths: Sequence[int]) -> Iterator[str]:
    """Phrases, given their lengths in subwords, as text."""
    start = 0
    for length in lengths:
        yield " ".join(words[start : start + length]).replace("@@ ", "")
        start += length
