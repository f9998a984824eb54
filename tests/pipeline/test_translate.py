from __future__ import annotations

import io
import random
import re
import subprocess
import sys
from collections.abc import Iterator
from functools import partial
from itertools import chain, repeat
from pathlib import Path

import pytest

from mgsa.base.cli import run
from mgsa.base.errors import InputError
from mgsa.config import STANDARD_SEARCH
from mgsa.data.dataset import open_dataset
from mgsa.data.schema import LONGEST
from mgsa.decoding.translate import Translator
from pipeline.text_translator import TextTranslator
from pipeline.tokens.moses import MosesText
from pipeline.translate import READ_BYTES, WRITTEN, main, read_chunks, translate_text
from tests.imports import ROOT
from tests.text_folders import with_toy_parser


class Trickle(io.RawIOBase):
    """A stream of which only some bytes are ready at a time, like a pipe or a terminal."""

    def __init__(self, content: bytes, sizes: Iterator[int]) -> None:
        self._content = content
        self._sizes = sizes

    def read1(self, most: int) -> bytes:
        size = min(next(self._sizes), most)
        given, self._content = self._content[:size], self._content[size:]
        return given


@pytest.mark.parametrize(
    ("content", "lines"),
    [
        (b"", []),
        (b"one\n\ntwo\n\n", ["one", "", "two", ""]),
        (b"one\r\ntwo", ["one", "two"]),  # no line end after the last
        (b"\xef\xbb\xbfone\ntwo\n", ["one", "two"]),  # a byte order mark
        ("ü€😀\nx\u2028y\x0cz\n".encode(), ["ü€😀", "x\u2028y\x0cz"]),  # only \n ends a line
    ],
)
def test_lines_are_read_however_they_arrive(content: bytes, lines: list[str]) -> None:
    for seed in range(5):
        generator = random.Random(seed)
        sizes = iter(lambda: generator.randint(1, 5), None)  # noqa: B023
        chunks = read_chunks(Trickle(content, sizes))  # type: ignore[arg-type]
        assert list(chain.from_iterable(chunks)) == lines
    halves = Trickle(b"a\nb\nc\nd", iter([4, 100, 100]))
    assert list(read_chunks(halves)) == [["a", "b"], ["c"], ["d"]]  # type: ignore[arg-type]


def translated(models: Path, source: io.RawIOBase | io.BytesIO) -> Iterator[str]:
    """The lines that come out before an error, if one comes."""
    dataset, out = open_dataset(models / "dataset"), io.BytesIO()
    translator = TextTranslator(Translator.load(models / "phrases"), with_toy_parser(dataset))
    try:
        translate_text(partial(translator.search, config=STANDARD_SEARCH), source, out)  # type: ignore[arg-type]
    finally:
        yield from out.getvalue().decode().split("\n")[:-1]


def test_text_is_translated_as_the_rows_of_a_dataset_are(models: Path) -> None:
    dataset = open_dataset(models / "dataset")
    expected = Translator.load(models / "phrases").translate(list(dataset.read("test")))
    texts = "".join(f"{text}\n" for text in dataset.texts("test", "source_text"))
    lines = list(translated(models, io.BytesIO(texts.encode())))
    german = MosesText("de")
    assert lines == [german.detokenize(one.text.split()) for one in expected]
    assert len(set(lines)) > 10


@pytest.mark.parametrize(
    ("line", "message"),
    [
        (b"a " * (LONGEST + 1), r"^stdin:4: expected at most 32767 subwords, got 32768$"),
        (b"\xffthree", r"^stdin:4: expected UTF-8 text: .* at byte 1$"),
    ],
)
def test_lines_before_a_wrong_one_are_translated(models: Path, line: bytes, message: str) -> None:
    """And those of earlier chunks are counted."""
    source = Trickle(b"a man\n\nthe dog\n" + line + b"\na cat\n", chain([6], repeat(READ_BYTES)))
    lines = translated(models, source)
    assert [bool(next(lines)) for _ in range(3)] == [True, False, True]
    with pytest.raises(InputError, match=message):
        next(lines)


def test_lines_come_back_before_the_input_ends(models: Path) -> None:
    """As somebody at a terminal wants it; an empty line stays where it is, and an error ends it."""
    process = subprocess.Popen(
        [sys.executable, "-m", "pipeline.translate", "--model", models / "words"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        cwd=ROOT,
    )
    with process:
        assert process.stdin is not None
        assert process.stdout is not None
        assert process.stderr is not None
        for text in (b"a man\n", b" \n", b"the dog sees a cat\n"):
            process.stdin.write(text)
            process.stdin.flush()
            assert (process.stdout.readline() == b"\n") == (text == b" \n")
        process.stdin.write(b"\xc3\x28\n")
        process.stdin.close()
        error = rb"error: stdin:4: expected UTF-8 text: .* at byte 1\n"
        assert re.fullmatch(error, process.stderr.read())
        assert process.wait() == 2


def stage(models: Path, out: Path, *extra: str) -> int:
    paths = ["--model", str(models / "phrases"), "--dataset", str(models / "dataset")]
    return run(main, [*paths, "--split", "test", "--out", str(out), *extra])


def test_a_split_becomes_files_without_a_parameter_file(
    models: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    out = tmp_path / "translations"
    assert stage(models, out, "--set", "beam=2") == 0
    files = {path.name: path.read_text("utf-8").splitlines() for path in out.iterdir()}
    assert files.keys() == {f"test.{name}" for name in WRITTEN}
    dataset = open_dataset(models / "dataset")
    found = Translator.load(models / "phrases").translate(list(dataset.read("test")), beam=2)
    german = MosesText("de")
    assert files["test.hypotheses"] == [german.detokenize(one.text.split()) for one in found]
    assert files["test.sources"] == list(dataset.texts("test", "source_text"))
    assert files["test.references"] == list(dataset.texts("test", "target_text"))
    scores = [float(line) for line in files["test.scores"]]
    assert scores == pytest.approx([one.score for one in found], rel=1e-4)


def test_half_of_the_stages_arguments_are_refused(models: Path) -> None:
    with pytest.raises(InputError, match="--dataset, --split and --out come together"):
        main(["--model", str(models / "words"), "--split", "test"])


def test_wrong_phrases_are_those_of_a_dataset(models: Path, tmp_path: Path) -> None:
    assert stage(models, tmp_path / "right") == 0
    assert stage(models, tmp_path / "random", "--phrases", "random") == 0
    right, wrong = (tmp_path / name / "test.scores" for name in ("right", "random"))
    assert right.read_text("utf-8") != wrong.read_text("utf-8")
    with pytest.raises(InputError, match="--phrases random: expected --dataset, whose phrases"):
        main(["--model", str(models / "phrases"), "--phrases", "random"])


def test_several_models_translate_together(models: Path, tmp_path: Path) -> None:
    assert stage(models, tmp_path / "one") == 0
    assert stage(models, tmp_path / "both", "--model", str(models / "words")) == 0
    one, both = (tmp_path / name / "test.hypotheses" for name in ("one", "both"))
    assert one.read_text("utf-8") != both.read_text("utf-8")
