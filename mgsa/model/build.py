"""Configuration to model: the only place where names become modules."""

from functools import partial
from typing import Literal, assert_never

from torch import nn

from mgsa import composition, interaction
from mgsa.attention.conv_kv import ConvKV
from mgsa.attention.key_value import (
    KeyHalves,
    KeyValueHalves,
    StateAttention,
    WholeStates,
    zero_key_columns,
)
from mgsa.attention.multi_granularity import MultiGranularityAttention
from mgsa.attention.phrase import PhraseCrossAttention, PhraseSelfAttention
from mgsa.attention.phrase_heads import PhraseHeads
from mgsa.attention.query_k import QueryK
from mgsa.attention.word import WordCrossAttention, WordSelfAttention
from mgsa.boundaries import BoundaryFlags
from mgsa.cli.errors import InputError
from mgsa.config import (
    ModelConfig,
    MultiGranularityConfig,
    PhraseAttentionConfig,
    RecurrentConfig,
    TransformerConfig,
)
from mgsa.data.vocabulary import PAD
from mgsa.model.encoder_decoder import EncoderDecoder
from mgsa.model.joint_alignment import AlignmentHead
from mgsa.model.layers import Embedding, FeedForward, PlainEmbedding, Residual, make_embedding
from mgsa.model.recurrent import RecurrentDecoder, RecurrentEncoder, draw_weights
from mgsa.model.transformer import (
    CrossAttention,
    Decoder,
    DecoderLayer,
    Encoder,
    EncoderLayer,
    SelfAttention,
)
from mgsa.onlstm import ONLSTM, run_batched
from mgsa.operators import Linear


def build_model(
    config: ModelConfig, *, source_vocabulary: int, target_vocabulary: int, num_tags: int
) -> EncoderDecoder:
    """A randomly initialised model.

    `share_embeddings: all` with two vocabulary sizes is an `InputError`.
    """
    if config.share_embeddings == "all" and source_vocabulary != target_vocabulary:
        raise InputError(
            "share_embeddings: all takes one vocabulary for both languages, got "
            f"{source_vocabulary} source and {target_vocabulary} target symbols"
        )
    target_subwords = make_embedding(target_vocabulary, config.dim)
    source_subwords = (
        target_subwords
        if config.share_embeddings == "all"
        else make_embedding(source_vocabulary, config.dim)
    )
    output = Linear(config.dim, target_vocabulary, bias=config.kind == "rnn")  # W_o, b_o
    if config.share_embeddings == "none":
        nn.init.normal_(output.weight, std=config.dim**-0.5)
    else:
        output.weight = target_subwords.weight
    encoder: Encoder | RecurrentEncoder
    decoder: Decoder | RecurrentDecoder
    multi = None
    match config:
        case TransformerConfig():
            embedding, multi, dropout = Embedding, config.multi_granularity, config.dropout
            encoder, decoder = _transformer(config, num_tags)
        case RecurrentConfig():
            embedding, dropout = PlainEmbedding, 0.0
            encoder, decoder = _recurrent(config)
        case _:
            assert_never(config)
    head = config.alignment
    model = EncoderDecoder(
        source_embedding=embedding(source_subwords, dropout=dropout),
        encoder=encoder,
        target_embedding=embedding(target_subwords, dropout=dropout),
        decoder=decoder,
        output=output,
        granularities=multi.granularities if multi else (),
        ngram_unit=multi.ngram_unit if multi else "subword",
        alignment_head=AlignmentHead(head.layer, head.full_context, head.sentences)
        if head
        else None,
    )
    if isinstance(config, RecurrentConfig) and isinstance(decoder, RecurrentDecoder):
        draw_weights(model, config.init_std)
        for subwords in (source_subwords, target_subwords):
            nn.init.zeros_(subwords.weight[PAD])
        if config.attention == "modifying_iw":
            zero_key_columns(decoder.output, config.dim)
    return model


def _recurrent(config: RecurrentConfig) -> tuple[RecurrentEncoder, RecurrentDecoder]:
    dim, dropout = config.dim, config.dropout
    context_dim = dim
    match config.attention:
        case "attn":
            attention = StateAttention(WholeStates(dim))
        case "key_value":
            attention, context_dim = StateAttention(KeyValueHalves(dim)), dim // 2
        case "modifying_iw":
            attention = StateAttention(KeyHalves(dim))
        case _:
            assert_never(config.attention)
    decoder = RecurrentDecoder(
        attention,
        layers=config.decoder_layers,
        dim=dim,
        context_dim=context_dim,
        dropout=dropout,
    )
    return RecurrentEncoder(layers=config.encoder_layers, dim=dim, dropout=dropout), decoder


