"""Nothing is English to German only: recurrent models from German, without a parser, to English.

1,000 pairs of Multi30k, the other way round, as one's own files (`corpus=local`). No parser of
German is at hand: `parser=none`.
"""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
import yaml

from mgsa.base.io import read_json
from pipeline.params import compose
from tests.imports import ROOT
from tests.multi30k import lines, run, stage, write_head

PAIRS = {"train": 1000, "valid": 50, "test": 50}
LANGUAGES = {"source": "de", "target": "en"}
OVERRIDES = [
    *("parser=none", "bpe.merges=1000", "translate.beam=2", "evaluate.bootstrap_samples=100"),
    *("train.max_updates=40", "train.warmup=20", "train.log_every=10", "train.validate_every=20"),
    *("train.batch_sentences=32", "train.validation_sentences=10"),
]
ATTENTIONS = ("attn", "key_value", "modifying_iw")


def write_parameters(folder: Path, overrides: list[str], attention: str) -> None:
    content = compose(ROOT / "conf", [*overrides, f"model=rnn_{attention}_tiny"])
    (folder / "params.yaml").write_text(yaml.safe_dump(content), encoding="utf-8")


@pytest.mark.real
@pytest.mark.slow
def test_recurrent_models_from_german_to_english(tmp_path: Path, shared: Path) -> None:
    overrides = write_head(tmp_path, shared, PAIRS, LANGUAGES) + OVERRIDES
    write_parameters(tmp_path, overrides, ATTENTIONS[0])
    for name in ("corpus", "tokenize", "parser", "parse", "bpe", "partition", "align"):
        stage(tmp_path, name)
    assert stage(tmp_path, "dataset")["train_rows"] > 0.98 * PAIRS["train"]

    translations = tmp_path / "data/translations/test.hypotheses"
    for attention in ATTENTIONS:
        write_parameters(tmp_path, overrides, attention)
        report = stage(tmp_path, "train")
        assert (report["updates"], report["skipped_batches"]) == (40, 0)
        curves = [yaml.safe_load(line) for line in lines(tmp_path / "data/model/curves.jsonl")]
        for name in ("train_loss", "valid_nll"):
            values = [point[name] for point in curves if name in point]
            assert values[-1] < 0.97 * values[0], (attention, name, values)
        stage(tmp_path, "translate")
        assert len(lines(translations)) == PAIRS["test"]
        shutil.copyfile(translations, tmp_path / f"{attention}.hypotheses")
        scores = stage(tmp_path, "evaluate", f"--baseline {ATTENTIONS[0]}.hypotheses")
        assert 0 < scores["chrf"] < 100
    assert lines(tmp_path / "data/translations/test.references") == lines(tmp_path / "test.en")
    manifest = read_json(tmp_path / "data/model/manifest.json")
    assert (manifest["source_language"], manifest["target_language"]) == ("de", "en")
    # Attention to the source alone is there to be analysed, and raw text needs no parser.
    assert set(stage(tmp_path, "analyze")["cross"]) == {"layer_1"}  # type: ignore[arg-type]
    head = "\n".join(lines(tmp_path / "test.de")[:5]) + "\n"
    said = run(tmp_path, "python -m pipeline.translate --model data/model", head)
    assert said.stdout.split("\n")[:-1] == lines(translations)[:5]
