"""Chunks over processes: order, bounds, errors, and workers that die."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from mgsa.cli.errors import FailedError, InputError
from mgsa.cli.run import FAILED, TERMINATED
from mgsa.cli.workers import CHUNKS_AHEAD, forked, map_chunks
from tests.running import is_running, wait_until


def as_it_is(chunk: list[int]) -> list[int]:
    time.sleep(0.2 if chunk[0] == 1 else 0)  # the first chunk ends last
    return chunk


def refuse_five(chunk: list[int]) -> list[int]:
    if 5 in chunk:
        raise InputError("five", path="numbers", line=6)
    return chunk


def kill_at_five(chunk: list[int]) -> list[int]:
    if 5 in chunk:
        os.kill(os.getpid(), signal.SIGKILL)
    return chunk


@pytest.mark.parametrize("workers", [1, 2, 3])
@pytest.mark.parametrize(
    ("items", "chunk_size", "chunks"),
    [
        ([], 2, []),
        ([1], 2, [[1]]),
        ([1, 2], 2, [[1, 2]]),
        ([1, 2, 3, 4, 5], 2, [[1, 2], [3, 4], [5]]),
    ],
)
def test_chunks_come_in_order_whatever_the_workers(
    workers: int, items: list[int], chunk_size: int, chunks: list[list[int]]
) -> None:
    found = map_chunks(as_it_is, items, workers=workers, chunk_size=chunk_size)
    assert list(found) == chunks


@pytest.mark.parametrize("workers", [1, 2])
def test_an_error_comes_after_the_results_before_it(workers: int) -> None:
    found = map_chunks(refuse_five, range(20), workers=workers, chunk_size=1)
    assert [next(found) for _ in range(5)] == [[0], [1], [2], [3], [4]]
    with pytest.raises(InputError, match=r"^numbers:6: five$"):
        next(found)


@pytest.mark.parametrize("workers", [1, 2])
def test_items_are_read_only_as_results_are_taken(workers: int) -> None:
    taken: list[int] = []

    def items() -> Iterator[int]:
        for item in range(1000):
            taken.append(item)
            yield item

    found = map_chunks(as_it_is, items(), workers=workers, chunk_size=10)
    for results in range(1, 20):
        next(found)
        assert len(taken) <= 10 * (results + CHUNKS_AHEAD * workers)
    found.close()  # type: ignore[attr-defined]


def test_forked_work_gives_its_result_or_error() -> None:
    with forked(lambda: as_it_is([1])) as result:
        assert result() == [1]
    with forked(lambda: refuse_five([5])) as result, pytest.raises(InputError, match="five"):
        result()
    with forked(lambda: kill_at_five([5])) as result, pytest.raises(FailedError, match="killed"):
        result()


def test_forked_work_ends_with_its_block(tmp_path: Path) -> None:
    def wait() -> None:
        (tmp_path / "pid").write_text(f"{os.getpid()}")
        time.sleep(3600)

    def written() -> str:
        return (tmp_path / "pid").read_text() if (tmp_path / "pid").exists() else ""

    with forked(wait):
        pid = wait_until(written, "no process starts")
    wait_until(lambda: not is_running(int(pid)), "the process is still there")


def test_a_killed_worker_is_one_clear_error() -> None:
    with pytest.raises(FailedError, match=r"^workers: a worker process was killed"):
        list(map_chunks(kill_at_five, range(20), workers=2, chunk_size=2))


def started(code: str, **options: Any) -> subprocess.Popen[str]:
    """A process of its own that runs some lines after imports of what is tested."""
    imports = (
        "import sys\n"
        "from tests.mgsa.cli.test_workers import write_pid\n"
        "from mgsa.cli.run import run\n"
        "from mgsa.cli.workers import map_chunks\n"
    )
    env = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    return subprocess.Popen([sys.executable, "-c", imports + code], env=env, text=True, **options)


def test_a_group_that_is_terminated_ends_in_one_line(tmp_path: Path) -> None:
    """Idle workers of a fork, too, which wait for each other's locks."""
    group = started(
        f"pids = [{str(tmp_path)!r}] * 2\n"
        "given = {'workers': 6, 'chunk_size': 1, 'fork': True}\n"
        "sys.exit(run(lambda _: list(map_chunks(write_pid, pids, **given))))\n",
        stderr=subprocess.PIPE,
        process_group=0,
    )
    wait_until(lambda: len([*tmp_path.iterdir()]) == 2, "no worker started")
    os.killpg(group.pid, signal.SIGTERM)
    assert group.communicate(timeout=30)[1] == "error: terminated\n"
    assert group.returncode == TERMINATED


def test_a_worker_that_the_system_refuses_is_one_line_and_no_hang() -> None:
    refused = started(
        "import resource; resource.setrlimit(resource.RLIMIT_NOFILE, (24, 24))\n"
        "given = {'workers': 64, 'chunk_size': 1, 'fork': True}\n"
        "sys.exit(run(lambda _: list(map_chunks(len, range(200), **given))))\n",
        stderr=subprocess.PIPE,
    )
    assert refused.communicate(timeout=30)[1] == "error: Too many open files\n"
    assert refused.returncode == FAILED


def test_workers_do_not_outlive_a_killed_parent(tmp_path: Path) -> None:
    parent = started(
        f"found = map_chunks(write_pid, [{str(tmp_path)!r}] * 2, workers=2, chunk_size=1)\n"
        "list(found)\n"
    )
    pids = wait_until(lambda: [int(path.name) for path in tmp_path.iterdir()], "no worker started")
    parent.kill()
    parent.wait()
    wait_until(lambda: not any(map(is_running, pids)), "a worker is still there")


def write_pid(chunk: list[str]) -> None:
    (Path(chunk[0]) / str(os.getpid())).touch()
    time.sleep(600)
