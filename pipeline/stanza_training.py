"""Train a stanza tagger and constituency parser from a treebank, by stanza's own training code.

Three traps, met and avoided here. stanza scores brackets with a Java service: its training loop
takes any object with `process`, so ours is given instead. A parser that was trained without a
tagger asks for universal tags later, which makes its trees much worse without a word: it is trained
on predicted PTB tags and says so in what it saves. And stanza's trainers take their random numbers
from global generators, so each training starts from a seed of its own.
"""

from __future__ import annotations

import contextlib
import json
import logging
import os
import re
import shutil
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import SimpleNamespace
from typing import Any

from mgsa.files import open_to_write
from mgsa.settings import Count, NonNegative, Positive, Probability
from pipeline.bracketing import score
from pipeline.saved_models import inside, load_saved, save_alike
from pipeline.treebank import spelled_words
from pipeline.trees import ROOT, Tree, read_tree, top_node, unescape_token
from pipeline.word_vectors import word_vectors, write_vectors

_SQUARE_OR_CURLY = re.compile(r"-[LR][SC]B-(?=[^ ()]*\))")
"""In a word, which a bracket follows; labels are followed by a space."""


@dataclass(frozen=True)
class TrainingSettings:
    """Sizes and lengths of the two trainings; batches are of sentences."""

    seed: Count
    vector_dim: Positive
    tagger_hidden: Positive
    tagger_steps: Positive
    tagger_batch: Positive
    tagger_learning_rate: NonNegative
    tagger_dropout: Probability
    tagger_word_dropout: Probability
    parser_hidden: Positive
    parser_epochs: Positive
    parser_batch: Positive


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
        with _quiet(), _one_seed(settings.seed):
            _train_tagger(train, dev, models, work, language, settings)
        load_saved(models["pos"])
        _write_resources(language, package, ("pos",))
        with _quiet(), _one_seed(settings.seed):
            _train_constituency(train, dev, models, work, language, package, settings)
        _write_resources(language, package, ("pos", "constituency"))
        shutil.rmtree(work)
        for path in models.values():
            save_alike(path)


class BracketScorer:
    """What stanza's training loop asks for a score: F1 of brackets, by EVALB's conventions."""

    def process(self, treebank: Sequence[Any]) -> Any:
        """The score of stanza's parse results, each with its gold tree and its predictions."""
        gold = [read_tree(str(result.gold)) for result in treebank]
        predicted = [read_tree(str(result.predictions[0].tree)) for result in treebank]
        f1 = score(gold, predicted).f1
        return SimpleNamespace(f1=f1, treeF1=f1, HasField=lambda _: False)


def _save_vectors(
    train: Sequence[Tree], path: Path, work: Path, settings: TrainingSettings
) -> None:
    from stanza.models.common.pretrain import Pretrain

    sentences = [[word.lower() for word in spelled_words(tree)] for tree in train]
    words, vectors = word_vectors(sentences, dim=settings.vector_dim, seed=settings.seed)
    write_vectors(work / "vectors.txt", words, vectors)
    Pretrain(str(path), str(work / "vectors.txt")).load()


def _train_tagger(
    train: Sequence[Tree],
    dev: Sequence[Tree],
    models: dict[str, Path],
    work: Path,
    language: str,
    settings: TrainingSettings,
) -> None:
    from stanza.models import tagger

    for name, trees in (("train", train), ("dev", dev)):
        _write_conllu(work / f"{name}.conllu", trees)
    interval = max(1, settings.tagger_steps // 5)
    tagger.train(
        tagger.parse_args(
            _flags(
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
                device="cpu",
            )
        )
    )


def _train_constituency(
    train: Sequence[Tree],
    dev: Sequence[Tree],
    models: dict[str, Path],
    work: Path,
    language: str,
    package: str,
    settings: TrainingSettings,
) -> None:
    import stanza
    from stanza.models import constituency_parser
    from stanza.models.constituency import parser_training, tree_reader
    from stanza.models.constituency.utils import remove_duplicate_trees, retag_trees

    for name, bracketed in (("train", train), ("dev", dev)):
        text = "".join(f"{_as_stanza_reads(tree)}\n" for tree in bracketed)
        (work / f"{name}.mrg").write_text(text, encoding="utf-8")
    args = constituency_parser.parse_args(
        _flags(
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
    trees = {
        name: retag_trees(
            remove_duplicate_trees(tree_reader.read_treebank(str(work / f"{name}.mrg")), name),
            [tagger],
            True,
        )
        for name in ("train", "dev")
    }
    trainer, sequences, silver, transitions = parser_training.build_trainer(
        args, trees["train"], trees["dev"], [], tagger.foundation_cache, None
    )
    parser_training.iterate_training(
        args,
        trainer,
        trees["train"],
        sequences,
        transitions,
        trees["dev"],
        [],
        silver,
        tagger.foundation_cache,
        BracketScorer(),
    )
    load_saved(Path(args["save_name"]))
    Path(args["save_name"]).replace(models["constituency"])


def _write_conllu(path: Path, trees: Sequence[Tree]) -> None:
    """Words, as text has them, with their PTB tags in CoNLL-U.

    Words hold no space, and heads are not looked at.
    """
    with open_to_write(path) as file:
        for tree in trees:
            leaves = zip(tree.preterminals(), spelled_words(tree), strict=True)
            for position, (leaf, word) in enumerate(leaves, start=1):
                head, relation = (0, "root") if position == 1 else (1, "dep")
                fields = [
                    position, word, "_", leaf.label, leaf.label, "_", head, relation, "_", "_"
                ]  # fmt: skip
                file.write("\t".join(map(str, fields)) + "\n")
            file.write("\n")


def _as_stanza_reads(tree: Tree) -> str:
    """The tree on one line, in one wrapper: a treebank may have its own, or none.

    Of the escaped brackets, stanza reads the round ones as what they stand for, others as words.
    """
    line = str(Tree(ROOT, (top_node(tree),)))
    return _SQUARE_OR_CURLY.sub(lambda match: unescape_token(match[0]), line)


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


def _flags(**options: object) -> list[str]:
    """Command-line flags: what stanza's own parsers of arguments take."""
    return [str(part) for name, value in options.items() for part in (f"--{name}", value)]


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
