"""A finished run for all tests of the page; those that change one write their own."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.report_folders import HOSTILE, PLAIN, write_run, write_system


@pytest.fixture(scope="session")
def finished_run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """What `write_run` writes, and beside it the folder `second` of a system to compare."""
    folder = write_run(tmp_path_factory.mktemp("run"))
    write_system(folder / "second", [*PLAIN, *HOSTILE], dropped=2)
    return folder
