"""Every command of the project by its name, on a small corpus of one's own, from text to scores.

Paths are those below the folder where `write_raw` wrote. Gold trees come with the corpus, so
nothing is parsed.
"""

from __future__ import annotations

import io
import resource
import subprocess
import sys
from collections.abc import Callable, Mapping, Sequence
from contextlib import redirect_stdout
from importlib import import_module
from itertools import pairwise
from pathlib import Path
from subprocess import CompletedProcess
from typing import Any

import yaml

from mgsa.cli.run import run
from pipeline.formats.contrasts import Contrast, write_contrasts
from pipeline.formats.text import SPLITS
from pipeline.formats.trees import bracketed, flat_tree, read_tree
from pipeline.params import GROUPS
from pipeline.tokenizers.moses import MosesText
from tests.imports import ROOT
from tests.lines import write_lines
from tests.probing_folders import PROBE
from tests.text_folders import PARAMETERS, ToyParser
from tests.training_settings import MODEL, TRAIN

COMMANDS = {
    "corpus": "pipeline.corpus --out corpus --report reports/corpus.json",
    "tokenize": "pipeline.tokenize --corpus corpus --out tokenized --report reports/tokenized.json",
    "parser": "pipeline.parser --corpus corpus --out parser --report reports/parser.json",
    "parse": "pipeline.parse --tokenized tokenized --parser parser --out parsed "
    "--report reports/parsed.json --memory memory.sqlite",
    "bpe": "pipeline.bpe --tokenized tokenized --out bpe --report reports/bpe.json",
    "partition": "pipeline.partition --parsed parsed --tokenized tokenized --out partitions "
    "--plots plots/partition --report reports/partitions.json",
    "align": "pipeline.align --tokenized tokenized --out alignments "
    "--report reports/alignments.json",
    "alignment error": "pipeline.align.error_rate --alignments alignments/test.links "
    "--gold alignments/valid.links --report reports/alignment_error.json",
    "dataset": "pipeline.dataset --corpus corpus --tokenized tokenized --bpe bpe "
    "--partitions partitions --parser parser --alignments alignments --out dataset "
    "--report reports/dataset.json",
    "probe data": "pipeline.probe_data --parsed parsed --tokenized tokenized --dataset dataset "
    "--out probing --report reports/probing.json",
    "verify": "pipeline.dataset --verify dataset",
    "info": "pipeline.dataset --info dataset",
    "reverse": "pipeline.dataset.reverse --dataset dataset --out reversed",
    "train": "pipeline.train --dataset dataset --out model --report reports/model.json",
    "mgsa train": "mgsa train --dataset dataset --config params.yaml --out mgsa_model",
    "mgsa translate": "mgsa translate --model model --dataset dataset --split test "
    "--out test.txt --weights weights.npz",
    "mgsa score": "mgsa score --model model --dataset dataset --split test --out test.scores",
    "translate": "pipeline.translate.split --model model --dataset dataset --split test "
    "--out translations",
    "contrast": "pipeline.contrast --model model --dataset dataset --corpus corpus --split test "
    "--phrases parsed random --out contrast --report reports/contrast.json",
    "evaluate": "pipeline.evaluate --hypotheses translations/test.hypotheses "
    "--references translations/test.references --report reports/evaluation.json",
    "phrasal patterns": "pipeline.phrasal_patterns --references translations/test.references "
    "--system model=translations/test.hypotheses --system again=translations/test.hypotheses "
    "--baseline again --tokenized tokenized --trees parsed/test.trees --alignments alignments "
    "--out plots/phrasal_patterns --report reports/patterns.json",
    "analyze": "pipeline.analyze --model model --dataset dataset "
    "--out plots/attention --report reports/attention.json",
    "probe": "pipeline.probe --probing probing --model model=model --out probe "
    "--report reports/probe.json",
    "report": "pipeline.report --data . --out page",
    "params": "pipeline.params --config conf --report reports/params.json",
    # Not run by `run_all`, since they need no more than that.
    "forced align": "pipeline.forced_align --model words --source raw/test.en --target raw/test.de "
    "--out aligned --accelerator cpu",
    "score text": "pipeline.score --model words --source raw/test.en --target raw/test.de "
    "--out text.scores --accelerator cpu",
    "translate text": "pipeline.translate --model words",
    "translate text with phrases": "pipeline.translate --model model --parser parser",
}
"""For each command its module and its arguments."""

LATER = ("forced align", "score text", "translate text", "translate text with phrases")
"""Commands that `run_all` leaves out."""
WRITING = [c for c in COMMANDS if c not in ("verify", "info", *LATER)]
"""Commands that write files."""
NO_PATHS = ("--split", "--last", "--baseline", "--accelerator", "--phrases")
"""Options of these commands that take no paths."""
GOES_ON = {"train": "max_updates=12", "mgsa train": "train.max_updates=12"}
"""A training that has ended writes nothing but its artifact; one of more updates goes on."""


def write_raw(folder: Path, splits: Mapping[str, Sequence[tuple[str, str]]]) -> None:
    """Write `raw/SPLIT.{en,de,trees,contrast}`, `conf/` and its `params.yaml`, in `folder`."""
    raw = folder / "raw"
    for split, pairs in splits.items():
        sources, targets = zip(*pairs, strict=True)
        for language, lines in (
            ("en", sources),
            ("de", targets),
            ("trees", map(_tree, sources)),
        ):
            write_lines(raw / f"{split}.{language}", lines)
        with (raw / f"{split}.contrast").open("w", encoding="utf-8") as file:
            write_contrasts((Contrast(1, name, f"{targets[0]} {name}") for name in "ab"), file)
    parameters = _parameters()
    (folder / "params.yaml").write_text(yaml.safe_dump(parameters), encoding="utf-8")
    for group in GROUPS:
        (folder / "conf" / group).mkdir(parents=True)
        text = yaml.safe_dump(parameters.pop(group))
        (folder / "conf" / group / "own.yaml").write_text(text, encoding="utf-8")
    config = {"defaults": ["_self_", *({group: "own"} for group in GROUPS)], **parameters}
    (folder / "conf" / "config.yaml").write_text(yaml.safe_dump(config), encoding="utf-8")


