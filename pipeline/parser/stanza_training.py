"""Train a tagger and a constituency parser of a treebank, the latter by stanza's own training code.

stanza's Java scorer is replaced by ours, and its tagger by NLTK's.
"""

from __future__ import annotations

import contextlib
import gc
import io
import json
import math
import os
import shutil
import sys
from collections.abc import Iterable, Iterator, Sequence
from itertools import chain, count
from pathlib import Path
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any, TextIO

from mgsa.cli.errors import FailedError, is_out_of_memory
from mgsa.cli.progress import progress_bar
from pipeline.constituency.bracketing import score
from pipeline.constituency.parser_folder import INDEX
from pipeline.constituency.spelling import spelled_words
from pipeline.constituency.stanza_parser import silence_stanza
from pipeline.constituency.tagger import TAGGER, save_tagger
from pipeline.constituency.treebank import as_stanza_reads
from pipeline.formats.trees import read_tree
from pipeline.parser.settings import TrainingSettings
from pipeline.parser.tagging import retagged, tag_treebank

if TYPE_CHECKING:
    from nltk.tree import Tree

PACKAGE = "treebank"
"""The name of the models that are trained here."""
WORK = Path("work")
"""For what stanza reads and writes, in the parser's folder while it is trained."""


def train_parser(
    train: list[Tree],
    dev: list[Tree],
    unlabelled: Sequence[Sequence[str]],
    folder: Path,
    *,
    language: str,
    settings: TrainingSettings,
    workers: int,
) -> None:
    """Train on `train`, choose checkpoints by `dev`, and fill `folder` in stanza's layout.

    Word vectors are made of the trees' words and of `unlabelled` sentences. The working directory
    is `folder`, since stanza saves the paths it is given in the model.

    Raises:
        OSError: a file can't be written.
        FailedError: stanza's training failed, as on a treebank that is too small.
    """
    from stanza.models.common.utils import set_random_seed

    vectors, model = (
        Path(language, kind, f"{PACKAGE}.pt") for kind in ("pretrain", "constituency")
    )
    tagger, train_tagged = tag_treebank(train, seed=settings.seed, workers=workers)
    save_tagger(tagger, folder / TAGGER)
    _write_index(folder / INDEX, language)
    with _stanza_at_work(folder) as stderr:
        for path in (WORK, vectors.parent, model.parent):
            path.mkdir(parents=True)
        dev_tagged = [retagged(tree, tagger) for tree in dev]
        for name, trees in (("train", train_tagged), ("dev", dev_tagged)):
            brackets = "".join(f"{as_stanza_reads(tree)}\n" for tree in trees)
            (WORK / f"{name}.mrg").write_text(brackets, encoding="utf-8")
        _save_vectors(chain(map(spelled_words, train), unlabelled), vectors, settings)
        set_random_seed(settings.seed)  # stanza draws from the global generators
        _train_constituency(vectors, model, language, settings, len(train), stderr)
        _save_alike(model)
        shutil.rmtree(WORK)


def _write_index(path: Path, language: str) -> None:
    """Write stanza's index of a model folder, without MD5 (`parser.json` has SHA-256)."""
    alone = {PACKAGE: {"md5": ""}}
    with_vectors = {
        PACKAGE: {"md5": "", "dependencies": [{"model": "pretrain", "package": PACKAGE}]}
    }
    packages = {name: {"constituency": PACKAGE} for name in ("default", PACKAGE)}
    models = {"pretrain": alone, "constituency": with_vectors}
    entry = {"lang_name": language, **models, "packages": packages}
    text = json.dumps({language: entry}, indent=1, sort_keys=True)
    path.write_text(f"{text}\n", encoding="utf-8")


def _save_vectors(
    sentences: Iterable[Sequence[str]], path: Path, settings: TrainingSettings
) -> None:
    import torch
    from stanza.models.common.pretrain import PretrainedWordVocab
    from stanza.models.common.vocab import VOCAB_PREFIX

    from pipeline.parser.word_vectors import word_vectors

    lowered = ([word.lower() for word in sentence] for sentence in sentences)
    words, vectors = word_vectors(lowered, dim=settings.vector_dim, seed=settings.seed)
    special = torch.zeros(len(VOCAB_PREFIX), settings.vector_dim)
    vocabulary = PretrainedWordVocab(words).state_dict()
    _save({"vocab": vocabulary, "emb": torch.cat([special, vectors])}, path)


