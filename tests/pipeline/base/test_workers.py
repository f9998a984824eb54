"""Chunks over processes: order, bounds, errors, and workers that die."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

import pipeline.base.workers
from mgsa.base.cli import FAILED, run
from mgsa.base.errors import InputError
from pipeline.base.workers import CHUNKS_AHEAD, WorkerDiedError, map_chunks
from tests.running import PATIENCE, is_running

offset = 0


def set_offset(value: int) -> None:
    global offset
    if value < 0:
        raise InputError("expected a positive offset", path="model", line=3)
    offset = value


def add_offset(chunk: list[int]) -> list[int]:
    return [offset + item for item in chunk]


def backwards_in_time(chunk: list[int]) -> int:
    time.sleep(0.2 if chunk[0] == 0 else 0)  # the first chunk ends last
    return chunk[0]


def as_it_is(chunk: list[int]) -> list[int]:
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
def test_chunks_of_long_items_are_short(workers: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pipeline.base.workers, "CHUNK_CHARACTERS", 5)
    found = map_chunks(
        as_it_is, [1, 2, 3, 9, 1, 1], workers=workers, chunk_size=3, characters=lambda item: item
    )
    assert list(found) == [[1, 2, 3], [9], [1, 1]]


def test_a_slow_first_chunk_still_comes_first() -> None:
    found = map_chunks(backwards_in_time, range(6), workers=2, chunk_size=1)
    assert list(found) == [0, 1, 2, 3, 4, 5]


@pytest.mark.parametrize("workers", [1, 2])
def test_the_initializer_runs_before_the_first_chunk(workers: int) -> None:
    found = map_chunks(
        add_offset, range(3), workers=workers, chunk_size=1, initializer=set_offset, initargs=(10,)
    )
    assert list(found) == [[10], [11], [12]]


@pytest.mark.parametrize("workers", [1, 2])
def test_an_error_of_the_initializer_is_raised_as_it_is(workers: int) -> None:
    found = map_chunks(
        add_offset, range(3), workers=workers, chunk_size=1, initializer=set_offset, initargs=(-1,)
    )
    with pytest.raises(InputError, match=r"^model:3: expected a positive offset$"):
        list(found)


@pytest.mark.parametrize("workers", [1, 2])
def test_an_error_of_the_function_comes_after_the_results_before_it(workers: int) -> None:
    found = map_chunks(refuse_five, range(20), workers=workers, chunk_size=2)
    assert [next(found), next(found)] == [[0, 1], [2, 3]]
    with pytest.raises(InputError, match=r"^numbers:6: five$"):
        next(found)


@pytest.mark.parametrize("workers", [1, 2])
def test_an_error_of_the_items_comes_after_the_results_before_it(workers: int) -> None:
    def items() -> Iterator[int]:
        yield from range(4)
        raise InputError("cut short", path="numbers", line=5)

    found = map_chunks(refuse_five, items(), workers=workers, chunk_size=2)
    assert [next(found), next(found)] == [[0, 1], [2, 3]]
    with pytest.raises(InputError, match=r"^numbers:5: cut short$"):
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


def test_a_killed_worker_is_one_clear_error(capsys: pytest.CaptureFixture[str]) -> None:
    def main(_: object) -> None:
        list(map_chunks(kill_at_five, range(20), workers=2, chunk_size=2))

    with pytest.raises(WorkerDiedError, match="killed"):
        main(None)
    assert run(main) == FAILED
    assert capsys.readouterr().err == (
        "error: workers: a worker process was killed (out of memory?)\n"
    )


@pytest.mark.slow
def test_workers_do_not_outlive_a_killed_parent(tmp_path: Path) -> None:
    parent = subprocess.Popen(
        [
            sys.executable,
            "-c",
            "import os\n"
            "from tests.pipeline.test_workers import write_pid\n"
            "from pipeline.base.workers import map_chunks\n"
            f"found = map_chunks(write_pid, [{str(tmp_path)!r}] * 2, workers=2, chunk_size=1)\n"
            "list(found)\n",
        ],
        env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
    )
    deadline = time.monotonic() + PATIENCE
    while not (pids := [int(path.name) for path in tmp_path.iterdir()]):
        assert time.monotonic() < deadline, "no worker started"
        time.sleep(0.02)
    parent.kill()
    parent.wait()
    deadline = time.monotonic() + PATIENCE
    while any(is_running(pid) for pid in pids):
        assert time.monotonic() < deadline, "a worker is still there"
        time.sleep(0.02)


def write_pid(chunk: list[str]) -> None:
    (Path(chunk[0]) / str(os.getpid())).touch()
    time.sleep(600)


def test_no_worker_or_empty_chunk_is_refused() -> None:
    with pytest.raises(ValueError, match="at least 1 worker"):
        next(map_chunks(list, [1], workers=0, chunk_size=1))
