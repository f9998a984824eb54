"""What all tests share: where the real corpora and models lie, if they do."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from hypothesis import settings

# A busy machine is no failure; `pytest-timeout` ends what hangs.
settings.register_profile("all", deadline=None)
settings.register_profile("fast", settings.get_profile("all"), max_examples=25)


def pytest_configure(config: pytest.Config) -> None:
    """Let hypothesis draw fewer examples where the fast tests alone are wanted."""
    settings.load_profile("fast" if config.option.markexpr == "not slow" else "all")


@pytest.fixture(scope="session")
def shared() -> Path:
    """The folder of real corpora and models; a test that needs it is skipped where it is absent."""
    folder = Path(os.environ.get("MGSA_SHARED", Path(__file__).parents[2] / "shared"))
    if not folder.is_dir():
        pytest.skip(f"no folder of real corpora at {folder}; set MGSA_SHARED")
    return folder
