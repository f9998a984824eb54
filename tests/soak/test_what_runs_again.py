"""What a change makes `dvc repro` do again: as much as it must, and `dvc status` says why."""

from __future__ import annotations

import re

import pytest

from tests.dvc_project import DATA_STAGES, MODEL_STAGES, SIZES, STAGES, Project, ran

pytestmark = pytest.mark.soak


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


def test_another_bpe_size_parses_nothing(finished_project: Project) -> None:
    project = finished_project
    project.compose("bpe.merges=150")
    status = changed(project.run("dvc", "status"))
    assert status.keys() == {"params", "bpe", "dataset", "report"}
    assert re.search(r"params\.yaml:\s+modified: +bpe\.merges\n", status["bpe"])
    assert ran(project.run("dvc", "repro", "dataset")) == ["bpe", "dataset"]


def test_another_option_of_the_model_rebuilds_no_data(finished_project: Project) -> None:
    project = finished_project
    project.compose("model.dropout=0.2")
    status = changed(project.run("dvc", "status"))
    assert status.keys() == {"params", "train", "report"}
    assert re.search(r"params\.yaml:\s+modified: +model\n", status["train"])
    said = project.run("dvc", "repro", "--dry")
    assert not set(ran(said)) & set(DATA_STAGES)
    assert ran(project.run("dvc", "repro", "evaluate")) == ["train", "translate", "evaluate"]
    assert not set(changed(project.run("dvc", "status"))) & set(DATA_STAGES)
    assert MODEL_STAGES[:3] == ["train", "translate", "evaluate"]


def test_another_number_of_processes_rebuilds_nothing(finished_project: Project) -> None:
    project = finished_project
    project.compose("run.workers=3")
    assert changed(project.run("dvc", "status")).keys() == {"params", "report"}
