"""`dvc repro` on a tiny corpus: every stage, every system, and nothing twice."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence

import pytest
import yaml

from mgsa.cli.files import read_json
from pipeline.formats.text import SPLITS
from pipeline.params.presets import compose
from pipeline.report.blocks import number
from tests.dvc_project import (
    DATA_STAGES,
    MODEL_STAGES,
    OVERRIDES,
    SIZES,
    STAGES,
    Project,
    hashes_of,
    outputs,
    ran,
)
from tests.imports import ROOT


def times_of(project: Project, stages: Sequence[str]) -> dict[str, int]:
    """When every file that these stages write was written, by path."""
    return {path: (project.folder / path).stat().st_mtime_ns for path in hashes_of(project, stages)}


def check_metrics(project: Project) -> None:
    """Every metrics file holds numbers, and those of the splits' sizes are the corpus's."""
    reports = {
        stage: read_json(project.folder / f"data/reports/{stage}.json")
        for stage in STAGES
        if "metrics" in STAGES[stage]
    }
    layers = reports.pop("analyze")["encoder"].values()
    assert [sum(layer.values()) for layer in layers] == pytest.approx([1.0] * 4, abs=1e-5)
    for report in reports.values():
        assert any(isinstance(value, int | float) for value in report.values()), report
    for split in SPLITS:
        assert reports["corpus"][f"{split}_pairs"] == SIZES[split]
        assert reports["dataset"][f"{split}_rows"] == reports["tokenize"][f"{split}_kept"]
    assert reports["parse"]["sentences"] == sum(SIZES.values())
    levels = [reports["partition"][f"phrases_per_sentence_syntactic_{k}"] for k in (1, 2, 3)]
    assert 1 < levels[0] < levels[1] < levels[2]
    assert reports["train"]["updates"] == 8
    assert reports["evaluate"]["sentences"] == SIZES["test"]
    assert {"bleu", "bleu_interval", "chrf", "ter"} <= reports["evaluate"].keys()
    for name in ("hypotheses", "references", "scores"):
        text = (project.folder / f"data/translations/test.{name}").read_text("utf-8")
        assert text.count("\n") == SIZES["test"]


def check_plots(project: Project) -> None:
    """What `dvc plots show` draws is all there, and the page of the report shows the same."""
    said = project.run("dvc", "plots", "show", "--json")
    drawn = json.loads(said[said.index("{") :])["data"]
    values = {
        name: plots[0]["content"]["data"]["values"]
        for name, plots in drawn.items()
        if plots[0]["type"] == "vega"
    }
    for plot in yaml.safe_load((project.folder / "dvc.yaml").read_text("utf-8"))["plots"]:
        title = plot if isinstance(plot, str) else next(iter(plot))
        assert any(name == title or name.startswith(f"{title}/") for name in drawn), title
        for source in [] if isinstance(plot, str) else plot[title].get("y", {}).values():
            assert all(row[source] for row in values[title]), title
    page = (project.folder / "data/report/index.html").read_text("utf-8")
    for row in values["N-grams by size"]:
        for column in ("score", "score_low", "score_high"):
            assert f">{number(float(row[column]))}</td>" in page
    for row in values["data/plots/train/plots/metrics/valid_nll.tsv"]:
        assert f">{number(float(row['valid_nll']))}</td>" in page


def changed(project: Project, *targets: str, folder: str = ".") -> set[str]:
    """The stages that `dvc status` says would run, or might."""
    said = project.run("sh", "-c", f"cd {folder} && dvc status --json {' '.join(targets)}")
    return set(json.loads(said[said.index("{") :]))


def test_every_stage_runs_once_and_again_only_for_a_reason(project: Project) -> None:
    project.compose("model=mgsa_plus_tiny")
    assert sorted(ran(project.run("dvc", "repro"))) == sorted(STAGES)
    for output in outputs(list(STAGES)):
        assert (project.folder / output).exists(), output
    check_metrics(project)
    check_plots(project)
    untracked = project.run("git", "status", "--porcelain", "--untracked-files=all").split("\n")
    assert {line[3:] for line in untracked[:-1]} == {
        *("params.yaml", "dvc.lock", "data/reports/params.json")
    }
    written = times_of(project, list(STAGES))
    said = project.run("dvc", "repro")
    assert ran(said) == []
    assert "Data and pipelines are up to date." in said
    assert times_of(project, list(STAGES)) == written

    project.compose("model=transformer_tiny", "run.workers=2")
    assert changed(project) == {"params", "train", "report"}
    project.compose("model=mgsa_plus_tiny", "bpe.merges=100")
    assert changed(project) == {"params", "bpe", "report"}
    project.compose("model=mgsa_plus_tiny")
    assert changed(project) == set()

    decoding = project.folder / "mgsa/decoding/__init__.py"
    text = decoding.read_text("utf-8")
    decoding.write_text(text.replace('"""', '"""Anew: ', 1), "utf-8")
    stages = changed(project)
    assert {"train", "translate"} <= stages
    assert stages.isdisjoint({"corpus", "tokenize", "parser", "parse", "bpe", "align"})
    decoding.write_text(text, "utf-8")

    # Finding 12: a module that nobody has heard of.
    (project.folder / "mgsa/mean_pool.py").touch()
    (project.folder / "pipeline/constituency/another.py").touch()
    stages = changed(project)
    assert {"train", "parser", "parse"} <= stages
    assert "tokenize" not in stages


@pytest.mark.slow
def test_another_model_reruns_no_data_stage(project: Project) -> None:
    project.compose("model=mgsa_plus_tiny")
    project.run("dvc", "repro")
    project.commit()
    first, data = hashes_of(project, list(STAGES)), times_of(project, DATA_STAGES)
    for model in ("transformer_tiny", "mgsa_ngram_tiny", "query_k_interleaved_tiny"):
        project.compose(f"model={model}")
        assert ran(project.run("dvc", "repro")) == ["params", *MODEL_STAGES], model
        assert times_of(project, DATA_STAGES) == data
        check_metrics(project)

    # Back at the first model: what was computed once comes from DVC's cache. Only `params` runs,
    # for DVC's cache of runs leaves out stages whose output git keeps.
    project.compose("model=mgsa_plus_tiny")
    assert ran(project.run("dvc", "repro")) == ["params"]
    assert hashes_of(project, list(STAGES)) == first

    shorter = [*OVERRIDES, "model=mgsa_ngram_tiny", "train.max_updates=3"]
    sets = [part for override in shorter for part in ("-S", override)]
    assert ran(project.run("dvc", "exp", "run", *sets)) == ["params", *MODEL_STAGES]
    params = yaml.safe_load((project.folder / "params.yaml").read_text("utf-8"))
    assert params == compose(ROOT / "conf", shorter)
    assert times_of(project, DATA_STAGES) == data
    difference = project.run("dvc", "metrics", "diff")
    assert re.search(r"reports/train\.json +updates +8 +3 +-5\n", difference), difference


def test_what_no_stage_takes_is_named_before_any_work(project: Project) -> None:
    project.run("dvc", "repro", "params")
    before = (project.folder / "data/reports/params.json").read_bytes()
    path = project.folder / "params.yaml"
    text = path.read_text("utf-8")
    path.write_text(text.replace("  treebank_dev: ", "  treebank_development: "), "utf-8")
    said = project.run("dvc", "repro", status=255)
    assert "\nerror: params.yaml: corpus.treebank_development: unknown key" in said
    assert (project.folder / "data/reports/params.json").read_bytes() == before
    assert "Traceback" not in said
    assert ran(said) == ["params"]
    assert not (project.folder / "data/corpus").exists()
