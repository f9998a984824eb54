"""What long tests share: a project whose pipeline has run, and a team that has published it."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from tests.dvc_project import STAGES, Project, copy_project, project_at, ran
from tests.report_browser import browser
from tests.team import Team, found_team

__all__ = ["browser", "finished_project", "reproduced", "team"]


@pytest.fixture(scope="session")
def reproduced(tmp_path_factory: pytest.TempPathFactory) -> Project:
    """A project on the tiny corpus whose pipeline has run: committed, and not to be changed."""
    project = copy_project(tmp_path_factory.mktemp("reproduced"))
    project.compose()
    assert sorted(ran(project.run("dvc", "repro"))) == sorted(STAGES)
    project.commit()
    return project


@pytest.fixture
def finished_project(reproduced: Project, tmp_path: Path) -> Project:
    """A copy of it, cache and all, to do anything with."""
    home = tmp_path / "home"
    home.mkdir()
    shutil.copytree(reproduced.folder, tmp_path / "project", symlinks=True)
    return project_at(tmp_path / "project", home)


@pytest.fixture(scope="module")
def team(reproduced: Project, tmp_path_factory: pytest.TempPathFactory) -> Team:
    """A team with its results in a folder that all can reach."""
    folder = tmp_path_factory.mktemp("team")
    team = found_team(reproduced, folder, str(folder / "storage"), {})
    team.publish()
    return team
