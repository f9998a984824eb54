"""Translation speed of a random Transformer: greedy and beam, with its key/value cache and without.

    python -m benchmarks.decoding_speed --size tiny --sentences 120 --repeats 5

A batch of random sentences is translated; the models never end by themselves, so every translation
is as long as its source may have it (as many subwords as the source has). Without a cache, all
target positions are computed anew for every word. In every repetition each way takes its turn, so
that whatever else the machine does falls on all of them; the fastest repetition counts.
"""

from __future__ import annotations

import argparse
import json
import random
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path

import torch

from mgsa.command import run
from mgsa.config import ModelConfig
from mgsa.data.batch import Batch, Row, make_batch
from mgsa.data.vocabulary import EOS, SPECIAL_SYMBOLS
from mgsa.decoding.beam import Hypothesis, SearchOptions, beam_search
from mgsa.decoding.search import search_batch
from mgsa.decoding.settings import STANDARD
from mgsa.model.build import build_model
from mgsa.model.encoder_decoder import EncoderDecoder
from mgsa.settings import from_mapping, read_yaml
from tests.reference.uncached import Uncached

PRESETS = Path(__file__).parents[1] / "conf" / "model"
VOCABULARY = {"tiny": 8_000, "base": 28_567, "big": 28_567}
BEAMS = (1, 5)
CONFIG = replace(STANDARD, max_length_ratio=1.0, max_length_extra=0)
Translate = Callable[[], list[list[Hypothesis]]]


def random_model(size: str) -> EncoderDecoder:
    """The preset's Transformer, which never says end of sentence unless it must."""
    config = from_mapping(ModelConfig, read_yaml(PRESETS / f"transformer_{size}.yaml"), size)
    torch.manual_seed(0)
    vocabulary = VOCABULARY[size]
    model = build_model(
        replace(config, share_embeddings="none"),
        source_vocabulary=vocabulary,
        target_vocabulary=vocabulary,
        num_tags=0,
    )
    with torch.no_grad():
        model.output.weight[EOS] = 0  # of thousands of words, some are likelier always
    return model.eval()


def random_batch(size: str, sentences: int) -> Batch:
    """Sentences of 8 to 20 subwords."""
    generator = random.Random(0)
    rows = []
    for _ in range(sentences):
        length = generator.randint(8, 20)
        ids = generator.choices(range(len(SPECIAL_SYMBOLS), VOCABULARY[size]), k=length)
        rows.append(Row(0, ids, (), (), (), ()))
    return make_batch(rows, (), ngram_unit="subword")


def cached(model: EncoderDecoder, batch: Batch, beam: int) -> list[list[Hypothesis]]:
    """What `mgsa translate` does."""
    return search_batch([model], [batch], replace(CONFIG, beam=beam))


@torch.inference_mode()
def uncached(model: EncoderDecoder, batch: Batch, beam: int) -> list[list[Hypothesis]]:
    """The same search, all target positions computed anew for every word."""
    scorer = Uncached(model)
    return beam_search(
        scorer,
        scorer.start(model.encode(batch)),
        options=SearchOptions(beam, 1, CONFIG.length_penalty),
        longest=(batch.source_lengths - 1).tolist(),
        device=batch.source.device,
    )


def measure(ways: dict[str, Translate], *, repeats: int, device: torch.device) -> dict[str, float]:
    """Seconds of the fastest of some repetitions of each way, after one that warms up."""
    fastest = dict.fromkeys(ways, float("inf"))
    for repeat in range(repeats + 1):
        for name, translate in ways.items():
            start = time.perf_counter()
            translate()
            if device.type == "cuda":
                torch.cuda.synchronize()
            if repeat:
                fastest[name] = min(fastest[name], time.perf_counter() - start)
    return fastest


def main(argv: Sequence[str] | None = None) -> None:
    """Measure, and print a table."""
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.decoding_speed", description=__doc__
    )
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    parser.add_argument("--size", choices=VOCABULARY, default="tiny")
    parser.add_argument("--sentences", type=int, default=120, help="of the batch (default: 120)")
    parser.add_argument("--repeats", type=int, default=5, help="(default: 5)")
    parser.add_argument(
        "--device", choices=["cpu", "cuda"], help="(default: a GPU if there is one)"
    )
    parser.add_argument("--out", type=Path, metavar="FILE", help="write the figures as JSON")
    arguments = parser.parse_args(argv)
    device = torch.device(arguments.device or ("cuda" if torch.cuda.is_available() else "cpu"))
    model = random_model(arguments.size).to(device)
    batch = random_batch(arguments.size, arguments.sentences).to(device)
    ways: dict[str, Translate] = {
        f"{'greedy' if beam == 1 else f'beam {beam}'}, {search.__name__}": (
            lambda beam=beam, search=search: search(model, batch, beam)  # type: ignore[misc]
        )
        for beam in BEAMS
        for search in (cached, uncached)
    }
    tokens = {
        name: sum(len(found.ids) + 1 for (found,) in translate())
        for name, translate in ways.items()
    }
    seconds = measure(ways, repeats=arguments.repeats, device=device)
    print(
        f"{arguments.size}, {device.type}, {torch.get_num_threads()} threads, "
        f"{arguments.sentences} sentences at once"
    )
    figures = {}
    for name, taken in seconds.items():
        figures[name] = {
            "sentences_per_second": arguments.sentences / taken,
            "tokens_per_second": tokens[name] / taken,
        }
        print(
            f"{name:<18}{arguments.sentences / taken:>10,.0f} sentences/s"
            f"{tokens[name] / taken:>12,.0f} tokens/s"
        )
    if arguments.out is not None:
        arguments.out.write_text(json.dumps(figures, indent=2) + "\n", encoding="utf-8")


if __name__ == "__main__":
    sys.exit(run(main))
