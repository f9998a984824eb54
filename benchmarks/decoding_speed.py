"""Translation speed of random models, greedy and with a beam, against our Transformer.

    python -m benchmarks.decoding_speed --size tiny --sentences 120 --repeats 5

A batch of random sentences with random trees is translated; the models never end by themselves, so
every translation has as many subwords as its source. In every repetition each model takes its turn,
so that whatever else the machine does falls on all of them; a figure is the median over
repetitions, relative to the Transformer's in the same repetition.
"""

from __future__ import annotations

import statistics
import sys
import time
from collections.abc import Mapping, Sequence
from dataclasses import replace

import torch

from benchmarks.contestants import BASELINE, VOCABULARY, chosen_names, configurations
from benchmarks.machine import machine
from benchmarks.options import device_parser
from benchmarks.random_batches import NUM_TAGS, make_batches
from mgsa.base.cli import run
from mgsa.base.io import write_json
from mgsa.config import STANDARD_SEARCH, ModelConfig, TranslateConfig
from mgsa.data.batch import Batch
from mgsa.data.vocabulary import EOS
from mgsa.decoding.beam import search_batch
from mgsa.decoding.translate import choose_device
from mgsa.model.build import build_model
from mgsa.model.encoder_decoder import EncoderDecoder

BEAMS = {"greedy": 1, "beam 5": 5}
CONFIG = replace(STANDARD_SEARCH, max_length_ratio=1.0, max_length_extra=0)
LONGEST = 24
"""Sentences are hardly shorter, and none is longer."""


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


def measure(
    models: Mapping[str, EncoderDecoder], batch: Batch, config: TranslateConfig, *, repeats: int
) -> dict[str, list[float]]:
    """Seconds of some repetitions of each model, after one that warms up."""
    seconds: dict[str, list[float]] = {name: [] for name in models}
    names = list(models)
    for repeat in range(repeats + 1):
        first = repeat % len(names)
        for name in [*names[first:], *names[:first]]:  # nobody always comes after another
            start = time.perf_counter()
            search_batch([models[name]], [batch], config)
            if batch.source.is_cuda:
                torch.cuda.synchronize()
            if repeat:
                seconds[name].append(time.perf_counter() - start)
    return seconds


def main(argv: Sequence[str] | None = None) -> None:
    """Measure, and print a table for each beam."""
    parser = device_parser(__doc__)
    parser.add_argument("--size", choices=sorted(VOCABULARY), default="tiny")
    parser.add_argument("--sentences", type=int, default=120, help="of the batch (default: 120)")
    parser.add_argument("--repeats", type=int, default=5, help="(default: 5)")
    parser.add_argument("--models", nargs="*", help="parts of the names of the models to run")
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
        config = replace(CONFIG, beam=beam)
        seconds = measure(models, batch, config, repeats=arguments.repeats)
        print(f"| {search} | sentences/s | relative |\n| --- | ---: | ---: |")
        for name, taken in seconds.items():
            speed = arguments.sentences / statistics.median(taken)
            relative = statistics.median(
                base / own for base, own in zip(seconds[BASELINE], taken, strict=True)
            )
            figures[f"{name}, {search}"] = {"sentences_per_second": speed, "relative": relative}
            print(f"| {name} | {speed:,.1f} | {relative:.2f} |")
        print()
    if arguments.json:
        write_json(arguments.json, figures)


if __name__ == "__main__":
    sys.exit(run(main))
