"""The stage `report`: one file, the same bytes twice; mistakes are one line and leave it."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

import pytest
from markupsafe import escape

from mgsa.cli.errors import InputError
from mgsa.cli.files import read_json, write_json
from mgsa.cli.outputs import WRITTEN_BY, digest, sha256, write_manifest
from mgsa.cli.run import BAD_INPUT, DONE, run
from pipeline.formats.tables import Record
from pipeline.report.__main__ import PAGE, main
from pipeline.report.inputs import System
from tests.all_stages import contents
from tests.lines import lines
from tests.report_folders import PLAIN, SYSTEM, arguments, write_run, write_system


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    write_run(tmp_path, PLAIN)
    write_system(tmp_path / "second", PLAIN, dropped=2)
    return tmp_path


def made(folder: Path, *argv: str) -> str:
    """The page of these arguments, besides those of the parameters and the output."""
    more = ("--params", str(folder / "params.yaml"), "--out", str(folder / "page"))
    assert run(main, [*(word.format(folder) for word in argv), *more]) == DONE
    return (folder / "page" / PAGE).read_text("utf-8")


def test_one_file_with_the_numbers_that_dvc_shows(folder: Path) -> None:
    """`dvc metrics` reads the same reports, `dvc plots` the same tables."""
    page = made(folder, "--data", "{}")
    assert set(contents(folder / "page")) == {PAGE, "manifest.json"}
    assert made(folder, "--data", "{}") == page
    scores = Record.read(folder / "reports/evaluate.json")
    parser = Record.read(folder / "reports/parser.json")
    for value in (scores["bleu"], scores["chrf"], parser["labelled_f1"]):
        assert f'class="number">{value:.2f}</td>' in page
    curve = (folder / "plots/train/plots/metrics/valid_nll.tsv").read_text("utf-8")
    for step, value in (line.split("\t") for line in curve.split("\n")[1:-1]):
        assert f'{step}</th> <td dir="auto" class="number">{float(value):.4g}</td>' in page


@pytest.mark.parametrize(
    ("change", "expected"),
    [
        ({"hypotheses": ["of others"]}, "scores of {}/translations/test.hypotheses"),
        ({"references": ["of others"]}, "scores of {}/translations/test.references"),
        ({"bleu": "81.2"}, "a number, found '81.2'"),
    ],
)
def test_scores_of_other_texts_are_refused(
    folder: Path, change: dict[str, Any], expected: str, capsys: pytest.CaptureFixture[str]
) -> None:
    scores = read_json(folder / "reports/evaluate.json") | change
    write_json(folder / "reports/evaluate.json", scores)
    argv = ["--params", str(folder / "params.yaml"), "--out", str(folder / "page")]
    assert run(main, [*argv, "--data", str(folder)]) == BAD_INPUT
    assert f"expected {expected.format(folder)}" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("argv", "title"),
    [
        ("--table {}/tables/some.json", "systems over seeds"),
        ("--system {}/second", "second"),
        ("--system {}/second a={}/second", "2 systems"),
        ("--data {}/second", "this run"),
        ("--data {}", f"{SYSTEM} on <b>made up</b> en → de"),
        ("--data {} --system {}/second", "2 systems on <b>made up</b> en → de"),
    ],
)
def test_what_a_page_is_called_and_whose_parameters_it_shows(
    folder: Path, argv: str, title: str
) -> None:
    page = made(folder, *argv.split())
    assert f"<title>{escape(title)}</title>" in page
    assert ("<h3>Parameters</h3>" in page) == ("--data" in argv)
    assert ("4321" in page) == ("--data {}" in argv and "second" not in argv.split()[1])


def test_the_training_of_another_run_is_refused(folder: Path) -> None:
    manifest = {"kind": "mgsa model", "made_of": {"mgsa rows": ["a"]}, "settings": {"train": 1}}
    write_manifest(folder / "model", manifest)
    write_manifest(folder / "plots/train", manifest | {"kind": "mgsa curves", "settings": {}})
    with pytest.raises(
        InputError, match=r"plots/train: expected an output of the run that wrote .*model"
    ):
        main(arguments(folder))
    write_manifest(folder / "plots/train", manifest | {"kind": "mgsa curves"})
    report = read_json(folder / "reports/train.json")
    for settings in (manifest["settings"], {}):
        told = ["pipeline.train", digest(report), digest([manifest["made_of"], settings])]
        write_json(folder / "reports/train.json", {WRITTEN_BY: told, **report})
        if settings:
            main(arguments(folder))
    (folder / "page/index.html").unlink()
    with pytest.raises(InputError, match=r"train\.json: expected an output of the run that wrote"):
        main(arguments(folder))


@pytest.mark.parametrize(
    ("report", "key", "of"),
    [("phrasal_patterns", "hypotheses", "test.hypotheses"), ("probe", "models", "model")],
)
def test_analyses_of_others_are_refused(folder: Path, report: str, key: str, of: str) -> None:
    path = folder / f"reports/{report}.json"
    content = read_json(path) if path.exists() else {}
    if of == "model":
        write_manifest(folder / "model", {"kind": "mgsa model"})
        identity = sha256(folder / "model/manifest.json")
    else:
        identity = digest(lines(folder / "translations/test.hypotheses"))
    write_json(path, content | {"recipe": [{key: [identity, "other"]}]})
    main(arguments(folder))
    write_json(path, content | {"recipe": [{key: ["other"]}]})
    with pytest.raises(InputError, match=rf"{report}\.json: expected a report of .*{of}"):
        main(arguments(folder))


@pytest.mark.parametrize(
    ("changed", "line", "message"),
    [
        ("translations/test.references.2", "A", "test.references: expected the references of"),
        ("translations/test.sources", "A", "test.sources: expected the sources of"),
        ("evaluate.json", None, "bleu: expected scores by nrefs:1.*, found nrefs:2"),
    ],
)
def test_systems_that_cannot_be_compared_are_refused(
    folder: Path, changed: str, line: str | None, message: str
) -> None:
    file = folder / "second" / changed
    count = len(lines(folder / "second/translations/test.references"))
    text = "A\n" * count if line else file.read_text("utf-8").replace("nrefs:1", "nrefs:2")
    file.write_text(text, "utf-8")
    with pytest.raises(InputError, match=message):
        main([*arguments(folder), "--system", f"second={folder / 'second'}"])


def test_another_project_is_a_system_by_its_data(folder: Path) -> None:
    system = System.in_folder("other", folder)
    assert system.report("evaluate") == Record.read(folder / "reports/evaluate.json")
    assert system.outputs["curves"] == folder / "plots/train"


def test_a_backup_of_the_references_is_none_of_them(folder: Path) -> None:
    page = made(folder, "--data", "{}")
    translations = folder / "translations"
    shutil.copy(translations / "test.hypotheses", translations / "test.references.old")
    assert made(folder, "--data", "{}") == page
    write_manifest(translations, {"kind": "mgsa translations of test"})
    shutil.copy(translations / "test.hypotheses", translations / "test.references.2")
    with pytest.raises(InputError, match=r"references\.2: expected a file that the manifest\.json"):
        main(arguments(folder))


def test_a_page_of_nothing_is_refused(folder: Path) -> None:
    argv = ["--params", str(folder / "params.yaml"), "--out", str(folder / "page")]
    with pytest.raises(InputError, match="expected --data, --system or --table"):
        main([*argv, "--table", "--system"])


@pytest.mark.parametrize(
    ("more", "message"),
    [
        (["--data", "nowhere"], "nowhere: --data: no such folder"),
        (["--system", "a=nowhere"], "nowhere: --system a: no such folder"),
        (["--system", "a={}/own", "a={}/second"], "second: expected another name, a is taken"),
        (["--system", f"{SYSTEM}={{}}/second"], "another name, the run's model has it"),
    ],
)
def test_a_mistake_is_one_line_and_leaves_the_page(
    folder: Path, more: list[str], message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    (folder / "page").mkdir()
    (folder / "page" / PAGE).write_text("a page", "utf-8")
    write_manifest(folder / "page", {"kind": "mgsa report page", WRITTEN_BY: "pipeline.report"})
    before = contents(folder)
    assert run(main, arguments(folder, *(word.format(folder) for word in more))) == BAD_INPUT
    said = capsys.readouterr().err
    assert said.startswith("error: ")
    assert said.count("\n") == 1
    assert message in said
    assert contents(folder) == before
