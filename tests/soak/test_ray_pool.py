"""Chunks over a Ray cluster: order, bounds and errors, while workers and nodes die.

Nodes are started as on a real cluster, on this machine, and ask for a token. The work is sleeping
and counting.
"""

from __future__ import annotations

import itertools
import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from mgsa.base.cli import run
from mgsa.base.errors import FailedError, InputError
from pipeline import ray_pool
from pipeline.base.workers import CHUNKS_AHEAD, WorkerDiedError
from pipeline.parsing.parser_folder import write_parser_folder
from pipeline.parsing.sent_parser import SentParser, send_parser
from pipeline.ray_cluster import connected
from pipeline.ray_pool import LOSSES, map_chunks
from tests.imports import ROOT
from tests.running import PATIENCE
from tests.soak.ray_nodes import Node, RayNodes, ray_head

pytestmark = [pytest.mark.soak, pytest.mark.usefixtures("cluster")]

WORKERS = 2


@pytest.fixture(scope="module")
def cluster() -> Iterator[RayNodes]:
    """A cluster of one node with one CPU, to which this process is connected."""
    with (
        ray_head("--num-cpus=1") as nodes,
        nodes.access(),
        connected(nodes.address, workers=WORKERS, gpu=False),
    ):
        yield nodes


@pytest.fixture
def second(cluster: RayNodes) -> Iterator[Node]:
    """Another node of it, with one CPU."""
    node = cluster.join("--num-cpus=1")
    yield node
    node.kill()
    wait_until_gone()


def wait_until_gone() -> None:
    """Return when the cluster knows that no node but its head is left."""
    import ray

    deadline = time.monotonic() + PATIENCE
    while sum(node["Alive"] for node in ray.nodes()) > 1:
        assert time.monotonic() < deadline, "the node is still there"
        time.sleep(0.1)


def node_id() -> str:
    import ray

    return str(ray.get_runtime_context().get_node_id())


def number_and_node(chunk: list[int]) -> tuple[int, str]:
    time.sleep(0.05)
    return chunk[0], node_id()


def a_large_result(chunk: list[int]) -> tuple[int, str, bytes]:
    """More than what Ray sends along with the message that a task is done."""
    return *number_and_node(chunk), bytes(2_000_000)


def kill_at_five(chunk: list[int]) -> list[int]:
    if 5 in chunk:
        os.kill(os.getpid(), signal.SIGKILL)
    return chunk


def kill_once_at_five(chunk: list[Any]) -> int:
    number, folder = chunk[0]
    if number == 5 and not (folder / "killed").exists():
        (folder / "killed").touch()
        os.kill(os.getpid(), signal.SIGKILL)
    return number


def as_it_is(chunk: list[int]) -> list[int]:
    return chunk


def refuse_five(chunk: list[int]) -> list[int]:
    if 5 in chunk:
        raise InputError("five", path="numbers", line=6)
    return chunk


def need_a_library(_: list[int]) -> None:
    import a_library_that_nobody_has  # type: ignore[import-not-found]  # noqa: F401


offset = 0


def set_offset(value: int) -> None:
    global offset
    if value < 0:
        raise InputError("expected a positive offset", path="model", line=3)
    offset = value


def add_offset(chunk: list[int]) -> list[int]:
    return [offset + item for item in chunk]


def threads_and_gpus(_: list[int]) -> tuple[str | None, str | None]:
    return os.environ.get("OMP_NUM_THREADS"), os.environ.get("CUDA_VISIBLE_DEVICES")


def map_on_ray(function: Any, items: Any, **options: Any) -> Any:
    """The results, as a generator."""
    return map_chunks(
        function, items, **{"workers": WORKERS, "chunk_size": 1, "gpu": False} | options
    )


def until_both_nodes_work(found: Iterator[Any]) -> list[Any]:
    """Results up to the first one of the node that is the last to have one."""
    results = [next(found)]
    deadline = time.monotonic() + PATIENCE
    while results[-1][1] == results[0][1]:
        assert time.monotonic() < deadline, "one node does nothing"
        results.append(next(found))
    return results


