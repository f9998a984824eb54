"""Train a stanza tagger and constituency parser from a treebank, by stanza's own training code.

stanza's trainers take their random numbers from global generators, so each training starts from a
seed of its own.
"""

from __future__ import annotations

import contextlib
import json
import logging
import os
import shutil
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from mgsa.base.cli import progress_bar
from mgsa.base.errors import FailedError
from pipeline.parsing.saved_models import inside, load_saved, save_alike
from pipeline.parsing.stanza_constituency import train_constituency
from pipeline.parsing.stanza_options import TrainingSettings
from pipeline.parsing.stanza_tagger import train_tagger
from pipeline.parsing.treebank import spelled_words
from pipeline.parsing.word_vectors import word_vectors, write_vectors

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
        with _quiet(), _one_seed(settings.seed):
            _save_vectors(train, models["pretrain"], work, settings)
        load_saved(models["pretrain"])
        steps = settings.tagger_steps * settings.tagger_batch
        with (
            progress_bar("train tagger", total=steps, unit="sentences") as advance,
            _quiet(),
            _one_seed(settings.seed),
        ):
            train_tagger(train, dev, models, work, language, settings, advance)
        load_saved(models["pos"])
        _write_resources(language, package, ("pos",))
        epochs = settings.parser_epochs * len(train)
        with (
            progress_bar("train parser", total=epochs, unit="sentences") as advance,
            _quiet(),
            _one_seed(settings.seed),
            _own_failures(),
        ):
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
def _quiet() -> Iterator[None]:
    """Silence stanza's loggers and its progress bars for a while."""
    names = ("stanza", "stanza.constituency.trainer")
    levels = {name: logging.getLogger(name).level for name in names}
    try:
        for name in names:
            logging.getLogger(name).setLevel(logging.ERROR)
        with Path(os.devnull).open("w") as nowhere, contextlib.redirect_stderr(nowhere):
            yield
    finally:
        for name, level in levels.items():
            logging.getLogger(name).setLevel(level)


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
def _one_seed(seed: int) -> Iterator[None]:
    """Seed every generator that stanza draws from, and compute on one thread.

    Its matrices are so small that a second thread costs more than it brings, and one thread gives
    the same model whatever the number of cores.
    """
    import torch
    from stanza.models.common.utils import set_random_seed

    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    set_random_seed(seed)
    try:
        yield
    finally:
        torch.set_num_threads(threads)
