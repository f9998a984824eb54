"""The share of attention from words and phrases to words and phrases.

The four quadrants of phrase-based attention (Nguyen & Joty 2018, tables 3 and 4), for any model;
one without phrase queries or phrase keys has fewer. Where each head has one granularity, shares are
the numbers of heads; under a common softmax they are learned. A share is of the sum of weights (the
paper does not define its count of activations).
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Literal

import torch
from torch import Tensor

from mgsa.attention.word import WORDS
from mgsa.data.batch import Batch
from mgsa.data.vocabulary import PAD
from mgsa.model.encoder_decoder import EncoderDecoder, ModelOutput, Weights

Place = Literal["encoder", "decoder", "cross"]
PLACES: tuple[Place, ...] = ("encoder", "decoder", "cross")
"""Self-attention of encoder and decoder; cross-attention."""

QUADRANTS = ("token_to_token", "token_to_phrase", "phrase_to_token", "phrase_to_phrase")

_NGRAMS = re.compile(r"ngram_([0-9]+)_to_ngram_([0-9]+)")

Shares = dict[Place, list[dict[str, float]]]
"""The share of each name in `Attended.weights`, by place and layer."""


def ngram_sizes(name: str) -> tuple[int, int] | None:
    """n of queries and keys in a name of phrase attention's weights; `None` for other names."""
    match = _NGRAMS.fullmatch(name)
    return (int(match[1]), int(match[2])) if match else None


def quadrant(name: str) -> str:
    """The quadrant of the weights `name`."""
    sizes = ngram_sizes(name)
    query, key = sizes or (1, 1)
    from_phrase = query > 1
    to_phrase = key > 1 if sizes else name not in (WORDS, "ngram_1")
    return QUADRANTS[2 * from_phrase + to_phrase]


def weights_of(output: ModelOutput, place: Place) -> Sequence[Weights]:
    """The weights of each layer at a place."""
    every = (output.encoder_weights, output.decoder_weights, output.cross_weights)
    return every[PLACES.index(place)]


def attention_shares(
    model: EncoderDecoder, batches: Iterable[Batch], device: torch.device
) -> Shares:
    """The share of each name of weights, summed over sentences, positions and heads; a layer has 1.

    The target is the reference.
    """
    sums: dict[tuple[Place, int], dict[str, Tensor]] = {}
    with torch.inference_mode():
        for batch in batches:
            on_device = batch.to(device)
            output = model(on_device, need_weights=True)
            for place in PLACES:
                real = (on_device.source if place == "encoder" else on_device.target_output) != PAD
                for layer, weights in enumerate(weights_of(output, place)):
                    total = sums.setdefault((place, layer), {})
                    for name, w in weights.items():
                        # (B, H, T, S), without queries of padding
                        mass = (w.sum(dim=(1, 3), dtype=torch.float64) * real).sum()
                        total[name] = total.get(name, torch.zeros_like(mass)) + mass
    shares: Shares = {place: [] for place in PLACES}
    for (place, _), total in sums.items():
        whole = torch.stack(list(total.values())).sum()
        shares[place].append({name: float(mass / whole) for name, mass in total.items()})
    return shares


def by_quadrant(shares: Mapping[str, float]) -> dict[str, float]:
    """The shares of a layer summed by quadrant, without quadrants that the model lacks."""
    sums: dict[str, float] = {}
    for name, share in shares.items():
        sums[quadrant(name)] = sums.get(quadrant(name), 0.0) + share
    return {name: sums[name] for name in QUADRANTS if name in sums}
