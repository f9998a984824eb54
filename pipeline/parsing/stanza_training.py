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
from mgsa.base.errors import FailedError, is_out_of_memory
from mgsa.base.settings import NonNegative, Positive, Probability, Seed
from pipeline.parsing.bracketing import score
from pipeline.parsing.parser_folder import INDEX
from pipeline.parsing.treebank import as_stanza_reads, spelled_words, write_conllu
from pipeline.tokens.trees import read_tree

if TYPE_CHECKING:
    from nltk.tree import Tree

PACKAGE = "treebank"
"""The name of the models that are trained here."""
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
    settings: TrainingSettings,
) -> None:
    """Train on `train`, choose checkpoints by `dev`, and fill `folder` in stanza's layout.

    It works from within `folder`: stanza saves the paths that it was given, and a model must not
    differ by where it was trained, nor tell.

    Raises:
        OSError: a file can't be written; the disk may be full.
        FailedError: stanza's training fell, over a treebank of which there is too little to learn.
    """
    models = {
        kind: Path(language, kind, f"{PACKAGE}.pt") for kind in ("pretrain", "pos", "constituency")
    }
    _write_index(folder / INDEX, language)
    with (
        progress_bar("train parser", total=None, unit="sentences") as advance,
        _stanza_at_work(folder),
    ):
        for path in (WORK, *(model.parent for model in models.values())):
            path.mkdir(parents=True)
        _save_vectors(train, models["pretrain"], settings)
        _train_tagger(train, dev, models, language, settings)
        _save_alike(models["pos"])
        _train_constituency(train, dev, models, language, settings, advance)
        _save_alike(models["constituency"])
        shutil.rmtree(WORK)


def _write_index(path: Path, language: str) -> None:
    """stanza's index of a model folder. No MD5 is given: `parser.json` records SHA-256."""
    needs = {"dependencies": [{"model": "pretrain", "package": PACKAGE}]}
    processors = dict.fromkeys(("tokenize", "pos", "constituency"), PACKAGE)
    entry = {
        "lang_name": language,
        "tokenize": {PACKAGE: {"md5": ""}},
        "pretrain": {PACKAGE: {"md5": ""}},
        "pos": {PACKAGE: {"md5": "", **needs}},
        "constituency": {PACKAGE: {"md5": "", **needs}},
        "packages": {"default": processors, PACKAGE: processors},
    }
    text = json.dumps({language: entry}, indent=1, sort_keys=True)
    path.write_text(f"{text}\n", encoding="utf-8")


def _save_vectors(train: Sequence[Tree], path: Path, settings: TrainingSettings) -> None:
    import torch
    from stanza.models.common.pretrain import PretrainedWordVocab
    from stanza.models.common.vocab import VOCAB_PREFIX

    from pipeline.parsing.word_vectors import word_vectors

    sentences = [[word.lower() for word in spelled_words(tree)] for tree in train]
    words, vectors = word_vectors(sentences, dim=settings.vector_dim, seed=settings.seed)
    special = torch.zeros(len(VOCAB_PREFIX), settings.vector_dim)
    vocabulary = PretrainedWordVocab(words).state_dict()
    _save({"vocab": vocabulary, "emb": torch.cat([special, torch.tensor(vectors).float()])}, path)


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
    from stanza.models.common.utils import set_random_seed

    set_random_seed(settings.seed)
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
        log_step=10,
        device="cpu",
    )
    tagger.train(tagger.parse_args(flags))


def _train_constituency(
    train: Sequence[Tree],
    dev: Sequence[Tree],
    models: dict[str, Path],
    language: str,
    settings: TrainingSettings,
    advance: Callable[[int], None],
) -> None:
    """Save a parser as `models["constituency"]`; word vectors and a tagger are there already."""
    import stanza
    from stanza.models import constituency_parser
    from stanza.models.common.utils import set_random_seed
    from stanza.models.constituency import parser_training, tree_reader
    from stanza.models.constituency.utils import remove_duplicate_trees, retag_trees

    set_random_seed(settings.seed)
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
            retag_package=PACKAGE,
            seed=settings.seed,
            device="cpu",
        )
    )
    # A label that only held-out trees have costs their score, which is no reason not to train.
    args["check_valid_states"] = False
    tagger = stanza.Pipeline(
        language,
        dir=str(Path()),
        package=PACKAGE,
        processors="tokenize,pos",
        tokenize_pretokenized=True,
        download_method=None,
        use_gpu=False,
        verbose=False,
    )

    def retagged(name: str, trees: Sequence[Tree]) -> Any:
        path = WORK / f"{name}.mrg"
        text = "".join(f"{as_stanza_reads(tree)}\n" for tree in trees)
        path.write_text(text, encoding="utf-8")
        read = remove_duplicate_trees(tree_reader.read_treebank(str(path)), name)
        return retag_trees(read, [tagger], True)

    def score_results(treebank: Sequence[Any]) -> Any:
        """F1 of stanza's parse results, by EVALB's conventions, at the end of every epoch."""
        gold = [read_tree(str(result.gold)) for result in treebank]
        predicted = [read_tree(str(result.predictions[0].tree)) for result in treebank]
        f1 = score(gold, predicted).f1
        advance(len(train))
        return SimpleNamespace(f1=f1, treeF1=f1, HasField=lambda _: False)

    train_trees, dev_trees = retagged("train", train), retagged("dev", dev)
    trainer, sequences, silver, transitions = parser_training.build_trainer(
        args, train_trees, dev_trees, [], tagger.foundation_cache, None
    )
    parser_training.iterate_training(
        args,
        trainer,
        train_trees,
        sequences,
        transitions,
        dev_trees,
        [],
        silver,
        tagger.foundation_cache,
        SimpleNamespace(process=score_results),
    )
    Path(args["save_name"]).replace(models["constituency"])


@contextlib.contextmanager
def _stanza_at_work(folder: Path) -> Iterator[None]:
    """Work from within `folder` on one thread; stanza is silent, and its failures are one line.

    Its matrices are so small that a second thread costs more than it brings, and one thread gives
    the same model whatever the number of cores.
    """
    import torch

    threads = torch.get_num_threads()
    try:
        torch.set_num_threads(1)
        logging.disable(logging.WARNING)
        with (
            contextlib.chdir(folder),
            Path(os.devnull).open("w") as nowhere,
            contextlib.redirect_stderr(nowhere),
        ):
            yield
    except (AssertionError, RuntimeError) as error:
        if is_out_of_memory(error):
            raise
        raise FailedError(
            f"stanza can't train a parser on this treebank ({type(error).__name__}: {error}); "
            "expected more trees, more epochs, or more room on the disk"
        ) from error
    finally:
        logging.disable(logging.NOTSET)
        torch.set_num_threads(threads)


def _save_alike(path: Path) -> None:
    """Save a model anew, so that the same weights are the same bytes.

    stanza saves in torch's old format, which names tensors by their addresses in memory, and saves
    the parser's rare words in the order of a set. Where it can't save, it mostly goes on.

    Raises:
        OSError: it could not save the whole of it.
    """
    import torch

    try:
        model: dict[str, Any] = torch.load(path, map_location="cpu", weights_only=True)
    except Exception as error:
        message = "stanza could not save the whole of it; is the disk full?"
        raise OSError(errno.EIO, message, str(path.resolve())) from error
    if "rare_words" in model.get("params", {}):
        model["params"]["rare_words"] = sorted(model["params"]["rare_words"])
    _save(model, path)


def _save(model: dict[str, Any], path: Path) -> None:
    import torch

    saved = io.BytesIO()
    torch.save(model, saved)
    path.resolve().write_bytes(saved.getvalue())
