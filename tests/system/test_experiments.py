"""The matrices of `experiments/` on a tiny corpus: every cell once, over one dataset."""

from __future__ import annotations

import math
import re
from pathlib import Path
from typing import Any

import pytest
import yaml

from mgsa.files import read_json
from tests.dvc_project import OVERRIDES, SIZES, Project, ran
from tests.imports import ROOT, needed_files

MATRICES = sorted((ROOT / "experiments").glob("*/dvc.yaml"))
STEPS = [
    pytest.param(path, name, id=f"{path.parent.name}, {name}")
    for path in MATRICES
    for name in yaml.safe_load(path.read_text("utf-8"))["stages"]
]


@pytest.mark.parametrize(("path", "name"), STEPS)
def test_a_step_depends_on_the_modules_it_runs(path: Path, name: str) -> None:
    step: dict[str, Any] = yaml.safe_load(path.read_text("utf-8"))["stages"][name]
    module = re.match(r"python -m ([\w.]+)", step["cmd"])
    assert module
    deps = [(path.parent / dep).resolve() for dep in step["deps"] if dep.startswith("../")]
    for file in needed_files(Path(module[1].replace(".", "/") + ".py")):
        assert any((ROOT / file).is_relative_to(dep) for dep in deps), file


@pytest.mark.slow
def test_the_models_of_a_matrix_are_trained_scored_and_analysed(project: Project) -> None:
    folder = project.folder / "experiments/phrase_attentions"
    settings = yaml.safe_load((folder / "params.yaml").read_text("utf-8"))
    models = ["transformer_tiny", "conv_kv_homogeneous_tiny", "query_k_interleaved_tiny"]
    assert set(models) < set(settings["models"])
    project.compose()
    changed = settings | {"overrides": " ".join(OVERRIDES), "models": models}
    (folder / "params.yaml").write_text(yaml.safe_dump(changed), "utf-8")
    repro = ("dvc", "repro", "experiments/phrase_attentions/dvc.yaml")
    steps = ("compose", "train", "translate", "evaluate", "analyze")
    of_experiment = [name for name in ran(project.run(*repro)) if name.startswith("experiments/")]
    assert sorted(of_experiment) == sorted(
        f"experiments/phrase_attentions/dvc.yaml:{step}@{model}"
        for step in steps
        for model in models
    )
    for model in models:
        run = folder / "runs" / model
        scores = read_json(run / "evaluate.json")
        assert scores["sentences"] == SIZES["test"]
        assert math.isclose(
            scores["bleu_difference"], scores["bleu"] - scores["bleu_baseline"], abs_tol=1e-9
        )
        encoder = read_json(run / "attention.json")["encoder"]["layer_1"]
        assert len(encoder) == (1 if "transformer" in model else 4 if "interleaved" in model else 2)
    baseline = read_json(folder / "runs/transformer_tiny/evaluate.json")
    assert baseline["bleu_difference"] == 0
    assert ran(project.run(*repro)) == []