def _train_constituency(
    vectors: Path,
    model: Path,
    language: str,
    settings: TrainingSettings,
    num_trees: int,
    stderr: TextIO,
) -> None:
    """Save a parser as `model`."""
    from stanza.models import constituency_parser
    from stanza.models.common.foundation_cache import FoundationCache
    from stanza.models.constituency import parser_training, tree_reader
    from stanza.models.constituency.utils import remove_duplicate_trees

    options = {
        "lang": language,
        "shorthand": f"{language}_treebank",
        "wordvec_pretrain_file": vectors,
        "seed": settings.seed,
        "device": "cpu",
        "train_file": WORK / "train.mrg",
        "eval_file": WORK / "dev.mrg",
        "save_dir": WORK,
        "save_name": model.name,
        "hidden_size": settings.hidden,
        "epochs": settings.epochs,
        "epoch_size": num_trees,
        "train_batch_size": settings.batch,
        "learning_rate": settings.learning_rate,
        "retag_method": "xpos",  # says in the model that its tags are the PTB's
    }
    flags = [str(part) for name, value in options.items() for part in (f"--{name}", value)]
    args = constituency_parser.parse_args(flags)
    # A label that only held-out trees have costs their score, which is no reason not to train.
    args["check_valid_states"] = False

    def read(name: str) -> Any:
        return remove_duplicate_trees(tree_reader.read_treebank(str(WORK / f"{name}.mrg")), name)

    def score_results(treebank: Sequence[Any]) -> Any:
        """F1 of stanza's parse results, by EVALB's conventions, at the end of every epoch."""
        gold = [read_tree(str(result.gold)) for result in treebank]
        predicted = [read_tree(str(result.predictions[0].tree)) for result in treebank]
        f1 = score(gold, predicted)["labelled_f1"]
        return SimpleNamespace(f1=f1, treeF1=f1, HasField=lambda _: False)

    train, dev, cache = read("train"), read("dev"), FoundationCache()
    trainer, sequences, silver, transitions = parser_training.build_trainer(
        args, train, dev, [], cache, None
    )
    gc.freeze()  # a fifth of the time goes to looking for garbage in the treebank otherwise
    with _schedule(settings, math.ceil(num_trees / settings.batch), stderr):
        parser_training.iterate_training(
            args,
            trainer,
            train,
            sequences,
            transitions,
            dev,
            [],
            silver,
            cache,
            SimpleNamespace(process=score_results),
        )
    Path(args["save_name"]).replace(model)


@contextlib.contextmanager
def _schedule(settings: TrainingSettings, per_epoch: int, stderr: TextIO) -> Iterator[None]:
    """Let the learning rate of the second half fall linearly to 0, for which stanza has no option.

    The progress of the training is shown on `stderr`, while that of stanza is kept silent.
    """
    from torch.optim.optimizer import Optimizer, register_optimizer_step_post_hook

    first_half, updates = (n * per_epoch for n in (settings.epochs // 2, settings.epochs))
    step, silent = count(1), sys.stderr
    with (
        contextlib.redirect_stderr(stderr),
        progress_bar("train parser", total=updates, unit="updates") as advance,
        contextlib.redirect_stderr(silent),
    ):

        def after_step(optimizer: Optimizer, *_: object) -> None:
            advance(1)
            left = (updates - next(step)) / (updates - first_half)
            if left < 1:
                for group in optimizer.param_groups:
                    group["lr"] = settings.learning_rate * left

        hook = register_optimizer_step_post_hook(after_step)
        try:
            yield
        finally:
            hook.remove()


@contextlib.contextmanager
def _stanza_at_work(folder: Path) -> Iterator[TextIO]:
    """Run stanza in `folder`, silently, with errors of one line; yield stderr for progress.

    One thread, for determinism at no cost in time; and without oneDNN's LSTMs, which are slower
    over single steps, as most of a shift-reduce parser's are.
    """
    import torch

    torch.set_num_threads(1)
    silence_stanza()
    stderr = sys.stderr
    try:
        with (
            contextlib.chdir(folder),
            Path(os.devnull).open("w") as nowhere,
            contextlib.redirect_stderr(nowhere),  # its bars
            torch.backends.mkldnn.flags(enabled=False),
        ):
            yield stderr
    except (AssertionError, RuntimeError) as error:
        if is_out_of_memory(error):
            raise
        raise FailedError(
            f"stanza can't train a parser on this treebank ({type(error).__name__}: {error}); "
            "expected more trees, more epochs, or more room on the disk"
        ) from error


def _save_alike(path: Path) -> None:
    """Rewrite a model so that equal weights give equal bytes.

    stanza saves in torch's old format, which names tensors by memory address, and the parser's rare
    words in set order.
    """
    import torch

    model: dict[str, Any] = torch.load(path, map_location="cpu", weights_only=True)
    model["params"]["rare_words"] = sorted(model["params"]["rare_words"])
    _save(model, path)


def _save(model: dict[str, Any], path: Path) -> None:
    import torch

    saved = io.BytesIO()
    torch.save(model, saved)
    path.resolve().write_bytes(saved.getvalue())
