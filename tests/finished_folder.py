"""Fixtures: a folder in which every command has run, for tests that damage what commands read."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import chdir
from pathlib import Path

import pytest

from tests.all_stages import contents, random_texts, run_all, write_raw
from tests.model_folders import random_model


@pytest.fixture(scope="session")
def finished(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder in which every command has run."""
    folder = tmp_path_factory.mktemp("finished")
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
            (finished / name).write_bytes(data)
        elif name not in before and after[name] is not None:
            (finished / name).unlink()
