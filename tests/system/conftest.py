"""A folder in which every command has run, a copy of the project, and a browser."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import chdir
from pathlib import Path

import pytest

from tests.all_stages import contents, run_all, write_raw
from tests.dvc_project import Project, copy_project
from tests.model_folders import random_model
from tests.report_browser import browser
from tests.text_folders import random_texts

__all__ = ["browser", "finished", "folder", "project"]


@pytest.fixture(scope="session")
def finished(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder of an odd name in which every command has run, with absolute paths."""
    folder = tmp_path_factory.mktemp("Wörter & Bäume, 100 % [neu] \u6728")
    splits = {"train": random_texts(24, 0), "valid": random_texts(6, 1), "test": random_texts(6, 2)}
    write_raw(folder, splits)
    with chdir(folder):
        run_all()
        random_model(Path("words"), Path("dataset"), multi_granularity=None)
    return folder


@pytest.fixture
def folder(finished: Path) -> Iterator[Path]:
    """The same, as the present folder; what the test changes is undone."""
    before = contents(finished)
    with chdir(finished):
        yield finished
    after = contents(finished)
    for name in before.keys() | after.keys():
        data = before.get(name)
        if data is not None and data != after.get(name):
            (finished / name).parent.mkdir(parents=True, exist_ok=True)
            (finished / name).write_bytes(data)
        elif name not in before and after[name] is not None:
            (finished / name).unlink()


@pytest.fixture
def project(tmp_path: Path) -> Project:
    """The files that git knows, as they are in the working tree, committed."""
    return copy_project(tmp_path)
