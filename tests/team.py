"""A team: one who ran the pipeline, a repository that the others clone, a remote with the data."""

from __future__ import annotations

import shutil
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from tests.dvc_project import Project, clone_project, project_at

RESULTS = "v1"
"""The tag of the commit that has the results."""


@dataclass(frozen=True)
class Team:
    """Whoever ran the pipeline first, and where the team's repository lies."""

    first: Project
    repository: Path

    def publish(self) -> None:
        """Push what the first of the team committed: results to the remote, the rest to git."""
        self.first.run("dvc", "push", "--run-cache")
        self.first.run("git", "push", "--quiet", str(self.repository), "HEAD")

    def clone(self, tmp_path: Path, name: str = "colleague") -> Project:
        """A colleague's fresh clone."""
        return clone_project(self.repository, tmp_path, name)


def found_team(project: Project, folder: Path, url: str, local: Mapping[str, str]) -> Team:
    """A team whose first member has a copy of `project`, and a remote at `url`.

    Its last commit, tagged, has the results of `project`; the one before it has the remote alone.
    Nothing is pushed to the remote yet.

    Args:
        local: options of the remote that are the first member's own, and kept from git.
    """
    home = folder / "home"
    home.mkdir()
    shutil.copytree(project.folder, folder / "first", symlinks=True)
    first = project_at(folder / "first", home)
    results = first.run("git", "rev-parse", "HEAD").strip()
    first.run("git", "reset", "--quiet", "--hard", "HEAD~1")
    first.run("dvc", "remote", "add", "--force", "--default", "team", url)
    first.commit()
    first.run("git", "cherry-pick", results)
    first.run("git", "tag", RESULTS)
    first.run("git", "tag", "--annotate", "--message", "", "model@v1.0.0")
    for option, value in local.items():
        first.run("dvc", "remote", "modify", "--local", "team", option, value)
    repository = folder / "repository.git"
    first.run("git", "clone", "--quiet", "--bare", ".", str(repository))
    return Team(first, repository)
