"""A folder in which every command has run, a copy of the project, and a browser."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.dvc_project import Project, copy_project
from tests.finished_folder import finished, folder
from tests.report_browser import browser

__all__ = ["browser", "finished", "folder", "project"]


@pytest.fixture
def project(tmp_path: Path) -> Project:
    """The files that git knows, as they are in the working tree, committed."""
    return copy_project(tmp_path)
