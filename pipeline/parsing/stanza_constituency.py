"""Train a stanza constituency parser, by stanza's own training code.

Two traps, met and avoided here. stanza scores brackets with a Java service: its training loop
takes any object with `process`, so ours is given instead. And a parser that was trained without a
tagger asks for universal tags later, which makes its trees much worse without a word: it is trained
on predicted PTB tags and says so in what it saves.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from pathlib import Path
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

from pipeline.parsing.bracketing import score
from pipeline.parsing.saved_models import load_saved
from pipeline.parsing.stanza_options import TrainingSettings, flags
from pipeline.trees import ROOT, bracketed, read_tree, top_node, unescape_token

if TYPE_CHECKING:
    from nltk.tree import Tree

_SQUARE_OR_CURLY = re.compile(r"-[LR][SC]B-(?=[^ ()]*\))")
"""In a word, which a bracket follows; labels are followed by a space."""


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
    load_saved(Path(args["save_name"]))
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
