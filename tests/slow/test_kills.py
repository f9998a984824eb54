"""Killed at any moment, and run again: every stage ends with the bytes of one that was not.

Between a kill and the next run, what lies under the name of an output is a whole one: the one that
was there before, or the new one.
"""

from __future__ import annotations

import itertools
import json
import os
import random
import re
import shlex
import shutil
import signal
import subprocess
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import pytest

from mgsa.cli.files import PARTIAL as PREFIX
from mgsa.cli.outputs import WRITTEN_BY
from tests.dvc_project import STAGES, Project, copy_project, hashes_of, outputs, ran
from tests.running import wait_until

RUN = ("corpus", "tokenize", "parser", "parse", "bpe", "partition", "align", "dataset", "train")
KILLED = tuple(stage for stage in RUN if stage != "parser")
"""The parser is trained by stanza's own loop: it starts again, and takes half a minute to."""
KILLS = 25
"""Commands that were at work when they were killed."""
RESUMED = ("data/parse_memory.sqlite", "data/checkpoints")
"""What a stage keeps for itself, to go on from."""
DVC_WRITES_IN_PLACE = ("dvc.lock", ".dvc/tmp/rwlock")
SIZE = ("corpus.train=2000", "run.workers=2", "train.max_updates=24")

pytestmark = [pytest.mark.slow, pytest.mark.timeout(3000)]


@dataclass(frozen=True)
class Undisturbed:
    """The project after each stage ran once, how long each took, and what it wrote."""

    project: Project
    seconds: dict[str, float]
    digests: dict[str, dict[str, str]]


@pytest.fixture(scope="module")
def undisturbed(tmp_path_factory: pytest.TempPathFactory) -> Undisturbed:
    project = copy_project(tmp_path_factory.mktemp("undisturbed"))
    project.compose(*SIZE)
    seconds, digests = {}, {}
    for name in RUN:
        start = time.monotonic()
        project.run(*command_of(name))
        seconds[name] = time.monotonic() - start
        digests[name] = hashes_of(project, [name], content_of)
    return Undisturbed(project, seconds, digests)


def command_of(stage: str) -> list[str]:
    """A stage's command, as words."""
    return shlex.split(STAGES[stage]["cmd"])


def content_of(file: Path) -> bytes:
    """The bytes of a file, less how fast the training was, which is no part of what it made."""
    content = file.read_bytes()
    if file.name == "train.json":
        report = json.loads(content)
        report.pop("tokens_per_second", None)  # absent if no update was left to make
        del report[WRITTEN_BY]  # which has a digest of it
        content = json.dumps(report).encode()
    return content


def remove(folder: Path, names: Sequence[str]) -> None:
    """Remove files and folders, if they are there."""
    for name in names:
        path = folder / name
        if path.is_dir():
            shutil.rmtree(path)
        else:
            path.unlink(missing_ok=True)


def start(project: Project, command: list[str]) -> subprocess.Popen[bytes]:
    """A command in a process group of its own."""
    return subprocess.Popen(
        command,
        cwd=project.folder,
        env=project.environment,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    )


def at_random(
    generator: random.Random, seconds: float, folder: Path
) -> Callable[[subprocess.Popen[bytes]], None]:
    """Wait for a moment: any of the run, or one soon after it began to write."""

    def any_moment(process: subprocess.Popen[bytes]) -> None:
        wait(process, generator.uniform(0, seconds))

    def while_writing(process: subprocess.Popen[bytes]) -> None:
        while process.poll() is None and not writes(folder):
            time.sleep(0.005)
        wait(process, generator.uniform(0, seconds / 3))

    return generator.choice([any_moment, while_writing])


def writes(folder: Path) -> bool:
    """Whether something in a folder is being written."""
    try:
        return any(folder.rglob(f"{PREFIX}*"))
    except FileNotFoundError:  # a folder that went away while it was looked into
        return False


def wait(process: subprocess.Popen[bytes], seconds: float) -> None:
    try:
        process.wait(seconds)
    except subprocess.TimeoutExpired:
        return


