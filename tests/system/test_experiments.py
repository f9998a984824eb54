"""The matrices of `experiments/`, on a tiny corpus: every cell once, over one dataset."""

from __future__ import annotations

from dataclasses import replace

import pytest
import yaml

from mgsa.files import read_json
from tests.dvc_project import OVERRIDES, SIZES, Project, ran

STEPS = ("train", "translate", "evaluate", "analyze")
SYSTEMS = ("transformer_tiny", "query_k_interleaved_tiny", "rnn_attn_tiny", "broken")
SEEDS = (1, 2)


def table_of(project: Project, *systems: str, broken: str) -> None:
    """Let there be one table, of these systems and one more, from two seeds."""
    path = project.folder / "experiments/params.yaml"
    content = yaml.safe_load(path.read_text("utf-8"))
    chosen = {name: content["systems"][name] for name in systems}
    table = {"baseline": systems[0], "systems": [*systems[1:], "broken"], "num_seeds": 2}
    changed = {
        "overrides": " ".join(OVERRIDES),
        "seeds": [1, 2, 3],
        "systems": chosen | {"broken": broken},
        "tables": {"some": {"title": "Some systems", "analyze": True} | table},
    }
    path.write_text(yaml.safe_dump(changed), "utf-8")


def cells(*systems: str) -> list[str]:
    """The stages of these systems' cells."""
    return [f"{step}@{name}-{seed}" for step in STEPS for name in systems for seed in SEEDS]


@pytest.mark.slow
def test_a_cell_that_fails_holds_up_no_other_and_no_finished_one_runs_again(
    project: Project,
) -> None:
    project.compose()
    project.run("dvc", "repro", "dataset")
    command = ("python", "-m", "pipeline.experiment", "some")
    table_of(project, *SYSTEMS[:3], broken="model=transformer_tiny train.nodes=2")
    said = project.run(*command, status=1)
    assert sorted(ran(said)) == sorted(
        [
            *(f"compose@{name}" for name in SYSTEMS),
            *cells(*SYSTEMS[:3]),
            *(f"train@broken-{seed}" for seed in SEEDS),
        ]
    )
    assert "error: 2 cells have no result: broken-1, broken-2" in said
    tables = project.folder / "experiments/tables"
    content = read_json(tables / "some.json")["systems"]
    assert content["broken"]["failed"] == [1, 2]
    assert "broken-1: failed" in (tables / "some.md").read_text("utf-8")
    for name in SYSTEMS[:3]:
        scores = [
            read_json(project.folder / f"experiments/runs/{name}-{seed}/evaluate.json")
            for seed in SEEDS
        ]
        assert all(one["sentences"] == SIZES["test"] for one in scores)
        assert content[name]["bleu"]["mean"] == pytest.approx(
            sum(one["bleu"] for one in scores) / 2
        )
        baseline = content["transformer_tiny"]["bleu"]["mean"]
        if name != "transformer_tiny":
            differences = [one["difference"] for one in content[name]["comparisons"]]
            assert sum(differences) / 2 == pytest.approx(content[name]["bleu"]["mean"] - baseline)
    weights = [
        (project.folder / f"experiments/runs/rnn_attn_tiny-{seed}/model/model.safetensors")
        for seed in SEEDS
    ]
    assert weights[0].read_bytes() != weights[1].read_bytes()

    # Put right, it is all that runs.
    table_of(project, *SYSTEMS[:3], broken="model=transformer_tiny")
    assert sorted(ran(project.run(*command))) == sorted(["compose@broken", *cells("broken")])
    assert read_json(tables / "some.json")["systems"]["broken"]["failed"] == []
    assert ran(project.run(*command)) == []
    # The project itself knows nothing of the matrix: what it shows and fetches is its own.
    project.commit()
    assert "experiments" not in project.run("dvc", "metrics", "show", "data/reports/dataset.json")
    assert "experiments" not in project.run("dvc", "status")


@pytest.mark.slow
def test_a_model_learns_to_align_from_two_others(project: Project) -> None:
    """The whole way of self-training: two directions, their links put together, a dataset of it."""
    experiments = replace(project, folder=project.folder / "experiments")
    folder = experiments.folder / "joint_alignment"
    settings = yaml.safe_load((folder / "params.yaml").read_text("utf-8"))
    names = ["layer_average", "self_training"]
    changed = {
        "overrides": " ".join(OVERRIDES),
        "baseline": settings["baseline"],
        "cells": {name: settings["cells"][name] for name in names},
        "datasets": {name: settings["datasets"][name] for name in names},
    }
    (folder / "params.yaml").write_text(yaml.safe_dump(changed), "utf-8")
    project.compose()
    project.run("dvc", "repro", "dataset")
    repro = ("dvc", "repro", "joint_alignment/dvc.yaml")
    assert "joint_alignment/dvc.yaml:symmetrize" in ran(experiments.run(*repro))
    forward, reverse = (
        (folder / "runs" / name / "links/train").read_text("utf-8").splitlines()
        for name in ("layer_average", "reversed")
    )
    both = (folder / "runs/self_training/alignments/train.links").read_text("utf-8").splitlines()
    for one, other, links in zip(forward, reverse, both, strict=True):
        turned = {"-".join(link.split("-")[::-1]) for link in other.split()}
        common = set(one.split()) & turned
        assert common <= set(links.split()) <= set(one.split()) | turned
    for name in names:
        scores = read_json(folder / "runs" / name / "alignment.json")
        assert 0 <= scores["aer"] <= 100
        assert read_json(folder / "runs" / name / "evaluate.json")["sentences"] == SIZES["test"]
    assert ran(experiments.run(*repro)) == []
