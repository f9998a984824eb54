"""Configuration to model: the only place where names become modules."""

from __future__ import annotations

from torch import nn

from mgsa import composition, interaction
from mgsa.attention.multi_granularity import MultiGranularityAttention
from mgsa.attention.word import WordCrossAttention, WordSelfAttention
from mgsa.config import ModelConfig, MultiGranularityConfig
from mgsa.errors import InputError
from mgsa.model.embedding import Embedding, make_embedding
from mgsa.model.encoder_decoder import EncoderDecoder
from mgsa.model.transformer import Decoder, DecoderLayer, Encoder, EncoderLayer, FeedForward
from mgsa.onlstm import ONLSTM
from mgsa.tags import TagHead


def build_model(
    config: ModelConfig, *, source_vocabulary: int, target_vocabulary: int, num_tags: int
) -> EncoderDecoder:
    """A model with random weights.

    Args:
        source_vocabulary, target_vocabulary: how many symbols each side has.
        num_tags: how many tags phrases have.

    Raises:
        InputError: one embedding is to serve both languages, whose vocabularies differ.
    """
    if config.share_embeddings == "all" and source_vocabulary != target_vocabulary:
        raise InputError(
            "share_embeddings: all takes one vocabulary for both languages, got "
            f"{source_vocabulary} source and {target_vocabulary} target symbols"
        )
    dim = config.dim
    target_subwords = make_embedding(target_vocabulary, dim)
    source_subwords = (
        target_subwords
        if config.share_embeddings == "all"
        else make_embedding(source_vocabulary, dim)
    )
    output = nn.Linear(dim, target_vocabulary, bias=False)
    if config.share_embeddings == "none":
        nn.init.normal_(output.weight, std=dim**-0.5)
    else:
        output.weight = target_subwords.weight
    multi = config.multi_granularity
    return EncoderDecoder(
        source_embedding=Embedding(source_subwords, dropout=config.dropout),
        encoder=Encoder(
            (
                _encoder_layer(config, layer, num_tags)
                for layer in range(1, config.encoder_layers + 1)
            ),
            _final_norm(config),
        ),
        target_embedding=Embedding(target_subwords, dropout=config.dropout),
        decoder=Decoder(
            (_decoder_layer(config) for _ in range(config.decoder_layers)), _final_norm(config)
        ),
        output=output,
        granularities=multi.granularities if multi else (),
        ngram_unit=multi.ngram_unit if multi else "subword",
    )


def _final_norm(config: ModelConfig) -> nn.Module:
    """Layers with post-norm have normed their output themselves."""
    return nn.LayerNorm(config.dim) if config.norm == "pre" else nn.Identity()


def _encoder_layer(config: ModelConfig, layer: int, num_tags: int) -> EncoderLayer:
    multi = config.multi_granularity
    if multi and layer in multi.layers:
        attention: nn.Module = _multi_granularity_attention(config, multi, num_tags)
    else:
        attention = WordSelfAttention(config.dim, config.heads, dropout=config.attention_dropout)
    return EncoderLayer(
        attention,
        _feed_forward(config),
        dim=config.dim,
        dropout=config.dropout,
        pre_norm=config.norm == "pre",
    )


def _decoder_layer(config: ModelConfig) -> DecoderLayer:
    return DecoderLayer(
        WordSelfAttention(config.dim, config.heads, dropout=config.attention_dropout),
        WordCrossAttention(config.dim, config.heads, dropout=config.attention_dropout),
        _feed_forward(config),
        dim=config.dim,
        dropout=config.dropout,
        pre_norm=config.norm == "pre",
    )


def _feed_forward(config: ModelConfig) -> FeedForward:
    return FeedForward(config.dim, config.ffn_dim, dropout=config.activation_dropout)


def _multi_granularity_attention(
    config: ModelConfig, multi: MultiGranularityConfig, num_tags: int
) -> MultiGranularityAttention:
    supervised = [
        name for name in multi.granularities if multi.tags and name.startswith("syntactic_")
    ]
    return MultiGranularityAttention(
        config.dim,
        config.dim // config.heads,
        group_heads=multi.group_heads,
        compositions={name: _composition(config.dim, multi) for name in multi.granularities},
        tag_heads={name: TagHead(config.dim, num_tags) for name in supervised},
        interaction=_interaction(config.dim, multi),
        dropout=config.attention_dropout,
    )


def _composition(dim: int, multi: MultiGranularityConfig) -> nn.Module:
    match multi.composition:
        case "max_pool":
            return composition.MaxPool()
        case "lstm":
            return composition.LSTM(dim, multi.composition_width)
        case "self_attention":
            return composition.SelfAttention(dim, multi.composition_width)


def _interaction(dim: int, multi: MultiGranularityConfig) -> nn.Module:
    """The interaction of all granularities."""
    width, chunk = multi.interaction_width, multi.interaction_chunk
    each = range(len(multi.granularities))
    match multi.interaction:
        case "none":
            return interaction.OneByOne(interaction.NoInteraction() for _ in each)
        case "lstm":
            return interaction.OneByOne(
                interaction.Interaction(interaction.LSTM(dim, width), dim) for _ in each
            )
        case "on_lstm":
            return interaction.SideBySide(
                interaction.Interaction(ONLSTM(dim, width, chunk), dim) for _ in each
            )
