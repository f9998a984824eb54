"""Systems are known by what lies in their folder; what was given is read, the rest is `None`."""

from __future__ import annotations

from pathlib import Path

import pytest
import yaml

from mgsa.base.errors import InputError
from mgsa.base.io import write_json
from pipeline.report_page.inputs import (
    CELL_SECTIONS,
    System,
    check_same_number,
    drawn_sentences,
    read_translations,
)
from tests.imports import ROOT
from tests.report_folders import HOSTILE, PLAIN, inputs_of, tokens_of, write_run, write_system


def test_a_cell_of_an_experiment_is_a_system(tmp_path: Path) -> None:
    system = System.in_folder("a", write_system(tmp_path / "a", PLAIN))
    assert system.translations == tmp_path / "a/translations"
    assert system.curves == tmp_path / "a/curves"
    assert system.attention == tmp_path / "a/attention"
    assert system.model == tmp_path / "a/model"
    scores = system.report("evaluate")
    assert scores is not None
    assert scores.number("bleu") == 51.0
    assert system.report("probe") is None


def test_reports_by_other_names_are_found(tmp_path: Path) -> None:
    """The experiments call what `analyze` reports `attention.json`, and AER `alignment.json`."""
    write_system(tmp_path / "a", PLAIN)
    write_json(tmp_path / "a/attention.json", {"encoder": {}})
    write_json(tmp_path / "a/alignment.json", {"aer": 3.5})
    (tmp_path / "a/test.links").write_text("0-0\n" * 3, "utf-8")
    system = System.in_folder("a", tmp_path / "a")
    analyzed, aligned = system.report("analyze"), system.report("align")
    assert analyzed is not None
    assert analyzed.path.name == "attention.json"
    assert aligned is not None
    assert aligned.number("aer") == 3.5
    assert system.links("test") == tmp_path / "a/test.links"
    assert system.links("valid") is None


def test_a_cell_was_run_with_the_parameters_of_its_system_and_its_seed(tmp_path: Path) -> None:
    """The layout is that of `experiments/dvc.yaml`: of its stages, which read which sections."""
    stages = yaml.safe_load((ROOT / "experiments/dvc.yaml").read_text("utf-8"))["stages"]
    paths = set()
    for stage in stages.values():
        for params in stage.get("params", []):
            ((path, sections),) = params.items()
            assert set(sections) <= set(CELL_SECTIONS)
            paths.add(path.replace("${item.system}", "a-b"))
    assert "--out runs/${key}/model" in stages["train"]["cmd"]
    assert "--set seed=${item.seed}" in stages["train"]["cmd"]

    cell = write_system(tmp_path / "runs/a-b-12", PLAIN)
    assert System.in_folder("a", cell).parameters() is None
    ran = {"model": {"kind": "rnn"}, "train": {"seed": 1, "lr": 2}}
    composed = {"corpus": {"kind": "sample"}, **ran}
    (path,) = (tmp_path / path for path in paths)
    write_yaml(path, composed)
    system = System.in_folder("a", cell)
    assert system.parameter_file == path
    assert system.parameters() == ran | {"train": {"seed": 12, "lr": 2}}

    write_yaml(path, {"train": [1]})
    with pytest.raises(InputError, match=r"a-b/params\.yaml: train: expected keys"):
        system.parameters()
    write_yaml(cell / "params.yaml", composed)  # a file of its own goes before
    assert system.parameters() == composed


def write_yaml(path: Path, content: object) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(yaml.safe_dump(content), "utf-8")


