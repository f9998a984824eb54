"""What a change makes `dvc repro` do again: as much as it must, and `dvc status` says why."""

from __future__ import annotations

import re

import pytest

from tests.dvc_project import SIZES, STAGES, Project, ran

pytestmark = pytest.mark.slow


def parsed_now(said: str) -> int:
    """How many sentences the stage `parse` says it parsed."""
    (number,) = re.findall(r"^parse: [\d,]+ sentences, ([\d,]+) parsed now", said, re.MULTILINE)
    return int(number.replace(",", ""))


def changed(status: str) -> dict[str, str]:
    """What `dvc status` says of each stage that would run."""
    names = "|".join(STAGES)
    parts = re.split(rf"^({names}):\n", status, flags=re.MULTILINE)
    return dict(zip(parts[1::2], parts[2::2], strict=True))


def test_a_corpus_that_grew_by_a_hundredth_is_parsed_by_a_hundredth(
    finished_project: Project,
) -> None:
    project, more = finished_project, SIZES["train"] // 100
    project.compose(f"corpus.train={SIZES['train'] + more}")
    assert re.search(r"modified: +corpus\b", changed(project.run("dvc", "status"))["corpus"])
    said = project.run("dvc", "repro", "partition")
    assert ran(said) == ["corpus", "tokenize", "parse", "partition"]  # the parser stays as it is
    assert parsed_now(said) == more
