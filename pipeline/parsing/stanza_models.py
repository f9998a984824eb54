"""Word vectors, a tagger and a constituency parser, the latter two by stanza's own training code.

Two traps, met and avoided here. stanza scores brackets with a Java service: its training loop
takes any object with `process`, so ours is given instead. And a parser that was trained without a
tagger asks for universal tags later, which makes its trees much worse without a word: it is trained
on predicted PTB tags and says so in what it saves.
"""

from __future__ import annotations

import logging
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from types import SimpleNamespace
from typing import TYPE_CHECKING, Annotated, Any

from annotated_types import Interval

from mgsa.base.io import open_to_write
from mgsa.base.settings import NonNegative, Positive, Probability, Seed
from pipeline.parsing.bracketing import score
from pipeline.parsing.treebank import spelled_words
from pipeline.tokens.trees import ROOT, bracketed, preterminals, read_tree, top_node, unescape_token

if TYPE_CHECKING:
    import numpy as np
    from nltk.tree import Tree

NEIGHBOURS = 2000
"""The commonest words, of whose company word vectors are made."""
OVERSAMPLING = 16
POWER_ITERATIONS = 4
LOG_STEP = 10
"""Steps between the lines of stanza's log, by which progress is known."""

_SQUARE_OR_CURLY = re.compile(r"-[LR][SC]B-(?=[^ ()]*\))")
"""In a word, which a bracket follows; labels are followed by a space."""

Rounds = Annotated[int, Interval(ge=1, le=10_000_000)]
Batch = Annotated[int, Interval(ge=1, le=100_000)]


@dataclass(frozen=True)
class TrainingSettings:
    """Sizes and lengths of the two trainings; batches are of sentences."""

    seed: Seed
    vector_dim: Positive
    tagger_hidden: Positive
    tagger_steps: Rounds
    tagger_batch: Batch
    tagger_learning_rate: NonNegative
    tagger_dropout: Probability
    tagger_word_dropout: Probability
    parser_hidden: Positive
    parser_epochs: Rounds
    parser_batch: Batch


def flags(**options: object) -> list[str]:
    """Command-line flags: what stanza's own parsers of arguments take."""
    return [str(part) for name, value in options.items() for part in (f"--{name}", value)]


def word_vectors(
    sentences: Iterable[Sequence[str]], *, dim: int, seed: int
) -> tuple[list[str], np.ndarray]:
    """Words by falling frequency, and a (words, dim) matrix of their vectors.

    A word's vector is what a truncated singular value decomposition leaves of its positive
    pointwise mutual information with the words before and after it (Levy & Goldberg 2014).
    """
    import numpy as np

    counts: Counter[str] = Counter()
    pairs: Counter[tuple[str, str]] = Counter()
    for sentence in sentences:
        counts.update(sentence)
        pairs.update(pairwise(sentence))
    words = [word for word, _ in sorted(counts.items(), key=lambda item: (-item[1], item[0]))]
    rows = {word: row for row, word in enumerate(words)}
    columns = {word: column for column, word in enumerate(words[:NEIGHBOURS])}
    company = np.zeros((len(words), 2 * len(columns)))
    for (left, right), count in pairs.items():
        if right in columns:
            company[rows[left], columns[right]] += count
        if left in columns:
            company[rows[right], len(columns) + columns[left]] += count
    return words, _truncated(_positive_information(company), dim, seed)


def write_vectors(path: Path, words: Sequence[str], vectors: np.ndarray) -> None:
    """Write vectors in word2vec's text format, which stanza reads."""
    with open_to_write(path) as file:
        file.write(f"{len(words)} {vectors.shape[1]}\n")
        for word, vector in zip(words, vectors, strict=True):
            file.write(f"{word} {' '.join(f'{value:.6f}' for value in vector)}\n")


