"""Translation speed of random models, greedy and with a beam, against our Transformer.

    python -m benchmarks.decoding_speed --size tiny --sentences 120 --repeats 5

A batch of random sentences with random trees is translated; the models never end by themselves, so
every translation is as long as its source may have it (as many subwords as the source has). The
Transformer is also asked to do without its key/value cache, all target positions being computed
anew for every word. In every repetition each way takes its turn, so that whatever else the machine
does falls on all of them; a figure is the median over repetitions, relative to the Transformer's
with the cache in the same repetition.
"""

from __future__ import annotations

import argparse
import json
import statistics
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path

import torch

from benchmarks.machine import machine
from benchmarks.model_speed import BASELINE, VOCABULARY, chosen_names, configurations
from benchmarks.random_batches import NUM_TAGS, make_batches
from mgsa.base.cli import run
from mgsa.config import STANDARD_SEARCH, ModelConfig
from mgsa.data.batch import Batch
from mgsa.data.vocabulary import EOS
from mgsa.decoding.beam import Hypothesis, beam_search, search_batch
from mgsa.decoding.translate import choose_device
from mgsa.model.build import build_model
from mgsa.model.encoder_decoder import EncoderDecoder
from tests.reference.uncached import Uncached

BEAMS = {"greedy": 1, "beam 5": 5}
UNCACHED = "Transformer, without the cache"
CONFIG = replace(STANDARD_SEARCH, max_length_ratio=1.0, max_length_extra=0)
LONGEST = 24
"""Sentences are hardly shorter, and none is longer."""

Translate = Callable[[], list[list[Hypothesis]]]


def random_model(config: ModelConfig, vocabulary: int) -> EncoderDecoder:
    """A model that never says end of sentence unless it must."""
    torch.manual_seed(0)
    model = build_model(
        replace(config, share_embeddings="none"),
        source_vocabulary=vocabulary,
        target_vocabulary=vocabulary,
        num_tags=NUM_TAGS,
    )
    with torch.no_grad():
        model.output.weight[EOS] = 0  # of thousands of words, some are likelier always
    return model.eval()


def cached(model: EncoderDecoder, batch: Batch, beam: int) -> list[list[Hypothesis]]:
    """What `mgsa translate` does."""
    return search_batch([model], [batch], replace(CONFIG, beam=beam))


@torch.inference_mode()
def uncached(model: EncoderDecoder, batch: Batch, beam: int) -> list[list[Hypothesis]]:
    """The same search, all target positions computed anew for every word."""
    scorer = Uncached(model)
    return beam_search(
        [scorer],
        [scorer.start(model.encode(batch))],
        beam=beam,
        n_best=1,
        alpha=CONFIG.length_penalty,
        longest=(batch.source_lengths - 1).tolist(),
        device=batch.source.device,
    )


def ways_of(models: Mapping[str, EncoderDecoder], batch: Batch, beam: int) -> dict[str, Translate]:
    """Each model's way to translate the batch, and the baseline's without a cache."""
    ways = {name: partial(cached, model, batch, beam) for name, model in models.items()}
    return {**ways, UNCACHED: partial(uncached, models[BASELINE], batch, beam)}


def measure(
    ways: dict[str, Translate], *, repeats: int, device: torch.device
) -> dict[str, list[float]]:
    """Seconds of some repetitions of each way, after one that warms up."""
    seconds: dict[str, list[float]] = {name: [] for name in ways}
    names = list(ways)
    for repeat in range(repeats + 1):
        first = repeat % len(names)
        for name in [*names[first:], *names[:first]]:  # nobody always comes after another
            start = time.perf_counter()
            ways[name]()
            if device.type == "cuda":
                torch.cuda.synchronize()
            if repeat:
                seconds[name].append(time.perf_counter() - start)
    return seconds


def main(argv: Sequence[str] | None = None) -> None:
    """Measure, and print a table for each beam."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--size", choices=sorted(VOCABULARY), default="tiny")
    parser.add_argument("--sentences", type=int, default=120, help="of the batch (default: 120)")
    parser.add_argument("--repeats", type=int, default=5, help="(default: 5)")
    parser.add_argument(
        "--accelerator", choices=["cpu", "gpu", "auto"], default="auto", help="(default: auto)"
    )
    parser.add_argument("--models", nargs="*", help="parts of the names of the models to run")
    parser.add_argument("--json", type=Path, help="also write the figures here")
    arguments = parser.parse_args(argv)
    device = choose_device(arguments.accelerator)
    (batch,) = make_batches(arguments.sentences * LONGEST, VOCABULARY[arguments.size], 1)
    batch = batch.to(device)
    figures: dict[str, object] = {"size": arguments.size, **machine(device)}
    configs = configurations(arguments.size)
    models = {
        name: random_model(configs[name], VOCABULARY[arguments.size]).to(device)
        for name in chosen_names(arguments.size, arguments.models)
        if name in configs  # torch's Transformer has no cache
    }
    for search, beam in BEAMS.items():
        ways = ways_of(models, batch, beam)
        seconds = measure(ways, repeats=arguments.repeats, device=device)
        print(f"| {search} | sentences/s | relative |\n| --- | ---: | ---: |")
        for name, taken in seconds.items():
            speed = arguments.sentences / statistics.median(taken)
            relative = statistics.median(
                base / own for base, own in zip(seconds[BASELINE], taken, strict=True)
            )
            figures[f"{name}, {search}"] = {"sentences_per_second": speed, "relative": relative}
            print(f"| {name} | {speed:,.1f} | {relative:.2f} |")
    if arguments.json:
        arguments.json.write_text(json.dumps(figures, indent=2) + "\n", encoding="utf-8")


if __name__ == "__main__":
    sys.exit(run(main))
