"""Translation speed of random models, greedy and with a beam, against our Transformer.

    python -m benchmarks.decoding_speed --size tiny --sentences 120 --repeats 5

A batch of random sentences with random trees is translated; the models never end by themselves, so
every translation has as many subwords as its source. In every repetition each model takes its turn,
so that whatever else the machine does falls on all of them; a figure is the median over
repetitions, relative to the float32 Transformer's in the same repetition. With `--engines`,
others that are installed take part (`benchmarks.engines`). With `--workers`, so many processes of
ours, or as many of CTranslate2's own, translate a batch each.
"""

from __future__ import annotations

import statistics
import sys
import time
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial

import torch

from benchmarks.contestants import (
    BASELINE,
    TORCH,
    VOCABULARY,
    chosen_names,
    configurations,
    model_of,
)
from benchmarks.engines import Search, engines
from benchmarks.machine import device_parser, machine, wait
from benchmarks.random_batches import batch_of_lengths
from mgsa.cli.files import write_json
from mgsa.cli.run import run
from mgsa.cli.workers import map_chunks
from mgsa.config import DEFAULT_TRANSLATE_CONFIG, ModelConfig, SearchPrecision, TransformerConfig
from mgsa.data.batch import Batch
from mgsa.data.vocabulary import EOS
from mgsa.decoding.beam import search_batch
from mgsa.decoding.opened import choose_device
from mgsa.decoding.precision import for_search, search_autocast
from mgsa.model.encoder_decoder import EncoderDecoder

BEAMS = {"greedy": 1, "beam 5": 5}
CONFIG = replace(DEFAULT_TRANSLATE_CONFIG, max_length_ratio=1.0, max_length_extra=0)
LENGTH = 24
"""Subwords of each sentence and translation, without end of sentence."""


def random_model(config: ModelConfig, vocabulary: int) -> EncoderDecoder:
    """A model that never says end of sentence unless it must."""
    model = model_of(replace(config, share_embeddings="none"), vocabulary)
    with torch.no_grad():
        model.output.weight[EOS] = 0  # of thousands of words, some are likelier always
    return model.eval()


def _search(
    model: EncoderDecoder, batch: Batch, precision: SearchPrecision, workers: int, beam: int
) -> None:
    def search(batches: list[Batch]) -> None:
        with search_autocast(batch.source.device, precision):
            search_batch([model], batches, replace(CONFIG, beam=beam))

    for _ in map_chunks(search, [batch] * workers, workers=workers, chunk_size=1, fork=True):
        pass


def measure(
    searches: Mapping[str, Search], beam: int, device: torch.device, *, repeats: int
) -> dict[str, list[float]]:
    """Seconds of some repetitions of each search, after one that warms up."""
    seconds: dict[str, list[float]] = {name: [] for name in searches}
    names = list(searches)
    for repeat in range(repeats + 1):
        first = repeat % len(names)
        for name in [*names[first:], *names[:first]]:  # nobody always comes after another
            start = time.perf_counter()
            searches[name](beam)
            wait(device)
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
    parser.add_argument(
        "--precisions", nargs="*", choices=["bfloat16", "int8"], default=[], help="besides float32"
    )
    parser.add_argument("--engines", action="store_true", help="other engines too")
    parser.add_argument("--workers", type=int, default=1, help="each with a batch (default: 1)")
    arguments = parser.parse_args(argv)
    device = choose_device(arguments.accelerator)
    size = arguments.size
    batch = batch_of_lengths([LENGTH] * arguments.sentences, VOCABULARY[size]).to(device)
    figures: dict[str, object] = {"size": size, **machine(device)}
    configs = configurations(size)
    names = [n for n in chosen_names(size, arguments.models) if n != TORCH]  # which has no cache
    models = {name: random_model(configs[name], VOCABULARY[size]).to(device) for name in names}
    searches: dict[str, Search] = {
        name if precision == "float32" else f"{name}, {precision}": partial(
            _search, for_search(model, precision), batch, precision, arguments.workers
        )
        for precision in ("float32", *arguments.precisions)
        for name, model in models.items()
    }
    if arguments.engines:
        config = configs[BASELINE]
        assert isinstance(config, TransformerConfig)
        searches |= engines(
            config, models[BASELINE], batch, steps=LENGTH + 1, workers=arguments.workers
        )
    for search, beam in BEAMS.items():
        seconds = measure(searches, beam, device, repeats=arguments.repeats)
        print(f"| {search} | subwords/s | relative |\n| --- | ---: | ---: |")
        for name, taken in seconds.items():
            subwords = LENGTH * arguments.sentences * arguments.workers
            speed = subwords / statistics.median(taken)
            relative = statistics.median(
                base / own for base, own in zip(seconds[BASELINE], taken, strict=True)
            )
            figures[f"{name}, {search}"] = {"subwords_per_second": speed, "relative": relative}
            print(f"| {name} | {speed:,.0f} | {relative:.2f} |")
        print()
    if arguments.json:
        write_json(arguments.json, figures)


if __name__ == "__main__":
    sys.exit(run(main))
