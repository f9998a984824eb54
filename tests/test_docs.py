"""README, CONTRIBUTING, tutorials and how-tos: each command of ours is one its parser takes."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator
from importlib import import_module
from itertools import islice
from pathlib import Path

import pytest

import mgsa.cli.command
from pipeline.experiment.plan import Plan
from pipeline.params.presets import compose
from pipeline.params.sections import check_parameters
from tests.imports import ROOT

PAGES = ["README.md", "CONTRIBUTING.md"]
PAGES += [str(p.relative_to(ROOT)) for p in sorted(ROOT.glob("docs/**/*.md"))]
PAGES = [page for page in PAGES if not page.startswith(("docs/reference", "docs/_build"))]


def commands(page: str) -> Iterator[str]:
    """The lines of console blocks that are typed, continued ones in one."""
    for block in re.findall(r"```console\n(.*?)```", (ROOT / page).read_text("utf-8"), re.DOTALL):
        text = re.sub(r"\$\([^()]*\)", "NAME=PATH", block.replace("\\\n", " "))
        for line in text.splitlines():
            if line.startswith("$ "):
                yield from re.split(r" && | \|\| ?| \| ", line[2:])


OURS = [
    pytest.param(page, command, id=f"{page}: {command[:60]}")
    for page in PAGES
    for command in dict.fromkeys(commands(page))
    if re.match(r"(\w+=\S+ |taskset -c \d+ )*(python -m pipeline\.|mgsa )", command)
]


class Parsed(Exception):  # noqa: N818
    """A command line was taken."""


def stop(*_: object) -> None:
    raise Parsed


@pytest.mark.parametrize(("page", "command"), OURS)
def test_a_command_is_one_that_there_is(
    page: str, command: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    del page
    words = shlex.split(command, comments=True)
    words = words[words.index("-m") + 1 :] if "-m" in words else words[words.index("mgsa") :]
    for operator in ("<", ">"):
        if operator in words:
            words = words[: words.index(operator)]
    module, *argv = words
    monkeypatch.setattr(mgsa.cli.command, "_read_sections", lambda *_: ({}, []))
    monkeypatch.setattr(mgsa.cli.command, "_read_options", stop)
    name = "mgsa.__main__" if module == "mgsa" else module
    path = Path(*name.split("."))
    package = (ROOT / path / "__main__.py").is_file()
    with pytest.raises(Parsed):
        import_module(f"{name}.__main__" if package else name).main(argv)
    if module == "pipeline.params" and "--write" in argv:
        options = [option for option in argv[argv.index("--write") + 1 :] if "=" in option]
        check_parameters(compose(ROOT / "conf", options), Path("params.yaml"))
    if module == "pipeline.experiment" and "--overrides" in argv:
        options = shlex.split(argv[argv.index("--overrides") + 1])
        size = argv[argv.index("--size") + 1] if "--size" in argv else "tiny"
        plan = Plan.read(ROOT / "experiments")
        for table in plan.tables.keys() & set(argv):
            for system in islice(plan.cells(plan.tables[table]), 2):  # all compose elsewhere
                composed = compose(ROOT / "conf", [*plan.overrides(system, size), *options])
                check_parameters(composed, Path("params.yaml"))


def test_links_lead_somewhere() -> None:
    for page in PAGES:
        text = (ROOT / page).read_text("utf-8")
        for target in re.findall(r"\]\(([^)#:]+)(?:#[^)]*)?\)", text):
            if "reference/" not in target and "images/" not in target:
                assert ((ROOT / page).parent / target).exists(), f"{page}: {target}"
