"""Scores are those of sacreBLEU's command on the same files."""

from __future__ import annotations

import json
import os
import random
import re
import subprocess
import sys
from pathlib import Path

import pytest
import yaml

from mgsa.cli.errors import InputError
from mgsa.cli.files import read_json
from mgsa.cli.settings import to_mapping
from pipeline.evaluate.__main__ import main
from pipeline.evaluate.scores import score
from pipeline.evaluate.settings import EvaluateSettings
from tests.lines import lines, write_lines

SAMPLES, TRIALS, SEED = 200, 300, 777
SETTINGS = EvaluateSettings(("bleu", "chrf", "ter"), "13a", SAMPLES, TRIALS, SEED, ())
WORDS = "Ein Hund läuft über die Wiese , und zwei Kinder sehen zu .".split()  # noqa: SIM905


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder of references, and hypotheses of two systems of about the same quality."""
    folder = tmp_path_factory.mktemp("evaluate")
    generator = random.Random(5)
    references = [generator.choices(WORDS, k=generator.randint(3, 15)) for _ in range(60)]
    for name, share in (("references", 0.0), ("hypotheses", 0.2), ("baseline", 0.22)):
        texts = [
            " ".join(
                generator.choice(WORDS).lower() if generator.random() < share else word
                for word in line
            )
            for line in references
        ]
        write_lines(folder / name, texts)
    params = yaml.safe_dump({"evaluate": to_mapping(SETTINGS)})
    (folder / "params.yaml").write_text(params, encoding="utf-8")
    return folder


def arguments(folder: Path, *extra: str) -> list[str]:
    return [
        *("--hypotheses", str(folder / "hypotheses")),
        *("--references", str(folder / "references")),
        *("--params", str(folder / "params.yaml")),
        *("--report", str(folder / "report.json")),
        *extra,
    ]


def sacrebleu(folder: Path, *extra: str) -> str:
    """What sacreBLEU's own command prints."""
    command = [sys.executable, "-m", "sacrebleu", str(folder / "references"), *extra]
    command += ["-m", "bleu", "chrf", "ter", "--ter-case-sensitive"]
    environment = {"SACREBLEU_SEED": str(SEED), "NO_COLOR": "1"}
    done = subprocess.run(command, check=True, capture_output=True, text=True, env=environment)
    return done.stdout


def test_scores_and_intervals_are_sacrebleus(files: Path) -> None:
    main(arguments(files))
    report = read_json(files / "report.json")
    printed = sacrebleu(
        files,
        *("-i", str(files / "hypotheses"), "--confidence", "--confidence-n", str(SAMPLES)),
        *("-w", "6", "-f", "json"),
    )
    assert report["sentences"] == 60
    signatures = {one["metric"]: one["signature"] for one in report["signatures"]}
    for name, one in zip(SETTINGS.metrics, json.loads(printed), strict=True):
        found = [report[name], report[f"{name}_mean"], report[f"{name}_interval"]]
        expected = [one["score"], one["confidence_mean"], one["confidence_var"]]
        assert found == pytest.approx(expected, abs=1e-5)  # the test's mean TER is of float32
        assert signatures[name] == one["signature"]


@pytest.mark.parametrize(
    ("test", "samples", "p_value"),
    [("bs", SAMPLES, "p_value"), ("ar", TRIALS, "randomization_p_value")],
)
def test_paired_tests_are_sacrebleus(files: Path, test: str, samples: int, p_value: str) -> None:
    main(arguments(files, "--baseline", str(files / "baseline")))
    report = read_json(files / "report.json")
    printed = sacrebleu(
        files,
        *("-i", str(files / "baseline"), str(files / "hypotheses")),
        *(f"--paired-{test}", f"--paired-{test}-n", str(samples), "-w", "4", "-f", "text"),
    )
    p_values = [float(p) for p in re.findall(r"p = ([0-9.]+)\)", printed)]
    scores = [float(score) for score in re.findall(r" ([0-9]+\.[0-9]{4}) ", printed)]
    names = SETTINGS.metrics
    for name in names:
        assert report[name] - report[f"{name}_baseline"] == pytest.approx(
            report[f"{name}_difference"]
        )
    expected = [report[f"{name}{of}"] for of in ("_baseline", "") for name in names]
    assert scores == pytest.approx(expected, abs=1e-4)
    assert max(p_values) > 0.05  # or the resamples would hardly show in them
    assert p_values == pytest.approx([report[f"{name}_{p_value}"] for name in names], abs=1e-4)
    assert report["bleu_p_value"] != report["bleu_randomization_p_value"]


@pytest.mark.parametrize(
    ("override", "absent"),
    [
        ("seed=1", []),
        ("randomization_trials=0", ["ter_randomization_p_value"]),
        ("bootstrap_samples=1", ["ter_mean", "ter_interval"]),
    ],
)
def test_intervals_and_tests_may_be_left_out(
    files: Path, override: str, absent: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    main([*arguments(files, "--baseline", str(files / "baseline")), "--set", override])
    *_, ter = capsys.readouterr().out.splitlines()
    numbers, signature = ter.split("  ")
    assert signature.startswith("nrefs:1|")
    names = ["", "_mean", "_interval", "_baseline", "_difference", "_p_value"]
    names.append("_randomization_p_value")
    found = dict(number.split() for number in numbers.split(", "))
    assert list(found) == [f"ter{name}" for name in names if f"ter{name}" not in absent]
    report = read_json(files / "report.json")
    assert {name: float(number) for name, number in found.items()} == pytest.approx(
        {name: report[name] for name in found}, rel=1e-3
    )


def test_translations_that_have_next_to_nothing_right_have_intervals(files: Path) -> None:
    """In some resamples nothing matches, in others little does; or nothing does in any."""
    references = lines(files / "references")
    scores = score([references[0], *[""] * 59], references, SETTINGS)
    assert 0 < scores["chrf_mean"] < scores["chrf_interval"] < 10
    scores = score([""] * 60, references, SETTINGS)
    assert scores["bleu"] == scores["bleu_mean"] == scores["bleu_interval"] == 0


def test_the_seed_of_others_is_left_as_it_was(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("SACREBLEU_SEED", raising=False)
    for seed in (None, "5"):
        if seed:
            monkeypatch.setenv("SACREBLEU_SEED", seed)
        score(["ein Hund"], ["ein Hund"], SETTINGS)
        assert os.environ.get("SACREBLEU_SEED") == seed


@pytest.mark.parametrize("override", ["metrics=[]", "metrics=[bleu, bleu]", "seed=0"])
def test_impossible_settings_are_named(files: Path, override: str) -> None:
    with pytest.raises(InputError, match=r"(metrics: expected at least one, each once|seed: )"):
        main(arguments(files, "--set", override))