def test_a_folder_of_nothing_is_no_system(tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    with pytest.raises(
        InputError, match=r"empty: --system a: expected translations, evaluate.json"
    ):
        System.in_folder("a", tmp_path / "empty")
    with pytest.raises(InputError, match="missing: --system a: no such folder"):
        System.in_folder("a", tmp_path / "missing")


def test_translations_of_all_systems_side_by_side(tmp_path: Path) -> None:
    systems = [
        System.in_folder(name, write_system(tmp_path / name, PLAIN, dropped=dropped))
        for name, dropped in (("a", 1), ("b", 2))
    ]
    found = read_translations(systems, "test")
    assert found is not None
    assert found.references == PLAIN
    assert found.hypotheses["a"][1] == "cat sleeps ."
    assert found.hypotheses["b"][1] == "sleeps ."
    assert read_translations([], "test") is None


@pytest.mark.parametrize(
    ("others", "line"), [([PLAIN[0], "Another .", PLAIN[2]], 2), (PLAIN[:2], 3)]
)
def test_other_references_are_named(tmp_path: Path, others: list[str], line: int) -> None:
    systems = [
        System.in_folder("a", write_system(tmp_path / "a", PLAIN)),
        System.in_folder("b", write_system(tmp_path / "b", others)),
    ]
    message = rf"b/translations/test.references:{line}: expected the same references as in .*a/"
    with pytest.raises(InputError, match=message):
        read_translations(systems, "test")


def test_text_of_the_split(finished_run: Path) -> None:
    inputs = inputs_of(finished_run)
    assert inputs.sources == [*PLAIN, *HOSTILE]
    assert inputs.tokens("source") == [tokens_of(text) for text in (*PLAIN, *HOSTILE)]
    assert inputs.languages == {"source": "en", "target": "de"}
    nothing = inputs_of(finished_run, "tokenized", "corpus", "dataset", "reports")
    assert nothing.sources is None
    assert nothing.tokens("source") is None
    assert nothing.languages == {"source": "", "target": ""}
    assert nothing.report("evaluate") is None
    assert nothing.drawn == []


def test_languages_are_the_datasets_where_there_is_no_corpus(finished_run: Path) -> None:
    assert inputs_of(finished_run, "corpus").languages == {"source": "en", "target": "de"}


def test_the_sentences_in_the_middle_are_unfolded(finished_run: Path) -> None:
    inputs = inputs_of(finished_run, sentences=5)
    assert len(inputs.drawn) == 5
    assert [inputs.is_opened(index) for index in inputs.drawn] == [False, True, True, False, False]


def test_only_kept_lines_of_the_corpus_are_sources(tmp_path: Path) -> None:
    write_run(tmp_path, PLAIN)
    (tmp_path / "tokenized/test.lines").write_text("3\n1\n", "utf-8")
    assert inputs_of(tmp_path).sources == [PLAIN[2], PLAIN[0]]


def test_a_promised_file_that_is_missing_is_named(tmp_path: Path) -> None:
    write_run(tmp_path, PLAIN)
    (tmp_path / "tokenized/test.source").unlink()
    with pytest.raises(InputError, match=r"tokenized/test.source: no such file"):
        inputs_of(tmp_path).tokens("source")


def test_an_empty_sentence_is_named(tmp_path: Path) -> None:
    write_run(tmp_path, PLAIN)
    (tmp_path / "tokenized/test.source").write_text("a\n\nb\n", "utf-8")
    with pytest.raises(InputError, match=r"test.source:2: expected tokens .* found an empty line"):
        inputs_of(tmp_path).tokens("source")


def test_files_of_different_lengths_are_named() -> None:
    check_same_number({Path("a"): [1, 2], Path("b"): "xy"})
    with pytest.raises(InputError, match=r"b:1: ends after 1 line; expected as many as in a"):
        check_same_number({Path("a"): [1, 2], Path("b"): [1]})


@pytest.mark.parametrize(
    ("count", "longest", "expected"),
    [
        (3, 60, [1, 3, 0]),
        (2, 60, [1, 0]),
        (1, 60, [3]),
        (0, 60, []),
        (9, 60, [1, 4, 3, 5, 0]),
        (2, 100, [1, 2]),
        (2, 0, []),
    ],
)
def test_drawn_sentences_are_spread_over_the_lengths(
    count: int, longest: int, expected: list[int]
) -> None:
    assert drawn_sentences([5, 1, 99, 3, 2, 4], count=count, longest=longest) == expected
