"""README and the tutorial of the sample, line by line, on the tiny corpus."""

from __future__ import annotations

import re
import shutil

import pytest

from pipeline.formats.text import SPLITS
from tests.dvc_project import OVERRIDES, Project
from tests.imports import ROOT

pytestmark = pytest.mark.slow

TINY = " ".join(OVERRIDES)


def lines_of(page: str) -> list[str]:
    """What is typed on a page, in order: console lines, and Python as one line of the shell."""
    lines = []
    text = (ROOT / page).read_text("utf-8").replace("\\\n", " ")
    for language, block in re.findall(r"```(console|python)\n(.*?)```", text, re.DOTALL):
        if language == "python":
            lines.append(f"python - <<'END'\n{block}END")
        else:
            lines += [line[2:] for line in block.splitlines() if line.startswith("$ ")]
    return lines


def tiny(line: str) -> str:
    """The line for a corpus that takes seconds, and without a network: nothing is downloaded."""
    if "corpus=local" in line:
        others = " ".join(option for option in OVERRIDES if not option.startswith("corpus."))
        return line.replace("parser=stanza", f"parser=treebank {others}")
    if "pipeline.params --write" in line:
        return line.replace("--write", f"--write {TINY}")
    if line.startswith("dvc exp run"):
        return line.replace("run", f"run {' '.join(f'-S {o}' for o in OVERRIDES)}", 1)
    return line


@pytest.mark.parametrize("page", ["README.md", "docs/tutorials/sample.md"])
def test_every_line_of_a_page_runs(finished_project: Project, page: str) -> None:
    project = finished_project
    for split in SPLITS:
        for language, text in (("en", "A man sleeps.\n"), ("de", "Ein Mann schläft.\n")):
            (project.folder / f"data/own/{split}.{language}").write_text(text * 4, "utf-8")
    treebank = project.folder / "data/own/treebank"
    shutil.copytree(project.folder / "data/corpus/treebank", treebank, dirs_exist_ok=True)
    (project.folder / "text.en").write_text("A man sleeps.\n", "utf-8")
    ran = [line for line in lines_of(page) if not line.startswith(("make ", "source "))]
    assert len(ran) > 4
    for line in ran:
        project.run("sh", "-c", tiny(line))
