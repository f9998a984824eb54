"""What all tests share: which are run, and where the real corpora and models lie, if they do."""

from __future__ import annotations

import os
import signal
from pathlib import Path

import pytest
from hypothesis import settings

# A busy machine is no failure; `pytest-timeout` ends what hangs. The examples are the same in every
# run, so that it is a change that breaks a test; `--hypothesis-profile=random` looks for new ones.
settings.register_profile("random", deadline=None, print_blob=True)
settings.register_profile(
    "same", settings.get_profile("random"), derandomize=True, database=None, max_examples=25
)
settings.load_profile("same")

# A shell has what it runs in the background ignore Ctrl-C, and so would what tests start.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Begin with the longest test, so that none waits for it alone."""
    items.sort(key=lambda item: item.path.name != "test_repro.py")


def pytest_runtest_setup(item: pytest.Item) -> None:
    """Skip tests marked gpu where there is none."""
    if item.get_closest_marker("gpu"):
        import torch

        if not torch.cuda.is_available():
            pytest.skip("no GPU")


@pytest.fixture(scope="session")
def shared() -> Path:
    """The folder of real corpora and models; a test that needs it is skipped where it is absent."""
    folder = Path(os.environ.get("MGSA_SHARED", Path(__file__).parents[2] / "shared"))
    if not folder.is_dir():
        pytest.skip(f"no folder of real corpora at {folder}; set MGSA_SHARED")
    return folder
