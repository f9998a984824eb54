"""What all tests share: where the real corpora and models lie, if they do."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from hypothesis import settings

# A busy machine is no failure; `pytest-timeout` ends what hangs.
settings.register_profile("project", deadline=None)
settings.load_profile("project")


@pytest.fixture(scope="session")
def shared() -> Path:
    """The folder of real corpora and models; a test that needs it is skipped where it is absent."""
    folder = Path(os.environ.get("MGSA_SHARED", Path(__file__).parents[2] / "shared"))
    if not folder.is_dir():
        pytest.skip(f"no folder of real corpora at {folder}; set MGSA_SHARED")
    return folder
