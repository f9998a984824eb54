"""Other engines for Transformers of words, as contestants in decoding.

CTranslate2 has our weights, Hugging Face's Marian weights of its own, of the same size. One
that is not installed takes no part.
"""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Mapping
from importlib.util import find_spec
from pathlib import Path

import torch

from mgsa.artifact.export import specification
from mgsa.artifact.model import ModelArtifact
from mgsa.config import TransformerConfig
from mgsa.data.batch import Batch
from mgsa.data.vocabulary import BOS, EOS, PAD, SPECIAL_SYMBOLS, Vocabulary
from mgsa.model.encoder_decoder import EncoderDecoder

Search = Callable[[int], object]
"""Translates a batch by a beam of some width."""


def engines(
    config: TransformerConfig, model: EncoderDecoder, batch: Batch, *, steps: int, workers: int
) -> Mapping[str, Search]:
    """A search of a batch for each engine, of `steps` words a sentence, on torch's threads.

    CTranslate2 searches `workers` such batches side by side.
    """
    searches: dict[str, Search] = {}
    cuda = batch.source.is_cuda
    if find_spec("ctranslate2") and (not cuda or _has_cuda()):
        for precision in ("float16",) if cuda else ("float32", "int8"):
            searches[f"CTranslate2, {precision}"] = _ctranslate2(
                config, model, batch, steps=steps, precision=precision, workers=workers
            )
    if find_spec("transformers") and workers == 1:
        searches["Hugging Face Marian, float32"] = _marian(config, model, batch, steps=steps)
    return searches


def _has_cuda() -> bool:
    import ctranslate2

    return bool(ctranslate2.get_cuda_device_count())


def _ctranslate2(
    config: TransformerConfig,
    model: EncoderDecoder,
    batch: Batch,
    *,
    steps: int,
    precision: str,
    workers: int,
) -> Search:
    import ctranslate2

    count = model.output.out_features - len(SPECIAL_SYMBOLS)
    words = Vocabulary.of(f"w{number}" for number in range(count))
    languages = ("en", "de")
    artifact = ModelArtifact(Path("random"), model, config, (words, words), (), languages)
    with tempfile.TemporaryDirectory() as folder:
        spec = specification(artifact)
        spec.validate()
        spec.optimize()
        spec.save(folder)
        engine = ctranslate2.Translator(
            folder,
            device=batch.source.device.type,
            compute_type=precision,
            inter_threads=workers,
            intra_threads=torch.get_num_threads(),
        )
    lengths = (batch.source_lengths - 1).tolist()
    ids = batch.source.tolist()
    lines = [words.decode(row[:n]) for row, n in zip(ids, lengths, strict=True)] * workers
    length = {"max_decoding_length": steps, "min_decoding_length": steps}
    return lambda beam: engine.translate_batch(
        lines, beam_size=beam, max_batch_size=len(ids), **length
    )


def _marian(
    config: TransformerConfig, model: EncoderDecoder, batch: Batch, *, steps: int
) -> Search:
    from transformers import MarianConfig, MarianMTModel

    marian = MarianMTModel(
        MarianConfig(
            vocab_size=model.output.out_features,
            d_model=config.dim,
            encoder_layers=config.encoder_layers,
            decoder_layers=config.decoder_layers,
            encoder_attention_heads=config.heads,
            decoder_attention_heads=config.heads,
            encoder_ffn_dim=config.ffn_dim,
            decoder_ffn_dim=config.ffn_dim,
            pad_token_id=PAD,
            eos_token_id=EOS,
            forced_eos_token_id=None,
            decoder_start_token_id=BOS,
        )
    )
    marian = marian.to(batch.source.device).eval()
    positions = torch.arange(batch.source.shape[1], device=batch.source.device)
    mask = (positions < batch.source_lengths[:, None]).long()
    length = {"min_new_tokens": steps, "max_new_tokens": steps}
    return torch.inference_mode()(
        lambda beam: marian.generate(
            batch.source, attention_mask=mask, num_beams=beam, do_sample=False, **length
        )
    )
