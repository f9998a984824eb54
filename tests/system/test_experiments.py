"""The matrices of `experiments/`, on a tiny corpus: every cell once, over one dataset."""

from __future__ import annotations

import shlex

import pytest
import yaml

from mgsa.cli.files import read_json
from tests.dvc_project import OVERRIDES, SIZES, Project, ran

STEPS = ("train", "translate", "contrast", "evaluate", "analyze", "align")
SYSTEM = "query_k_interleaved"
SEEDS = (1, 2)


def let_there_be_a_table(project: Project, *, broken: str) -> None:
    """Of a system and another, from two seeds."""
    path = project.folder / "experiments/params.yaml"
    content = yaml.safe_load(path.read_text("utf-8"))
    table = {"baseline": SYSTEM, "systems": ["broken"], "num_seeds": len(SEEDS)}
    changed = content | {
        "systems": {SYSTEM: content["systems"][SYSTEM], "broken": broken},
        "tables": {"some": table | {"analyze": True, "align": True}},
    }
    path.write_text(yaml.safe_dump(changed), "utf-8")


def cells(system: str) -> list[str]:
    """The stages of a system's cells."""
    return [f"{step}@{system}-{seed}" for step in STEPS for seed in SEEDS]


@pytest.mark.slow
def test_a_cell_that_fails_holds_up_no_other_and_no_finished_one_runs_again(
    project: Project,
) -> None:
    project.compose()
    project.run("dvc", "repro", "dataset")
    command = ("python", "-m", "pipeline.experiment", "some", "--overrides", shlex.join(OVERRIDES))
    let_there_be_a_table(project, broken="model=transformer_tiny run.nodes=2")
    said = project.run(*command, status=1)
    failed = [f"train@broken-{seed}" for seed in SEEDS]
    composed = [f"compose@{SYSTEM}", "compose@broken"]
    assert sorted(ran(said)) == sorted([*composed, *cells(SYSTEM), *failed])
    assert "error: 2 cells have no result: broken-1, broken-2" in said
    experiments = project.folder / "experiments"
    content = read_json(experiments / "tables/tiny/some.json")["systems"]
    assert content["broken"]["failed"] == [1, 2]
    assert "broken-1: failed" in (experiments / "tables/tiny/some.md").read_text("utf-8")
    runs = [experiments / f"runs/tiny/{SYSTEM}-{seed}" for seed in SEEDS]
    scores = [read_json(run / "evaluate.json") for run in runs]
    assert [one["sentences"] for one in scores] == [SIZES["test"]] * 2
    assert content[SYSTEM]["scores"]["bleu"]["mean"] == pytest.approx(
        sum(s["bleu"] for s in scores) / 2
    )
    assert len(read_json(runs[0] / "attention.json")["cross"]["layer_1"]) == 4
    rates = [read_json(run / "alignment.json")["aer"] for run in runs]
    assert content[SYSTEM]["aer"]["mean"] == pytest.approx(sum(rates) / 2)
    weights = [(run / "model/model.safetensors").read_bytes() for run in runs]
    assert weights[0] != weights[1]

    # Put right, it is all that runs.
    let_there_be_a_table(project, broken="model=transformer_tiny")
    assert sorted(ran(project.run(*command))) == sorted(["compose@broken", *cells("broken")])
    content = read_json(experiments / "tables/tiny/some.json")["systems"]
    assert content["broken"]["failed"] == []
    differences = [one["difference"] for one in content["broken"]["comparisons"]]
    means = [content[name]["scores"]["bleu"]["mean"] for name in ("broken", SYSTEM)]
    assert sum(differences) / 2 == pytest.approx(means[0] - means[1])
    assert ran(project.run(*command)) == []
    # The project itself knows nothing of the matrix: what it shows and fetches is its own.
    project.commit()
    assert "experiments" not in project.run("dvc", "metrics", "show", "data/reports/dataset.json")
    assert "experiments" not in project.run("dvc", "status")
