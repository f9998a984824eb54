"""Outputs of the text stages, small and made up, for what is built on top of them."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import yaml

from mgsa.cli.files import write_json
from pipeline.dataset.__main__ import main
from pipeline.subwords import CODES, MARK, write_subword_counts
from tests.lines import write_lines
from tests.parameters import PARAMETERS, recorded_text
from tests.text_folders import stage_argv

STAGE_PARAMETERS = PARAMETERS | {
    "bpe": PARAMETERS["bpe"] | {"vocabulary_threshold": 1},
    "partition": PARAMETERS["partition"] | {"levels": 2},
    "dataset": PARAMETERS["dataset"] | {"row_group_rows": 3},
}


@dataclass(frozen=True)
class Pair:
    """A sentence pair: subwords of both sides, phrases in words, word links if any."""

    source: str
    target: str
    phrases: str
    links: str | None = None


BUSH = Pair(
    "Bu@@ sh held a talk with Shar@@ on",
    "Bu@@ sh sprach mit Shar@@ on",
    "1:NP 5:VP ||| 1:NNP 1:VBD 2:NP 2:PP",
    "0-0 1-1 2-1 3-1 4-2 5-3",
)
YES = Pair("Yes .", "Ja@@ wohl .", "1:INTJ 1:. ||| 1:UH 1:.", "0-0 1-1")


def random_pairs(count: int, seed: int, *, longest: int = 12) -> list[Pair]:
    """Pairs of random subwords with random partitions of two levels."""
    generator = random.Random(seed)
    pairs = []
    for _ in range(count):
        source, target = (
            [
                "@@ ".join(generator.choices("abcdefg", k=generator.choice([1, 1, 2, 3])))
                for _ in range(generator.randint(1, longest))
            ]
            for _ in range(2)
        )
        levels = [_random_partition(generator, len(source)) for _ in range(2)]
        pairs.append(Pair(" ".join(source), " ".join(target), " ||| ".join(levels)))
    return pairs


def write_stages(folder: Path, splits: Mapping[str, Sequence[Pair]]) -> None:
    """Write what the stages before `dataset` would have, `params.yaml` too, below `folder`.

    In the raw text, sentences are upper case, and each stands after a line that was dropped.
    """
    for name in ("corpus", "tokenized", "bpe", "partitions", "parser", "alignments"):
        (folder / name).mkdir(parents=True)
    linked = [s for s, pairs in splits.items() if all(pair.links is not None for pair in pairs)]
    write_json(
        folder / "alignments/aligner.json",
        {"kind": "corpus", "deterministic": True, "splits": linked},
    )
    write_json(folder / "corpus/corpus.json", {"name": "made up"})
    write_json(folder / "tokenized/text.json", recorded_text())
    made = {"kind": "trees", "identity": "c0ffee", "files": {"a": "b"}}
    write_json(folder / "parser/parser.json", made)
    (folder / "params.yaml").write_text(yaml.safe_dump(STAGE_PARAMETERS), encoding="utf-8")
    _write_codes(folder / "bpe", [pair for pairs in splits.values() for pair in pairs])
    for split, pairs in splits.items():
        for side in ("source", "target"):
            segmented = [getattr(pair, side) for pair in pairs]
            tokenized = [line.replace("@@ ", "") for line in segmented]
            raw = [line for text in tokenized for line in ("dropped", text.upper())]
            write_lines(folder / f"bpe/{split}.{side}", segmented)
            write_lines(folder / f"tokenized/{split}.{side}", tokenized)
            write_lines(folder / f"corpus/{split}.{side}", raw)
        write_lines(folder / f"tokenized/{split}.lines", range(2, 2 * len(pairs) + 1, 2))
        write_lines(folder / f"partitions/{split}.phrases", [pair.phrases for pair in pairs])
        if split in linked:
            write_lines(folder / f"alignments/{split}.links", [pair.links for pair in pairs])


def build(folder: Path, *extra: str) -> Path:
    """Run the stage `dataset` on what `write_stages` wrote, and give the artifact's folder."""
    inputs = {name: name for name in ("corpus", "tokenized", "bpe", "partitions", "parser")}
    main([*stage_argv(folder, **inputs, out="dataset", report="dataset.json"), *extra])
    return folder / "dataset"


def random_dataset(folder: Path, count: int, *, seed: int = 1, row_group_rows: int = 3) -> Path:
    """An artifact of `count` random training pairs, 4 for validation and 4 to test."""
    splits = {"train": random_pairs(count, seed), "valid": random_pairs(4, seed + 1)}
    write_stages(folder, {**splits, "test": random_pairs(4, seed + 2)})
    return build(folder, "--set", f"row_group_rows={row_group_rows}")


def _random_partition(generator: random.Random, words: int) -> str:
    phrases = []
    while words:
        length = generator.randint(1, words)
        phrases.append(f"{length}:{generator.choice(['NP', 'VP', ':'])}")
        words -= length
    return " ".join(phrases)


def _write_codes(folder: Path, pairs: Sequence[Pair]) -> None:
    """The files that would split the text so: each subword is made from the left, by its own."""
    merges: dict[tuple[str, str], None] = {}
    for side in ("source", "target"):
        counts = Counter(word for pair in pairs for word in getattr(pair, side).split(" "))
        write_subword_counts(folder / f"vocab.{side}", counts)
        for subword in counts:
            inner = subword.removesuffix(MARK)
            *symbols, last = inner
            symbols.append(last if inner != subword else f"{last}</w>")
            merges |= {
                ("".join(symbols[:end]), symbols[end]): None for end in range(1, len(symbols))
            }
    write_merges(folder / CODES, merges)


def write_merges(path: Path, merges: Iterable[tuple[str, str]]) -> None:
    """Write a file of BPE codes."""
    write_lines(path, ["#version: 0.2", *map(" ".join, merges)])
