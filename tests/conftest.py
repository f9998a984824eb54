"""What all tests share: which are run, and where the real corpora and models lie, if they do."""

from __future__ import annotations

import os
import re
import signal
from collections.abc import Generator
from pathlib import Path

import pytest
from hypothesis import settings

# A busy machine is no failure; `pytest-timeout` ends what hangs. The examples are the same in every
# run, so that it is a change that breaks a test; `--hypothesis-profile=random` looks for new ones.
settings.register_profile("random", deadline=None, print_blob=True)
settings.register_profile("all", settings.get_profile("random"), derandomize=True, database=None)
settings.register_profile("fast", settings.get_profile("all"), max_examples=25)

# A shell has what it runs in the background ignore Ctrl-C, and so would what tests start.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)


def pytest_addoption(parser: pytest.Parser) -> None:
    """`--soak` adds the tests that take minutes each; a sample of them takes fewer rounds."""
    parser.addoption("--soak", choices=("sample", "full"), help="run the long tests too")
    parser.addoption(
        "--skips-allowed",
        metavar="REGEX",
        help="let a test fail that is skipped for a reason in which this is not found",
    )


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leave out the long tests, unless they are asked for."""
    if config.getoption("--soak") is None:
        long = [item for item in items if "soak" in item.keywords]
        config.hook.pytest_deselected(items=long)
        items[:] = [item for item in items if "soak" not in item.keywords]


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(
    item: pytest.Item,
) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """Where nothing may be missing, a test that is skipped for want of it fails."""
    report = yield
    allowed: str | None = item.config.getoption("--skips-allowed")
    if allowed is not None and report.skipped and isinstance(report.longrepr, tuple):
        reason = report.longrepr[2]
        if not re.search(allowed, reason):
            report.outcome = "failed"
            report.longrepr = f"{reason} (--skips-allowed={allowed})"
    return report


@pytest.fixture(scope="session")
def sampled(pytestconfig: pytest.Config) -> bool:
    """Whether a long test is to take fewer rounds, or smaller ones, than it is made for."""
    return pytestconfig.getoption("--soak") == "sample"


def pytest_configure(config: pytest.Config) -> None:
    """Let hypothesis draw fewer examples where the fast tests alone are wanted."""
    if config.getoption("--hypothesis-profile") is None:
        settings.load_profile("fast" if config.option.markexpr == "not slow" else "all")


@pytest.fixture(scope="session")
def shared() -> Path:
    """The folder of real corpora and models; a test that needs it is skipped where it is absent."""
    folder = Path(os.environ.get("MGSA_SHARED", Path(__file__).parents[2] / "shared"))
    if not folder.is_dir():
        pytest.skip(f"no folder of real corpora at {folder}; set MGSA_SHARED")
    return folder
