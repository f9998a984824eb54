"""The partition stage as a command: its files and its report."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from mgsa.base.cli import DONE, run
from pipeline.partition import main
from tests.pipeline.test_partition import BUSH, SETTINGS
from tests.run_section import RUN

SENTENCES = {
    "train": [
        (BUSH, "Bush held a talk with Sharon"),
        ("(ROOT (NP (NN dog) (-LRB- -LRB-) (NN x) (-RRB- -RRB-)))", "dog ( x )"),
    ],
    "valid": [("(ROOT (UH Yes))", "Yes")],
    "test": [("(ROOT (S (NP (PRP I)) (VP (VBP go)) (, ,)))", "I go ,")],
}


@pytest.fixture
def corpus(tmp_path: Path) -> Path:
    """A folder with `parsed/`, `tokenized/` and `params.yaml`."""
    for folder in ("parsed", "tokenized"):
        (tmp_path / folder).mkdir()
    for split, sentences in SENTENCES.items():
        trees, tokens = zip(*sentences, strict=True)
        (tmp_path / "parsed" / f"{split}.trees").write_text("\n".join(trees) + "\n", "utf-8")
        (tmp_path / "tokenized" / f"{split}.source").write_text("\n".join(tokens) + "\n", "utf-8")
    (tmp_path / "params.yaml").write_text(json.dumps({"partition": SETTINGS, "run": RUN}), "utf-8")
    return tmp_path


def partition(folder: Path, *options: str) -> int:
    paths = {"parsed": "parsed", "tokenized": "tokenized", "out": "partitions", "plots": "plots"}
    argv = [word for name, path in paths.items() for word in (f"--{name}", str(folder / path))]
    argv += ["--report", str(folder / "report.json"), "--params", str(folder / "params.yaml")]
    return run(main, [*argv, *options])


def outputs(folder: Path) -> dict[str, bytes]:
    files = [*folder.glob("partitions/*"), *folder.glob("plots/*"), folder / "report.json"]
    return {path.name: path.read_bytes() for path in files if path.is_file()}


def test_the_stage_writes_phrases_report_and_plots(corpus: Path) -> None:
    assert partition(corpus) == DONE
    written = {name: content.decode() for name, content in outputs(corpus).items()}
    assert written["train.phrases"] == (
        "1:NP 5:VP ||| 1:NNP 1:VBD 2:NP 2:PP ||| 1:NNP 1:VBD 1:DT 1:NN 1:IN 1:NNP\n"
        + " ||| ".join(["1:NN 1:-LRB- 1:NN 1:-RRB-"] * 3)
        + "\n"
    )
    assert written["valid.phrases"] == "1:UH ||| 1:UH ||| 1:UH\n"
    assert written["test.phrases"] == "1:NP 1:VP 1:, ||| 1:PRP 1:VBP 1:, ||| 1:PRP 1:VBP 1:,\n"
    assert json.loads(written["report.json"]) == {
        "sentences": 4,
        "words": 14,  # 6 + 4 + 1 + 3
        "words_per_sentence": 3.5,
        "phrases_per_sentence_ngram_2": 2.0,  # 3 + 2 + 1 + 2
        "phrases_per_sentence_ngram_3": 1.5,  # 2 + 2 + 1 + 1
        "phrases_per_sentence_syntactic_1": 2.5,  # 2 + 4 + 1 + 3
        "phrases_per_sentence_syntactic_2": 3.0,  # 4 + 4 + 1 + 3
        "phrases_per_sentence_syntactic_3": 3.5,  # every word
        "words_per_phrase_ngram_2": 1.75,
        "words_per_phrase_ngram_3": 2.3333,
        "words_per_phrase_syntactic_1": 1.4,
        "words_per_phrase_syntactic_2": 1.1667,
        "words_per_phrase_syntactic_3": 1.0,
        "tags": 14,  # NP VP NNP VBD PP DT NN IN -LRB- -RRB- UH , PRP VBP
    }
    assert written["phrase_lengths.csv"] == (
        "level,length,count\n1,1,9\n1,5,1\n2,1,10\n2,2,2\n3,1,14\n"
    )
    assert written["tags.csv"].startswith(
        'level,tag,count\n1,",",1\n1,-LRB-,1\n1,-RRB-,1\n1,NN,2\n1,NP,2\n1,UH,1\n1,VP,2\n2,",",1\n'
    )


def test_output_is_the_same_whatever_the_number_of_workers(
    corpus: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("pipeline.partition.SENTENCES_PER_CHUNK", 1)
    assert partition(corpus, "--set", "boundaries=shuffled") == DONE
    expected = outputs(corpus)
    assert partition(corpus, "--set", "boundaries=shuffled", "--set", "run.workers=2") == DONE
    assert outputs(corpus) == expected
    assert len(expected) == 6