def _transformer(config: TransformerConfig, num_tags: int) -> tuple[Encoder, Decoder]:
    multi = config.multi_granularity
    residual = partial(Residual, config.dim, dropout=config.dropout, pre=config.norm == "pre")

    def feed_forward() -> FeedForward:
        return FeedForward(config.dim, config.ffn_dim, dropout=config.activation_dropout)

    def final_norm() -> nn.Module:
        """Post-norm layers have normed outputs already."""
        return nn.LayerNorm(config.dim) if config.norm == "pre" else nn.Identity()

    encoder_layers = [
        EncoderLayer(
            _multi_granularity_attention(config, multi, num_tags)
            if multi and layer in multi.layers
            else _self_attention(config, "encoder"),
            feed_forward(),
            residual,
            flags=_boundary_flags(config.dim, multi) if multi and layer in multi.layers else None,
        )
        for layer in range(1, config.encoder_layers + 1)
    ]
    decoder_layers = [
        DecoderLayer(
            _self_attention(config, "decoder"), _cross_attention(config), feed_forward(), residual
        )
        for _ in range(config.decoder_layers)
    ]
    return Encoder(encoder_layers, final_norm()), Decoder(decoder_layers, final_norm())


def _self_attention(
    config: TransformerConfig, side: Literal["encoder", "decoder"]
) -> SelfAttention:
    phrase = config.phrase_attention
    if phrase and side in phrase.attentions:
        # Only the encoder may see the output of the next bigram query.
        return PhraseSelfAttention(
            _phrase_heads(config, phrase, window=3 if side == "encoder" else 2)
        )
    return WordSelfAttention(config.dim, config.heads, dropout=config.attention_dropout)


def _cross_attention(config: TransformerConfig) -> CrossAttention:
    phrase = config.phrase_attention
    if phrase and "cross" in phrase.attentions:
        return PhraseCrossAttention(_phrase_heads(config, phrase, window=2))
    return WordCrossAttention(config.dim, config.heads, dropout=config.attention_dropout)


def _phrase_heads(
    config: TransformerConfig, phrase: PhraseAttentionConfig, *, window: int
) -> PhraseHeads:
    """The heads of one attention; `window` is the fold's, used if queries are interleaved."""
    techniques: dict[str, type[ConvKV | QueryK]] = {"conv_kv": ConvKV, "query_k": QueryK}
    interleaved = phrase.structure == "interleaved"
    groups = (
        [(config.heads, phrase.ngrams)]
        if phrase.ngram_heads is None
        else [(n, (size,)) for n, size in zip(phrase.ngram_heads, phrase.ngrams, strict=True)]
    )
    return PhraseHeads(
        (
            techniques[phrase.technique](
                config.dim,
                config.dim // config.heads,
                heads=heads,
                sizes=sizes,
                spans=(1, 2) if interleaved else (1,),
            )
            for heads, sizes in groups
        ),
        config.dim,
        padded=phrase.structure == "homogeneous",
        fold=window if interleaved else 1,
        dropout=config.attention_dropout,
    )


def _multi_granularity_attention(
    config: TransformerConfig, multi: MultiGranularityConfig, num_tags: int
) -> MultiGranularityAttention:
    supervised = [
        name for name in multi.granularities if multi.tags and name.startswith("syntactic_")
    ]
    return MultiGranularityAttention(
        config.dim,
        config.dim // config.heads,
        group_heads=multi.group_heads,
        compositions={name: _composition(config.dim, multi) for name in multi.granularities},
        tag_heads={name: interaction.TagHead(config.dim, num_tags) for name in supervised},
        interaction=_interaction(config.dim, multi),
        norm=multi.interaction_norm,
        membership=multi.membership,
        dropout=config.attention_dropout,
    )


def _boundary_flags(dim: int, multi: MultiGranularityConfig) -> BoundaryFlags | None:
    if multi.boundaries == "none":
        return None
    return BoundaryFlags(dim, multi.granularities, gated=multi.boundaries == "gated_flags")


def _composition(dim: int, multi: MultiGranularityConfig) -> nn.Module:
    match multi.composition:
        case "max_pool":
            return composition.MaxPool()
        case "lstm":
            return composition.LSTM(dim, multi.composition_width)
        case "self_attention":
            return composition.SelfAttention(dim, multi.composition_width)
        case _:
            assert_never(multi.composition)


def _interaction(dim: int, multi: MultiGranularityConfig) -> nn.Module:
    width, chunk = multi.interaction_width, multi.interaction_chunk
    each = range(len(multi.granularities))
    match multi.interaction:
        case "none":
            return interaction.NoInteraction()
        case "lstm":
            lstms = [interaction.Interaction(interaction.LSTM(dim, width), dim) for _ in each]
            return interaction.Interactions(lstms, run=interaction.run_each)
        case "on_lstm":
            on_lstms = [interaction.Interaction(ONLSTM(dim, width, chunk), dim) for _ in each]
            return interaction.Interactions(on_lstms, run=run_batched)
        case _:
            assert_never(multi.interaction)