def kill(process: subprocess.Popen[bytes], *, whole_group: bool) -> None:
    """Kill a command: with its workers, or alone, so that they have to notice."""
    if process.poll() is None and whole_group:
        os.killpg(process.pid, signal.SIGKILL)  # of what was not waited for there is still a group
    process.kill()
    process.wait()


def remaining(project: Project) -> Iterator[str]:
    """Command lines of processes that still run in the project's folder."""
    for entry in Path("/proc").iterdir():
        if entry.name.isdecimal():
            try:
                if (entry / "cwd").resolve() == project.folder:
                    yield (entry / "cmdline").read_text().replace("\0", " ")
            except OSError:
                continue  # it has ended, or is another user's


def wait_until_alone(project: Project) -> None:
    """Workers of a killed stage end by themselves."""
    wait_until(lambda: not list(remaining(project)), "a worker is still there")


def put_right(project: Project) -> None:
    """Do what README says if DVC can't read a file that it was killed while writing."""
    said = project.run("dvc", "status", "train", status=None)
    if re.search(r"dvc\.lock' (is invalid|validation failed)|RWLock-file", said):
        for name in DVC_WRITES_IN_PLACE:
            (project.folder / name).unlink(missing_ok=True)


def test_killed_stages_run_again_to_the_same_bytes(undisturbed: Undisturbed) -> None:
    project, folder = undisturbed.project, undisturbed.project.folder
    kills, wanted = 0, KILLS
    for number, name in enumerate(itertools.cycle(KILLED)):
        if kills >= wanted and number >= len(KILLED):
            break
        assert number < 4 * wanted, "most commands end before they are killed"
        generator = random.Random(number)
        written, expected = outputs([name]), undisturbed.digests[name]
        if from_nothing := generator.random() < 0.7:
            remove(folder, [*written, *RESUMED])
        for _ in range(2 if name == "train" else 1):
            process = start(project, command_of(name))
            at_random(generator, undisturbed.seconds[name], folder)(process)
            if process.poll() is None:
                kills += 1
            else:  # it was slower when it was measured
                undisturbed.seconds[name] *= 0.7
            kill(process, whole_group=generator.random() < 0.5)
            # Whole outputs or none: what was there before is what the stage writes.
            found = hashes_of(project, [name], content_of)
            assert found.items() <= expected.items(), (number, name)
            for output in written:
                whole = {n for n in expected if n == output or n.startswith(f"{output}/")}
                there = {n for n in found if n in whole}
                assert there in (set(), whole), (number, name)
                assert from_nothing or there == whole, (number, name)
            wait_until_alone(project)
        project.run(*command_of(name))
        assert hashes_of(project, [name], content_of) == expected, (number, name)
        assert not list(folder.rglob(f"{PREFIX}*")), (number, name)


def test_a_killed_pipeline_is_taken_up_by_the_next_repro(
    undisturbed: Undisturbed, tmp_path: Path
) -> None:
    project = copy_project(tmp_path)
    project.compose(*SIZE)
    repro = ["dvc", "repro", "train"]
    seconds = sum(undisturbed.seconds.values())
    for number in range(4):
        process = start(project, repro)
        wait(process, random.Random(number).uniform(2, seconds))
        kill(process, whole_group=number % 2 == 0)
        wait_until_alone(project)
        put_right(project)
    project.run(*repro)
    for name in RUN:
        assert hashes_of(project, [name], content_of) == undisturbed.digests[name], name
    assert "Data and pipelines are up to date" in project.run("dvc", "status", "train")


def test_what_dvc_was_killed_while_writing_can_be_removed(finished_project: Project) -> None:
    project, parts = finished_project, 2
    whole = {name: (project.folder / name).read_bytes() for name in DVC_WRITES_IN_PLACE}
    for name, part in itertools.product(DVC_WRITES_IN_PLACE, range(parts)):
        content = whole[name]
        (project.folder / name).write_bytes(content[: len(content) * part // parts])
        put_right(project)
        # What params.yaml is, is said anew in every clone; all else comes from the cache.
        assert set(ran(project.run("dvc", "repro"))) <= {"params"}, (name, part)
        assert (project.folder / "dvc.lock").read_bytes() == whole["dvc.lock"], (name, part)