def _tree(text: str) -> str:
    """A tree over the tokens of a sentence; a flat one where recursion would not end."""
    tokens = MosesText("en").normalize_and_tokenize(text)
    if not tokens:
        return "(ROOT (X nothing))"  # the pair will be dropped
    if len(tokens) > 100 or "!" in tokens:
        return bracketed(flat_tree(tokens))
    return bracketed(read_tree(ToyParser().parse([tokens])[0]))


def _parameters() -> dict[str, Any]:
    none = {"links": None, "voice": None, "tense": None}
    corpus: dict[str, Any] = {
        "kind": "local",
        "name": "made up",
        "folder": "raw",
        "prefix": "",
        "source_language": "en",
        "target_language": "de",
        "treebank": None,
    }
    for split in SPLITS:
        paths = {"source": "en", "target": "de", "trees": "trees", "contrast": "contrast"}
        corpus[split] = {c: f"raw/{split}.{ext}" for c, ext in paths.items()} | none
    return PARAMETERS | {
        "corpus": corpus,
        "parser": {"kind": "trees"},
        "align": {
            "kind": "hmm",
            "symmetrization": "grow-diag",
            "fold_case": True,
            "ibm1_iterations": 2,
            "hmm_iterations": 2,
            "lexical_prior": 0.01,
            "null_probability": 0.1,
            "learn_pairs": 20,
            "max_words": 100,
        },
        "probe_data": {
            "trees": "parsed",
            "sentences": 24,
            "shares": [8, 1, 1],
            "tss_classes": 19,
            "seed": 1,
        },
        "model": MODEL,
        "train": TRAIN | {"max_updates": 8, "batch_tokens": 200},
        "translate": {
            "beam": 2,
            "length_penalty": 0.6,
            "max_length_ratio": 1.0,
            "max_length_extra": 5,
            "batch_tokens": 500,
            "precision": "float32",
        },
        "contrast": {
            "batch_tokens": 500,
            "bootstrap_samples": 10,
            "randomization_trials": 10,
            "seed": 1,
        },
        "evaluate": {
            "metrics": ["bleu"],
            "commands": [],
            "bleu_tokenizer": "13a",
            "bootstrap_samples": 10,
            "randomization_trials": 10,
            "seed": 1,
        },
        "phrasal_patterns": {
            "max_ngram": 4,
            "max_category_ngram": 2,
            "bleu_tokenizer": "13a",
            "source_lengths": [5],
            "bootstrap_samples": 10,
            "seed": 1,
        },
        "analyze": {"split": "test", "sentences": [1], "batch_tokens": 500},
        "probe": PROBE | {"max_epochs": 2},
        "report": {
            "split": "test",
            "sentences": 2,
            "max_words": 20,
            "ranked": 2,
            "metric": "bleu",
        },
    }


def run_command(name: str, *more: str) -> int:
    """Run a command in this process and in the present folder; its exit status."""
    module, *argv = COMMANDS[name].split()
    return run(main_of(module), [*argv, *more])


def main_of(module: str) -> Callable[[Sequence[str] | None], None]:
    """What `python -m` runs of a module."""
    code = import_module(module)
    main: Callable[[Sequence[str] | None], None] = (
        import_module(f"{module}.__main__") if hasattr(code, "__path__") else code
    ).main
    return main


def run_all() -> None:
    """Run every command once, each on what those before it wrote, with absolute paths."""
    for name, line in COMMANDS.items():
        if name not in LATER:
            module, *words = line.split()
            argv = [_absolute(*pair) for pair in pairwise(["", *words])]
            with redirect_stdout(io.StringIO()):
                assert run(main_of(module), argv) == 0, name


def _absolute(option: str, word: str) -> str:
    """A word after an option, or after another word; a path is made absolute."""
    if not option.startswith("--") or option in NO_PATHS or word.startswith("--"):
        return word
    name, separator, path = word.rpartition("=")
    return f"{name}{separator}{Path(path).absolute()}"


def outputs(command: str) -> list[Path]:
    """The files that a command wrote in the present folder, from where it was told to."""
    words = COMMANDS[command].split()
    named = {option: Path(word) for option, word in pairwise(words)}
    written = [named[o] for o in ("--out", "--report", "--plots", "--weights") if o in named]
    return [file for path in written for file in (path, *path.rglob("*")) if file.is_file()]


def in_a_process(command: str, *more: str, largest: int | None = None) -> CompletedProcess[str]:
    """Run a command in a process of its own, whose HOME nobody can make or write to.

    Args:
        largest: bytes of a file that it may write.
    """

    def limit() -> None:
        if largest is not None:
            resource.setrlimit(resource.RLIMIT_FSIZE, (largest, largest))

    return subprocess.run(
        [sys.executable, "-B", "-m", *COMMANDS[command].split(), *more],
        env={"PYTHONPATH": str(ROOT), "OMP_NUM_THREADS": "1", "HOME": "/proc/home"},
        text=True,
        capture_output=True,
        preexec_fn=limit,
    )


def contents(folder: Path) -> dict[str, bytes | None]:
    """Every file and folder below a folder, hidden ones too."""
    return {
        str(path.relative_to(folder)): path.read_bytes() if path.is_file() else None
        for path in folder.rglob("*")
    }
