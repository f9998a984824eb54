"""The stage `phrasal_patterns`: one system, several, with and without a source; what it refuses."""

from __future__ import annotations

import csv
import random
from pathlib import Path

import pytest
import yaml
from sacrebleu.metrics.bleu import BLEU

from mgsa.cli.errors import InputError
from mgsa.cli.files import read_json, write_json
from mgsa.cli.outputs import write_manifest
from mgsa.cli.run import BAD_INPUT, DONE, run
from pipeline.phrasal_patterns.__main__ import find_links, main
from tests.all_stages import contents
from tests.lines import lines, write_lines
from tests.parameters import PARAMETERS, recorded_text

CHANGES = {"max_ngram": 8, "source_lengths": [4, 8], "bootstrap_samples": 100}
SECTION = PARAMETERS["phrasal_patterns"] | CHANGES
SENTENCES = 25
WORDS = "Hund Katze Haus (Baum) sieht und, geht".split()  # noqa: SIM905
TABLES = ("ngrams", "lengths", "categories")


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """References, two systems, and the source as the text stages leave it."""
    folder = tmp_path_factory.mktemp("phrasal_patterns")
    generator = random.Random(3)
    references = [
        " ".join(generator.choices(WORDS, k=generator.randint(2, 11))) + "."
        for _ in range(SENTENCES)
    ]
    for name, share in (("references", 0.0), ("good", 0.1), ("bad", 0.4)):
        texts = [
            " ".join(w if generator.random() >= share else "Wort" for w in line.split(" "))
            for line in references
        ]
        write_lines(folder / name, texts)
    tokenized = folder / "tokenized"
    tokenized.mkdir()
    write_json(tokenized / "text.json", recorded_text())
    write_manifest(tokenized, {"kind": "mgsa tokenised text"})
    columns: dict[str, list[str]] = {"source": [], "target": [], "trees": [], "links": []}
    for line in references:
        tokens = line.replace("(", "( ").replace(")", " )").replace(",", " ,").replace(".", " .")
        words = tokens.split(" ")
        columns["target"].append(tokens)
        columns["source"].append(" ".join("x" for _ in words))
        columns["trees"].append(f"(ROOT (S (NN x) (VP {'(VB x) ' * (len(words) - 1)})))")
        columns["links"].append(" ".join(f"{i}-{i}" for i in range(len(words))))
    for name, rows in columns.items():
        place = tokenized if name in ("source", "target") else folder
        write_lines(place / f"test.{name}", rows)
    (folder / "params.yaml").write_text(yaml.safe_dump({"phrasal_patterns": SECTION}))
    return folder


SOURCE = ["--tokenized", "{}/tokenized", "--trees", "{}/test.trees"]
SOURCE += ["--alignments", "{}/test.links"]


def patterns(
    folder: Path, out: Path, *more: str, systems: tuple[str, ...] = ("good", "bad")
) -> int:
    """Run the command; `{}` in an argument is the folder of the files."""
    argv = [
        *([] if "--references" in more else ["--references", "{}/references"]),
        *("--params", "{}/params.yaml"),
        *(word for name in systems for word in ("--system", f"{name}={{}}/{name}")),
        *("--out", str(out), "--report", f"{out}.json"),
        *more,
    ]
    return run(main, [word.replace("{}", str(folder)) for word in argv])


