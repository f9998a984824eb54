"""Metrics by commands: which numbers count, their intervals and tests, and what can go wrong."""

from __future__ import annotations

import gzip
import sys
from pathlib import Path

import numpy as np
import pytest
import yaml

from mgsa.cli.errors import FailedError, InputError
from mgsa.cli.files import read_json
from pipeline.evaluate.__main__ import main
from pipeline.evaluate.command_metrics import command_scores, printed_scores
from pipeline.evaluate.settings import CommandMetric, EvaluateSettings
from pipeline.formats.translations import Translations
from tests.lines import write_lines

N = 200
LENGTHS = np.random.default_rng(3).integers(5, 25, N)
SCRIPT = """
import sys
ours, theirs, sources = (open(path).read().splitlines() for path in sys.argv[2:])
shares = [len(one) / len(other) for one, other in zip(ours, theirs, strict=True)]
print("Reading", len(sources), "sentences ...", file=sys.stderr)
if "each" in sys.argv[1]:
    for number, share in enumerate(shares):
        print(f"Segment {number}\\tscore: {share:.6f}")
if "all" in sys.argv[1]:
    print(f"{sys.argv[2]}\\tscore: {sum(map(len, ours)) / sum(map(len, theirs)):.6e}")
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """References, and translations that are 0.9 of them (ours) and 0.8 or all (theirs)."""
    (tmp_path / "metric.py").write_text(SCRIPT, "utf-8")
    texts = {"references": LENGTHS * 10, "hypotheses": LENGTHS * 9, "source": LENGTHS}
    texts["baseline"] = np.where(np.arange(N) % 4, LENGTHS * 8, LENGTHS * 10)
    for name, lengths in texts.items():
        write_lines(tmp_path / name, ["x" * int(length) for length in lengths])
    return tmp_path


def evaluate(folder: Path, what: str, *options: str) -> dict[str, float]:
    command = f"share={sys.executable} {folder}/metric.py {what} {{hypotheses}} {{references}}"
    settings = {
        **{"metrics": ["bleu"], "commands": [f"{command} {{source}}"], "bleu_tokenizer": "13a"},
        **{"bootstrap_samples": 1000, "randomization_trials": 2000, "seed": 1},
    }
    (folder / "params.yaml").write_text(yaml.safe_dump({"evaluate": settings}), "utf-8")
    named = ("hypotheses", "references", "params.yaml", "source")
    argv = [w for n in named for w in (f"--{n.removesuffix('.yaml')}", str(folder / n))]
    main([*argv, *options, "--report", str(folder / "report.json")])
    found: dict[str, float] = read_json(folder / "report.json")
    return {name: value for name, value in found.items() if name.startswith("share")}


def test_the_score_of_the_corpus_alone(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert evaluate(folder, "all") == {"share": pytest.approx(0.9)}
    assert "share 0.9  " in capsys.readouterr().out


@pytest.mark.parametrize("what", ["each", "each,all"])
def test_scores_of_sentences_give_intervals_and_tests(folder: Path, what: str) -> None:
    baseline = ("--baseline", str(folder / "baseline"))
    found = evaluate(folder, what, *baseline)
    theirs = np.where(np.arange(N) % 4, 0.8, 1.0)
    expected = theirs.mean() if what == "each" else (theirs * LENGTHS).sum() / LENGTHS.sum()
    assert (found["share"], found["share_mean"]) == pytest.approx((0.9, 0.9))
    assert found["share_interval"] == pytest.approx(0, abs=1e-9)
    assert found["share_baseline"] == pytest.approx(expected, abs=1e-5)
    assert found["share_difference"] == pytest.approx(0.9 - expected, abs=1e-5)
    assert found["share_p_value"] < 0.01
    assert found["share_randomization_p_value"] < 0.01
    (folder / "hypotheses").write_bytes((folder / "baseline").read_bytes())
    same = evaluate(folder, what, *baseline)
    assert same["share_p_value"] == same["share_randomization_p_value"] == 1
    # The bootstrap of a mean is about its normal approximation.
    assert same["share_interval"] == pytest.approx(1.96 * theirs.std() / N**0.5, rel=0.15)


def test_errors_say_which_metric_and_what_was_expected(folder: Path) -> None:
    files = {"hypotheses": folder / "hypotheses", "references": folder / "references"}
    run = f"{sys.executable} -c"
    for command, kind, message in (
        ("nowhere {hypotheses}", InputError, "m: nowhere: No such file or directory"),
        ("cat {source} {hypotheses}", InputError, "m: expected --source, which its command reads"),
        (f"{run} exit(3) {{hypotheses}}", FailedError, "ended with status 3"),
        (
            f"{run} 'print(1);print(2)' {{hypotheses}}",
            FailedError,
            "one for each of 200 sentences, got 2",
        ),
    ):
        with pytest.raises(kind, match=message):
            printed_scores(CommandMetric.of(f"m={command}"), files, N)
    command = f"m={run} 'print(float(\"nan\"))' {{hypotheses}}"
    with pytest.raises(FailedError, match="m: expected finite numbers"):
        printed_scores(CommandMetric.of(command), files, 1)


@pytest.mark.parametrize(
    ("setting", "message"),
    [
        ("comet", "expected NAME=COMMAND, NAME in lower case and digits"),
        ("m=wc {hypotheses} | tail", "expected no |, as no shell runs it"),
        ("Comet=x {hypotheses}", "expected NAME=COMMAND, NAME in lower case and digits"),
        ("m=x", "COMMAND with {hypotheses}"),
        ("m=x {hypotheses} {sorce}", "got {sorce}"),
    ],
)
def test_a_setting_is_name_and_command(setting: str, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        CommandMetric.of(setting)


@pytest.mark.parametrize(
    "lines",
    [
        *("score: 85.3%|seconds: 12", "BLEU = 12.3 ± 0.5", "0.5|None|0.5|0.5", "0.5|1 2 0.5|0.5"),
        *("chrF 55.2, sentences 20", "71.5% of words 380", "score=27.5 of 100", "(0.5) 20"),
        *("BARTScore -   2.375", "p < 0.01"),
    ],
)
def test_what_can_be_read_otherwise_is_no_score(folder: Path, lines: str) -> None:
    script = f"print(*{lines.split('|')!r}, sep=chr(10))".replace("'", '\\"')
    metric = CommandMetric("x", f'{sys.executable} -c "{script}"')
    with pytest.raises(FailedError, match="x: expected lines with a number, at their ends, got"):
        printed_scores(metric, {"hypotheses": folder / "hypotheses"}, 3)


def test_commands_read_the_texts_that_are_scored(tmp_path: Path) -> None:
    script = "import sys; print(len(open(sys.argv[1], 'rb').read()))"
    metric = CommandMetric("x", f'{sys.executable} -c "{script}" {{hypotheses}}')
    (tmp_path / "references").write_text("a\nb\n")
    (tmp_path / "hypotheses").write_bytes(gzip.compress("\ufeffa\r\nbc\r\n".encode()))
    files = {"hypotheses": tmp_path / "hypotheses"}
    read = Translations.read(files, [tmp_path / "references"], None)
    settings = EvaluateSettings(("bleu",), "13a", 10, 0, 1, ())
    assert command_scores(metric, read, settings)["x"] == len("a\nbc\n")


@pytest.mark.parametrize(
    ("lines", "message"),
    [
        ([0.5] * 4, "other words before the score of the corpus"),
        (["version 2", 0.5, 0.5, 0.5], "lines of one kind before their numbers"),
    ],
)
def test_lines_of_a_kind_tell_sentences_and_corpus_apart(
    folder: Path, lines: list[object], message: str
) -> None:
    script = f"print(*{lines!r}, sep=chr(10))"
    metric = CommandMetric("x", f'{sys.executable} -c "{script}"')
    with pytest.raises(FailedError, match=f"x: expected {message}"):
        printed_scores(metric, {"hypotheses": folder / "hypotheses"}, 3)


def test_digits_of_a_name_are_no_number(folder: Path) -> None:
    script = "print('runs/20/hyp.20.txt', 'chrF2', 55.2)"
    metric = CommandMetric("x", f'{sys.executable} -c "{script}"')
    assert printed_scores(metric, {"hypotheses": folder / "hypotheses"}, 3) == (55.2, [])


def test_numbers_that_cannot_be_added_up_are_no_scores(folder: Path) -> None:
    metric = CommandMetric("x", f'{sys.executable} -c "print(*[1e308] * 3, sep=chr(10))"')
    with pytest.raises(FailedError, match="x: expected finite numbers"):
        printed_scores(metric, {"hypotheses": folder / "hypotheses"}, 3)
