"""The guard: no output costs a file that the command did not write, and one run writes it."""

from __future__ import annotations

import errno
import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import NoReturn

import pytest

from mgsa.cli.errors import InputError
from mgsa.cli.guard import Form, Output, guard
from mgsa.cli.outputs import Running, atomic_folder, write_report, writing
from tests.text_folders import contents

COMMAND, KIND = "pipeline.bpe", "mgsa codes"


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An input folder, an input file, links, an output of ours, and what is somebody else's."""
    monkeypatch.chdir(tmp_path)
    for name in ("in/text", "in/deep/text", "params.yaml", "theirs/codes", "data.json", "text"):
        Path(name).parent.mkdir(parents=True, exist_ok=True)
        Path(name).write_text('{"bleu": 1}')
    ours = Output(Path("ours"), "folder", KIND)
    report = Output(Path("report.json"), "report")
    with guard(COMMAND, [], [ours, report]), atomic_folder(Path("ours")) as made:
        (made / "plots").mkdir()
        (made / "plots/a.csv").write_text("x")
        (made / "codes").write_text("x")
        write_report(Path("report.json"), {"bleu": 1})
    with writing(Running("pipeline.evaluate", {}, {}, {})):
        write_report(Path("other.json"), {"bleu": 1})
    for name, change in CHANGES.items():
        shutil.copytree("ours", name)
        change(Path(name))
    Path("edited.json").write_text(Path("report.json").read_text().replace("1", "2", 1))
    Path("hidden").mkdir()
    Path("hidden/thesis.tex").touch()
    Path("link").symlink_to("in")
    Path("of_links/deep").mkdir(parents=True)
    Path("of_links/deep/text").symlink_to(tmp_path / "hidden/thesis.tex")
    Path("linked").symlink_to("ours")
    return tmp_path


CHANGES: dict[str, Callable[[Path], object]] = {
    "added": lambda folder: (folder / "codes.partial-1.mine").touch(),
    "altered": lambda folder: (folder / "codes").write_text("y"),
    "with_link": lambda folder: (folder / "plots/link").symlink_to("../../in"),
    "another": lambda folder: (folder / "manifest.json").write_text(
        '{"kind": "mgsa x", "files": {}}'
    ),
    "of_another": lambda folder: (folder / "manifest.json").write_text(
        (folder / "manifest.json").read_text().replace(COMMAND, "pipeline.join")
    ),
    "unmarked": lambda folder: (folder / "manifest.json").unlink(),
}
INPUTS = [Path("in"), Path("params.yaml"), Path("of_links")]
NOT_OURS = "expected no folder, or mgsa codes( of pipeline.bpe)? to replace, found"
CHANGED = "expected this command's files as it wrote them, found"


@pytest.mark.parametrize(
    ("path", "form", "message"),
    [
        ("in", "folder", "in: expected an output apart from the input in"),
        ("in/out", "folder", "in/out: expected an output apart from the input in"),
        (".", "folder", r"\.: expected an output apart from the input in"),
        ("link", "folder", "link: expected an output apart from the input in"),
        ("link/deep", "folder", "link/deep: expected an output apart from the input"),
        ("params.yaml", "file", "params.yaml: expected an output apart from the input"),
        ("hidden", "folder", "expected an output apart from the input of_links/deep/text"),
        ("a/../params.yaml", "file", "expected an output apart from the input params.yaml"),
        ("params.yaml/out", "folder", "expected an output apart from the input"),
        ("theirs", "folder", f"theirs: {NOT_OURS} codes"),
        ("theirs", "growing folder", f"theirs: {NOT_OURS} codes"),
        ("of_another", "growing folder", f"{NOT_OURS} mgsa codes of pipeline.join"),
        ("unmarked", "folder", f"unmarked: {NOT_OURS} codes"),
        ("another", "folder", f"another: {NOT_OURS} mgsa x of an earlier version"),
        ("of_another", "folder", f"of_another: {NOT_OURS} mgsa codes of pipeline.join"),
        ("added", "folder", f"added: {CHANGED} codes.partial-1.mine"),
        ("altered", "folder", f"altered: {CHANGED} codes"),
        ("with_link", "folder", f"with_link: {CHANGED} plots/link"),
        ("report.json", "folder", "report.json: expected a folder to write, found a"),
        ("ours", "file", "ours: expected a file to write, found a folder"),
        ("ours/new", "file", "expected an output outside .*ours, which another command wrote"),
        ("ours/codes", "report", "expected an output outside .*ours, which another command wrote"),
        ("data.json", "report", "data.json: expected no file, or a report of pipeline.bpe"),
        ("other.json", "report", "other.json: expected no file, or a report of pipeline.bpe"),
        ("edited.json", "report", "edited.json: expected no file, or a report of pipeline.bpe"),
        ("text", "file", "text: expected no file: what is there can't be told from one of yours"),
    ],
)
def test_what_would_cost_a_file_is_refused(
    folder: Path, path: str, form: Form, message: str
) -> None:
    before = contents(folder)
    with (
        pytest.raises(InputError, match=message),
        guard(COMMAND, INPUTS, [Output(Path(path), form, KIND)]),
    ):
        pass
    assert contents(folder) == before


