"""The sample corpus on disk: splits that share no pair, and a treebank to train a parser on."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack
from functools import partial
from pathlib import Path

from mgsa.base.io import open_to_write
from pipeline.sample.chooser import Chooser
from pipeline.sample.clauses import Clauses
from pipeline.sample.derivation import SamplePair
from pipeline.sample.lexicon import load_lexicon
from pipeline.sample.noun_phrases import NounPhrases
from pipeline.sample.sentences import Sentences

LONGEST = 35
"""Most words on either side."""


def generate(num_pairs: int, seed: str, *, ambiguity: float) -> Iterator[SamplePair]:
    """Sentence pairs, one after the other; the first n of more pairs are the n pairs of fewer.

    Args:
        ambiguity: the share of places that may belong to a noun as well as to the verb.
    """
    nouns = NounPhrases(load_lexicon(), Chooser(seed), ambiguity=ambiguity)
    sentences = Sentences(Clauses(nouns))
    made = 0
    while made < num_pairs:
        pair = sentences.sentence().pair()
        if max(len(pair.source_tokens), len(pair.target_tokens)) <= LONGEST:
            made += 1
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
) -> None:
    """Write the files of a corpus folder; memory does not grow with `train`.

    The English sides of the validation and test split and of the treebank's held-out trees are
    unlike each other and unlike all that is trained on.
    """
    held_out: set[str] = set()
    fresh = partial(_fresh, ambiguity=ambiguity, excluded=held_out)
    for split, count in (("valid", valid), ("test", test)):
        _write_split(folder, split, fresh(count, f"{seed} {split}", remembered=held_out))
    (folder / "treebank").mkdir()
    dev = list(fresh(treebank_dev, f"{seed} treebank dev", remembered=held_out))
    _write_trees(folder / "treebank" / "dev.mrg", iter(dev))
    trees = fresh(treebank_train, f"{seed} treebank train", remembered=None)
    _write_trees(folder / "treebank" / "train.mrg", trees)
    _write_split(folder, "train", fresh(train, f"{seed} train", remembered=None))


def _fresh(
    count: int, seed: str, *, ambiguity: float, excluded: set[str], remembered: set[str] | None
) -> Iterator[SamplePair]:
    """`count` pairs whose English is not excluded; each is added to `remembered`, if given."""
    made = 0
    # Pairs are few against what the grammar can say, so the stream never runs dry.
    for pair in generate(2**62, seed, ambiguity=ambiguity):
        if made == count:
            return
        if pair.source in excluded:
            continue
        if remembered is not None:
            remembered.add(pair.source)
        made += 1
        yield pair


def _write_split(folder: Path, split: str, pairs: Iterator[SamplePair]) -> None:
    names = ("source", "target", "trees", "links", "voice", "tense")
    with ExitStack() as stack:
        files = [stack.enter_context(open_to_write(folder / f"{split}.{name}")) for name in names]
        for pair in pairs:
            links = " ".join(f"{source}-{target}" for source, target in pair.links)
            lines = (pair.source, pair.target, pair.tree, links, pair.voice, pair.tense)
            for file, line in zip(files, lines, strict=True):
                file.write(f"{line}\n")


def _write_trees(path: Path, pairs: Iterator[SamplePair]) -> None:
    with open_to_write(path) as file:
        file.writelines(f"{pair.tree}\n" for pair in pairs)
