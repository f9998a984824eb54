"""Several people at once: in one clone, and in clones of their own over one cache."""

from __future__ import annotations

import hashlib
import shutil
import subprocess
from pathlib import Path

import pytest

from tests.dvc_project import DATA_STAGES, STAGES, Project, hashes_of, project_at, ran
from tests.team import Team

pytestmark = pytest.mark.slow

LOCKED = ("Unable to acquire lock.", "is busy, it is being blocked by:")
"""What DVC says when another DVC is at work: on the project, on what a stage reads or writes."""


def start(project: Project, *command: str) -> subprocess.Popen[str]:
    """A command of somebody who does not wait for the others."""
    return subprocess.Popen(
        command,
        cwd=project.folder,
        env=project.environment,
        text=True,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
    )


def test_two_at_once_in_one_clone_get_a_message_and_do_no_damage(
    finished_project: Project, tmp_path: Path
) -> None:
    project = finished_project
    project.compose("tokenize.max_tokens=12")  # new text, so that every stage after it runs
    home = tmp_path / "alone_home"
    home.mkdir()
    alone = project_at(tmp_path / "alone", home)
    shutil.copytree(project.folder, alone.folder, symlinks=True)

    both = [start(project, "dvc", "repro", "dataset") for _ in range(2)]
    said = [process.communicate()[0] for process in both]
    refused = [text for process, text in zip(both, said, strict=True) if process.returncode]
    assert refused
    for text in refused:
        assert any(message in text for message in LOCKED), text
        assert "Traceback" not in text

    project.run("dvc", "repro", "dataset")  # what is left, if the first was held up by the second
    assert ran(project.run("dvc", "repro", "dataset")) == []
    project.run("python", "-m", "pipeline.dataset", "--verify", "data/dataset")
    alone.run("dvc", "repro", "dataset")
    stages = DATA_STAGES[: DATA_STAGES.index("dataset") + 1]
    assert hashes_of(project, stages) == hashes_of(alone, stages)


def damaged(cache: Path) -> list[Path]:
    """The files of a cache that are not what their names say."""
    return [
        path
        for path in cache.glob("files/md5/*/*")
        if hashlib.md5(path.read_bytes()).hexdigest()
        != (path.parent.name + path.name).removesuffix(".dir")
    ]


def share_cache(project: Project, cache: Path, link: str) -> None:
    """What everybody tells their clone once."""
    project.run("dvc", "cache", "dir", "--local", str(cache))
    project.run("dvc", "config", "--local", "cache.shared", "group")
    project.run("dvc", "config", "--local", "cache.type", link)


@pytest.mark.parametrize("link", ["hardlink", "symlink"])
def test_two_clones_over_one_cache_work_at_the_same_time(
    team: Team, tmp_path: Path, link: str
) -> None:
    cache = tmp_path / "cache"
    one, other = (team.clone(tmp_path, name) for name in ("one", "other"))
    one.run("dvc", "pull")  # so it has all of it, but in a cache of its own
    for clone in (one, other):
        share_cache(clone, cache, link)
    one.run("dvc", "pull", "--run-cache")
    for clone in (one, other):  # what the one pulled is there for the other
        clone.run("dvc", "checkout", "--relink")
    assert hashes_of(other, list(STAGES)) == hashes_of(one, list(STAGES))
    file = other.folder / "data/dataset/manifest.json"
    assert file.is_symlink() if link == "symlink" else file.stat().st_nlink == 3
    assert file.stat().st_mode & 0o777 == 0o444

    one.compose("bpe.merges=150")
    other.compose("partition.levels=4")
    both = [start(clone, "dvc", "repro", "dataset") for clone in (one, other)]
    said = [process.communicate()[0] for process in both]
    assert [process.returncode for process in both] == [0, 0], said
    assert [ran(text) for text in said] == [["bpe", "dataset"], ["partition", "dataset"]]
    assert damaged(cache) == []
    other.compose("bpe.merges=150")  # the one's, which the cache of runs has for both
    assert ran(other.run("dvc", "repro", "dataset")) == []
    assert hashes_of(other, ["bpe", "dataset"]) == hashes_of(one, ["bpe", "dataset"])


@pytest.mark.parametrize("link", ["hardlink", "symlink"])
def test_stages_replace_links_to_a_cache_and_leave_what_they_lead_to(
    finished_project: Project, link: str
) -> None:
    """Given by hand, for DVC itself removes what a stage writes before it runs it."""
    project = finished_project
    project.run("dvc", "config", "--local", "cache.type", link)
    project.run("dvc", "checkout", "--relink")
    before = hashes_of(project, list(STAGES))
    for stage in STAGES:
        project.run("sh", "-c", STAGES[stage]["cmd"])
    assert damaged(project.folder / ".dvc/cache") == []
    after = hashes_of(project, list(STAGES))
    assert after.keys() == before.keys()
