"""Random sentence pairs and small models to run them through."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import replace
from typing import Literal

import torch
from hypothesis import strategies as st
from hypothesis.strategies import SearchStrategy

from mgsa.config import (
    AlignmentConfig,
    ModelConfig,
    MultiGranularityConfig,
    PhraseAttentionConfig,
    RecurrentConfig,
    TransformerConfig,
)
from mgsa.data.batch import Batch, Row, make_batch
from mgsa.data.vocabulary import SPECIAL_SYMBOLS
from mgsa.model.build import build_model
from mgsa.model.encoder_decoder import EncoderDecoder

VOCABULARY = 20
NUM_TAGS = 5

TRANSFORMER = TransformerConfig(
    kind="transformer",
    encoder_layers=2,
    decoder_layers=2,
    dim=16,
    ffn_dim=24,
    heads=4,
    norm="post",
    dropout=0.0,
    attention_dropout=0.0,
    activation_dropout=0.0,
    share_embeddings="all",
    multi_granularity=None,
    phrase_attention=None,
    alignment=None,
)

SYNTACTIC = ("syntactic_1", "syntactic_2", "syntactic_3")
NGRAMS = ("ngram_2", "ngram_3", "ngram_4")


def mgsa(
    granularities: Sequence[str] = SYNTACTIC,
    *,
    composition: Literal["max_pool", "lstm", "self_attention"] = "self_attention",
    interaction: Literal["none", "lstm", "on_lstm"] = "on_lstm",
    membership: Literal["none", "own"] = "none",
    boundaries: Literal["none", "flags", "gated_flags"] = "none",
    tags: bool = True,
    layers: Sequence[int] = (1,),
    norm: Literal["pre", "post"] = "post",
) -> TransformerConfig:
    """`TRANSFORMER` with MG-SA in `layers`."""
    multi = MultiGranularityConfig(
        layers=tuple(layers),
        granularities=tuple(granularities),
        group_heads=(1, 1, 1, 1),
        ngram_unit="word",
        composition=composition,
        composition_width=6,
        interaction=interaction,
        interaction_width=6,
        interaction_chunk=2,
        interaction_norm=interaction != "none",
        membership=membership,
        boundaries=boundaries,
        tags=tags and granularities[0].startswith("syntactic"),
        tag_weight=0.001,
    )
    return replace(TRANSFORMER, norm=norm, multi_granularity=multi)


def phrase_attention(
    technique: Literal["conv_kv", "query_k"],
    structure: Literal["homogeneous", "heterogeneous", "interleaved"],
    *,
    ngrams: Sequence[int] = (1, 2),
    attentions: Sequence[Literal["encoder", "decoder", "cross"]] = ("encoder", "decoder", "cross"),
    of: TransformerConfig | None = None,
) -> TransformerConfig:
    """`of`, or `TRANSFORMER`, with phrase attention; homogeneous: two heads a size."""
    phrase = PhraseAttentionConfig(
        attentions=tuple(attentions),
        technique=technique,
        structure=structure,
        ngrams=tuple(ngrams),
        ngram_heads=(2,) * len(ngrams) if structure == "homogeneous" else None,
    )
    return replace(of or TRANSFORMER, phrase_attention=phrase)


def with_alignment(
    config: TransformerConfig, *, full_context: bool, sentences: float = 1.0
) -> TransformerConfig:
    """`config` with an alignment head in its upper decoder layer."""
    head = AlignmentConfig(2, full_context, sentences=sentences, weight=0.05)
    return replace(config, alignment=head)


def recurrent(
    attention: Literal["attn", "key_value", "modifying_iw"], *, decoder_layers: int = 2
) -> RecurrentConfig:
    """LSTMs, their weights large enough for states to differ."""
    return RecurrentConfig(
        kind="rnn",
        encoder_layers=2,
        decoder_layers=decoder_layers,
        dim=16,
        attention=attention,
        dropout=0.0,
        init_std=0.5,
        share_embeddings="all",
        alignment=None,
    )


MODELS: dict[str, ModelConfig] = {
    "transformer": TRANSFORMER,
    "transformer, pre-norm": replace(TRANSFORMER, norm="pre"),
    "syntactic, self-attention, tags, ON-LSTM": mgsa(),
    "syntactic, max-pooling": mgsa(composition="max_pool", interaction="none", tags=False),
    "n-grams, LSTM, LSTM": mgsa(NGRAMS, composition="lstm", interaction="lstm"),
    "both layers, pre-norm": mgsa(layers=(1, 2), norm="pre"),
    "both layers, max-pooling, flags": mgsa(
        composition="max_pool", boundaries="flags", layers=(1, 2)
    ),
    "gated flags": mgsa(composition="max_pool", boundaries="gated_flags"),
    "n-grams, own phrase": mgsa(NGRAMS, membership="own"),
    "ConvKV, homogeneous": phrase_attention("conv_kv", "homogeneous"),
    "QueryK, homogeneous": phrase_attention("query_k", "homogeneous", ngrams=(2, 3)),
    "ConvKV, heterogeneous": phrase_attention("conv_kv", "heterogeneous", ngrams=(1, 2, 3)),
    "QueryK, heterogeneous": phrase_attention("query_k", "heterogeneous"),
    "ConvKV, interleaved": phrase_attention("conv_kv", "interleaved"),
    "QueryK, interleaved": phrase_attention("query_k", "interleaved", ngrams=(1, 2, 3)),
    "syntactic encoder, interleaved decoder": phrase_attention(
        "query_k", "interleaved", attentions=("decoder", "cross"), of=mgsa()
    ),
    "alignment head": with_alignment(TRANSFORMER, full_context=False),
    "syntactic, alignment head": with_alignment(mgsa(), full_context=True),
    "QueryK, homogeneous, alignment head": with_alignment(
        phrase_attention("query_k", "homogeneous"), full_context=True
    ),
    "RNN, attn": recurrent("attn"),
    "RNN, key-value": recurrent("key_value"),
    "RNN, modifying-IW": recurrent("modifying_iw", decoder_layers=1),
}


def random_row(generator: random.Random, length: int, *, target_length: int | None = None) -> Row:
    """A sentence pair of a given length, with any three partitions of its source."""

    def partition() -> list[int]:
        cuts = sorted(generator.sample(range(1, length), generator.randint(0, length - 1)))
        return [b - a for a, b in zip([0, *cuts], [*cuts, length], strict=True)]

    def subwords(count: int) -> list[int]:
        return [generator.randrange(len(SPECIAL_SYMBOLS), VOCABULARY) for _ in range(count)]

    lengths = [partition() for _ in range(3)]
    return Row(
        index=0,
        source=subwords(length),
        target=subwords(length if target_length is None else target_length),
        subwords_per_word=partition(),
        phrase_lengths=lengths,
        phrase_tags=[[generator.randrange(NUM_TAGS) for _ in level] for level in lengths],
    )


def rows(*, longest: int = 7) -> SearchStrategy[Row]:
    """Sentence pairs, whose target may be empty."""
    randoms, lengths = st.randoms(use_true_random=False), st.integers(1, longest)
    return st.builds(random_row, randoms, lengths, target_length=st.integers(0, longest))


def batches_of_rows(*, max_size: int = 4) -> SearchStrategy[list[Row]]:
    """The rows of a batch."""
    return st.lists(rows(), min_size=1, max_size=max_size)


def some_rows(*lengths: int, seed: int = 0) -> list[Row]:
    """Sentence pairs whose sources have these lengths, and targets a word more."""
    generator = random.Random(seed)
    return [random_row(generator, n, target_length=n + 1) for n in lengths]


def random_model(config: ModelConfig, *, seed: int = 0) -> EncoderDecoder:
    """A model of rows with random weights in float64, in evaluation mode."""
    torch.manual_seed(seed)
    model = build_model(
        config, source_vocabulary=VOCABULARY, target_vocabulary=VOCABULARY, num_tags=NUM_TAGS
    )
    return model.double().eval()


def batch_of(model: EncoderDecoder, rows: Sequence[Row]) -> Batch:
    """The rows as the model needs them."""
    return make_batch(rows, model.granularities, ngram_unit=model.ngram_unit)