def test_the_current_folder_is_not_replaced(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(folder / "ours")
    with (
        pytest.raises(InputError, match="expected another folder to replace than the current one"),
        guard(COMMAND, [], [Output(Path(), "folder", KIND)]),
    ):
        pass


@pytest.mark.parametrize("other", ["out/report.json", "out"])
def test_outputs_lie_apart(folder: Path, other: str) -> None:
    outputs = [Output(Path("out"), "folder", KIND), Output(Path(other), "folder", KIND)]
    with (
        pytest.raises(InputError, match="apart from the other output out"),
        guard(COMMAND, [], outputs),
    ):
        pass
    assert not (folder / "out").exists()


@pytest.mark.usefixtures("folder")
def test_a_folder_that_cannot_be_listed_is_not_taken_for_empty(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def refuse(path: Path) -> NoReturn:
        raise PermissionError(errno.EACCES, "Permission denied", str(path))

    monkeypatch.setattr(os, "scandir", refuse)  # root may list everything
    with (
        pytest.raises(PermissionError) as raised,
        guard(COMMAND, [], [Output(Path("hidden"), "folder", KIND)]),
    ):
        pass
    assert raised.value.filename == "hidden"


@pytest.mark.parametrize(
    ("path", "form", "kind"),
    [
        ("new", "folder", KIND),
        ("deep/new.txt", "file", ""),
        ("ours", "folder", KIND),
        ("linked", "folder", KIND),
        ("added", "growing folder", KIND),
        ("report.json", "report", ""),
        ("text", "edited file", ""),
        ("/dev/null", "file", ""),
    ],
)
def test_what_is_new_or_ours_is_taken(folder: Path, path: str, form: Form, kind: str) -> None:
    before = contents(folder)
    with guard(COMMAND, INPUTS, [Output(Path(path), form, kind)]):
        pass
    assert contents(folder) == before


def test_a_second_run_on_the_same_output_is_refused(folder: Path) -> None:
    code = (
        "import sys; from pathlib import Path; from mgsa.cli.guard import Output, guard\n"
        f"with guard('{COMMAND}', [], [Output(Path('out'), 'folder')]):\n"
        "    print('held', flush=True); sys.stdin.read()"
    )
    command = [sys.executable, "-c", code]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as one:
        assert one.stdout is not None
        assert one.stdout.readline() == "held\n"
        with (
            pytest.raises(InputError, match="out: another run is writing it"),
            guard(COMMAND, [], [Output(Path("out"), "folder")]),
        ):
            pass
        one.kill()  # its lock ends with it
    with guard(COMMAND, [], [Output(Path("out"), "folder")]):
        pass
    assert not list(folder.glob(".partial-*"))


def test_a_folder_that_stayed_empty_is_removed(folder: Path) -> None:
    for grown in (False, True):
        with guard(COMMAND, [], [Output(Path("grows"), "growing folder", KIND)]):
            assert (folder / "grows/manifest.json").exists()
            (folder / "grows/part").mkdir() if grown else None
        assert (folder / "grows").exists() == grown


@pytest.mark.usefixtures("folder")
def test_a_rank_that_is_no_number_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("RANK", "x")
    monkeypatch.setenv("TORCHELASTIC_RUN_ID", "run")
    with pytest.raises(InputError, match="RANK: expected the number"), guard(COMMAND, [], []):
        pass


@pytest.mark.usefixtures("folder")
def test_a_rank_that_another_program_has_left_is_none(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("RANK", "1")
    with guard(COMMAND, [], [Output(Path("grows"), "growing folder", KIND)]):
        assert Path("grows/manifest.json").exists()


@pytest.mark.usefixtures("folder")
def test_a_shared_output_is_written_by_several_runs() -> None:
    memory = Output(Path("memory"), "edited file", shared=True)
    with guard(COMMAND, [], [memory]), guard(COMMAND, [], [memory]):
        pass


def test_what_a_killed_run_left_is_removed_and_nothing_of_a_sibling(folder: Path) -> None:
    ours, *others = (
        folder / f".partial-{name}" for name in ("m-0123abcd", "m-001-lock", "m-2-0123abcd")
    )
    for path in (ours, *others):
        path.mkdir()
    with guard(COMMAND, [], [Output(Path("m"), "folder")]):
        assert not ours.exists()
    assert all(path.exists() for path in others)


def test_a_file_that_somebody_adds_while_the_command_runs_is_kept(folder: Path) -> None:
    ours = Output(Path("ours"), "folder", KIND)

    def write() -> None:
        with guard(COMMAND, [], [ours]), atomic_folder(Path("ours")) as made:
            (made / "codes").write_text("new")
            (folder / "ours/thoughts.txt").write_text("mine")

    with pytest.raises(InputError, match=r"found thoughts\.txt, new or altered"):
        write()
    assert (folder / "ours/thoughts.txt").read_text() == "mine"
    assert (folder / "ours/codes").read_text() == "x"


@pytest.mark.usefixtures("folder")
def test_stdout_is_no_input() -> None:
    code = (
        "import sys; from pathlib import Path; from mgsa.cli.guard import guard; "
        "from mgsa.cli.run import run\n"
        "def main(_):\n"
        "    with guard('x', [Path('text')], []): print('more')\n"
        "sys.exit(run(main))"
    )
    Path("text").write_text("text\n")
    with Path("text").open("a") as out:
        done = subprocess.run(
            [sys.executable, "-c", code], stdout=out, stderr=subprocess.PIPE, text=True
        )
    assert (done.returncode, done.stderr) == (
        2,
        "error: text: expected an input apart from stdout\n",
    )
    assert Path("text").read_text() == "text\n"
