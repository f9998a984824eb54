"""Train a stanza tagger and constituency parser from a treebank, by stanza's own training code.

Three traps, met and avoided here. stanza scores brackets with a Java service: its training loop
takes any object with `process`, so ours is given instead. A parser that was trained without a
tagger asks for universal tags later, which makes its trees much worse without a word: it is trained
on predicted PTB tags and says so in what it saves. And stanza's trainers take their random numbers
from global generators, so each training starts from a seed of its own.
"""

from __future__ import annotations

import contextlib
import errno
import io
import json
import logging
import os
import shutil
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import SimpleNamespace
from typing import TYPE_CHECKING, Annotated, Any

from annotated_types import Interval

from mgsa.base.cli import progress_bar
from mgsa.base.errors import FailedError
from mgsa.base.io import open_to_write
from mgsa.base.settings import NonNegative, Positive, Probability, Seed
from pipeline.parsing.bracketing import score
from pipeline.parsing.parser_folder import INDEX
from pipeline.parsing.treebank import as_stanza_reads, spelled_words, write_conllu
from pipeline.tokens.trees import read_tree

if TYPE_CHECKING:
    from nltk.tree import Tree

LOG_STEP = 10
"""Steps between the lines of stanza's log, by which progress is known."""
WORK = Path("work")
"""For what stanza reads and writes, in the parser's folder while it is trained."""

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


def train_parser(
    train: Sequence[Tree],
    dev: Sequence[Tree],
    folder: Path,
    *,
    language: str,
    package: str,
    settings: TrainingSettings,
) -> None:
    """Train on `train`, choose checkpoints by `dev`, and fill `folder` in stanza's layout.

    It works from within `folder`: stanza saves the paths that it was given, and a model must not
    differ by where it was trained, nor tell.

    Raises:
        OSError: a file can't be written; the disk may be full.
        FailedError: stanza's training fell over a treebank of which there is too little to learn.
    """
    models = {
        kind: Path(language, kind, f"{package}.pt") for kind in ("pretrain", "pos", "constituency")
    }
    with _inside(folder):
        WORK.mkdir()
        for path in models.values():
            path.parent.mkdir(parents=True)
        _write_index(language, package)
        with _training("train vectors", 0, settings.seed):
            _save_vectors(train, models["pretrain"], settings)
        load_saved(models["pretrain"])
        steps = settings.tagger_steps * settings.tagger_batch
        with _training("train tagger", steps, settings.seed, LOG_STEP * settings.tagger_batch):
            _train_tagger(train, dev, models, language, settings)
        load_saved(models["pos"])
        epochs = settings.parser_epochs * len(train)
        with _training("train parser", epochs, settings.seed) as advance:
            try:
                _train_constituency(train, dev, models, language, package, settings, advance)
            except (AssertionError, RecursionError) as error:  # of the trees that it builds
                raise FailedError(
                    f"stanza can't train a parser on this treebank ({type(error).__name__}: "
                    f"{error}); expected more trees, or more epochs"
                ) from error
        shutil.rmtree(WORK)
        for path in models.values():
            _save_alike(path)


def _write_index(language: str, package: str) -> None:
    """stanza's index of a model folder. No MD5 is given: `parser.json` records SHA-256."""
    needs = {"dependencies": [{"model": "pretrain", "package": package}]}
    processors = dict.fromkeys(("tokenize", "pos", "constituency"), package)
    entry = {
        "lang_name": language,
        "tokenize": {package: {"md5": ""}},
        "pretrain": {package: {"md5": ""}},
        "pos": {package: {"md5": "", **needs}},
        "constituency": {package: {"md5": "", **needs}},
        "packages": {"default": processors, package: processors},
    }
    text = json.dumps({language: entry}, indent=1, sort_keys=True) + "\n"
    Path(INDEX).write_text(text, encoding="utf-8")


def _save_vectors(train: Sequence[Tree], path: Path, settings: TrainingSettings) -> None:
    from stanza.models.common.pretrain import Pretrain

    from pipeline.parsing.word_vectors import word_vectors, write_vectors

    sentences = [[word.lower() for word in spelled_words(tree)] for tree in train]
    words, vectors = word_vectors(sentences, dim=settings.vector_dim, seed=settings.seed)
    write_vectors(WORK / "vectors.txt", words, vectors)
    Pretrain(str(path), str(WORK / "vectors.txt")).load()


def _flags(**options: object) -> list[str]:
    """Command-line flags: what stanza's own parsers of arguments take."""
    return [str(part) for name, value in options.items() for part in (f"--{name}", value)]


