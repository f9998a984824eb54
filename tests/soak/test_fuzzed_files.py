"""Files of every kind that commands read, changed in any way: taken, or refused in one line."""

from __future__ import annotations

import json
import resource
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st
from hypothesis.strategies import SearchStrategy

from mgsa.command import BAD_INPUT, DONE
from tests.all_stages import record, run_command
from tests.mutations import mutated_bytes, mutated_json

pytestmark = [pytest.mark.soak, pytest.mark.timeout(1800)]

EXAMPLES, SAMPLE = 100, 10
GIGABYTES = 4
"""Of address space that a command may take beyond what the process has."""

READ = [
    ("verify", "dataset/manifest.json"),
    ("verify", "dataset/train.parquet"),
    ("verify", "dataset/vocab.json"),
    ("verify", "dataset/tags.json"),
    ("info", "dataset/manifest.json"),
    ("diff", "dataset/manifest.json"),
    ("diff", "reversed/test.parquet"),
    ("reverse", "dataset/manifest.json"),
    ("reverse", "dataset/preprocessing.json"),
    ("reverse", "dataset/vocab.json"),
    ("mgsa translate", "dataset/manifest.json"),
    ("mgsa translate", "dataset/test.parquet"),
    ("mgsa translate", "model/manifest.json"),
    ("mgsa translate", "model/config.json"),
    ("mgsa translate", "model/vocab.json"),
    ("mgsa translate", "model/tags.json"),
    ("mgsa translate", "model/model.safetensors"),
    ("probe data", "dataset/preprocessing.json"),
    ("probe data", "dataset/bpe.codes"),
    ("probe data", "parsed/train.trees"),
    ("probe", "probing/manifest.json"),
    ("probe", "probing/train.parquet"),
    ("probe", "probing/labels.json"),
    ("average", "model.checkpoints/step-00000008/state.json"),
    ("average", "model.checkpoints/step-00000008/weights.safetensors"),
    ("train", "model.checkpoints/step-00000008/curves.jsonl"),
    ("corpus", "params.yaml"),
    ("composition", "params.yaml"),
    ("composition", "conf/config.yaml"),
    ("mgsa train", "params.yaml"),
    ("tokenize", "corpus/corpus.json"),
    ("tokenize", "corpus/train.source"),
    ("parse", "parser/parser.json"),
    ("parse", "tokenized/train.trees"),
    ("partition", "parsed/train.trees"),
    ("alignment error", "alignments/test.links"),
    ("dataset", "parser/parser.json"),
    ("dataset", "alignments/aligner.json"),
    ("dataset", "alignments/train.links"),
    ("dataset", "tokenized/languages.json"),
    ("dataset", "partitions/train.phrases"),
    ("dataset", "bpe/bpe.codes"),
    ("dataset", "bpe/vocab.source"),
    ("report", "parser/parser.json"),
    ("report", "evaluation.json"),
    ("report", "plots/tags.csv"),
    ("report", "plots/phrase_lengths.csv"),
    ("report", "patterns/ngrams.csv"),
    ("report", "patterns/categories.csv"),
    ("report", "attention/attention_shares.csv"),
    ("report", "attention/heat_maps/test_1/encoder_1.svg"),
    ("forced align", "words/manifest.json"),
    ("forced align", "words/preprocessing.json"),
    ("forced align", "raw/test.de"),
]


@pytest.mark.parametrize(("command", "file"), READ, ids=lambda part: part.replace(" ", "_"))
def test_whatever_a_file_holds(
    folder: Path, command: str, file: str, sampled: bool, capsys: pytest.CaptureFixture[str]
) -> None:
    path = folder / file
    manifest = path.with_name("manifest.json")
    before = {each: each.read_bytes() for each in (path, manifest) if each.is_file()}

    @settings(
        max_examples=SAMPLE if sampled else EXAMPLES,
        phases=[Phase.generate],  # to find the smallest input would take hours
        derandomize=True,
        database=None,
        suppress_health_check=[*HealthCheck],
    )
    @given(data=changed(path))
    def check(data: bytes) -> None:
        path.write_bytes(data)
        if path.name != "manifest.json":
            record(path)
        capsys.readouterr()
        try:
            with little_memory():
                status = run_command(command)
        finally:
            for each, content in before.items():
                each.write_bytes(content)
        said = capsys.readouterr().err
        assert status in (DONE, BAD_INPUT), said
        assert (said.splitlines() or [""])[-1].startswith("error: ") == (status == BAD_INPUT)

    check()


def changed(path: Path) -> SearchStrategy[bytes]:
    """What a file may hold instead."""
    data = path.read_bytes()
    if path.suffix != ".json":
        return mutated_bytes(data)
    values = mutated_json(json.loads(data)).map(str.encode)
    return st.one_of(values, values, mutated_bytes(data))


@contextmanager
def little_memory() -> Iterator[None]:
    """What takes more memory than any of these files is worth is an error."""
    limits = resource.getrlimit(resource.RLIMIT_AS)
    pages = int(Path("/proc/self/statm").read_text("ascii").split()[0])
    most = pages * resource.getpagesize() + (GIGABYTES << 30)
    resource.setrlimit(resource.RLIMIT_AS, (most, limits[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_AS, limits)
