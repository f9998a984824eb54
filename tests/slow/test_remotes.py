"""What a team shares through a remote, a folder here, and uses in clones elsewhere."""

from __future__ import annotations

import hashlib
import re
import shlex
import shutil
from pathlib import Path

import pytest

from mgsa.cli.files import read_json
from pipeline.formats.text import SPLITS
from tests.dvc_project import STAGES, Project, hashes_of, ran
from tests.team import Team, found_team

pytestmark = pytest.mark.slow

UP_TO_DATE = "Data and pipelines are up to date."


def test_a_clone_elsewhere_pulls_all_and_runs_nothing(team: Team, tmp_path: Path) -> None:
    clone = team.clone(tmp_path)
    clone.run("dvc", "pull")
    said = clone.run("dvc", "repro")
    assert ran(said) == []
    assert UP_TO_DATE in said
    assert hashes_of(clone, list(STAGES)) == hashes_of(team.first, list(STAGES))
    assert clone.run("git", "status", "--porcelain") == ""


def test_an_identical_experiment_is_fetched_not_run(team: Team, tmp_path: Path) -> None:
    """Whoever has not seen the results, but asks for the same, gets them by the cache of runs."""
    clone = team.clone(tmp_path)
    clone.run("git", "checkout", "--quiet", "HEAD~1")
    assert not (clone.folder / "dvc.lock").exists()
    clone.compose()
    # What the composition says is said in every clone: git keeps it, so DVC does not.
    assert ran(clone.run("dvc", "repro", "--pull")) == ["params"]
    assert hashes_of(clone, list(STAGES)) == hashes_of(team.first, list(STAGES))
    # Nothing of where the clone lies, or of when it was made, is in what the team compares by.
    locks = [project.folder / "dvc.lock" for project in (clone, team.first)]
    assert locks[0].read_text("utf-8") == locks[1].read_text("utf-8")
    assert ran(clone.run("dvc", "repro")) == []


def test_metrics_need_no_pull(team: Team, tmp_path: Path) -> None:
    clone = team.clone(tmp_path)
    name = "data/reports/evaluate.json"
    shown = clone.run("dvc", "metrics", "show", name)
    assert not (clone.folder / name).exists()
    assert re.search(rf" {read_json(team.first.folder / name)['bleu']}\b", shown), shown
    assert clone.run("dvc", "metrics", "diff", "HEAD", "HEAD") == ""


def test_what_belongs_to_a_machine_is_not_pushed(team: Team) -> None:
    """What parsing remembers, and the states of optimizers, which only checkpoints have."""
    data = team.first.folder / "data"
    own = [data / "parse_memory.sqlite", *data.glob("checkpoints/*/optimizer.safetensors")]
    hashes = {hashlib.md5(path.read_bytes()).hexdigest() for path in own}
    assert len(hashes) > 1
    pushed = {
        path.parent.name + path.name
        for path in (team.repository.parent / "storage").glob("files/md5/*/*")
    }
    assert pushed
    assert not pushed & hashes


def test_a_copied_memory_saves_a_clone_the_parsing(team: Team, tmp_path: Path) -> None:
    clone, memory = team.clone(tmp_path), "data/parse_memory.sqlite"
    clone.run("dvc", "pull", "data/tokenized", "data/parser")
    shutil.copy(team.first.folder / memory, clone.folder / memory)
    said = clone.run(*shlex.split(STAGES["parse"]["cmd"]))
    assert ", 0 parsed now" in said
    assert hashes_of(clone, ["parse"]) == hashes_of(team.first, ["parse"])


def test_ones_own_corpus_is_shared_too(reproduced: Project, tmp_path: Path) -> None:
    """Git ignores it; `dvc add` leaves a small file in its stead that git keeps."""
    team = found_team(reproduced, tmp_path, str(tmp_path / "storage"), {})
    first, texts = team.first, {"en": "A man sleeps.\n", "de": "Ein Mann schläft.\n"}
    names = [f"data/own/{split}.{language}" for split in SPLITS for language in texts]
    for name in names:
        (first.folder / name).write_text(texts[name[-2:]], "utf-8")
    first.run("dvc", "add", *names)
    own = ("corpus=local", "parser=none", "model=transformer_tiny")
    first.run("python", "-m", "pipeline.params", "--write", *own)
    assert {*ran(first.run("dvc", "repro", "parse"))} == {"corpus", "tokenize", "parser", "parse"}
    first.commit()
    team.publish()
    clone = team.clone(tmp_path)
    clone.run("dvc", "pull", "--with-deps", "parse")
    assert ran(clone.run("dvc", "repro", "parse")) == []
    for name in names:
        assert (clone.folder / name).read_text("utf-8") == texts[name[-2:]]
