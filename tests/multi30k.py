"""The first pairs of Multi30k as local files, and the commands of `dvc.yaml` run on them."""

from __future__ import annotations

import gzip
import os
import shlex
import subprocess
import sys
from collections.abc import Mapping
from itertools import islice
from pathlib import Path
from typing import Any

from mgsa.cli.files import read_json
from tests.dvc_project import STAGES
from tests.imports import ROOT

FILES = {"train": "train", "valid": "val", "test": "test_2016_flickr"}


def write_head(
    folder: Path, shared: Path, pairs: Mapping[str, int], languages: Mapping[str, str]
) -> list[str]:
    """Write the first pairs of each split as `SPLIT.LANGUAGE`; give the overrides that name them.

    Args:
        shared: the folder of real corpora.
        pairs: how many, of each split.
        languages: the language of `source` and of `target`.
    """
    overrides = ["corpus=local", "corpus.name=multi30k_head"]
    overrides += [f"corpus.{side}_language={language}" for side, language in languages.items()]
    for split, name in FILES.items():
        for side, language in languages.items():
            path = folder / f"{split}.{language}"
            with gzip.open(shared / "multi30k" / f"{name}.{language}.gz", "rb") as file:
                path.write_bytes(b"".join(islice(file, pairs[split])))
            overrides.append(f"corpus.{split}.{side}={path}")
    return overrides


def run(folder: Path, command: str, text: str = "") -> subprocess.CompletedProcess[str]:
    """A command of `dvc.yaml`, run in `folder` with `text` on stdin."""
    python, _, rest = command.partition(" ")
    assert python == "python"
    done = subprocess.run(
        f"{shlex.quote(sys.executable)} {rest}",
        shell=True,  # as DVC does: a word may be a pattern
        cwd=folder,
        env=os.environ | {"PYTHONPATH": str(ROOT), "OMP_NUM_THREADS": "1"},
        input=text,
        text=True,
        capture_output=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done


def stage(folder: Path, name: str, *more: str) -> dict[str, Any]:
    """Run a stage; give its report, if it writes one."""
    run(folder, " ".join([STAGES[name]["cmd"], *more]))
    report = folder / f"data/reports/{name}.json"
    return read_json(report) if report.exists() else {}