def _positive_information(company: np.ndarray) -> np.ndarray:
    import numpy as np

    total = max(company.sum(), 1.0)
    expected = np.outer(company.sum(axis=1), company.sum(axis=0)) / total
    with np.errstate(divide="ignore", invalid="ignore"):
        information = np.log(company / expected)
    return np.where(company > 0, np.maximum(information, 0.0), 0.0)


def _truncated(matrix: np.ndarray, dim: int, seed: int) -> np.ndarray:
    """The first `dim` left singular vectors, scaled (Halko et al. 2011, algorithm 4.4)."""
    import numpy as np

    width = min(dim + OVERSAMPLING, *matrix.shape)
    basis = matrix @ np.random.default_rng(seed).standard_normal((matrix.shape[1], width))
    for _ in range(POWER_ITERATIONS):
        basis, _ = np.linalg.qr(matrix @ (matrix.T @ basis))
    left, scale, _ = np.linalg.svd(basis.T @ matrix, full_matrices=False)
    vectors = np.zeros((matrix.shape[0], dim))
    kept = min(dim, width)
    vectors[:, :kept] = (basis @ left[:, :kept]) * np.sqrt(scale[:kept])
    return vectors


def train_tagger(
    train: Sequence[Tree],
    dev: Sequence[Tree],
    models: dict[str, Path],
    work: Path,
    language: str,
    settings: TrainingSettings,
    advance: Callable[[int], None],
) -> None:
    """Train on `train`, choose a checkpoint by `dev`, and save it as `models["pos"]`.

    Args:
        models: where each kind of model lies; vectors are there already.
        work: a folder for what stanza reads.
        advance: told how many sentences training has gone through.
    """
    from stanza.models import tagger

    for name, trees in (("train", train), ("dev", dev)):
        _write_conllu(work / f"{name}.conllu", trees)
    interval = max(1, settings.tagger_steps // 5)
    arguments = tagger.parse_args(
        flags(
            lang=language,
            shorthand=f"{language}_treebank",
            train_file=work / "train.conllu",
            eval_file=work / "dev.conllu",
            wordvec_pretrain_file=models["pretrain"],
            save_dir=models["pos"].parent,
            save_name=models["pos"].name,
            hidden_dim=settings.tagger_hidden,
            deep_biaff_hidden_dim=settings.tagger_hidden,
            transformed_dim=settings.vector_dim,
            char_hidden_dim=60,
            batch_size=settings.tagger_batch,
            lr=settings.tagger_learning_rate,
            dropout=settings.tagger_dropout,
            word_dropout=settings.tagger_word_dropout,
            max_steps=settings.tagger_steps,
            max_steps_before_stop=settings.tagger_steps,
            eval_interval=interval,
            seed=settings.seed,
            log_step=LOG_STEP,
            device="cpu",
        )
    )
    with _counting_steps(lambda: advance(LOG_STEP * settings.tagger_batch)):
        tagger.train(arguments)


class _StepCounter(logging.Handler):
    """Counts the lines of stanza's log that tell of steps."""

    def __init__(self, count: Callable[[], None]) -> None:
        super().__init__()
        self._count = count

    def emit(self, record: logging.LogRecord) -> None:
        if record.getMessage().startswith("Finished STEP"):
            self._count()


@contextmanager
def _counting_steps(count: Callable[[], None]) -> Iterator[None]:
    """Read stanza's log in place of whoever reads it."""
    logger = logging.getLogger("stanza")
    handlers, level, propagate = logger.handlers, logger.level, logger.propagate
    logger.handlers, logger.propagate = [_StepCounter(count)], False
    logger.setLevel(logging.INFO)
    try:
        yield
    finally:
        logger.handlers, logger.propagate = handlers, propagate
        logger.setLevel(level)


def _write_conllu(path: Path, trees: Sequence[Tree]) -> None:
    """Words, as text has them, with their PTB tags in CoNLL-U.

    Words hold no space, and heads are not looked at.
    """
    with open_to_write(path) as file:
        for tree in trees:
            leaves = zip(preterminals(tree), spelled_words(tree), strict=True)
            for position, (leaf, word) in enumerate(leaves, start=1):
                head, relation = (0, "root") if position == 1 else (1, "dep")
                fields = [
                    position, word, "_", leaf.label(), leaf.label(), "_", head, relation, "_", "_"
                ]  # fmt: skip
                file.write("\t".join(map(str, fields)) + "\n")
            file.write("\n")


def train_constituency(
    train: Sequence[Tree],
    dev: Sequence[Tree],
    models: dict[str, Path],
    work: Path,
    language: str,
    package: str,
    settings: TrainingSettings,
    advance: Callable[[int], None],
) -> None:
    """Train on `train`, choose a checkpoint by `dev`, and save it as `models["constituency"]`.

    Args:
        models: where each kind of model lies; vectors and a tagger are there already.
        work: a folder for what stanza reads and writes.
        package: the name of the tagger, in stanza's index.
        advance: told how many sentences training has gone through.
    """
    import stanza
    from stanza.models import constituency_parser
    from stanza.models.constituency import parser_training, tree_reader
    from stanza.models.constituency.utils import remove_duplicate_trees, retag_trees

    for name, trees in (("train", train), ("dev", dev)):
        text = "".join(f"{_as_stanza_reads(tree)}\n" for tree in trees)
        (work / f"{name}.mrg").write_text(text, encoding="utf-8")
    args = constituency_parser.parse_args(
        flags(
            lang=language,
            shorthand=f"{language}_treebank",
            train_file=work / "train.mrg",
            eval_file=work / "dev.mrg",
            wordvec_pretrain_file=models["pretrain"],
            save_dir=work,
            save_name=models["constituency"].name,
            hidden_size=settings.parser_hidden,
            epochs=settings.parser_epochs,
            epoch_size=len(train),
            train_batch_size=settings.parser_batch,
            retag_method="xpos",
            retag_package=package,
            seed=settings.seed,
            device="cpu",
        )
    )
    # A label that only held-out trees have costs their score, which is no reason not to train.
    args["check_valid_states"] = False
    tagger = stanza.Pipeline(
        language,
        dir=str(Path()),
        package=package,
        processors="tokenize,pos",
        tokenize_pretokenized=True,
        download_method=None,
        use_gpu=False,
        verbose=False,
    )
    retagged = {
        name: retag_trees(
            remove_duplicate_trees(tree_reader.read_treebank(str(work / f"{name}.mrg")), name),
            [tagger],
            True,
        )
        for name in ("train", "dev")
    }
    trainer, sequences, silver, transitions = parser_training.build_trainer(
        args, retagged["train"], retagged["dev"], [], tagger.foundation_cache, None
    )
    parser_training.iterate_training(
        args,
        trainer,
        retagged["train"],
        sequences,
        transitions,
        retagged["dev"],
        [],
        silver,
        tagger.foundation_cache,
        BracketScorer(lambda: advance(len(train))),
    )
    Path(args["save_name"]).replace(models["constituency"])


class BracketScorer:
    """What stanza's training loop asks for a score: F1 of brackets, by EVALB's conventions."""

    def __init__(self, scored: Callable[[], None]) -> None:
        """`scored` is called once a score, which is at the end of every epoch."""
        self._scored = scored

    def process(self, treebank: Sequence[Any]) -> Any:
        """The score of stanza's parse results, each with its gold tree and its predictions."""
        gold = [read_tree(str(result.gold)) for result in treebank]
        predicted = [read_tree(str(result.predictions[0].tree)) for result in treebank]
        f1 = score(gold, predicted).f1
        self._scored()
        return SimpleNamespace(f1=f1, treeF1=f1, HasField=lambda _: False)


def _as_stanza_reads(tree: Tree) -> str:
    """The tree on one line, in one wrapper: a treebank may have its own, or none.

    Of the escaped brackets, stanza reads the round ones as what they stand for, others as words.
    """
    line = f"({ROOT} {bracketed(top_node(tree))})"
    return _SQUARE_OR_CURLY.sub(lambda match: unescape_token(match[0]), line)
