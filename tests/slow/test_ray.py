"""Parsing on Ray: on a cluster of two nodes, one of which dies; on one of the stage's own.

Nodes are started as on a real cluster, on this machine, and ask for a token.
"""

from __future__ import annotations

import os
import re
import signal
import sqlite3
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import closing
from pathlib import Path

import psutil
import pytest
import yaml

from mgsa.cli.errors import FailedError, InputError
from mgsa.cli.files import read_json
from mgsa.cli.outputs import sha256
from mgsa.cli.settings import from_mapping
from mgsa.run_config import RunConfig
from pipeline.formats.text import SPLITS
from pipeline.parse import ray_parser as module
from pipeline.parse.__main__ import main as parse
from pipeline.parse.ray_parser import LOSSES, connected, map_batches
from pipeline.sample import write_sample
from tests.imports import ROOT
from tests.parameters import RUN
from tests.pipeline.parser.test_main import TRAIN, command
from tests.running import PATIENCE, wait_until
from tests.slow.ray_nodes import RayNodes, kill_node, ray_head, wait_for_workers
from tests.text_folders import stage_argv

ray = pytest.importorskip("ray")

pytestmark = pytest.mark.slow

WORKERS = 2


def run_config(**changed: object) -> RunConfig:
    return from_mapping(RunConfig, {**RUN, "executor": "ray", **changed}, "run")


@pytest.mark.parametrize(
    ("address", "why"),
    [
        ("127.0.0.1:1", "Connection refused"),
        ("nowhere.invalid:6379", "Name or service not known|Temporary failure|No address"),
        ("127.0.0.1:70000", "Port out of range 0-65535"),
    ],
)
def test_no_cluster_at_the_address_is_one_line(address: str, why: str) -> None:
    message = rf"^run.ray_address: expected a Ray cluster at {address}: ({why})"
    with pytest.raises(InputError, match=message), connected(run_config(ray_address=address)):
        raise AssertionError("connected")


@pytest.mark.parametrize(
    ("last", "error", "message"),
    [
        ("refuse", ValueError, "refused"),
        ("kill", FailedError, "ray: workers died 3 times at one batch"),
    ],
)
def test_results_come_in_order_and_an_error_after_those_before_it(
    monkeypatch: pytest.MonkeyPatch, last: str, error: type[Exception], message: str
) -> None:
    def upper(batch: Sequence[Sequence[str]]) -> list[str]:
        """In place of a parser."""
        ((word,),) = batch
        if word == "kill":
            os.kill(os.getpid(), signal.SIGKILL)
        if word == "refuse":
            raise ValueError("refused")
        time.sleep(0.5 if word == "a" else 0)  # the first one ends last
        return [word.upper()]

    monkeypatch.setattr(module, "BATCH_SENTENCES", 1)
    with connected(run_config(workers=WORKERS)):
        submit = ray.remote(max_retries=LOSSES - 1)(upper).remote
        results = list(map_batches(submit, [["a"], ["b"], ["c"]], workers=WORKERS))
        assert results == [["A"], ["B"], ["C"]]
        others = map_batches(submit, [["d"], [last], ["e"]], workers=WORKERS)
        assert next(others) == ["D"]
        with pytest.raises(error, match=message):
            next(others)


def test_a_gpu_that_this_machine_lacks_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CUDA_VISIBLE_DEVICES", "")
    message = "^run.parse_gpu: expected false, as there is no GPU to be used$"
    with pytest.raises(InputError, match=message), connected(run_config(parse_gpu=True)):
        raise AssertionError("connected")


