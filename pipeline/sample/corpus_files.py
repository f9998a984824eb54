"""The sample corpus on disk: splits that share no pair, and a treebank to train a parser on."""

from collections.abc import Iterator
from contextlib import ExitStack
from itertools import islice
from pathlib import Path

from mgsa.cli.files import open_to_write
from pipeline.formats.contrasts import Contrast, write_contrasts
from pipeline.sample.chooser import Chooser
from pipeline.sample.derivation import SamplePair
from pipeline.sample.sentences import sentence

LONGEST = 35
"""Most words on either side."""


def generate(
    num_pairs: int, seed: str, *, ambiguity: float, source_language: str = "en"
) -> Iterator[SamplePair]:
    """Sentence pairs, one after the other; the first n of more pairs are the n pairs of fewer.

    Args:
        ambiguity: the share of places that may belong to a noun as well as to the verb.
    """
    return islice(_pairs(seed, ambiguity, source_language), num_pairs)


def _pairs(seed: str, ambiguity: float, source_language: str) -> Iterator[SamplePair]:
    choose = Chooser(seed, ambiguity=ambiguity)
    while True:
        pair = sentence(choose).pair(source_language)
        if max(len(pair.source_tokens), len(pair.target_tokens)) <= LONGEST:
            yield pair


def write_sample(
    folder: Path,
    *,
    seed: int,
    train: int,
    valid: int,
    test: int,
    treebank_train: int,
    treebank_dev: int,
    ambiguity: float,
    source_language: str,
) -> None:
    """Write the files of a corpus folder; memory does not grow with `train`.

    From German the trees are German, and there are no variants. The source sides of the validation
    and test split and of the treebank's held-out trees are unlike each other and unlike all that is
    trained on.
    """
    held_out: set[str] = set()

    def fresh(part: str, count: int, *, hold_out: bool = False) -> Iterator[SamplePair]:
        # Pairs are few against what the grammar can say, so the stream never runs dry.
        pairs = _pairs(f"{seed} {part}", ambiguity, source_language)
        for pair in islice((pair for pair in pairs if pair.source not in held_out), count):
            if hold_out:
                held_out.add(pair.source)
            yield pair

    treebank = folder / "treebank"
    treebank.mkdir()
    _write_split(folder, "valid", fresh("valid", valid, hold_out=True))
    _write_split(folder, "test", fresh("test", test, hold_out=True))
    _write_trees(treebank / "dev.mrg", fresh("treebank dev", treebank_dev, hold_out=True))
    _write_trees(treebank / "train.mrg", fresh("treebank train", treebank_train))
    _write_split(folder, "train", fresh("train", train))


def _write_split(folder: Path, split: str, pairs: Iterator[SamplePair]) -> None:
    names = ("source", "target", "trees", "links", "voice", "tense")
    with ExitStack() as stack:
        files = [stack.enter_context(open_to_write(folder / f"{split}.{name}")) for name in names]
        contrasts = stack.enter_context(open_to_write(folder / f"{split}.contrast"))
        for number, pair in enumerate(pairs, start=1):
            links = " ".join(f"{source}-{target}" for source, target in pair.links)
            lines = (pair.source, pair.target, pair.tree, links, pair.voice, pair.tense)
            for file, line in zip(files, lines, strict=True):
                file.write(f"{line}\n")
            write_contrasts((Contrast(number, *variant) for variant in pair.variants), contrasts)


def _write_trees(path: Path, pairs: Iterator[SamplePair]) -> None:
    with open_to_write(path) as file:
        file.writelines(f"{pair.tree}\n" for pair in pairs)
