"""The stage graph names every file of code and every section of parameters that a stage uses."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path
from typing import Any

import pytest
import yaml

from docs import reruns
from pipeline.params.presets import compose
from pipeline.params.sections import SETTINGS
from pipeline.report.inputs import FOLDERS
from tests.dvc_project import STAGES, outputs
from tests.imports import ROOT, needed_files

PIPELINE: dict[str, Any] = yaml.safe_load((ROOT / "dvc.yaml").read_text("utf-8"))


def code_of(stage: str) -> list[str]:
    """The folders and files of code that a stage depends on."""
    return [dep for dep in STAGES[stage]["deps"] if dep.startswith(("mgsa", "pipeline"))]


@pytest.mark.parametrize("stage", [s for s in STAGES if s != "params"])
def test_a_stage_depends_on_the_folders_of_the_modules_it_imports(stage: str) -> None:
    """So that a new module in one of them makes it run again, whoever imports it (finding 12).

    What `params` reports depends on no settings; each stage checks its own section again.
    """
    code = code_of(stage)
    assert len(code) <= 11 or stage == "report"
    for file in needed_files(start_of(stage)):
        if file.name != "__init__.py":
            assert any(file.is_relative_to(dep) for dep in code), f"{stage}: {file}"


@pytest.mark.parametrize("stage", [s for s in STAGES if s != "params"])
def test_a_stage_depends_on_no_other_code(stage: str) -> None:
    """An edit of a chart, say, runs the stages that draw, and no other."""
    needed = needed_files(start_of(stage))
    unused = [dep for dep in code_of(stage) if not any(f.is_relative_to(dep) for f in needed)]
    assert unused == []


def start_of(stage: str) -> Path:
    """The module that a stage runs."""
    path = Path(*STAGES[stage]["cmd"].split()[2].split("."))
    package = path / "__main__.py"
    return package if (ROOT / package).is_file() else path.with_suffix(".py")


@pytest.mark.parametrize("stage", STAGES)
def test_a_stage_runs_the_module_of_its_name_or_one_of_that_package(stage: str) -> None:
    assert re.match(rf"python -m pipeline\.{stage}(\.\w+)? ", STAGES[stage]["cmd"])


@pytest.mark.parametrize("stage", STAGES)
def test_paths_of_a_command_are_declared(stage: str) -> None:
    declared = [*STAGES[stage].get("deps", [])]
    for kind in ("outs", "metrics", "plots"):
        declared += [
            o if isinstance(o, str) else next(iter(o)) for o in STAGES[stage].get(kind, [])
        ]
    remembered = {"data/parse_memory.sqlite", "data/checkpoints"}  # outside outputs on purpose
    assert remembered.isdisjoint(declared)
    in_part = {"parser": {"data/corpus"}}  # a folder of which it declares what it reads
    used = set(re.findall(r"data/\S+", STAGES[stage]["cmd"])) - remembered
    used -= in_part.get(stage, set())
    assert {path for path in used if not _covered(path, declared)} == set()


def _covered(path: str, declared: list[str]) -> bool:
    return any(path == one or path.startswith(f"{one}/") for one in declared)


def test_ones_own_files_are_watched_and_pairs_make_no_other_parser() -> None:
    assert "data/own" in STAGES["corpus"]["deps"]
    read = {dep for dep in STAGES["parser"]["deps"] if dep.startswith("data/")}
    assert read == {"data/corpus/corpus.json", "data/corpus/treebank", "data/own/treebank"}


def test_the_report_depends_on_all_that_it_reads() -> None:
    read = {dep for dep in STAGES["report"]["deps"] if dep.startswith("data/")}
    assert read == {f"data/{place}" for place in FOLDERS.values()}


def test_artifacts_are_outputs_that_are_described() -> None:
    outputs = [out for stage in STAGES.values() for out in stage.get("outs", [])]
    artifacts = PIPELINE["artifacts"]
    assert artifacts.keys() >= {"dataset", "model"}
    for name, artifact in artifacts.items():
        assert artifact["path"] in outputs, name
        assert artifact["type"] in ("dataset", "model")
        assert artifact["desc"]
        assert artifact["labels"]


def test_committed_params_are_the_default_composition() -> None:
    command = ["git", "show", "HEAD:params.yaml"]
    committed = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True).stdout
    assert yaml.safe_load(committed) == compose(ROOT / "conf", [])


def test_every_section_is_somebodys_but_run_on_which_nothing_depends() -> None:
    used = {name.split(".")[0] for stage in STAGES.values() for name in stage.get("params", [])}
    assert used == set(SETTINGS) - {"run"} == set(STAGES["report"]["params"])


@pytest.mark.parametrize("stage", STAGES)
def test_what_a_stage_writes_is_shared_by_the_cache_of_runs(stage: str) -> None:
    """`dvc push --run-cache` leaves out what git keeps, and with it the stage."""
    if stage != "params":
        for kind in ("outs", "metrics"):
            assert all(isinstance(output, str) for output in STAGES[stage].get(kind, []))


def test_git_ignores_what_dvc_stores() -> None:
    """Otherwise `dvc repro` writes the missing line itself, and the clone is changed by running."""
    stored = [path for path in outputs(list(STAGES)) if path != "data/reports/params.json"]
    command = ["git", "check-ignore", "--no-index", *stored]
    said = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert said.stdout.splitlines() == stored


def test_the_tables_of_what_runs_again_are_those_of_the_graph() -> None:
    """In `docs/howto/sharing.md`; `python docs/reruns.py` makes them."""
    assert reruns.PAGE.read_text("utf-8") == reruns.page()


@pytest.mark.parametrize(
    ("code", "stages"),
    [
        ("pipeline/charts.py", "phrasal_patterns analyze probe report"),
        ("pipeline/constituency", "parser parse probe_data"),
        (
            "pipeline/tokenizers",
            "tokenize parser parse probe_data translate contrast phrasal_patterns",
        ),
        ("pipeline/statistics", "contrast evaluate phrasal_patterns probe report"),
        ("pipeline/analyze", "analyze report"),
        ("pipeline/train/bpe_dropout.py", "train"),
        ("pipeline/text_model.py", ""),
        ("mgsa/decoding", "train translate contrast analyze probe"),
    ],
)
def test_an_edit_runs_the_stages_that_need_it(code: str, stages: str) -> None:
    assert reruns.stages_on(code) == set(stages.split())
