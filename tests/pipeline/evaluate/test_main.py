"""Scores are those of sacreBLEU's command on the same files."""

from __future__ import annotations

import json
import os
import random
import re
import shutil
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest
import yaml
from sacrebleu.metrics.ter import TER

from mgsa.cli.errors import InputError
from mgsa.cli.files import write_json
from mgsa.cli.outputs import write_manifest
from mgsa.cli.run import BAD_INPUT, DONE, run
from mgsa.cli.settings import to_mapping
from pipeline.evaluate.__main__ import main
from pipeline.evaluate.scores import score
from pipeline.evaluate.settings import EvaluateSettings
from pipeline.formats.tables import Record
from pipeline.formats.translations import Translations
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
    report = Record.read(files / "report.json")
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
    report = Record.read(files / "report.json")
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
    report = Record.read(files / "report.json")
    assert {name: float(number) for name, number in found.items()} == pytest.approx(
        {name: report[name] for name in found}, rel=1e-3
    )


def test_translations_that_have_next_to_nothing_right_have_intervals(files: Path) -> None:
    """In some resamples nothing matches, in others little does; or nothing does in any."""
    references = [[text] for text in lines(files / "references")]
    scores = score([references[0][0], *[""] * 59], references, SETTINGS)
    assert 0 < scores["chrf_mean"] < scores["chrf_interval"] < 10
    scores = score([""] * 60, references, SETTINGS)
    assert scores["bleu"] == scores["bleu_mean"] == scores["bleu_interval"] == 0


