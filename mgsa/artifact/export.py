"""`mgsa export`: a Transformer whose attentions see words alone, as a model of CTranslate2.

CTranslate2 translates subwords, as does `mgsa translate`; its length penalty is another: log p
over |y|^α. It may say padding and begin of sentence, which our search forbids.
"""

from __future__ import annotations

from collections.abc import Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

from mgsa.cli.command import Input, Option, OutputFolder
from mgsa.cli.errors import FailedError, InputError

if TYPE_CHECKING:
    import numpy as np
    from ctranslate2.specs import TransformerSpec
    from torch import Tensor

    from mgsa.artifact.model import ModelArtifact

LONGEST = 2048
"""Positions: encodings are part of the file."""


def export(
    *,
    model: Annotated[Path, Input("model artifact")],
    out: Annotated[Path, OutputFolder("CTranslate2's model", "CTranslate2 model")],
    format: Annotated[Literal["ctranslate2"], Option("of another engine")] = "ctranslate2",  # noqa: A002
) -> None:
    """Write a model for another engine, which must be installed.

    For Transformers without phrases: no other engine has the attentions of the others.
    """
    assert format == "ctranslate2"
    from mgsa.artifact.model import load_model
    from mgsa.cli.outputs import atomic_folder

    if find_spec("ctranslate2") is None:
        raise FailedError("CTranslate2 is needed: pip install 'mgsa[ctranslate2]'")
    spec = specification(load_model(model))
    spec.validate()
    spec.optimize()
    with atomic_folder(out) as folder:
        spec.save(str(folder))


def specification(artifact: ModelArtifact) -> TransformerSpec:
    """CTranslate2's form of a model; an `InputError` if it has none."""
    import torch
    from ctranslate2.specs import TransformerSpec

    from mgsa.data.vocabulary import BOS, EOS, UNK
    from mgsa.model.layers import sinusoids

    config, model = artifact.config, artifact.model
    if config.kind != "transformer" or config.multi_granularity or config.phrase_attention:
        raise InputError(
            "expected a Transformer whose attentions see words alone", path=artifact.folder
        )
    spec = TransformerSpec.from_config(
        (config.encoder_layers, config.decoder_layers), config.heads, pre_norm=config.norm == "pre"
    )
    positions = _array(sinusoids(torch.arange(LONGEST), config.dim))
    for theirs in (spec.encoder, spec.decoder):
        theirs.position_encodings.encodings = positions
    spec.encoder.embeddings[0].weight = _array(model.source_embedding.subwords.weight)
    spec.decoder.embeddings.weight = _array(model.target_embedding.subwords.weight)
    spec.decoder.projection.weight = _array(model.output.weight)
    stacks: Any = (spec.encoder, model.encoder), (spec.decoder, model.decoder)
    for theirs, ours in stacks:
        if config.norm == "pre":
            _norm(theirs.layer_norm, ours.final_norm)
        for layer, own in zip(theirs.layer, ours.layers, strict=True):
            _layer(layer, own)
    source, target = (list(vocabulary.symbols) for vocabulary in artifact.vocabularies)
    spec.register_source_vocabulary(source)
    spec.register_target_vocabulary(target)
    spec.config.bos_token = spec.config.decoder_start_token = target[BOS]
    spec.config.eos_token, spec.config.unk_token = target[EOS], target[UNK]
    spec.config.add_source_eos = True
    spec.config.layer_norm_epsilon = 1e-5  # torch's
    return spec


def _layer(theirs: Any, ours: Any) -> None:
    """An encoder's or a decoder's layer: norms and linear maps, part by part."""
    words, network = ours.self_attention, ours.feed_forward
    _norm(theirs.self_attention.layer_norm, ours.self_attention_residual.norm)
    _linear(theirs.self_attention.linear, (words.projection, words.output))
    _norm(theirs.ffn.layer_norm, ours.feed_forward_residual.norm)
    _linear((theirs.ffn.linear_0, theirs.ffn.linear_1), (network.inner, network.outer))
    cross = getattr(ours, "cross_attention", None)
    if cross is not None:
        _norm(theirs.attention.layer_norm, ours.cross_attention_residual.norm)
        _linear(theirs.attention.linear, (cross.query, cross.key_value, cross.output))


def _norm(theirs: Any, ours: Any) -> None:
    theirs.gamma, theirs.beta = _array(ours.weight), _array(ours.bias)


def _linear(theirs: Sequence[Any], ours: Sequence[Any]) -> None:
    for their, own in zip(theirs, ours, strict=True):
        their.weight, their.bias = _array(own.weight), _array(own.bias)


def _array(tensor: Tensor) -> np.ndarray:
    return tensor.detach().float().cpu().numpy()
