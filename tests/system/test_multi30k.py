"""The pipeline on real text: the first pairs of Multi30k, parsed by a stanza package."""

from __future__ import annotations

import json
from itertools import accumulate
from pathlib import Path
from typing import Any

import pytest
import yaml

from mgsa.cli.files import read_json
from pipeline.formats.text import SPLITS
from pipeline.formats.trees import children, is_preterminal, read_tree, top_node
from pipeline.params.presets import compose
from tests.dvc_project import STAGES
from tests.imports import ROOT
from tests.lines import lines
from tests.multi30k import run, stage, write_head

PAIRS = {"train": 600, "valid": 60, "test": 60}
LANGUAGES = {"source": "en", "target": "de"}
OVERRIDES = [
    *("parser=stanza", "parser.package=ptbsample"),
    *("model=mgsa_syntactic_tiny", "bpe.merges=500"),
    *("train.max_updates=60", "train.warmup=20", "train.log_every=10", "train.validate_every=30"),
    *("train.validation_sentences=20", "translate.beam=1", "evaluate.bootstrap_samples=100"),
    *(
        "probe_data.sentences=1200",
        "probe.max_epochs=16",
        "probe.patience=16",
        "probe.bootstrap_samples=100",
    ),
]
LEVELS = 3


@pytest.fixture
def folder(tmp_path: Path, shared: Path) -> Path:
    """A folder with the first pairs of each split, and the parameters."""
    overrides = write_head(tmp_path, shared, PAIRS, LANGUAGES) + OVERRIDES
    overrides.append(f"parser.resources={shared / 'stanza_resources'}")
    overrides.append(f"probe_data.trees={shared / 'treebank/train.mrg'}")
    params = yaml.safe_dump(compose(ROOT / "conf", overrides))
    (tmp_path / "params.yaml").write_text(params, encoding="utf-8")
    return tmp_path


def check_tokens(folder: Path, report: dict[str, float]) -> None:
    """Pairs stay paired; every one that is not there was counted as dropped."""
    dropped = sum(count for name, count in report.items() if name.startswith("train_dropped"))
    assert report["train_kept"] + dropped == PAIRS["train"]
    assert dropped < 20
    for split in SPLITS:
        numbers = [int(line) for line in lines(folder / f"data/tokenized/{split}.lines")]
        assert len(numbers) == report[f"{split}_kept"]
        assert numbers == sorted(set(numbers))
        for side, language in LANGUAGES.items():
            raw = lines(folder / f"{split}.{language}")
            tokenized = lines(folder / f"data/tokenized/{split}.{side}")
            # Tokenisation moves spaces; letters it leaves alone, and in their order.
            for number, text in zip(numbers, tokenized, strict=True):
                assert letters(text) == letters(raw[number - 1]), (split, side, number)


def letters(text: str) -> str:
    return "".join(filter(str.isalpha, text))


def check_phrases(folder: Path) -> None:
    """Phrases of every level cover the leaves, and a level refines the one above."""
    flat = []
    for split in SPLITS:
        files = (f"parsed/{split}.trees", f"partitions/{split}.phrases")
        for bracketed, phrases in zip(*(lines(folder / "data" / f) for f in files), strict=True):
            tree = read_tree(bracketed)
            nodes = children(top_node(tree)) or [top_node(tree)]
            flat.append(all(map(is_preterminal, nodes)))
            levels = [[p.split(":") for p in part.split(" ")] for part in phrases.split(" ||| ")]
            assert [tag for _, tag in levels[0]] == [node.label() for node in nodes]
            ends = [{*accumulate(int(length) for length, _ in level)} for level in levels]
            assert len(ends) == LEVELS
            assert {max(level) for level in ends} == {len(tree.leaves())}
            assert ends[0] <= ends[1] <= ends[2]
    assert sum(flat) / len(flat) < 0.02


def check_training(folder: Path, report: dict[str, float]) -> None:
    """Losses of training and validation fall, and so does that of the tags."""
    curves = [json.loads(line) for line in lines(folder / "data/model/curves.jsonl")]
    for name in ("train_loss", "valid_nll", "valid_tag_nll"):
        values = [point[name] for point in curves if name in point]
        assert values[-1] < 0.97 * values[0], (name, values)
    assert (report["updates"], report["skipped_batches"]) == (60, 0)


def check_scores(folder: Path, report: dict[str, Any]) -> None:
    """As many translations as sentences; scores say how they came about, and how sure they are."""
    assert lines(folder / "data/translations/test.references") == lines(folder / "test.de")
    for entry in report["signatures"]:
        assert entry["signature"].startswith("nrefs:1|bs:100|seed:12345|case:mixed|")
        name = entry["metric"]
        assert report[f"{name}_mean"] == pytest.approx(report[name], abs=3)
    assert report["sentences"] == PAIRS["test"]
    assert 0 < report["chrf_interval"] < report["chrf"] < 100


def check_probes(data: dict[str, Any], report: dict[str, Any]) -> None:
    """Sentences of the treebank have labels, which even a young encoder's states tell of."""
    assert [data[split]["sentences"] for split in SPLITS] == [1000, 100, 100]
    train = data["train"]
    assert 0.02 < train["voice"]["passive"] / train["sentences"] < 0.3
    assert train["tense"]["past"] > 0.2 * train["sentences"]
    assert max(train["tss"], key=train["tss"].get) == "NP-VP-."
    assert {"NP", "VP", "PP"} <= set(train["spc"])
    pos = report["encoders"]["model"]["pos"]
    assert pos["low"] > pos["majority"]


@pytest.mark.real
@pytest.mark.slow
def test_real_text_goes_through_every_stage(folder: Path) -> None:
    report = stage(folder, "corpus")
    assert [report[f"{split}_pairs"] for split in PAIRS] == [*PAIRS.values()]
    check_tokens(folder, stage(folder, "tokenize"))

    stage(folder, "parser")
    report = stage(folder, "parse")
    assert (report["flat_too_long"], report["flat_failed"]) == (0, 0)
    parsed = (folder / "data/parsed/train.trees").read_bytes()
    assert " 0 parsed now" in run(folder, STAGES["parse"]["cmd"]).stderr
    assert (folder / "data/parsed/train.trees").read_bytes() == parsed
    stage(folder, "partition")
    check_phrases(folder)

    stage(folder, "bpe")
    assert stage(folder, "align")["train_pairs_without_links"] < 0.01 * PAIRS["train"]

    report = stage(folder, "dataset")
    assert [report[f"{split}_rows"] for split in ("valid", "test")] == [60, 60]
    assert report["train_rows"] == len(lines(folder / "data/tokenized/train.lines"))
    assert {"NP", "VP", "PP", "NN"} <= set(read_json(folder / "data/dataset/tags.json"))
    run(folder, "python -m pipeline.dataset --verify data/dataset")

    check_training(folder, stage(folder, "train"))
    stage(folder, "translate")
    check_scores(folder, stage(folder, "evaluate"))
    check_probes(stage(folder, "probe_data"), stage(folder, "probe"))

    # Raw text takes another way to the model and comes out the same.
    head = lines(folder / "test.en")[:5]
    said = run(folder, "python -m pipeline.translate --model data/model", "\n".join(head) + "\n")
    assert said.stdout.split("\n")[:-1] == lines(folder / "data/translations/test.hypotheses")[:5]
