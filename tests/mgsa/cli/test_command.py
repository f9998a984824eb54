"""A command line from a signature: options, sections, what is read and what is written."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Literal

import pytest

from mgsa.cli.command import Input, Option, OutputFile, OutputFolder, Positional, command
from mgsa.cli.errors import InputError
from mgsa.cli.outputs import WRITTEN_BY, write_manifest
from mgsa.cli.settings import InputPath, Positive


@dataclass(frozen=True)
class Small:
    kind: Literal["small"]
    size: Positive


@dataclass(frozen=True)
class Named:
    files: InputPath | tuple[InputPath, ...]


@dataclass(frozen=True)
class Big:
    kind: Literal["big"]
    trees: InputPath | None
    sets: dict[str, Named] | None


@dataclass(frozen=True)
class Machine:
    workers: Positive


CALLS: list[dict[str, object]] = []


def learn(
    learn: Small | Big,
    run: Machine,
    *,
    names: Annotated[list[str], Positional("what to learn")],
    text: Annotated[Path, Input("raw text")],
    out: Annotated[Path, OutputFolder("what was learned", "codes of {split}")],
    systems: Annotated[dict[str, Path] | None, Input("systems", "NAME=DIR")] = None,
    split: Annotated[str, Option("such as test")] = "train",
    mode: Annotated[Literal["fast", "slow"], Option("how")] = "fast",
    times: Annotated[Positive | None, Option("how often", "N")] = None,
    quiet: Annotated[bool, Option("say nothing")] = False,
    log: Annotated[Path, OutputFile("log")] = Path("{out}.log"),
) -> None:
    """Learn from text."""
    CALLS.append(dict(locals()))


PARAMS = "learn: {kind: small, size: 1}\nrun: {workers: 2}\nother: 3\n"
main = command(learn, "learn")
pytestmark = pytest.mark.usefixtures("folder")


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("params.yaml").write_text(PARAMS)
    Path("text").mkdir()
    CALLS.clear()


def test_what_is_given_arrives() -> None:
    main(["a", "b", "--text", "text", "--out", "new", "--systems", "x=text", "runs/y", "--quiet"])
    assert [
        {
            "learn": Small("small", 1),
            "run": Machine(2),
            "names": ["a", "b"],
            "text": Path("text"),
            "out": Path("new"),
            "systems": {"x": Path("text"), "y": Path("runs/y")},
            "split": "train",
            "mode": "fast",
            "times": None,
            "quiet": True,
            "log": Path("new.log"),
        }
    ] == CALLS


def test_settings_are_overridden_by_key_or_by_section_and_key() -> None:
    main(["a", "--text", "text", "--out", "new", "--set", "size=3", "--set", "run.workers=4"])
    assert CALLS[0]["learn"] == Small("small", 3)
    assert CALLS[0]["run"] == Machine(4)


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        (["--set", "size=0"], "params.yaml with --set: learn.size: expected greater than or equal"),
        (["--set", "kind=tiny"], "learn: kind: expected one of 'small', 'big', got"),
        (["--set", "run.threads=1"], "params.yaml with --set: run.threads: unknown key"),
        (["--set", "sizes=1"], "params.yaml with --set: learn.sizes: unknown key (size?)"),
        (["--set", "size=a: b #1"], "learn.size: expected a valid integer, got 'a: b #1'"),
        (["--set", "size=1", "--set", "learn.size=2"], "learn.size=2: expected one value of"),
        (["--set", "size"], "--set size: expected KEY=VALUE"),
        (["--set", "corpus.x=1"], "--set corpus.x=1: expected a key of learn or run"),
        (["--set", "size.x=1"], "--set size.x=1: expected a section learn.size, found 1"),
        (["--set", "size=[1"], "--set size=[1: expected YAML: "),
        (["--params", "text/p.yaml"], "text/p.yaml: no such file"),
        (["--times", "0"], "--times: expected greater than or equal to 1, got 0"),
        (["--out", "text"], "text: expected an output apart from the input text"),
        (["--log", "params.yaml"], "expected an output apart from the input params.yaml"),
        (["--systems", "x=a", "x=b"], "--systems x=b: expected another name, x is taken"),
        (["--text", ""], "--text: expected no empty argument"),
        (["--systems", "x="], "--systems x=: expected a path"),
        (["--systems", "x=new/a"], "new: expected an output apart from the input new/a"),
    ],
)
def test_a_mistake_is_named_before_any_work(changed: list[str], message: str) -> None:
    with pytest.raises(InputError, match=re.escape(message)):
        main(["a", "--text", "text", "--out", "new", *changed])
    assert CALLS == []


@pytest.mark.parametrize(
    "settings",
    [
        *("trees: own/t.mrg, sets: null", "trees: null, sets: {a: {files: own/t.mrg}}"),
        "trees: null, sets: {a: {files: [text/a, own/t.mrg]}}",
    ],
)
def test_a_setting_that_names_a_file_is_an_input(settings: str) -> None:
    Path("params.yaml").write_text(f"learn: {{kind: big, {settings}}}\nrun: {{workers: 2}}\n")
    with pytest.raises(InputError, match=r"expected an output apart from the input own/t\.mrg"):
        main(["a", "--text", "text", "--out", "own"])


def test_an_output_may_depend_on_an_option() -> None:
    Path("out").mkdir()
    write_manifest(Path("out"), {"kind": "mgsa codes of valid", WRITTEN_BY: "learn"})
    main(["a", "--text", "text", "--out", "out", "--split", "valid"])
    with pytest.raises(InputError, match=r"or mgsa codes of test of learn to replace"):
        main(["a", "--text", "text", "--out", "out", "--split", "test"])


def test_help_tells_all(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit, match="0"):
        main(["--help"])
    said = " ".join(capsys.readouterr().out.split())
    for part in ("Learn from text.", "with the sections learn, run", "NAME=DIR", "{fast,slow}"):
        assert part in said


def search(search: Machine = Machine(3)) -> None:
    """Search."""
    CALLS.append(dict(locals()))


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("serch: {workers: 2}", "^mine.yaml: serch: unknown section \\(search\\?\\)"),
        ("workers: 2", "^mine.yaml: expected the sections search"),
    ],
)
def test_a_file_that_is_asked_for_has_a_section(content: str, message: str) -> None:
    Path("mine.yaml").write_text(content)
    with pytest.raises(InputError, match=message):
        command(search, "search")(["--params", "mine.yaml"])


def test_a_section_with_a_default_can_do_without_its_file() -> None:
    find = command(search, "search")
    find([])  # params.yaml has no such section
    Path("params.yaml").unlink()
    find([])
    find(["--set", "workers=4"])
    Path("other.yaml").write_text("search: {workers: 5}")
    find(["--params", "other.yaml"])
    assert [call["search"] for call in CALLS] == [Machine(n) for n in (3, 3, 4, 5)]
    with pytest.raises(InputError, match=r"^search\.workers: expected greater"):
        find(["--set", "workers=0"])
    Path("params.yaml").symlink_to("elsewhere.yaml")
    with pytest.raises(InputError, match=r"params\.yaml: no such file"):
        find([])
    Path("params.yaml").write_text("run: {}")
    with pytest.raises(InputError, match=r"^params\.yaml: learn: missing section"):
        main(["a", "--text", "text", "--out", "new"])
