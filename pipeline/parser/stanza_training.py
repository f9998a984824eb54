"""Train a stanza tagger and constituency parser from a treebank, by stanza's own training code.

stanza's Java scorer is replaced by ours. The parser is trained on predicted PTB tags and says so in
its model: otherwise stanza would feed it universal tags, with much worse trees. Each training is
seeded anew, since stanza's trainers use the global generators.
"""

from __future__ import annotations

import contextlib
import errno
import io
import json
import math
import os
import shutil
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any, TextIO

from mgsa.cli.errors import FailedError, is_out_of_memory
from mgsa.cli.progress import progress_bar
from pipeline.constituency.bracketing import score
from pipeline.constituency.parser_folder import INDEX
from pipeline.constituency.spelling import spelled_words
from pipeline.constituency.stanza_parser import silence_stanza
from pipeline.constituency.treebank import as_stanza_reads, write_conllu
from pipeline.formats.trees import read_tree
from pipeline.parser.settings import TrainingSettings

if TYPE_CHECKING:
    from nltk.tree import Tree

PACKAGE = "treebank"
"""The name of the models that are trained here."""
WORK = Path("work")
"""For what stanza reads and writes, in the parser's folder while it is trained."""


def train_parser(
    train: list[Tree], dev: list[Tree], folder: Path, *, language: str, settings: TrainingSettings
) -> None:
    """Train on `train`, choose checkpoints by `dev`, and fill `folder` in stanza's layout.

    The working directory is `folder`, since stanza saves the paths it is given in the model.

    Raises:
        OSError: a file can't be written.
        FailedError: stanza's training failed, as on a treebank that is too small.
    """
    from stanza.models.common.utils import set_random_seed

    models = {
        kind: Path(language, kind, f"{PACKAGE}.pt") for kind in ("pretrain", "pos", "constituency")
    }
    _write_index(folder / INDEX, language)
    with _stanza_at_work(folder) as stderr:
        for path in (WORK, *(model.parent for model in models.values())):
            path.mkdir(parents=True)
        for name, trees in (("train", train), ("dev", dev)):
            write_conllu(WORK / f"{name}.conllu", trees)
            brackets = "".join(f"{as_stanza_reads(tree)}\n" for tree in trees)
            (WORK / f"{name}.mrg").write_text(brackets, encoding="utf-8")
        _save_vectors(train, models["pretrain"], settings)
        set_random_seed(settings.seed)
        _train_tagger(models, language, settings, stderr)
        _save_alike(models["pos"])
        set_random_seed(settings.seed)
        _train_constituency(models, language, settings, len(train), stderr)
        _save_alike(models["constituency"])
        shutil.rmtree(WORK)


def _write_index(path: Path, language: str) -> None:
    """Write stanza's index of a model folder, without MD5 (`parser.json` has SHA-256)."""
    alone = {PACKAGE: {"md5": ""}}
    with_vectors = {
        PACKAGE: {"md5": "", "dependencies": [{"model": "pretrain", "package": PACKAGE}]}
    }
    models = {"tokenize": alone, "pos": with_vectors, "constituency": with_vectors}
    packages = dict.fromkeys(("default", PACKAGE), dict.fromkeys(models, PACKAGE))
    entry = {"lang_name": language, "pretrain": alone, **models, "packages": packages}
    text = json.dumps({language: entry}, indent=1, sort_keys=True)
    path.write_text(f"{text}\n", encoding="utf-8")


def _save_vectors(train: list[Tree], path: Path, settings: TrainingSettings) -> None:
    import torch
    from stanza.models.common.pretrain import PretrainedWordVocab
    from stanza.models.common.vocab import VOCAB_PREFIX

    from pipeline.parser.word_vectors import word_vectors

    sentences = [[word.lower() for word in spelled_words(tree)] for tree in train]
    words, vectors = word_vectors(sentences, dim=settings.vector_dim, seed=settings.seed)
    special = torch.zeros(len(VOCAB_PREFIX), settings.vector_dim)
    vocabulary = PretrainedWordVocab(words).state_dict()
    _save({"vocab": vocabulary, "emb": torch.cat([special, vectors])}, path)


