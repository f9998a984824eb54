"""Files of every kind that commands read, changed in any way: taken, or refused in one line."""

from __future__ import annotations

import io
import json
import resource
from collections.abc import Iterator
from contextlib import contextmanager
from operator import mul
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st
from hypothesis.strategies import SearchStrategy

from mgsa.base.cli import BAD_INPUT, DONE
from tests.all_stages import record, run_command
from tests.mutations import mutated_bytes, mutated_json

pytestmark = pytest.mark.soak

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
    ("params", "params.yaml"),
    ("params", "conf/config.yaml"),
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

ALTERED = [
    ("verify", "dataset/train.parquet"),
    ("reverse", "dataset/train.parquet"),
    ("diff", "dataset/test.parquet"),
    ("mgsa train", "dataset/train.parquet"),
    ("mgsa train", "dataset/valid.parquet"),
    ("mgsa translate", "dataset/test.parquet"),
    ("translate", "dataset/test.parquet"),
    ("analyze", "dataset/test.parquet"),
    ("probe", "probing/train.parquet"),
]


@pytest.mark.parametrize(("command", "file"), READ, ids=lambda part: part.replace(" ", "_"))
def test_whatever_a_file_holds(
    folder: Path, command: str, file: str, sampled: bool, capsys: pytest.CaptureFixture[str]
) -> None:
    refused_or_taken(folder / file, changed(folder / file), command, sampled, capsys)


@pytest.mark.parametrize(("command", "file"), ALTERED, ids=lambda part: part.replace(" ", "_"))
def test_whatever_a_row_holds(
    folder: Path, command: str, file: str, sampled: bool, capsys: pytest.CaptureFixture[str]
) -> None:
    """Files that are sound as Parquet, as whoever wishes to harm would write them."""
    refused_or_taken(folder / file, altered(folder / file), command, sampled, capsys)


def refused_or_taken(
    path: Path,
    content: SearchStrategy[bytes],
    command: str,
    sampled: bool,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """Run a command with other contents of a file, which the manifest beside it has the hash of."""
    manifest = path.with_name("manifest.json")
    before = {each: each.read_bytes() for each in (path, manifest) if each.is_file()}

    @settings(
        max_examples=SAMPLE if sampled else EXAMPLES,
        phases=[Phase.generate],  # to find the smallest input would take hours
        derandomize=True,
        database=None,
        suppress_health_check=[*HealthCheck],
    )
    @given(data=content)
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


@st.composite
def altered(draw: st.DrawFn, path: Path) -> bytes:
    """What a Parquet file is with another value in a column of a row."""
    table = pq.read_table(path)
    field = draw(st.sampled_from(list(table.schema)))
    values = table[field.name]
    if field.type == pa.string():
        values = values.cast(pa.binary())
    rows = values.to_pylist()
    rows[draw(st.integers(0, len(rows) - 1))] = draw(values_of(values.type))
    new = pa.array(rows, values.type).view(field.type)
    sink = io.BytesIO()
    place = table.schema.get_field_index(field.name)
    pq.write_table(table.set_column(place, field, new), sink, row_group_size=3)
    return sink.getvalue()


def values_of(kind: pa.DataType) -> SearchStrategy[Any]:
    """What a column of a type, texts as bytes, may hold in a row."""
    if pa.types.is_integer(kind):
        most = 2 ** (kind.bit_width - 1)
        return st.one_of(st.integers(-1, 9), st.integers(-most, most - 1))
    if pa.types.is_list(kind):
        few = st.lists(values_of(kind.value_type), max_size=5)
        return st.one_of(few, st.builds(mul, few, st.sampled_from([100, 20_000])))
    if pa.types.is_struct(kind):
        return st.fixed_dictionaries({field.name: values_of(field.type) for field in kind})
    return st.binary(max_size=9)


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
