"""Nothing is English to German only: a recurrent model from German, without a parser, to English.

1,000 pairs of Multi30k, the other way round, as one's own files (`corpus=local`). No parser of
German is at hand: `parser=none`.
"""

from __future__ import annotations

from pathlib import Path

import pytest
import yaml

from mgsa.cli.files import read_json
from pipeline.params.presets import compose
from tests.imports import ROOT
from tests.lines import lines
from tests.multi30k import run, stage, write_head

PAIRS = {"train": 1000, "valid": 50, "test": 50}
LANGUAGES = {"source": "de", "target": "en"}
OVERRIDES = [
    *(
        "parser=none",
        "model=rnn_key_value_tiny",
        "bpe.merges=1000",
        "translate.beam=2",
        "evaluate.bootstrap_samples=100",
    ),
    *("train.max_updates=60", "train.warmup=20", "train.log_every=10", "train.validate_every=20"),
    *("train.batch_sentences=32", "train.validation_sentences=10"),
]


@pytest.mark.real
@pytest.mark.slow
def test_a_recurrent_model_from_german_to_english(tmp_path: Path, shared: Path) -> None:
    overrides = write_head(tmp_path, shared, PAIRS, LANGUAGES) + OVERRIDES
    (tmp_path / "params.yaml").write_text(yaml.safe_dump(compose(ROOT / "conf", overrides)))
    for name in ("corpus", "tokenize", "parser", "parse", "bpe", "partition", "align"):
        stage(tmp_path, name)
    assert stage(tmp_path, "dataset")["train_rows"] > 0.98 * PAIRS["train"]
    report = stage(tmp_path, "train")
    assert (report["updates"], report["skipped_batches"]) == (60, 0)
    curves = [yaml.safe_load(line) for line in lines(tmp_path / "data/model/curves.jsonl")]
    for name in ("train_loss", "valid_nll"):
        values = [point[name] for point in curves if name in point]
        assert values[-1] < 0.97 * values[0], (name, values)
    stage(tmp_path, "translate")
    translations = tmp_path / "data/translations/test.hypotheses"
    assert len(lines(translations)) == PAIRS["test"]
    assert 0 < stage(tmp_path, "evaluate")["chrf"] < 100
    assert lines(tmp_path / "data/translations/test.references") == lines(tmp_path / "test.en")
    manifest = read_json(tmp_path / "data/model/manifest.json")
    assert (manifest["source_language"], manifest["target_language"]) == ("de", "en")
    # Attention to the source alone is there to be analysed, and raw text needs no parser.
    assert set(stage(tmp_path, "analyze")["cross"]) == {"layer_1"}
    head = "\n".join(lines(tmp_path / "test.de")[:5]) + "\n"
    said = run(tmp_path, "python -m pipeline.translate --model data/model", head)
    assert said.stdout.split("\n")[:-1] == lines(translations)[:5]
