"""`torch.nn.Transformer`, embedded as our own, to measure ours by."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from torch import Tensor, nn

from mgsa.config import TransformerConfig
from mgsa.data.batch import Batch
from mgsa.data.vocabulary import PAD
from mgsa.masks import causal_mask
from mgsa.model.layers import Embedding, make_embedding
from mgsa.training.loss import translation_nll


class TorchTransformer(nn.Module):
    """`torch.nn.Transformer` with our embeddings and loss, and dropout where we have it."""

    def __init__(self, config: TransformerConfig, vocabulary: int, label_smoothing: float) -> None:
        super().__init__()
        self.label_smoothing = label_smoothing
        shared = config.share_embeddings == "all"
        target = make_embedding(vocabulary, config.dim)
        source = target if shared else make_embedding(vocabulary, config.dim)
        self.source_embedding = Embedding(source, dropout=config.dropout)
        self.target_embedding = Embedding(target, dropout=config.dropout)
        self.output = nn.Linear(config.dim, vocabulary, bias=False)
        if shared:
            self.output.weight = target.weight
        self.transformer = nn.Transformer(
            config.dim,
            config.heads,
            config.encoder_layers,
            config.decoder_layers,
            config.ffn_dim,
            config.dropout,
            batch_first=True,
            norm_first=config.norm == "pre",
        )
        for module in self.transformer.modules():
            if isinstance(module, nn.MultiheadAttention):
                module.dropout = config.attention_dropout
            elif isinstance(module, (nn.TransformerEncoderLayer, nn.TransformerDecoderLayer)):
                module.dropout.p = config.activation_dropout

    def forward(self, tensors: Mapping[str, Any]) -> tuple[Tensor, Tensor]:
        """() the smoothed and () the plain loss of the fields of a `Batch`."""
        batch = Batch(**tensors)
        padding = batch.source == PAD
        T = batch.target_input.shape[1]
        states = self.transformer(
            self.source_embedding(batch.source),
            self.target_embedding(batch.target_input),
            tgt_mask=~causal_mask(T, T, padding.device)[0, 0],
            src_key_padding_mask=padding,
            memory_key_padding_mask=padding,
            tgt_is_causal=True,
        )
        return translation_nll(
            states, self.output, batch.target_output, label_smoothing=self.label_smoothing
        )
