"""The attention of one sentence pair, with the labels of its axes.

Rows are the queries of one layer, columns their keys, each in parts: words, then n-grams or the
phrases of a partition, written out. Weights are means over the heads of a part.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from mgsa.analysis.quadrants import PLACES, Place, ngram_sizes, weights_of
from mgsa.attention.word import WORDS
from mgsa.data.batch import Batch
from mgsa.data.vocabulary import Vocabulary
from mgsa.model.encoder_decoder import ModelOutput, Weights

Parts = dict[str, tuple[str, ...]]
"""The labels of an axis, by part."""


@dataclass(frozen=True)
class HeatMap:
    """The attention of one layer.

    Attributes:
        layer: counted from 1.
        queries, keys: labels of rows and columns. A query of cross-attention is labelled with the
            word that it predicts, one of the decoder's self-attention with its input.
        weights: (all queries, all keys).
    """

    place: Place
    layer: int
    queries: Parts
    keys: Parts
    weights: np.ndarray


@dataclass(frozen=True)
class Sentence:
    """The subwords of a pair, special symbols included, and its phrases written out."""

    source: tuple[str, ...]
    target_input: tuple[str, ...]
    target_output: tuple[str, ...]
    phrases: Mapping[str, tuple[str, ...]]

    @classmethod
    def of(cls, batch: Batch, vocabularies: tuple[Vocabulary, Vocabulary]) -> Sentence:
        """The only pair of a batch."""
        assert len(batch.index) == 1, "one pair"

        def symbols(ids: Sequence[int], vocabulary: Vocabulary) -> tuple[str, ...]:
            return tuple(vocabulary.symbols[index] for index in ids)

        source = symbols(batch.source[0].tolist(), vocabularies[0])
        return cls(
            source=source,
            target_input=symbols(batch.target_input[0].tolist(), vocabularies[1]),
            target_output=symbols(batch.target_output[0].tolist(), vocabularies[1]),
            phrases={
                name: tuple(_phrases(source, lengths[0].tolist()))
                for name, lengths in batch.phrase_lengths.items()
            },
        )

    def axes(self, place: Place) -> tuple[tuple[str, ...], tuple[str, ...]]:
        """The words on the axes of queries and of keys."""
        match place:
            case "encoder":
                return self.source, self.source
            case "decoder":
                return self.target_input, self.target_input
            case "cross":
                return self.target_output, self.source


def heat_maps(output: ModelOutput, sentence: Sentence) -> Iterator[HeatMap]:
    """The map of every layer, the encoder's first; `output` is that of a batch of one pair."""
    for place in PLACES:
        for layer, weights in enumerate(weights_of(output, place), start=1):
            yield _heat_map(place, layer, weights, sentence)


def _heat_map(place: Place, layer: int, weights: Weights, sentence: Sentence) -> HeatMap:
    query_words, key_words = sentence.axes(place)
    blocks: dict[str, dict[str, np.ndarray]] = {}
    queries: Parts = {}
    keys: Parts = {}
    for name, of_heads in weights.items():
        block = of_heads[0].mean(dim=0).numpy(force=True)
        sizes = ngram_sizes(name)
        if sizes is None:
            query, key, rows = WORDS, name, query_words
            columns = key_words if name == WORDS else sentence.phrases[name]
        else:
            query, rows, row_ends = _ngrams(query_words, sizes[0], block)
            key, columns, column_ends = _ngrams(key_words, sizes[1], block.T)
            block = block[np.ix_(row_ends, column_ends)]
        queries[query], keys[key] = rows, columns
        blocks.setdefault(query, {})[key] = block
    return HeatMap(
        place,
        layer,
        queries,
        keys,
        np.block([[blocks[query][key] for key in keys] for query in queries]),
    )


def _ngrams(
    words: Sequence[str], size: int, weights: np.ndarray
) -> tuple[str, tuple[str, ...], list[int]]:
    """The n-grams of a size: the part's name, the n-grams written out, and their last positions.

    Args:
        weights: (n-grams, other axis). Of n-grams that begin before the sentence, those with
            weights are kept: the model pads.
    """
    ends = [end for end in range(len(words)) if end >= size - 1 or weights[end].any()]
    written = tuple(
        " ".join(["·"] * (size - 1 - end) + list(words[max(0, end - size + 1) : end + 1]))
        for end in ends
    )
    return (WORDS if size == 1 else f"{size}-grams"), written, ends


def _phrases(words: Sequence[str], lengths: Sequence[int]) -> Iterator[str]:
    """Phrases of these lengths in subwords, as text."""
    start = 0
    for length in lengths:
        yield " ".join(words[start : start + length]).replace("@@ ", "")
        start += length
