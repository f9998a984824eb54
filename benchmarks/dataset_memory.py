"""Peak memory and speed of the dataset stage and of the loader, by the size of the corpus.

    python -m benchmarks.dataset_memory --pairs 30000 1000000

Pairs are generated: words of one to three subwords from a Zipfian vocabulary, about 14 subwords a
side, and three levels of phrases. Each measurement is a process of its own, imports included, so
that its peak is its own. The loader reads an epoch of token batches as training does, in windows
that the smaller corpus fills too.
"""

from __future__ import annotations

import argparse
import json
import random
import resource
import subprocess
import sys
import tempfile
import time
from itertools import accumulate
from pathlib import Path

import yaml

from pipeline.merges import END_OF_WORD
from pipeline.parsing.parser_folder import write_parser_folder
from pipeline.stage import SIDES
from pipeline.subwords import CODES, MARK, write_merges, write_subword_counts

SETTINGS = {
    "tokenize": {},
    "parse": {},
    "bpe": {},
    "partition": {},
    "dataset": {
        "joint_vocabulary": True,
        "row_group_rows": 10_000,
        "shard_rows": 1_000_000,
        "compression": "zstd",
    },
}
NUM_SUBWORDS = 8_000
LEVELS = 3
WINDOW = 20_000
FOLDERS = ("corpus", "tokenized", "bpe", "partitions", "parser")


def generate(folder: Path, pairs: int) -> None:
    """Write the folders of the text stages with `pairs` training pairs, a line at a time."""
    for name in FOLDERS:
        (folder / name).mkdir(parents=True, exist_ok=True)
    (folder / "corpus/corpus.json").write_text('{"name": "generated"}')
    (folder / "tokenized/languages.json").write_text('{"source": "en", "target": "de"}')
    write_parser_folder(folder / "parser", kind="trees", language="en", package=None)
    (folder / "params.yaml").write_text(yaml.safe_dump(SETTINGS))
    generator = random.Random(1)
    weights = list(accumulate(1 / (rank + 10) for rank in range(NUM_SUBWORDS)))
    subwords = [f"s{rank}" for rank in range(NUM_SUBWORDS)]
    ends = ("", END_OF_WORD)
    write_merges(folder / "bpe" / CODES, [("s", w[1:] + end) for w in subwords for end in ends])
    for side in SIDES:
        counts = {word + mark: 1 for word in subwords for mark in ("", MARK)}
        write_subword_counts(folder / "bpe" / f"vocab.{side}", counts)
    for split, count in (("train", pairs), ("valid", 1_000), ("test", 1_000)):
        names = [f"{stage}/{split}.{side}" for side in SIDES for stage in FOLDERS[:3]]
        files = [(folder / name).open("w") for name in names]
        with (
            (folder / f"partitions/{split}.phrases").open("w") as phrases,
            (folder / f"tokenized/{split}.lines").open("w") as lines,
        ):
            for line in range(1, count + 1):
                for side in range(2):
                    drawn = generator.choices(
                        subwords, cum_weights=weights, k=generator.randint(4, 24)
                    )
                    marks = generator.choices(["@@ ", " ", " ", " "], k=len(drawn) - 1)
                    segmented = "".join(map("".join, zip(drawn, [*marks, ""], strict=True)))
                    tokens = segmented.replace("@@ ", "")
                    for file, text in zip(
                        files[3 * side : 3 * side + 3], (tokens, tokens, segmented), strict=True
                    ):
                        file.write(f"{text}\n")
                    if side == 0:
                        words = tokens.count(" ") + 1
                        levels = [_partition(generator, words) for _ in range(LEVELS)]
                        phrases.write(" ||| ".join(levels) + "\n")
                lines.write(f"{line}\n")
        for file in files:
            file.close()


def _partition(generator: random.Random, words: int) -> str:
    phrases = []
    while words:
        length = min(generator.choice((1, 1, 2, 3, 5)), words)
        phrases.append(f"{length}:{generator.choice(('NP', 'VP', 'PP', 'NN', 'DT', 'IN'))}")
        words -= length
    return " ".join(phrases)


def build(folder: Path) -> int:
    """Run the dataset stage; how many pairs it wrote."""
    from pipeline.dataset import main

    report = folder / "report.json"
    inputs = [part for name in FOLDERS for part in (f"--{name}", str(folder / name))]
    outputs = ["--out", str(folder / "dataset"), "--report", str(report)]
    main([*inputs, *outputs, "--params", str(folder / "params.yaml")])
    return int(json.loads(report.read_text())["train_rows"])


def load(folder: Path) -> int:
    """Read an epoch of training batches; how many pairs they hold."""
    from mgsa.data.artifact import open_dataset
    from mgsa.data.batching import Position, TrainBatches

    batches = TrainBatches(
        open_dataset(folder / "dataset"),
        batch_tokens=4096,
        batch_sentences=None,
        seed=1,
        shuffle_window=WINDOW,
        granularities=[f"syntactic_{level + 1}" for level in range(LEVELS)],
        ngram_unit="subword",
        max_length=None,
    )
    pairs = 0
    for update in batches.updates(Position(0, 0), rank=0, world_size=1, accumulate=1):
        pairs += sum(len(batch.index) for _, batch in update.batches if batch is not None)
        if update.end_of_epoch:
            break
    return pairs


WORK = {"stage": build, "loader": load}


def measure(work: str, folder: Path) -> tuple[float, float, int]:
    """Peak resident MiB, seconds, and pairs of one kind of work in a process of its own."""
    command = [sys.executable, "-m", "benchmarks.dataset_memory"]
    command += ["--work", work, "--folder", str(folder)]
    done = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True)
    peak, seconds, pairs = json.loads(done.stdout)
    return peak, seconds, pairs


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--pairs", type=int, nargs="+", default=[30_000, 1_000_000])
    parser.add_argument("--work", choices=WORK, help=argparse.SUPPRESS)
    parser.add_argument("--folder", type=Path, help="keep the generated files here")
    arguments = parser.parse_args()
    if arguments.work:
        start = time.perf_counter()
        pairs = WORK[arguments.work](arguments.folder)
        seconds = time.perf_counter() - start
        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
        print(json.dumps([peak, seconds, pairs]))
        return
    print(f"{'pairs':>10} {'work':>8} {'peak MiB':>9} {'seconds':>8} {'pairs/s':>9}")
    for pairs in arguments.pairs:
        with tempfile.TemporaryDirectory(dir=arguments.folder) as name:
            generate(Path(name), pairs)
            for work in WORK:
                peak, seconds, done = measure(work, Path(name))
                rate = done / seconds
                print(
                    f"{pairs:>10,} {work:>8} {peak:>9,.0f} {seconds:>8.1f} {rate:>9,.0f}",
                    flush=True,
                )


if __name__ == "__main__":
    main()
