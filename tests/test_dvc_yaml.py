"""The stage graph names every file of code and every section of parameters that a stage uses."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
import yaml

from pipeline.composition import compose
from pipeline.stage import SECTIONS
from tests.imports import ROOT, needed_files

PIPELINE: dict[str, Any] = yaml.safe_load((ROOT / "dvc.yaml").read_text("utf-8"))
STAGES: dict[str, dict[str, Any]] = PIPELINE["stages"]


@pytest.mark.parametrize("stage", STAGES)
def test_a_stage_depends_on_the_modules_it_imports(stage: str) -> None:
    code = [dep for dep in STAGES[stage]["deps"] if dep.startswith(("mgsa", "pipeline"))]
    declared = {
        file.relative_to(ROOT)
        for dep in code
        for file in ([ROOT / dep] if dep.endswith(".py") else (ROOT / dep).rglob("*.py"))
    }
    assert sorted(map(str, declared)) == sorted(
        map(str, needed_files(Path(f"pipeline/{stage}.py")))
    )


@pytest.mark.parametrize("stage", STAGES)
def test_a_stage_runs_the_module_of_its_name(stage: str) -> None:
    assert STAGES[stage]["cmd"].startswith(f"python -m pipeline.{stage} ")


@pytest.mark.parametrize("stage", STAGES)
def test_paths_of_a_command_are_declared(stage: str) -> None:
    declared = [*STAGES[stage].get("deps", [])]
    for kind in ("outs", "metrics", "plots"):
        declared += [
            o if isinstance(o, str) else next(iter(o)) for o in STAGES[stage].get(kind, [])
        ]
    remembered = {"data/parse_memory.sqlite", "data/checkpoints"}  # outside outputs on purpose
    used = set(re.findall(r"data/\S+", STAGES[stage]["cmd"])) - remembered
    assert {path for path in used if not _covered(path, declared)} == set()


def _covered(path: str, declared: list[str]) -> bool:
    return any(path == one or path.startswith(f"{one}/") for one in declared)


def test_artifacts_are_outputs_that_are_described() -> None:
    outputs = [out for stage in STAGES.values() for out in stage.get("outs", [])]
    artifacts = PIPELINE["artifacts"]
    assert artifacts.keys() >= {"dataset", "model"}
    for name, artifact in artifacts.items():
        assert artifact["path"] in outputs, name
        assert artifact["type"] in ("dataset", "model")
        assert artifact["desc"]
        assert artifact["labels"]


def test_params_are_the_default_composition() -> None:
    assert yaml.safe_load((ROOT / "params.yaml").read_text("utf-8")) == compose(ROOT / "conf", [])


def test_every_section_is_somebodys() -> None:
    used = {section for stage in STAGES.values() for section in stage.get("params", [])}
    assert used == set(SECTIONS)


def test_git_ignores_what_dvc_stores() -> None:
    """Otherwise `dvc repro` writes the missing line itself, and the clone is changed by running."""
    for stage in STAGES.values():
        for output in map(Path, (out for out in stage.get("outs", []) if isinstance(out, str))):
            ignored = (ROOT / output.parent / ".gitignore").read_text("utf-8").splitlines()
            assert f"/{output.name}" in ignored, output