def test_chunks_come_in_order_and_once_when_a_node_dies(second: Node) -> None:
    with closing(map_on_ray(number_and_node, itertools.count())) as found:
        results = until_both_nodes_work(found)
        second.kill()
        results += itertools.islice(found, 200)
    assert [number for number, _ in results] == list(range(len(results)))
    assert len({node for _, node in results[-100:]}) == 1, "the other one does the rest"


def test_results_that_a_node_took_with_it_are_found_again(second: Node) -> None:
    with closing(map_on_ray(a_large_result, itertools.count())) as large:
        found = ((number, node, len(content)) for number, node, content in large)
        results = until_both_nodes_work(found)
        time.sleep(3)  # what was given out is finished, and lies where it was done
        second.kill()
        results += itertools.islice(found, 100)
    assert [number for number, _, _ in results] == list(range(len(results)))
    assert {size for _, _, size in results} == {2_000_000}


ENDLESS = """
import itertools, sys, time
from mgsa.base.cli import run
from pipeline.ray_cluster import connected
from pipeline.ray_pool import map_chunks

def main(argv):
    with connected(argv[0], workers=1, gpu=False):
        for chunk in map_chunks(list, itertools.count(), workers=1, chunk_size=1, gpu=False):
            print(*chunk, file=sys.stderr, flush=True)
            time.sleep(0.2)

sys.exit(run(main, sys.argv[1:]))
"""


def test_a_head_that_dies_while_others_work_on_is_noticed() -> None:
    with ray_head("--num-cpus=0") as cluster:
        cluster.join("--num-cpus=1")
        process = subprocess.Popen(
            [sys.executable, "-c", ENDLESS, cluster.address],
            cwd=ROOT,
            env=os.environ | cluster.environment,
            text=True,
            stderr=subprocess.PIPE,
        )
        assert process.stderr is not None
        lines = iter(process.stderr.readline, "0\n")
        assert [line for line in lines if not line.startswith("ray: no worker")] == []
        cluster.nodes[0].kill()
        _, said = process.communicate(timeout=PATIENCE)
    assert process.returncode == 1, said
    *numbers, last = said.splitlines()
    assert numbers == [str(number) for number in range(1, len(numbers) + 1)]
    assert last.startswith("error: ray: the cluster is gone: ")


def test_a_worker_that_dies_is_replaced(tmp_path: Path) -> None:
    items = [(number, tmp_path) for number in range(12)]
    assert list(map_on_ray(kill_once_at_five, items, workers=1)) == list(range(12))
    assert (tmp_path / "killed").exists()


