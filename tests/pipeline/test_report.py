"""The stage `report`: one file, the same bytes twice; mistakes are one line and leave it."""

from __future__ import annotations

from pathlib import Path

import pytest
import yaml

from mgsa.base.cli import BAD_INPUT, DONE, run
from mgsa.base.io import read_json
from pipeline.report import PAGE, main
from tests.all_stages import contents
from tests.report_folders import PLAIN, SYSTEM, arguments, write_run, write_system


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    write_run(tmp_path, PLAIN)
    write_system(tmp_path / "second", PLAIN, dropped=2)
    return tmp_path


def test_one_file_and_the_same_bytes_twice(folder: Path) -> None:
    assert run(main, arguments(folder)) == DONE
    first = contents(folder / "page")
    assert set(first) == {PAGE}
    assert run(main, arguments(folder, "--out", str(folder / "again"))) == DONE
    assert contents(folder / "again") == first


def test_it_shows_the_numbers_that_dvc_shows(folder: Path) -> None:
    """`dvc metrics` reads the same reports, `dvc plots` the same tables."""
    assert run(main, arguments(folder)) == DONE
    page = (folder / "page" / PAGE).read_text("utf-8")
    scores = read_json(folder / "reports/evaluate.json")
    assert f'class="number">{scores["bleu"]:.2f}</td>' in page
    assert f"{scores['bleu_mean'] - scores['bleu_interval']:.2f} to " in page
    for stage, key in (("parser", "labelled_f1"), ("align", "test_aer")):
        value = read_json(folder / f"reports/{stage}.json")[key]
        assert f">{value:.2f}</td>" in page
    for line in (folder / "own/curves/plots/metrics/valid_nll.tsv").read_text().split("\n")[1:-1]:
        step, value = line.split("\t")
        row = f'class="number">{step}</th><td dir="auto" class="number">{float(value):.3f}</td>'
        assert row in page
    for cell in read_json(folder / "reports/probe.json")["cells"]:
        assert f">{cell['accuracy']:.1f}" in page
    for line in (folder / "patterns/ngrams.csv").read_text("utf-8").split("\n")[1:-1]:
        score, low, high = map(float, line.split(",")[4:7])
        assert f'{score:.2f} <span class="muted">({low:.2f} to {high:.2f})</span>' in page
    for name in ("reports/evaluate.json", "own/curves/plots/metrics", "phrase-counts"):
        assert f"<code>{folder / name}</code>" in page


def test_systems_side_by_side(folder: Path) -> None:
    second = str(folder / "second")
    assert (
        run(main, arguments(folder, "--system", f"b=c={second}", "--system", second)) == BAD_INPUT
    )
    assert run(main, arguments(folder, "--system", f"B={second}", "--system", second)) == DONE
    page = (folder / "page" / PAGE).read_text("utf-8")
    assert '<h1 dir="auto">3 systems on ' in page
    assert page.count('class="output"') == 3 * len(PLAIN)


def test_a_comparison_alone_does_not_say_that_it_was_run_with_the_parameter_file(
    folder: Path,
) -> None:
    """Cells of `experiments/runs` have a file that their systems share."""
    for seed in (1, 2):
        write_system(folder / f"runs/tiny-{seed}", PLAIN)
    (folder / "runs/tiny").mkdir()
    text = yaml.safe_dump({"translate": {"beam": 77}, "train": {"seed": 1}})
    (folder / "runs/tiny/params.yaml").write_text(text, "utf-8")
    cells = [str(folder / f"runs/tiny-{seed}") for seed in (1, 2)]
    argv = ["--params", str(folder / "params.yaml"), "--reports", str(folder / "reports")]
    assert run(main, [*argv, "--system", *cells, "--out", str(folder / "page")]) == DONE
    page = (folder / "page" / PAGE).read_text("utf-8")
    assert "<title>2 systems</title>" in page
    assert str(folder / "params.yaml") not in page
    assert "Composed of" not in page
    assert f"<code>{folder / 'runs/tiny/params.yaml'}</code>" in page
    assert '<th scope="row" dir="auto">beam</th><td dir="auto">77</td>' in page
    assert "Parameters of the other systems" in page


def test_tables_are_shown_without_a_run(folder: Path) -> None:
    table = str(folder / "tables/some.json")
    argv = ["--params", str(folder / "params.yaml"), "--out", str(folder / "page"), "--table"]
    assert run(main, [*argv, table, table]) == DONE
    page = (folder / "page" / PAGE).read_text("utf-8")
    assert "<title>systems over seeds</title>" in page
    assert page.count("<caption>Table 1: &lt;b&gt;composition&lt;/b&gt;") == 4
    assert str(folder / "params.yaml") not in page


def test_what_the_page_is_called(folder: Path) -> None:
    argv = ["--params", str(folder / "params.yaml"), "--out", str(folder / "page")]
    assert run(main, argv) == DONE
    assert "<title>data</title>" in (folder / "page" / PAGE).read_text("utf-8")
    (folder / "reports/params.json").unlink()  # what names the model
    assert run(main, arguments(folder)) == DONE
    assert "<title>this run on " in (folder / "page" / PAGE).read_text("utf-8")


@pytest.mark.parametrize(
    ("more", "message"),
    [
        (["--parsed", "nowhere"], "nowhere: --parsed: no such folder"),
        (["--system", "a=nowhere"], "nowhere: --system a: no such folder"),
        (["--system", "a={}/own", "a={}/second"], "second: expected another name, a is taken"),
        (["--system", f"{SYSTEM}={{}}/second"], "another name, the run's model has it"),
        (["--gold", "{}/nothing"], "nothing: no such file"),
        (["--set", "split=valid"], "valid.references: no such file"),
    ],
)
def test_a_mistake_is_one_line_and_leaves_the_page(
    folder: Path, more: list[str], message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    (folder / "page").mkdir()
    (folder / "page" / PAGE).write_text("a page", "utf-8")
    before = contents(folder)
    assert run(main, arguments(folder, *(word.format(folder) for word in more))) == BAD_INPUT
    said = capsys.readouterr().err
    assert said.startswith("error: ")
    assert said.count("\n") == 1
    assert message in said
    assert contents(folder) == before
