"""Types and ranges of the sections `model`, `train` and `translate`; `conf/` documents the keys."""

import re
from dataclasses import dataclass
from typing import Annotated, Literal

from annotated_types import Interval

from mgsa.cli.settings import (
    InputPath,
    NonNegative,
    Positive,
    Probability,
    Seed,
    Share,
    check_each_once,
)

Precision = Literal["32-true", "bf16-mixed"]
Decay = Literal["inverse_sqrt", "linear", "none"]
GRANULARITY = re.compile(r"(ngram|syntactic)_([1-9][0-9]{0,2})")
"""`ngram_3` is the partition into 3-grams, `syntactic_2` level 2 of the syntactic partition."""


@dataclass(frozen=True)
class MultiGranularityConfig:
    """Multi-granularity self-attention (Hao et al. 2019) in encoder `layers`, counted from 1.

    `membership` and `boundaries` are not the paper's: they let the model know which phrase a word
    is in, and where phrases begin.
    """

    layers: tuple[Positive, ...]
    granularities: tuple[str, ...]
    group_heads: tuple[Positive, ...]
    ngram_unit: Literal["subword", "word"]
    composition: Literal["max_pool", "lstm", "self_attention"]
    composition_width: Positive
    interaction: Literal["none", "lstm", "on_lstm"]
    interaction_width: Positive
    interaction_chunk: Positive
    interaction_norm: bool
    membership: Literal["none", "own"]
    boundaries: Literal["none", "flags", "gated_flags"]
    tags: bool
    tag_weight: NonNegative

    def __post_init__(self) -> None:
        for name in self.granularities:
            if not GRANULARITY.fullmatch(name):
                raise ValueError(f"granularities: expected ngram_N or syntactic_N, got {name!r}")
        check_each_once("granularities", self.granularities)
        check_each_once("layers", self.layers)
        groups = len(self.granularities) + 1
        if len(self.group_heads) != groups:
            raise ValueError(f"group_heads: expected {groups} numbers, the first that of words")
        if self.interaction == "on_lstm" and self.interaction_width % self.interaction_chunk:
            raise ValueError("interaction_chunk: expected a divisor of interaction_width")
        syntactic = any(name.startswith("syntactic_") for name in self.granularities)
        if self.tags and not syntactic:
            raise ValueError("tags: n-grams have none; expected false, or a syntactic granularity")
        if self.boundaries == "gated_flags" and not syntactic:
            raise ValueError("boundaries: expected none or flags, as only a tree can be wrong")


@dataclass(frozen=True)
class PhraseAttentionConfig:
    """Phrase-based attention (Nguyen & Joty 2018) in place of word attention.

    Homogeneous: `ngram_heads` are the numbers of heads for each size of `ngrams`. Heterogeneous,
    interleaved: every head attends to all sizes.
    """

    attentions: tuple[Literal["encoder", "decoder", "cross"], ...]
    technique: Literal["conv_kv", "query_k"]
    structure: Literal["homogeneous", "heterogeneous", "interleaved"]
    ngrams: tuple[Positive, ...]
    ngram_heads: tuple[Positive, ...] | None

    def __post_init__(self) -> None:
        check_each_once("attentions", self.attentions)
        check_each_once("ngrams", self.ngrams)
        if sorted(self.ngrams) != list(self.ngrams):
            raise ValueError("ngrams: expected the smallest first")
        if self.structure == "homogeneous":
            if len(self.ngram_heads or ()) != len(self.ngrams):
                raise ValueError("ngram_heads: expected a number for each of ngrams")
        elif self.ngram_heads is not None:
            raise ValueError("ngram_heads: expected null, for every head attends to all sizes")
        elif self.ngrams[0] != 1:
            raise ValueError("ngrams: expected 1 among them, for there is no other in one word")


@dataclass(frozen=True)
class AlignmentConfig:
    """A head of the decoder's cross-attention that learns word alignments (Garg et al. 2019).

    It is the first word-attending head of decoder layer `layer`, counted from 1.
    """

    layer: Positive
    full_context: bool
    sentences: Annotated[float, Interval(ge=0.01, le=1)]
    weight: NonNegative

    def __post_init__(self) -> None:
        if not self.full_context and self.sentences != 1.0:
            raise ValueError("sentences: expected 1.0, as one pass costs the same for all")


