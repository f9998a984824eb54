"""Train a stanza tagger and constituency parser from a treebank, by stanza's own training code.

stanza's trainers take their random numbers from global generators, so each training starts from a
seed of its own.
"""

from __future__ import annotations

import contextlib
import errno
import json
import logging
import os
import shutil
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from mgsa.base.cli import progress_bar
from mgsa.base.errors import FailedError
from mgsa.base.io import open_to_write
from pipeline.parsing.stanza_models import (
    TrainingSettings,
    train_constituency,
    train_tagger,
    word_vectors,
    write_vectors,
)
from pipeline.parsing.treebank import spelled_words

if TYPE_CHECKING:
    from nltk.tree import Tree


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
    work = Path("work")
    with inside(folder):
        work.mkdir()
        for path in models.values():
            path.parent.mkdir(parents=True)
        with _training("train vectors", 0, settings.seed):
            _save_vectors(train, models["pretrain"], work, settings)
        load_saved(models["pretrain"])
        steps = settings.tagger_steps * settings.tagger_batch
        with _training("train tagger", steps, settings.seed) as advance:
            train_tagger(train, dev, models, work, language, settings, advance)
        load_saved(models["pos"])
        _write_resources(language, package, ("pos",))
        epochs = settings.parser_epochs * len(train)
        with _training("train parser", epochs, settings.seed) as advance, _own_failures():
            train_constituency(train, dev, models, work, language, package, settings, advance)
        _write_resources(language, package, ("pos", "constituency"))
        shutil.rmtree(work)
        for path in models.values():
            save_alike(path)


def _save_vectors(
    train: Sequence[Tree], path: Path, work: Path, settings: TrainingSettings
) -> None:
    from stanza.models.common.pretrain import Pretrain

    sentences = [[word.lower() for word in spelled_words(tree)] for tree in train]
    words, vectors = word_vectors(sentences, dim=settings.vector_dim, seed=settings.seed)
    write_vectors(work / "vectors.txt", words, vectors)
    Pretrain(str(path), str(work / "vectors.txt")).load()


def _write_resources(language: str, package: str, models: tuple[str, ...]) -> None:
    """stanza's index of a model folder. No MD5 is given: `parser.json` records SHA-256."""
    needs = {"dependencies": [{"model": "pretrain", "package": package}]}
    processors = {"tokenize": package, **dict.fromkeys(models, package)}
    entry = {
        "lang_name": language,
        "tokenize": {package: {"md5": ""}},
        "pretrain": {package: {"md5": ""}},
        **{model: {package: {"md5": "", **needs}} for model in models},
        "packages": {"default": processors, package: processors},
    }
    text = json.dumps({language: entry}, indent=1, sort_keys=True) + "\n"
    Path("resources.json").write_text(text, encoding="utf-8")


@contextlib.contextmanager
def _training(description: str, total: int, seed: int) -> Iterator[Callable[[int], None]]:
    """Silence stanza, seed every generator that it draws from, and compute on one thread.

    Its matrices are so small that a second thread costs more than it brings, and one thread gives
    the same model whatever the number of cores. Gives what to tell of progress in sentences.
    """
    import torch
    from stanza.models.common.utils import set_random_seed

    loggers = [logging.getLogger(name) for name in ("stanza", "stanza.constituency.trainer")]
    levels = [logger.level for logger in loggers]
    threads = torch.get_num_threads()
    with (
        progress_bar(description, total=total, unit="sentences") as advance,
        Path(os.devnull).open("w") as nowhere,
        contextlib.redirect_stderr(nowhere),
    ):
        try:
            for logger in loggers:
                logger.setLevel(logging.ERROR)
            torch.set_num_threads(1)
            set_random_seed(seed)
            yield advance
        finally:
            torch.set_num_threads(threads)
            for logger, level in zip(loggers, levels, strict=True):
                logger.setLevel(level)


@contextlib.contextmanager
def _own_failures() -> Iterator[None]:
    """Say in one line what stanza takes for granted of the trees that it builds."""
    try:
        yield
    except (AssertionError, RecursionError) as error:
        raise FailedError(
            f"stanza can't train a parser on this treebank ({type(error).__name__}: {error}); "
            "expected more trees, or more epochs"
        ) from error


@contextlib.contextmanager
def inside(folder: Path) -> Iterator[None]:
    """Work from within `folder`; an `OSError` names a file as it is seen from without.

    Raises:
        OSError: as the block, or its `RuntimeError` is torch's way to say that the disk is full.
    """
    try:
        with contextlib.chdir(folder):
            yield
    except OSError as error:
        if error.filename is None:
            raise
        raise OSError(error.errno, error.strerror, str(folder / error.filename)) from error
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
        raise OSError(errno.EIO, message, str(path)) from error
    return model


def save_alike(path: Path) -> None:
    """Save a model anew, so that the same weights are the same bytes.

    stanza saves in torch's old format, which names tensors by their addresses in memory, and saves
    the parser's rare words in the order of a set.

    Raises:
        OSError: it can't be written; the disk may be full.
    """
    import torch

    model = load_saved(path)
    if "rare_words" in model.get("params", {}):
        model["params"]["rare_words"] = sorted(model["params"]["rare_words"])
    try:
        with open_to_write(path, "wb") as file:
            torch.save(model, file)
    except RuntimeError as error:  # which says nothing of the file's own error
        message = "could not be written; is the disk full?"
        raise OSError(errno.EIO, message, str(path)) from error
