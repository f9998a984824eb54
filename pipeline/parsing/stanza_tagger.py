"""Train a stanza tagger, by stanza's own training code."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from mgsa.base.io import open_to_write
from pipeline.parsing.stanza_options import TrainingSettings, flags
from pipeline.parsing.treebank import spelled_words
from pipeline.trees import preterminals

if TYPE_CHECKING:
    from nltk.tree import Tree

LOG_STEP = 10
"""Steps between the lines of stanza's log, by which progress is known."""


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