def _train_tagger(
    train: Sequence[Tree],
    dev: Sequence[Tree],
    models: dict[str, Path],
    language: str,
    settings: TrainingSettings,
) -> None:
    """Save a tagger as `models["pos"]`; word vectors are there already."""
    from stanza.models import tagger

    for name, trees in (("train", train), ("dev", dev)):
        write_conllu(WORK / f"{name}.conllu", trees)
    flags = _flags(
        lang=language,
        shorthand=f"{language}_treebank",
        train_file=WORK / "train.conllu",
        eval_file=WORK / "dev.conllu",
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
        eval_interval=max(1, settings.tagger_steps // 5),
        seed=settings.seed,
        log_step=LOG_STEP,
        device="cpu",
    )
    tagger.train(tagger.parse_args(flags))


def _train_constituency(
    train: Sequence[Tree],
    dev: Sequence[Tree],
    models: dict[str, Path],
    language: str,
    package: str,
    settings: TrainingSettings,
    advance: Callable[[int], None],
) -> None:
    """Save a parser as `models["constituency"]`; word vectors and a tagger are there already."""
    import stanza
    from stanza.models import constituency_parser
    from stanza.models.constituency import parser_training, tree_reader
    from stanza.models.constituency.utils import remove_duplicate_trees, retag_trees

    for name, trees in (("train", train), ("dev", dev)):
        text = "".join(f"{as_stanza_reads(tree)}\n" for tree in trees)
        (WORK / f"{name}.mrg").write_text(text, encoding="utf-8")
    args = constituency_parser.parse_args(
        _flags(
            lang=language,
            shorthand=f"{language}_treebank",
            train_file=WORK / "train.mrg",
            eval_file=WORK / "dev.mrg",
            wordvec_pretrain_file=models["pretrain"],
            save_dir=WORK,
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
            remove_duplicate_trees(tree_reader.read_treebank(str(WORK / f"{name}.mrg")), name),
            [tagger],
            True,
        )
        for name in ("train", "dev")
    }

    def score_results(treebank: Sequence[Any]) -> Any:
        """F1 of stanza's parse results, by EVALB's conventions, at the end of every epoch."""
        gold = [read_tree(str(result.gold)) for result in treebank]
        predicted = [read_tree(str(result.predictions[0].tree)) for result in treebank]
        f1 = score(gold, predicted).f1
        advance(len(train))
        return SimpleNamespace(f1=f1, treeF1=f1, HasField=lambda _: False)

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
        SimpleNamespace(process=score_results),
    )
    Path(args["save_name"]).replace(models["constituency"])


@contextlib.contextmanager
def _training(
    description: str, total: int, seed: int, sentences_a_log: int = 0
) -> Iterator[Callable[[int], None]]:
    """Silence stanza, seed every generator that it draws from, and compute on one thread.

    Its matrices are so small that a second thread costs more than it brings, and one thread gives
    the same model whatever the number of cores. Gives what to tell of progress in sentences.
    """
    import torch
    from stanza.models.common.utils import set_random_seed

    def is_told(record: logging.LogRecord) -> bool:
        if record.getMessage().startswith("Finished STEP"):
            advance(sentences_a_log)
        return record.levelno >= logging.ERROR

    loggers = [logging.getLogger(name) for name in ("stanza", "stanza.constituency.trainer")]
    levels = [logger.level for logger in loggers]
    handlers = [handler for logger in loggers for handler in logger.handlers]
    threads = torch.get_num_threads()
    with (
        progress_bar(description, total=total, unit="sentences") as advance,
        Path(os.devnull).open("w") as nowhere,
        contextlib.redirect_stderr(nowhere),
    ):
        try:
            for logger in loggers:
                logger.setLevel(logging.INFO)
            for handler in handlers:  # a logger's own filter lets pass what its children log
                handler.addFilter(is_told)
            torch.set_num_threads(1)
            set_random_seed(seed)
            yield advance
        finally:
            torch.set_num_threads(threads)
            for logger, level in zip(loggers, levels, strict=True):
                logger.setLevel(level)
            for handler in handlers:
                handler.removeFilter(is_told)


@contextlib.contextmanager
def _inside(folder: Path) -> Iterator[None]:
    """Work from within `folder`; torch's `RuntimeError` of a full disk becomes an `OSError`."""
    try:
        with contextlib.chdir(folder):
            yield
    except RuntimeError as error:
        for number in (errno.ENOSPC, errno.EDQUOT, errno.EFBIG):
            if os.strerror(number) in str(error):
                raise OSError(number, os.strerror(number), str(folder)) from error
        raise


def load_saved(path: Path) -> dict[str, Any]:
    """What stanza saved; where it can't save, it mostly goes on without a word.

    Raises:
        OSError: it could not save the whole of it.
    """
    import torch

    try:
        model: dict[str, Any] = torch.load(path, map_location="cpu", weights_only=True)
    except Exception as error:
        message = "stanza could not save the whole of it; is the disk full?"
        raise OSError(errno.EIO, message, str(path.resolve())) from error
    return model


def _save_alike(path: Path) -> None:
    """Save a model anew, so that the same weights are the same bytes.

    stanza saves in torch's old format, which names tensors by their addresses in memory, and saves
    the parser's rare words in the order of a set.
    """
    import torch

    model = load_saved(path)
    if "rare_words" in model.get("params", {}):
        model["params"]["rare_words"] = sorted(model["params"]["rare_words"])
    saved = io.BytesIO()
    torch.save(model, saved)
    with open_to_write(path, "wb") as file:
        file.write(saved.getvalue())
