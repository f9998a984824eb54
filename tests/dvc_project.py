"""A copy of this project as a user has it, whose pipelines run on a corpus that takes seconds."""

from __future__ import annotations

import hashlib
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml

from tests.imports import ROOT
from tests.parameters import overrides

STAGES: dict[str, dict[str, Any]] = yaml.safe_load((ROOT / "dvc.yaml").read_text("utf-8"))["stages"]
DATA_STAGES = list(STAGES)[1 : list(STAGES).index("train")]
MODEL_STAGES = list(STAGES)[list(STAGES).index("train") :]


SIZES = {"train": 300, "valid": 20, "test": 20}
OVERRIDES = overrides(
    {
        "corpus": " ".join(f"{split}={pairs}" for split, pairs in SIZES.items())
        + " treebank_train=60 treebank_dev=20",
        "parser.training": "epochs=2 batch=4",
        "run": "workers=1",
        "bpe": "merges=200",
        "train": "max_updates=8 validate_every=4 validation_sentences=10 log_every=2",
        "translate": "beam=2",
        "contrast": "bootstrap_samples=20 randomization_trials=20",
        "evaluate": "bootstrap_samples=20 randomization_trials=20",
        "phrasal_patterns": "bootstrap_samples=20",
        "probe": "max_epochs=2 bootstrap_samples=20",
    }
)


@dataclass(frozen=True)
class Project:
    """A copy of this project in a git repository of its own, on a machine that knows no user."""

    folder: Path
    environment: dict[str, str]

    def run(self, *command: str, status: int | None = 0) -> str:
        """What a command says on both streams; its exit status must be `status`, if not None."""
        done = subprocess.run(
            command,
            cwd=self.folder,
            env=self.environment,
            text=True,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            check=False,
        )
        assert status in (None, done.returncode), done.stdout
        return done.stdout

    def compose(self, *overrides: str) -> None:
        """Put the tiny corpus with these options into `params.yaml`."""
        values = {one.partition("=")[0]: one for one in (*OVERRIDES, *overrides)}
        self.run("python", "-m", "pipeline.params", "--write", *values.values())

    def commit(self) -> None:
        self.run("git", "add", "--all")
        self.run("git", "commit", "--quiet", "--message", "a state of the project")


def copy_project(tmp_path: Path) -> Project:
    """The files that git knows, as they are in the working tree, committed."""
    folder, home = tmp_path / "project", tmp_path / "home"
    home.mkdir()
    listed = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, check=True)
    for name in listed.stdout.decode().split("\0")[:-1]:
        path = ROOT / name
        if (path.is_file() or path.is_symlink()) and not name.startswith("tests/"):
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(path, folder / name, follow_symlinks=False)
    copy = project_at(folder, home)
    copy.run("git", "init", "--quiet")
    copy.commit()
    return copy


def project_at(folder: Path, home: Path) -> Project:
    """The project in `folder`, as whoever has this HOME has it."""
    # What git would do later, by itself, might change files while a test copies them.
    config = "[user]\nname = Nobody\nemail = nobody@example.org\n[maintenance]\nauto = false\n"
    (home / ".gitconfig").write_text(config, "utf-8")
    nowhere = "http://127.0.0.1:9"  # nothing listens there: whoever asks the network fails
    environment = {
        "HOME": str(home),
        "PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}",
        "PYTHONPATH": str(folder),  # the copy is what is installed
        "OMP_NUM_THREADS": "1",
        "GIT_CONFIG_NOSYSTEM": "1",
        "DVC_NO_ANALYTICS": "1",
        "DVC_SITE_CACHE_DIR": str(home / "site"),
        "DVC_SYSTEM_CONFIG_DIR": str(home),
        "http_proxy": nowhere,
        "https_proxy": nowhere,
        "no_proxy": "127.0.0.1",  # servers of a test are no network
    }
    return Project(folder, environment)


def clone_project(url: Path, tmp_path: Path, name: str) -> Project:
    """A colleague's fresh clone, with a HOME and a cache of their own."""
    home = tmp_path / f"{name}_home"
    home.mkdir()
    subprocess.run(["git", "clone", "--quiet", str(url), str(tmp_path / name)], check=True)
    return project_at(tmp_path / name, home)


def outputs(stages: Sequence[str]) -> list[str]:
    """What stages write, by `dvc.yaml`."""
    declared = [
        output
        for stage in stages
        for kind in ("outs", "metrics")
        for output in STAGES[stage].get(kind, [])
    ]
    return [output if isinstance(output, str) else next(iter(output)) for output in declared]


def hashes_of(
    project: Project, stages: Sequence[str], read: Callable[[Path], bytes] = Path.read_bytes
) -> dict[str, str]:
    """The hash of what is read of every file that these stages write, by path."""
    return {
        str(path.relative_to(project.folder)): hashlib.sha256(read(path)).hexdigest()
        for output in outputs(stages)
        for path in [project.folder / output, *(project.folder / output).rglob("*")]
        if path.is_file()
    }


def ran(said: str) -> list[str]:
    """The stages that DVC says it ran."""
    return re.findall(r"^Running stage '([^']+)'", said, flags=re.MULTILINE)