def table(path: Path) -> list[dict[str, str]]:
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def test_one_system_needs_nothing_but_references(files: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    assert patterns(files, out, systems=("good",)) == DONE
    files_there = {"ngrams.csv", "figures", "figures/ngrams.svg", "manifest.json"}
    assert contents(out).keys() == files_there
    hypotheses, references = (lines(files / name) for name in ("good", "references"))
    expected = BLEU(max_ngram_order=8, smooth_method="none").corpus_score(hypotheses, [references])
    scores = read_json(tmp_path / "out.json")["systems"]["good"]
    for n, precision in enumerate(expected.precisions, start=1):
        assert scores[f"precision_{n}"] == pytest.approx(precision, abs=1e-6)
        assert scores[f"bleu_{n}"] == pytest.approx(expected.bp * precision, abs=1e-6)


def test_counts_are_clipped_by_the_most_of_several_references(files: Path, tmp_path: Path) -> None:
    hypotheses, references = (lines(files / name) for name in ("good", "references"))
    others = [text if n % 2 else "Wort" for n, text in enumerate(hypotheses)]
    write_lines(tmp_path / "others", others)
    more = ("--references", "{}/references", str(tmp_path / "others"), *SOURCE)
    assert patterns(files, tmp_path / "out", *more, systems=("good",)) == DONE
    scorer = BLEU(max_ngram_order=8, smooth_method="none")
    expected = scorer.corpus_score(hypotheses, [references, others])
    scores = read_json(tmp_path / "out.json")["systems"]["good"]
    for n, precision in enumerate(expected.precisions, start=1):
        assert scores[f"precision_{n}"] == pytest.approx(precision, abs=1e-6)
    assert scores["bleu_1"] == pytest.approx(expected.bp * expected.precisions[0], abs=1e-6)
    assert patterns(files, tmp_path / "first", *SOURCE, systems=("good",)) == DONE
    first = read_json(tmp_path / "first.json")["systems"]["good"]
    assert first["recall_1"] == scores["recall_1"]
    assert first["precision_2"] < scores["precision_2"]


@pytest.mark.parametrize("tokenizer", ["auto", "char"])
def test_text_is_tokenised_by_target_language(tmp_path: Path, tokenizer: str) -> None:
    for name, texts in {"references": ["我昨天看了电影"], "good": ["我今天看了电影"]}.items():
        write_lines(tmp_path / name, texts)
    section = SECTION | {"bleu_tokenizer": tokenizer}
    sections = {"phrasal_patterns": section, "corpus": {"target_language": "zh"}}
    (tmp_path / "params.yaml").write_text(yaml.safe_dump(sections))
    assert patterns(tmp_path, tmp_path / "out", systems=("good",)) == DONE
    report = read_json(tmp_path / "out.json")
    assert report["systems"]["good"]["precision_1"] == pytest.approx(600 / 7, abs=1e-6)
    assert report["recipe"][0]["tokenizer"] == ("zh" if tokenizer == "auto" else "char")


def test_systems_are_compared_in_every_table(files: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    assert patterns(files, out, *SOURCE, "--baseline", "bad") == DONE
    assert contents(out).keys() == {
        "manifest.json",
        "figures",
        *(f"{name}.csv" for name in TABLES),
        *(f"figures/{name}.svg" for name in TABLES),
    }
    bins = {row["source_words"]: int(row["sentences"]) for row in table(out / "lengths.csv")}
    assert list(bins) == ["1-4", "5-8", "9+"]
    assert sum(bins.values()) == SENTENCES
    report = read_json(tmp_path / "out.json")
    assert report["sentences"] == SENTENCES
    assert report["recipe"][0].items() > SECTION.items()
    assert report["recipe"][0]["links"] == f"{files}/test.links"
    difference = report["systems"]["good"]["bleu_2"] - report["systems"]["bad"]["bleu_2"]
    (of_two,) = [
        row
        for row in report["ngrams"]
        if (row["system"], row["n"], row["measure"]) == ("good", 2, "bleu")
    ]
    assert of_two["difference"] == pytest.approx(difference, abs=2e-6)
    assert of_two["difference_low"] > 0
    assert of_two["p_value"] < 0.05


def test_categories_are_counted_over_the_pipelines_tokens(files: Path, tmp_path: Path) -> None:
    """A bracket is a token of its own there; the first word is an NN, all others are VBs."""
    out = tmp_path / "out"
    assert patterns(files, out, *SOURCE) == DONE
    rows = {(r["n"], r["category"]): r for r in table(out / "categories.csv")[:9]}
    lengths = [len(line.split(" ")) for line in lines(files / "tokenized/test.target")]
    counts = {cell: float(row["ngrams"]) for cell, row in rows.items()}
    assert counts == {
        ("1", "all"): sum(lengths),
        ("1", "NN"): SENTENCES,
        ("1", "VB"): sum(lengths) - SENTENCES,
        ("2", "all"): sum(lengths) - SENTENCES,
        ("2", "S"): SENTENCES,
        ("2", "VP"): sum(lengths) - 2 * SENTENCES,
        ("phrase", "all"): 2 * SENTENCES,
        ("phrase", "S"): SENTENCES,
        ("phrase", "VP"): SENTENCES,
    }
    # A sentence is found as a whole where it is the same.
    good, right = (lines(files / name) for name in ("good", "references"))
    same = sum(one == other for one, other in zip(good, right, strict=True))
    assert 0 < same < SENTENCES
    assert float(rows["phrase", "S"]["matches"]) == same


@pytest.mark.parametrize(
    ("more", "message"),
    [
        (("--baseline", "worse"), "--baseline worse: expected one of several systems, got good"),
        (("--baseline", "good"), "--baseline good: expected one of several systems, got good"),
        (("--set", "source_lengths=[8, 4]"), "phrasal_patterns: source_lengths: expected each "),
        (SOURCE[2:], "expected --tokenized, --trees and --alignments together"),
        (
            ("--references", "{}/test.links", *SOURCE[:2]),
            "{}/test.links:1: expected the text whose tokens are ",
        ),
    ],
)
def test_a_mistake_is_one_line_and_leaves_everything(
    files: Path,
    tmp_path: Path,
    more: tuple[str, ...],
    message: str,
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert patterns(files, tmp_path / "out", *more, systems=("good",)) == BAD_INPUT
    said = capsys.readouterr().err
    assert message.replace("{}", str(files)) in said
    assert said.startswith("error: ")
    assert said.count("\n") == 1
    assert list(tmp_path.iterdir()) == []


def test_links_are_a_file_or_gold_or_the_aligners(tmp_path: Path) -> None:
    tokenized, alignments = tmp_path / "tokenized", tmp_path / "alignments"
    for folder in (tokenized, alignments):
        folder.mkdir()
    description = {"kind": "pharaoh", "deterministic": True, "splits": ["train", "test"]}
    write_json(alignments / "aligner.json", description)
    file = tmp_path / "mine"
    assert find_links(file, tokenized, "test") == file
    assert find_links(alignments, tokenized, "test") == alignments / "test.links"
    assert find_links(alignments, tokenized, "valid") is None
    gold = tokenized / "test.links"
    gold.touch()
    assert find_links(alignments, tokenized, "test") == gold
    assert find_links(file, tokenized, "test") == file
    with pytest.raises(InputError, match=r"tokenized/aligner.json: no such file"):
        find_links(tokenized, tokenized, "test")