def _flags(
    models: dict[str, Path], language: str, settings: TrainingSettings, **options: object
) -> list[str]:
    """Command-line flags for stanza's argument parsers."""
    options |= {
        "lang": language,
        "shorthand": f"{language}_treebank",
        "wordvec_pretrain_file": models["pretrain"],
        "seed": settings.seed,
        "device": "cpu",
    }
    return [str(part) for name, value in options.items() for part in (f"--{name}", value)]


def _train_tagger(
    models: dict[str, Path], language: str, settings: TrainingSettings, stderr: TextIO
) -> None:
    """Save a tagger as `models["pos"]`; needs word vectors."""
    from stanza.models import tagger

    flags = _flags(
        models,
        language,
        settings,
        train_file=WORK / "train.conllu",
        eval_file=WORK / "dev.conllu",
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
        log_step=10,
    )
    args = tagger.parse_args(flags)
    with _progress("train tagger", settings.tagger_steps, stderr):
        tagger.train(args)


def _train_constituency(
    models: dict[str, Path],
    language: str,
    settings: TrainingSettings,
    num_trees: int,
    stderr: TextIO,
) -> None:
    """Save a parser as `models["constituency"]`; needs word vectors and tagger."""
    import stanza
    from stanza.models import constituency_parser
    from stanza.models.constituency import parser_training, tree_reader
    from stanza.models.constituency.utils import remove_duplicate_trees, retag_trees

    flags = _flags(
        models,
        language,
        settings,
        train_file=WORK / "train.mrg",
        eval_file=WORK / "dev.mrg",
        save_dir=WORK,
        save_name=models["constituency"].name,
        hidden_size=settings.parser_hidden,
        epochs=settings.parser_epochs,
        epoch_size=num_trees,
        train_batch_size=settings.parser_batch,
        learning_rate=settings.parser_learning_rate,
        retag_method="xpos",
        retag_package=PACKAGE,
    )
    args = constituency_parser.parse_args(flags)
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

    def retagged(name: str) -> Any:
        read = tree_reader.read_treebank(str(WORK / f"{name}.mrg"))
        return retag_trees(remove_duplicate_trees(read, name), [tagger], True)

    def score_results(treebank: Sequence[Any]) -> Any:
        """F1 of stanza's parse results, by EVALB's conventions, at the end of every epoch."""
        gold = [read_tree(str(result.gold)) for result in treebank]
        predicted = [read_tree(str(result.predictions[0].tree)) for result in treebank]
        f1 = score(gold, predicted)["labelled_f1"]
        return SimpleNamespace(f1=f1, treeF1=f1, HasField=lambda _: False)

    train, dev = retagged("train"), retagged("dev")
    trainer, sequences, silver, transitions = parser_training.build_trainer(
        args, train, dev, [], tagger.foundation_cache, None
    )
    updates = settings.parser_epochs * math.ceil(num_trees / settings.parser_batch)
    with _progress("train parser", updates, stderr):
        parser_training.iterate_training(
            args,
            trainer,
            train,
            sequences,
            transitions,
            dev,
            [],
            silver,
            tagger.foundation_cache,
            SimpleNamespace(process=score_results),
        )
    Path(args["save_name"]).replace(models["constituency"])


@contextlib.contextmanager
def _progress(description: str, updates: int, stderr: TextIO) -> Iterator[None]:
    """Show the progress of a training on `stderr`, while that of stanza is kept silent."""
    from torch.optim.optimizer import register_optimizer_step_post_hook

    silent = sys.stderr
    with (
        contextlib.redirect_stderr(stderr),
        progress_bar(description, total=updates, unit="updates") as advance,
        contextlib.redirect_stderr(silent),
    ):
        hook = register_optimizer_step_post_hook(lambda *_: advance(1))
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
    words in set order. It mostly ignores a failed save.

    Raises:
        OSError: the model was not saved completely.
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
