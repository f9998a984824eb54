"""The matrices of `experiments/`, on a tiny corpus: every cell once, over one dataset."""

from __future__ import annotations

import math
from dataclasses import replace

import pytest
import yaml

from mgsa.files import read_json
from tests.dvc_project import OVERRIDES, SIZES, Project, ran

STEPS = ("compose", "train", "translate", "evaluate", "analyze")


@pytest.mark.slow
def test_the_models_of_a_matrix_are_trained_scored_and_analysed(project: Project) -> None:
    experiments = replace(project, folder=project.folder / "experiments")
    folder = experiments.folder / "systems"
    settings = yaml.safe_load((folder / "params.yaml").read_text("utf-8"))
    models = ["transformer_tiny", "query_k_interleaved_tiny", "rnn_attn_tiny"]
    systems = {model: settings["systems"][model] for model in models}
    changed = {"overrides": " ".join(OVERRIDES), "systems": systems}
    (folder / "params.yaml").write_text(yaml.safe_dump(changed), "utf-8")
    project.compose()
    project.run("dvc", "repro", "dataset")
    repro = ("dvc", "repro", "systems/dvc.yaml")
    assert sorted(ran(experiments.run(*repro))) == sorted(
        [f"systems/dvc.yaml:{step}@{model}" for step in STEPS for model in models]
        + ["systems/dvc.yaml:report"]
    )
    page = (folder / "report/index.html").read_text("utf-8")
    assert all(f'<span dir="auto">{model}</span>' in page for model in models)
    for model in models:
        run = folder / "runs" / model
        scores = read_json(run / "evaluate.json")
        assert scores["sentences"] == SIZES["test"]
        assert math.isclose(
            scores["bleu_difference"], scores["bleu"] - scores["bleu_baseline"], abs_tol=1e-9
        )
        cross = read_json(run / "attention.json")["cross"]["layer_1"]
        assert len(cross) == (4 if "interleaved" in model else 1)
        if systems[model] == model:
            assert scores["bleu_difference"] == 0
    assert ran(experiments.run(*repro)) == []
    # The project itself knows nothing of the matrices: what it shows and fetches is its own.
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