@dataclass(frozen=True)
class TransformerConfig:
    """A Transformer encoder-decoder (Vaswani et al. 2017), with word or phrase attention.

    With both set, the encoder has MG-SA in the layers that name it, phrase attention elsewhere.
    """

    kind: Literal["transformer"]
    encoder_layers: Positive
    decoder_layers: Positive
    dim: Positive
    ffn_dim: Positive
    heads: Positive
    norm: Literal["pre", "post"]
    dropout: Probability
    attention_dropout: Probability
    activation_dropout: Probability
    share_embeddings: Literal["all", "decoder", "none"]
    multi_granularity: MultiGranularityConfig | None
    phrase_attention: PhraseAttentionConfig | None
    alignment: AlignmentConfig | None

    def __post_init__(self) -> None:
        if self.dim % self.heads:
            raise ValueError(f"heads: expected a divisor of dim ({self.dim}), got {self.heads}")
        if self.dim % 2:
            raise ValueError(f"dim: expected an even number, got {self.dim}")
        multi, phrase, alignment = self.multi_granularity, self.phrase_attention, self.alignment
        if phrase and phrase.ngram_heads and sum(phrase.ngram_heads) != self.heads:
            raise ValueError(f"phrase_attention.ngram_heads: expected the sum {self.heads} (heads)")
        if multi and sum(multi.group_heads) != self.heads:
            raise ValueError(
                f"multi_granularity.group_heads: expected the sum {self.heads} (heads)"
            )
        if multi and max(multi.layers) > self.encoder_layers:
            raise ValueError(f"multi_granularity.layers: expected 1 to {self.encoder_layers}")
        if alignment and alignment.layer > self.decoder_layers:
            raise ValueError(f"alignment.layer: expected 1 to {self.decoder_layers}")
        cross = phrase if alignment and phrase and "cross" in phrase.attentions else None
        if cross and (cross.structure != "homogeneous" or 1 not in cross.ngrams):
            raise ValueError(
                "alignment: expected heads of cross-attention that attend to words alone, such as "
                "homogeneous phrase_attention has for the 1 among its ngrams"
            )


@dataclass(frozen=True)
class RecurrentConfig:
    """An attentional encoder-decoder of LSTMs (Mino et al. 2017).

    `dim` is the width of embeddings, of each direction of the encoder, of decoder and e_j;
    `attention` says which parts of a source state are key and value.
    """

    kind: Literal["rnn"]
    encoder_layers: Positive
    decoder_layers: Positive
    dim: Positive
    attention: Literal["attn", "key_value", "modifying_iw"]
    dropout: Probability
    init_std: NonNegative
    share_embeddings: Literal["all", "decoder", "none"]
    alignment: AlignmentConfig | None

    def __post_init__(self) -> None:
        if self.dim % 2:
            raise ValueError(f"dim: expected an even number, got {self.dim}")
        if self.alignment and (self.alignment.layer > 1 or self.alignment.full_context):
            raise ValueError("alignment: expected layer 1 and no full_context of this model")


ModelConfig = TransformerConfig | RecurrentConfig
"""The section `model`, by its key `kind`."""


@dataclass(frozen=True)
class PhraseNoise:
    """Shares of training sentences whose words are phrases, and whose phrases are cut at random."""

    flat: Share
    random: Share

    def __post_init__(self) -> None:
        if self.flat + self.random > 1:
            raise ValueError("flat, random: expected shares of at most 1 together")


NO_PHRASE_NOISE = PhraseNoise(flat=0.0, random=0.0)


@dataclass(frozen=True)
class TrainConfig:
    """One training run. Tokens are subwords with end of sentence and padding.

    A batch is full at `batch_tokens` or `batch_sentences`, whichever comes first. `initial` is a
    model artifact to start from; `frozen` are names of weights, or of modules, that stay as they
    are at the start. Without `validate_every` epochs end with a validation. With `decay` linear the
    rate is zero at `max_updates` or after `max_epochs`: with another end it is another run.
    """

    initial: InputPath | None
    frozen: tuple[str, ...]
    seed: Seed
    precision: Precision
    compile: bool
    batch_tokens: Positive
    batch_sentences: Positive | None
    accumulate: Positive
    shuffle_window: Positive
    bpe_dropout: Annotated[float, Interval(ge=0, lt=1)]
    phrase_noise: PhraseNoise
    max_epochs: Positive
    max_updates: Positive
    max_seconds: Positive | None
    optimizer_betas: tuple[Probability, Probability]
    optimizer_eps: NonNegative
    learning_rate: NonNegative
    warmup: Positive
    decay: Decay
    label_smoothing: Probability
    clip_norm: NonNegative
    validate_every: Positive | None
    validation_beam: Positive
    validation_sentences: Positive
    patience: Positive | None
    best_by: Literal["bleu", "loss"]
    log_every: Positive
    checkpoint_every: Positive
    keep_last: Positive
    artifact: Literal["best", "average", "last"]


SearchPrecision = Literal["float32", "bfloat16", "int8"]
"""Precision of matrix products in a search: bfloat16 is for GPUs, int8 for CPUs."""


@dataclass(frozen=True)
class TranslateConfig:
    """Beam search with the GNMT length penalty (Wu et al. 2016, equation 14).

    Lengths are limited since a poorly trained model may never predict end of sentence.
    `copy_unknown` is for words that the vocabulary has never seen (Luong et al. 2015).
    """

    beam: Positive
    length_penalty: NonNegative
    max_length_ratio: NonNegative
    max_length_extra: Positive
    batch_tokens: Positive
    precision: SearchPrecision
    copy_unknown: bool


DEFAULT_TRANSLATE_CONFIG = TranslateConfig(
    beam=5,
    length_penalty=0.6,
    max_length_ratio=2.0,
    max_length_extra=10,
    batch_tokens=4096,
    precision="float32",
    copy_unknown=True,
)
"""The search where no parameter file is given."""
