"""Every command of the project by its name, on a small corpus of one's own, from text to scores.

The folder where `write_raw` wrote stands for `data`. Gold trees come with the corpus, so
nothing is parsed.
"""

from __future__ import annotations

import io
import re
import resource
import subprocess
import sys
from collections.abc import Callable, Mapping, Sequence
from contextlib import redirect_stdout
from importlib import import_module
from itertools import pairwise
from pathlib import Path
from subprocess import CompletedProcess

import yaml

from mgsa.cli.run import run
from pipeline.formats.contrasts import Contrast, write_contrasts
from pipeline.formats.text_settings import text_settings
from pipeline.formats.trees import bracketed, flat_tree, read_tree
from pipeline.params.presets import GROUPS
from pipeline.tokenizers.side import SideText
from tests.dvc_project import STAGES
from tests.imports import ROOT
from tests.lines import write_lines
from tests.parameters import PARAMETERS
from tests.text_folders import ToyParser

COMMANDS = {name: stage["cmd"].removeprefix("python -m ") for name, stage in STAGES.items()} | {
    "alignment error": "pipeline.align.error_rate --alignments data/alignments/test.links "
    "--gold data/alignments/valid.links --report data/reports/alignment_error.json",
    "verify": "pipeline.dataset --verify data/dataset",
    "reverse": "pipeline.dataset.reverse --dataset data/dataset --out data/reversed",
    "mgsa train": "mgsa train --dataset data/dataset --config params.yaml --out data/mgsa_model",
    "mgsa translate": "mgsa translate --model data/model --dataset data/dataset --split test "
    "--out data/test.txt --weights data/weights.npz",
    "mgsa score": "mgsa score --model data/model --dataset data/dataset --split test "
    "--out data/test.scores",
    # Not run by `run_all`, since they need no more than that.
    "forced align": "pipeline.forced_align --model data/words --source data/raw/test.en "
    "--target data/raw/test.de --out data/aligned --set run.accelerator=cpu",
    "score text": "pipeline.score --model data/words --source data/raw/test.en "
    "--target data/raw/test.de --out data/text.scores --set run.accelerator=cpu",
    "translate text": "pipeline.translate --model data/words",
    "translate text with phrases": "pipeline.translate --model data/model --parser data/parser",
}
"""For each command its module and its arguments; those of the stages are `dvc.yaml`'s."""

TEXT, AGAIN = ("test.txt", "test.scores", "weights.npz"), ".again"
LATER = ("forced align", "score text", "translate text", "translate text with phrases")
"""Commands that `run_all` leaves out."""
WRITING = [c for c in COMMANDS if c not in ("verify", *LATER)]
"""Commands that write files."""
GOES_ON = {"train": "max_updates=16", "mgsa train": "train.max_updates=16"}
"""A training that has ended writes nothing but its artifact; one of more updates goes on."""


def words_of(command: str, folder: Path = Path()) -> list[str]:
    """A command's module and arguments, with `folder` in place of `data`, as a shell has them."""
    words: list[str] = []
    for word in COMMANDS[command].split():
        if word.endswith("*"):
            words += map(str, sorted(folder.glob(word.removeprefix("data/"))))
        else:
            words.append(re.sub(r"(?<![-\w])data(?=/|$)", lambda _: str(folder), word))
    return words


def write_raw(folder: Path, splits: Mapping[str, Sequence[tuple[str, str]]]) -> None:
    """Write `raw/SPLIT.{en,de,trees,contrast}`, `conf/` and its `params.yaml`, in `folder`."""
    raw = folder / "raw"
    for split, pairs in splits.items():
        sources, targets = zip(*pairs, strict=True)
        for language, lines in (("en", sources), ("de", targets), ("trees", map(_tree, sources))):
            write_lines(raw / f"{split}.{language}", lines)
        with (raw / f"{split}.contrast").open("w", encoding="utf-8") as file:
            write_contrasts((Contrast(1, name, f"{targets[0]} {name}") for name in "ab"), file)
    parameters = dict(PARAMETERS)
    (folder / "params.yaml").write_text(yaml.safe_dump(parameters), encoding="utf-8")
    for group in GROUPS:
        (folder / "conf" / group).mkdir(parents=True)
        text = yaml.safe_dump(parameters.pop(group))
        (folder / "conf" / group / "own.yaml").write_text(text, encoding="utf-8")
    config = {"defaults": ["_self_", *({group: "own"} for group in GROUPS)], **parameters}
    (folder / "conf" / "config.yaml").write_text(yaml.safe_dump(config), encoding="utf-8")


def _tree(text: str) -> str:
    """A tree over the tokens of a sentence; a flat one where recursion would not end."""
    tokens = SideText(text_settings(ROOT / "params.yaml"), "source", "en").tokenize(text)
    if not tokens:
        return "(ROOT (X nothing))"  # the pair will be dropped
    if len(tokens) > 100 or "!" in tokens:
        return bracketed(flat_tree(tokens))
    return bracketed(read_tree(ToyParser().parse([tokens])[0]))


def run_command(name: str, *more: str) -> int:
    """Run a command in this process and in the present folder; its exit status.

    It writes text to another file than `run_all` had it write, as it replaces none.
    """
    module, *argv = (
        f"{word}{AGAIN}" if Path(word).name in TEXT else word for word in words_of(name)
    )
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
    for name in COMMANDS:
        if name not in LATER:
            module, *argv = words_of(name, Path.cwd())
            with redirect_stdout(io.StringIO()):
                assert run(main_of(module), argv) == 0, name


def outputs(command: str) -> list[Path]:
    """The files that a command wrote in the present folder, from where it was told to."""
    words = words_of(command)
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
        [sys.executable, "-B", "-m", *words_of(command), *more],
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