@pytest.fixture(scope="module")
def head() -> Iterator[RayNodes]:
    """A cluster of one node with one CPU, which this process may use."""
    with ray_head("--num-cpus=1") as cluster, cluster.access():
        yield cluster


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a parser trained here, a corpus of the sample, and its trees by processes."""
    folder = tmp_path_factory.mktemp("project")
    (folder / "corpus").mkdir()
    sizes = {"train": 1500, "valid": 40, "test": 40, "treebank_train": 60, "treebank_dev": 20}
    write_sample(folder / "corpus", seed=1, ambiguity=0.2, source_language="en", **sizes)
    argv = command(folder, TRAIN.format(train="null"))
    subprocess.run([sys.executable, "-m", "pipeline.parser", *argv], cwd=ROOT, check=True)
    (folder / "tokenized").mkdir()
    for split in SPLITS:
        text = (folder / "corpus" / f"{split}.source").read_text("utf-8")
        tokenized = re.sub(r"(\w)([.,?!])", r"\1 \2", text)
        (folder / "tokenized" / f"{split}.source").write_text(tokenized, encoding="utf-8")
    sections = {"parse": {"max_words": 50}, "run": RUN | {"workers": WORKERS}}
    (folder / "params.yaml").write_text(yaml.safe_dump(sections), encoding="utf-8")
    parse(arguments(folder, "processes"))
    return folder


def arguments(folder: Path, out: str, *overrides: str) -> list[str]:
    paths = {"tokenized": "tokenized", "parser": "parser", "memory": f"{out}.sqlite"}
    return stage_argv(folder, *overrides, **paths, out=out, report=f"{out}.json")


def start(
    folder: Path, *, waits_at: int, address: str | None = None, **environment: str
) -> subprocess.Popen[str]:
    """The stage on Ray, which remembers nothing and waits for `go_on` at so many sentences."""
    for path in (folder / "go", *folder.glob("ray.sqlite*")):
        path.unlink(missing_ok=True)
    overrides = ["run.executor=ray"] + ([f"run.ray_address={address}"] if address else [])
    words = [str(waits_at), str(folder / "go"), *arguments(folder, "ray", *overrides)]
    return subprocess.Popen(
        [sys.executable, "-m", "tests.slow_parse", *words],
        cwd=ROOT,
        env=os.environ | environment,
        text=True,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        start_new_session=True,
    )


def go_on(folder: Path) -> None:
    """Let the stage go on."""
    (folder / "go").touch()


def wait_until_remembered(process: subprocess.Popen[str], folder: Path, sentences: int) -> None:
    """Return when the stage remembers so many sentences."""
    wait_until(lambda: remembered(folder, "ray") >= sentences, "nothing is parsed", process)


def remembered(folder: Path, out: str) -> int:
    """How many sentences the stage remembers, which may be at work."""
    try:
        with closing(sqlite3.connect(f"file:{folder}/{out}.sqlite?mode=ro", uri=True)) as database:
            return int(database.execute("SELECT COUNT(*) FROM trees").fetchone()[0])
    except sqlite3.OperationalError:  # no file, or no table yet
        return 0


def assert_as_by_processes(folder: Path) -> None:
    for split in SPLITS:
        name = f"{split}.trees"
        assert sha256(folder / "ray" / name) == sha256(folder / "processes" / name), split
    assert read_json(folder / "ray.json") == read_json(folder / "processes.json")
    assert remembered(folder, "ray") == remembered(folder, "processes")


def test_a_node_that_dies_in_the_middle_costs_nothing(head: RayNodes, project: Path) -> None:
    """Nothing is lost, nothing is there twice: the trees are those of the process pool."""
    distinct = remembered(project, "processes")
    node = head.join("--num-cpus=1")
    process = start(project, address=head.address, waits_at=distinct // 4)
    wait_until_remembered(process, project, distinct // 4)
    go_on(project)
    wait_for_workers(node, 1, process, busy=True)
    kill_node(node)
    assert remembered(project, "ray") < distinct, "and it was not done"
    said = process.communicate(timeout=5 * PATIENCE)
    assert process.returncode == 0, said
    assert said == ("", f"parse: 1,580 sentences, {distinct:,} parsed now, 0 flat\n")
    assert_as_by_processes(project)


def not_seeing(*folders: Path) -> list[str]:
    """A command that runs another one, to which these folders are empty."""
    command = ["unshare", "--mount", "--map-root-user", "sh", "-c"]
    trial = [*command, "mount -t tmpfs none /mnt"]
    if subprocess.run(trial, check=False, capture_output=True).returncode != 0:
        pytest.skip("this system lets nobody mount a folder (unshare --mount)")
    mounts = " && ".join(f"mount -t tmpfs none '{folder}'" for folder in folders)
    return [*command, f'{mounts} && exec "$@"', "sh"]


def test_a_machine_needs_neither_the_parser_nor_the_code(project: Path) -> None:
    """All work is done by a node that sees neither: they are sent."""
    with ray_head("--num-cpus=0") as cluster:
        inside = not_seeing(ROOT / "pipeline", ROOT / "mgsa", project)
        node = cluster.join(f"--num-cpus={WORKERS}", inside=inside)
        with cluster.access():
            process = start(project, address=cluster.address, waits_at=1)
        wait_until_remembered(process, project, 1)
        worker, *_ = wait_for_workers(node, 1, process)
        assert list(Path(f"/proc/{worker.pid}/root{project}").iterdir()) == []
        go_on(project)
        said = process.communicate(timeout=5 * PATIENCE)
        assert process.returncode == 0, said
    assert_as_by_processes(project)


@pytest.mark.parametrize(
    ("number", "errors"),
    [
        (None, r"parse: 1,580 sentences, [\d,]+ parsed now, 0 flat\n"),
        (signal.SIGINT, "error: interrupted\n"),
        (signal.SIGTERM, "error: terminated\n"),
    ],
)
def test_a_cluster_of_its_own_is_started_and_ended(
    project: Path, tmp_path: Path, number: signal.Signals | None, errors: str
) -> None:
    """Without network, with a home folder that nobody may write to; a signal ends it as cleanly.

    Ray may say in lines of its own that a signal ends it.
    """
    (tmp_path / "home").mkdir(mode=0o555)
    nowhere = dict.fromkeys(("http_proxy", "https_proxy"), "http://127.0.0.1:9")
    folders = set(Path("/tmp").glob("ray-*"))
    process = start(project, waits_at=1, HOME=str(tmp_path / "home"), **nowhere)
    wait_until_remembered(process, project, 1)
    children = psutil.Process(process.pid).children(recursive=True)
    go_on(project)
    if number is not None:
        os.killpg(process.pid, number)  # as a terminal does
    said = process.communicate(timeout=5 * PATIENCE)
    assert process.returncode == (128 + number if number else 0), said
    assert said[0] == ""
    assert re.search(rf"(?m)^{errors}", said[1])
    assert "Traceback" not in said[1]
    if number is None:
        assert_as_by_processes(project)
    assert not list(project.glob(".partial-*"))
    _, alive = psutil.wait_procs(children, timeout=PATIENCE)
    assert alive == []
    assert set(Path("/tmp").glob("ray-*")) <= folders
    assert not list((tmp_path / "home").iterdir())