def test_the_seed_of_others_is_left_as_it_was(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("SACREBLEU_SEED", raising=False)
    for seed in (None, "5"):
        if seed:
            monkeypatch.setenv("SACREBLEU_SEED", seed)
        score(["ein Hund"], [["ein Hund"]], SETTINGS)
        assert os.environ.get("SACREBLEU_SEED") == seed


def further(folder: Path) -> list[str]:
    """Two more references in files, the last without the final twenty sentences."""
    references = lines(folder / "references")
    texts = [" ".join(reversed(text.split(" "))) for text in references]
    write_lines(folder / "references.2", texts)
    write_lines(folder / "references.3", [f"{text} !" for text in references[:40]] + [""] * 20)
    return [str(folder / f"references.{number}") for number in (2, 3)]


def test_several_references_are_sacrebleus(files: Path) -> None:
    second, third = further(files)
    main(arguments(files, "--references", second, "--baseline", str(files / "baseline")))
    report = Record.read(files / "report.json")
    options = ["--confidence", "--confidence-n", str(SAMPLES), "-w", "6", "-f", "json"]
    printed = sacrebleu(files, second, "-i", str(files / "hypotheses"), *options)
    for name, one in zip(SETTINGS.metrics, json.loads(printed), strict=True):
        found = [report[name], report[f"{name}_mean"], report[f"{name}_interval"]]
        expected = [one["score"], one["confidence_mean"], one["confidence_var"]]
        assert found == pytest.approx(expected, abs=1e-6)
        assert "nrefs:2" in one["signature"]
        assert one["signature"] in [of["signature"] for of in report["signatures"]]
    printed = sacrebleu(
        files,
        *(second, "-i", str(files / "baseline"), str(files / "hypotheses")),
        *("--paired-ar", "--paired-ar-n", str(TRIALS), "-w", "4", "-f", "text"),
    )
    p_values = [float(p) for p in re.findall(r"p = ([0-9.]+)\)", printed)]
    expected = [report[f"{name}_randomization_p_value"] for name in SETTINGS.metrics]
    assert p_values == pytest.approx(expected, abs=1e-4)
    main(arguments(files, "--references", second, third))
    assert Record.read(files / "report.json")["signatures"][0]["signature"].startswith("nrefs:var|")


def test_sentences_that_a_metric_cannot_tell_apart_are_no_evidence(files: Path) -> None:
    ours = lines(files / "hypotheses")
    baseline = [f"{line} " for line in ours]
    baseline[3] = "quite other words ."
    write_lines(files / "baseline", baseline)
    main(arguments(files, "--baseline", str(files / "baseline")))
    report = Record.read(files / "report.json")
    for name in SETTINGS.metrics:
        assert report[f"{name}_p_value"] == report[f"{name}_randomization_p_value"] == 1


def test_test_sets_are_scored_alone_and_have_means(
    files: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    sets = {"mt02": slice(20), "mt03.web": slice(20, 60)}
    write_lines(files / "sets", ["mt02"] * 20 + ["mt03.web"] * 40)
    command = f"share={sys.executable} -c print(3) {{hypotheses}}"
    options = [*further(files)[1:], "--sets", str(files / "sets")]
    options += ["--set", f"commands=['{command}']"]
    main(arguments(files, "--baseline", str(files / "baseline"), "--references", *options))
    printed = capsys.readouterr().out
    report = Record.read(files / "report.json")
    reports = []
    for name, rows in sets.items():
        part = files / name
        for kind in ("hypotheses", "baseline", "references", "references.3"):
            write_lines(part / kind, lines(files / kind)[rows])
        (part / "params.yaml").write_bytes((files / "params.yaml").read_bytes())
        baseline = ["--baseline", str(part / "baseline")]
        main(arguments(part, *baseline, "--references", str(part / "references.3")))
        reports.append(Record.read(part / "report.json"))
        for text in ("hypotheses", "references"):
            assert len(reports[-1].pop(text)) == 1  # a digest, which all have once
    assert report["set_reports"] == [
        {"set": name, **one} for name, one in zip(sets, reports, strict=True)
    ]
    for name in SETTINGS.metrics:
        assert report[name] == pytest.approx(sum(one[name] for one in reports) / 2)
        assert [report["sets"][of][name] for of in sets] == [one[name] for one in reports]
        halves = [one[f"{name}_interval"] for one in reports]
        assert report[f"{name}_interval"] == pytest.approx(
            (halves[0] ** 2 + halves[1] ** 2) ** 0.5 / 2
        )
        difference = sum(one[f"{name}_difference"] for one in reports) / 2
        assert report[f"{name}_difference"] == pytest.approx(difference)
        assert f"{name}_p_value" not in report
    assert report["sentences"] == 60
    assert 0.05 < report["bleu_randomization_p_value"] <= 1
    assert report["share"] == 3
    assert printed.count("\n") == 3 + 3 + 4
    assert printed.startswith("mt02: bleu ")
    assert "\nmt03.web: bleu " in printed
    assert "\nall sets: bleu " in printed


def test_one_set_is_no_set(files: Path) -> None:
    write_lines(files / "sets", ["test"] * 60)
    main(arguments(files, "--sets", str(files / "sets")))
    found = Record.read(files / "report.json")
    main(arguments(files))
    assert found == Record.read(files / "report.json")


PERFECT = {
    "zh": (["我昨天看了电影，很好看。", "他今天没有来上班。"], "zh"),
    "ja": (["私は昨日映画を見ました。", "彼は今日来なかった。"], "ja-mecab"),
    "ko": (["나는 어제 영화를 봤습니다.", "그는 오늘 오지 않았어요."], "ko-mecab"),
    "th": (["เมื่อวานฉันดูหนัง", "วันนี้เขาไม่มาทำงาน"], "char"),
    "km": (["ខ្ញុំបានមើលកុនម្សិលមិញ", "គាត់មិនបានមកទេ"], "char"),
    "hi": (["मैंने कल एक फिल्म देखी ।", "वह आज काम पर नहीं आया ।"], "13a"),
    "de": (["Ich habe gestern einen Film gesehen.", "Er kam heute nicht."], "13a"),
}


@pytest.mark.parametrize("language", PERFECT)
@pytest.mark.parametrize("given", ["params", "corpus"])
def test_a_perfect_translation_has_bleu_100_in_any_language(
    tmp_path: Path, language: str, given: str, capsys: pytest.CaptureFixture[str]
) -> None:
    texts, tokenizer = PERFECT[language]
    for name, end in (("hypotheses", ""), ("references", " ")):
        write_lines(tmp_path / name, [f"{text}{end}" for text in texts])
    languages = {"source_language": "en", "target_language": language}
    sections = {"evaluate": to_mapping(replace(SETTINGS, bleu_tokenizer="auto"))}
    sections["corpus"] = languages if given == "params" else {"target_language": "fr"}
    (tmp_path / "params.yaml").write_text(yaml.safe_dump(sections), "utf-8")
    write_json(tmp_path / "corpus/corpus.json", languages)
    corpus = ["--corpus", str(tmp_path / "corpus")] if given == "corpus" else []
    main(arguments(tmp_path, *corpus))
    report = Record.read(tmp_path / "report.json")
    assert (report["bleu"], report["chrf"]) == (pytest.approx(100), pytest.approx(100))
    assert f"|tok:{tokenizer}" in report["signatures"][0]["signature"]
    is_left_out = language in ("th", "km")
    assert report.get("ter") == (None if is_left_out else 0)
    said = capsys.readouterr().err
    assert said == (f"no TER: {language} has no blanks between words\n" if is_left_out else "")


@pytest.mark.parametrize(
    ("section", "status", "told"),
    [
        ({}, DONE, "params.yaml: no corpus.target_language: taken as one with blanks\n"),
        ({"target_langauge": "ja"}, BAD_INPUT, "corpus.target_langauge: unknown key (target_"),
        ({"target_language": "german"}, BAD_INPUT, "corpus.target_language: expected "),
    ],
)
def test_a_target_language_that_is_not_known_is_told(
    tmp_path: Path,
    section: dict[str, str],
    status: int,
    told: str,
    capsys: pytest.CaptureFixture[str],
) -> None:
    for name in ("hypotheses", "references"):
        write_lines(tmp_path / name, [f"{name} of one line"])
    sections = {"evaluate": to_mapping(SETTINGS), "corpus": section}
    (tmp_path / "params.yaml").write_text(yaml.safe_dump(sections), "utf-8")
    assert run(main, arguments(tmp_path)) == status
    assert told in capsys.readouterr().err


def test_ter_of_chinese_is_sacrebleus() -> None:
    chinese, _ = PERFECT["zh"]
    shorter, references = [text[1:] for text in chinese], [[text] for text in chinese]
    settings = replace(SETTINGS, bleu_tokenizer="auto", metrics=("ter",))
    found = score(shorter, references, settings, language="zh")
    scorer = TER(normalized=True, asian_support=True, case_sensitive=True)
    assert 0 < found["ter"] == scorer.corpus_score(shorter, [chinese]).score < 20
    found = score(shorter, references, settings, language="th", baseline=chinese)
    assert found == {"sentences": 2, "signatures": []}


@pytest.mark.parametrize("override", ["metrics=[]", "metrics=[bleu, bleu]", "seed=0"])
def test_impossible_settings_are_named(files: Path, override: str) -> None:
    with pytest.raises(InputError, match=r"(metrics: expected at least one, each once|seed: )"):
        main(arguments(files, "--set", override))


@pytest.mark.parametrize(
    ("name", "line", "message"),
    [
        ("references", "\u200b", "references:2: expected text"),
        ("sets", "a\u200b", "sets:2: expected the name of a test set, without invisible"),
    ],
)
def test_lines_that_only_look_empty_or_alike_are_refused(
    files: Path, name: str, line: str, message: str
) -> None:
    count = len((files / "references").read_text("utf-8").splitlines())
    lines = {"references": ["Text."] * count, "sets": ["a"] * count}
    lines[name][1] = line
    for given, texts in lines.items():
        write_lines(files / given, texts)
    with pytest.raises(InputError, match=message):
        main(arguments(files, "--sets", str(files / "sets")))


@pytest.mark.parametrize("line", ["Ein Te@@ xt .", "0 ||| Ein Text. ||| -0.5"])
def test_text_of_other_stages_is_refused(files: Path, line: str) -> None:
    count = len((files / "references").read_text("utf-8").splitlines())
    write_lines(files / "hypotheses", [line] * count)
    with pytest.raises(InputError, match=r"hypotheses: expected text, found (@@|\|\|\|) between"):
        main(arguments(files))


@pytest.mark.parametrize(
    ("one", "other", "form"),
    [
        ("Der Hund schläft .", "Der Hund schläft.", "detokenised text"),
        ("Der Hund schla\u0308ft.", "Der Hund schläft.", "Unicode's composed characters"),
    ],
)
def test_texts_in_two_forms_are_refused(files: Path, one: str, other: str, form: str) -> None:
    count = len((files / "references").read_text("utf-8").splitlines())
    for hypothesis, reference in ((one, other), (other, one)):
        write_lines(files / "hypotheses", [hypothesis] * count)
        write_lines(files / "references", [reference] * count)
        wrong, right = ("hypotheses", "references")[:: 1 if hypothesis == one else -1]
        with pytest.raises(InputError, match=rf"/{wrong}: expected {form}.*, as in .*/{right}$"):
            main(arguments(files))
    write_lines(files / "references", [one] * count)
    write_lines(files / "hypotheses", [one] * count)
    main(arguments(files))


def test_hypotheses_are_none_of_their_references(files: Path) -> None:
    shutil.copy(files / "references", files / "hypotheses")
    with pytest.raises(InputError, match="hypotheses: expected references apart from"):
        main(arguments(files, "--references", str(files / "hypotheses")))
    with pytest.raises(InputError, match="references: expected references apart from"):
        main(arguments(files, "--references", str(files / "references")))
    with pytest.raises(InputError, match="references: expected references apart from --source"):
        main(arguments(files, "--source", str(files / "references")))


def test_hypotheses_and_references_are_not_exchanged(tmp_path: Path) -> None:
    names = ("test.references", "test.hypotheses")
    for name in names:
        write_lines(tmp_path / name, [name])
    write_manifest(tmp_path, {"kind": "mgsa translations"})
    ours, theirs = (tmp_path / name for name in names)
    (tmp_path / "params.yaml").write_text(yaml.safe_dump({"evaluate": to_mapping(SETTINGS)}))
    argv = ["--params", str(tmp_path / "params.yaml"), "--hypotheses", str(ours)]
    with pytest.raises(InputError, match=r"test\.references: expected other text than references"):
        main([*argv, "--references", str(theirs)])


def test_a_further_reference_that_is_invisible_is_none(files: Path) -> None:
    count = len((files / "references").read_text("utf-8").splitlines())
    write_lines(files / "blank", ["\u200b"] * count)
    read = Translations.read({}, [files / "references", files / "blank"], None)
    assert all(len(references) == 1 for references in read.references)