@pytest.mark.usefixtures("second")
def test_a_chunk_that_kills_every_worker_ends_in_one_error(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(ray_pool, "NOTICE_SECONDS", PATIENCE)
    found = map_on_ray(kill_at_five, range(20), chunk_size=2)
    assert [next(found), next(found)] == [[0, 1], [2, 3]]
    with pytest.raises(WorkerDiedError) as died:
        next(found)

    def main(_: object) -> None:
        raise died.value

    assert run(main) == 1
    (line,) = capsys.readouterr().err.splitlines()
    # What Ray says of the death depends on who heard of it first.
    reason = (
        r"is dead because its worker process has died\. .+"
        r"|died unexpectedly before finishing this task\.|[0-9a-f]+ is unavailable: .+"
    )
    assert re.match(
        rf"error: ray: {LOSSES} workers died at chunk 3, the last one on [\d.]+: "
        rf"The actor ({reason})",
        line,
    )


@pytest.mark.usefixtures("second")
def test_items_are_read_only_as_results_are_taken() -> None:
    taken: list[int] = []

    def items() -> Iterator[int]:
        for item in range(2000):
            taken.append(item)
            yield item

    most = 0
    with closing(map_on_ray(as_it_is, items(), chunk_size=10)) as found:
        for results in range(1, 40):
            next(found)
            most = max(most, len(taken) - 10 * results)
    assert most == 10 * (CHUNKS_AHEAD * WORKERS - 1), "as many as may be, less the one taken"


def test_an_error_of_the_function_comes_after_the_results_before_it() -> None:
    found = map_on_ray(refuse_five, range(20), chunk_size=2)
    assert [next(found), next(found)] == [[0, 1], [2, 3]]
    with pytest.raises(InputError, match=r"^numbers:6: five$"):
        next(found)


def test_an_error_of_the_items_comes_after_the_results_before_it() -> None:
    def items() -> Iterator[int]:
        yield from range(4)
        raise InputError("cut short", path="numbers", line=5)

    found = map_on_ray(refuse_five, items(), chunk_size=2)
    assert [next(found), next(found)] == [[0, 1], [2, 3]]
    with pytest.raises(InputError, match=r"^numbers:5: cut short$"):
        next(found)


def test_the_initializer_runs_before_the_first_chunk() -> None:
    options = {"initializer": set_offset, "workers": 1}
    assert list(map_on_ray(add_offset, range(3), initargs=(10,), **options)) == [[10], [11], [12]]
    with pytest.raises(InputError, match=r"^model:3: expected a positive offset$"):
        list(map_on_ray(add_offset, range(3), initargs=(-1,), **options))


def test_a_library_that_a_machine_lacks_is_named() -> None:
    with pytest.raises(FailedError, match=r"^ray: [\d.]+: No module named 'a_library_that_nobody"):
        list(map_on_ray(need_a_library, range(3)))


def test_workers_that_cannot_start_end_in_one_error(monkeypatch: pytest.MonkeyPatch) -> None:
    """Their initializer is of a module that this process has and no machine does."""
    module = ModuleType("only_here")
    exec("def start(): pass", module.__dict__)
    monkeypatch.setitem(sys.modules, "only_here", module)
    with pytest.raises(FailedError, match=r"^ray: no worker can start: .*'only_here'"):
        list(map_on_ray(add_offset, range(3), initializer=module.start))


def test_a_worker_has_one_thread_and_where_wanted_a_gpu(cluster: RayNodes) -> None:
    """Ray takes our word that the node has one."""
    ((threads, _),) = map_on_ray(threads_and_gpus, [0], workers=1)
    assert threads == "1"
    node = cluster.join("--num-cpus=1", "--num-gpus=1")
    assert list(map_on_ray(threads_and_gpus, [0], workers=1, gpu=True)) == [("1", "0")]
    node.kill()
    wait_until_gone()


def test_a_cluster_without_room_is_named_in_the_end(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(ray_pool, "NOTICE_SECONDS", 1)
    monkeypatch.setattr(ray_pool, "START_SECONDS", 7)
    state = r"ray: no worker has started in \d+ s: each takes 1 CPU and 1 GPU, and the cluster has "
    state += "1 CPUs and 0 GPUs free"
    with pytest.raises(FailedError, match=rf"^{state}$"):
        list(map_on_ray(threads_and_gpus, [0], gpu=True))
    assert re.fullmatch(rf"{state}\n", capsys.readouterr().err)


def contents(chunk: list[SentParser]) -> tuple[Path, dict[str, bytes]]:
    """Where a parser is unpacked, and what is there."""
    with chunk[0].unpacked() as folder:
        files = [file for file in folder.rglob("*") if file.is_file()]
        return folder, {str(file.relative_to(folder)): file.read_bytes() for file in files}


def parser_of(folder: Path, model: bytes) -> Path:
    (folder / "en").mkdir(parents=True)
    (folder / "en" / "model.pt").write_bytes(model)
    write_parser_folder(folder, kind="stanza", language="en", package="toy")
    return folder


def test_a_parser_is_read_where_it_is_and_sent_where_it_is_not(tmp_path: Path) -> None:
    parser = parser_of(tmp_path / "parser", b"a model")
    expected = {str(f.relative_to(parser)): f.read_bytes() for f in parser.rglob("*.*")}
    assert len(expected) == 2
    sent = send_parser(parser)
    assert list(map_on_ray(contents, [sent])) == [(parser.resolve(), expected)]
    parser.rename(tmp_path / "elsewhere")
    assert_unpacked(sent, expected)
    parser_of(parser, b"another model")
    assert_unpacked(sent, expected)


def assert_unpacked(sent: SentParser, expected: dict[str, bytes]) -> None:
    """A worker finds these files in a folder that is not the one they come from, and goes."""
    ((folder, found),) = map_on_ray(contents, [sent])
    assert found == expected
    assert folder != sent.path
    assert not folder.exists()
