"""The guard: no output costs a file that the command did not write, and one run writes it."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from mgsa.cli.errors import InputError
from mgsa.cli.guard import Output, guard
from tests.text_folders import contents

OURS = ("codes", "vocab.*", "plots/*")


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An input folder, an input file, links, an output of ours and one of somebody else's."""
    for name in ("in/text", "in/deep/text", "params.yaml", "ours/codes", "ours/plots/a.csv"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text("x")
    (tmp_path / "theirs").mkdir()
    (tmp_path / "theirs" / "codes").touch()
    (tmp_path / "theirs" / "bpe.codes").touch()
    (tmp_path / "theirs" / "thesis.tex").touch()
    (tmp_path / "link").symlink_to("in")
    (tmp_path / "linked").symlink_to("ours")
    (tmp_path / "report.json").write_text("{}")
    monkeypatch.chdir(tmp_path)
    return tmp_path


INPUTS = [Path("in"), Path("params.yaml")]


@pytest.mark.parametrize(
    ("outputs", "message"),
    [
        ([Output(Path("in"), OURS)], "in: expected an output apart from the input in"),
        ([Output(Path("in/out"), OURS)], "in/out: expected an output apart from the input in"),
        ([Output(Path(), OURS)], r"\.: expected an output apart from the input in"),
        ([Output(Path("link"), OURS)], "link: expected an output apart from the input in"),
        ([Output(Path("link/deep"), OURS)], "link/deep: expected an output apart from the input"),
        ([Output(Path("params.yaml"))], "params.yaml: expected an output apart from the input"),
        ([Output(Path("a/../params.yaml"))], "expected an output apart from the input params.yaml"),
        (
            [Output(Path("out"), OURS), Output(Path("out/report.json"))],
            "out/report.json: expected an output apart from the other output out",
        ),
        ([Output(Path("out"), OURS)] * 2, "out: expected an output apart from the other output"),
        (
            [Output(Path("theirs"), OURS)],
            "theirs: expected a folder of this command's files alone, found bpe.codes",
        ),
        (
            [Output(Path("theirs"), ("bpe.codes", "manifest.json", "codes", "thesis.tex"))],
            "theirs: expected a folder that this command wrote, found bpe.codes and no manifest",
        ),
        ([Output(Path("params.yaml/out"), OURS)], "expected an output apart from the input"),
        ([Output(Path("report.json"), OURS)], "report.json: expected a folder to write, found a"),
        ([Output(Path("ours"))], "ours: expected a file to write, found a folder"),
        ([Output(Path("ours/codes"), is_json=True)], "codes: expected no file, or JSON to replace"),
    ],
)
def test_what_would_cost_a_file_is_refused(
    folder: Path, outputs: list[Output], message: str
) -> None:
    before = contents(folder)
    with pytest.raises(InputError, match=message), guard(INPUTS, outputs):
        pass
    assert contents(folder) == before


@pytest.mark.parametrize(
    "output",
    [
        Output(Path("new"), OURS),
        Output(Path("deep/new.txt")),
        Output(Path("ours"), OURS),
        Output(Path("linked"), OURS),
        Output(Path("report.json"), is_json=True),
        Output(Path("ours/codes")),
        Output(Path("/dev/null")),
    ],
)
def test_what_is_new_or_ours_is_taken(folder: Path, output: Output) -> None:
    before = contents(folder)
    with guard(INPUTS, [output]):
        pass
    assert contents(folder) == before


def test_a_second_run_on_the_same_output_is_refused(folder: Path) -> None:
    code = (
        "import sys; from pathlib import Path; from mgsa.cli.guard import Output, guard\n"
        "with guard([], [Output(Path('out'), ())]): print('held', flush=True); sys.stdin.read()"
    )
    command = [sys.executable, "-c", code]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as one:
        assert one.stdout is not None
        assert one.stdout.readline() == "held\n"
        with (
            pytest.raises(InputError, match="out: another run is writing it"),
            guard([], [Output(Path("out"), ())]),
        ):
            pass
        one.kill()  # its lock ends with it
    with guard([], [Output(Path("out"), ())]):
        pass
    assert not list(folder.glob(".partial-*"))


@pytest.mark.usefixtures("folder")
def test_a_shared_output_is_written_by_several_runs() -> None:
    memory = Output(Path("memory"), shared=True)
    with guard([], [memory]), guard([], [memory]):
        pass


def test_what_a_killed_run_left_is_removed_and_nothing_of_a_sibling(folder: Path) -> None:
    (folder / ".partial-out-abcdefgh").mkdir()
    (folder / ".partial-out-2-abcdefgh").mkdir()
    with guard([], [Output(Path("out"), ())]):
        assert not (folder / ".partial-out-abcdefgh").exists()
    assert (folder / ".partial-out-2-abcdefgh").exists()
