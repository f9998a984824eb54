"""Raw text on stdin is translated line by line, as text or as JSON."""

from __future__ import annotations

import io
import json
import random
import re
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import replace
from itertools import chain, repeat
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

import mgsa
from mgsa.cli.errors import InputError
from mgsa.data.dataset import open_dataset
from mgsa.data.schema import LONGEST
from pipeline.formats.text_settings import read_text_settings
from pipeline.tokenizers.moses import MosesText
from pipeline.translate import __main__ as command
from pipeline.translate.__main__ import READ_BYTES, main, read_chunks
from tests.imports import ROOT


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


@pytest.fixture
def stdin(monkeypatch: pytest.MonkeyPatch) -> Iterator[SimpleNamespace]:
    """Stands for `sys.stdin`; its `buffer` is to be given."""
    replaced = SimpleNamespace(buffer=io.BytesIO(b"a man\n"))
    monkeypatch.setattr(sys, "stdin", replaced)
    return replaced


def test_text_is_translated_as_the_rows_of_a_dataset_are(
    models: Path, stdin: SimpleNamespace, capsys: pytest.CaptureFixture[str]
) -> None:
    dataset = open_dataset(models / "dataset")
    expected = mgsa.load(models / "words").translate(list(dataset.read("test")))
    texts = "".join(f"{text}\n" for text in dataset.texts("test", "source_text"))
    stdin.buffer = io.BytesIO(texts.encode())
    main(["--model", str(models / "words"), "--set", "copy_unknown=false"])
    lines, german = capsys.readouterr().out.splitlines(), MosesText("de")
    assert lines == [german.detokenize(one.text.split()) for one in expected]
    assert len(set(lines)) > 10


@pytest.mark.parametrize(
    ("line", "message", "words"),
    [
        (b"a " * (LONGEST + 1), r"^stdin:4: expected at most 32767 subwords, got 32768$", []),
        (b"\xffthree", r"^stdin:4: expected UTF-8 text: .* at byte 1$", []),
        (b"a  dog", "^stdin:4: expected tokens with one space between them$", ["--tokenized"]),
    ],
)
def test_lines_before_a_wrong_one_are_translated(
    models: Path,
    stdin: SimpleNamespace,
    capsys: pytest.CaptureFixture[str],
    line: bytes,
    message: str,
    words: list[str],
) -> None:
    """And those of earlier chunks are counted."""
    text = b"a man\n\nthe dog. A cat.\n" + line + b"\na cat\n"
    stdin.buffer = Trickle(text, chain([6], repeat(READ_BYTES)))
    with pytest.raises(InputError, match=message):
        main(["--model", str(models / "words"), *words])
    lines = capsys.readouterr().out.split("\n")
    assert [bool(line) for line in lines] == [True, False, True, False]


def test_sentences_of_a_line_are_translated_one_by_one(
    models: Path,
    stdin: SimpleNamespace,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """And put together, in Chinese without a blank; but not where a line is a sentence."""
    texts = ["The dog sees a man.", "A cat reads!", "", "The new house."]

    def lines_of(text: str, *words: str) -> list[str]:
        stdin.buffer = io.BytesIO(text.encode())
        main(["--model", str(models / "words"), *words])
        return capsys.readouterr().out.splitlines()

    text = f"{texts[0]} {texts[1]}\n\n{texts[3]}\n"
    first, second, _, third = lines_of("\n".join(texts))
    assert lines_of(text) == [f"{first} {second}", "", third]
    (whole, *_), (as_json, *_) = lines_of(text, "--whole-lines"), lines_of(text, "--json")
    assert json.loads(as_json)["n_best"][0]["text"] == whole != f"{first} {second}"
    tokens = "The dog sees a man . A cat"
    (as_tokens,) = lines_of(tokens, "--tokenized", "--json")
    assert json.loads(as_tokens)["tokens"] == tokens.split()
    assert json.loads(as_tokens)["n_best"][0]["text"] == lines_of(tokens, "--tokenized")[0]
    recorded = replace(read_text_settings(models / "words"), target_language="zh_CN")
    monkeypatch.setattr(command, "read_text_settings", lambda _: recorded)
    assert lines_of(text)[0] == first + second


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


def lines_of_json(
    stdin: SimpleNamespace, capsys: pytest.CaptureFixture[str], text: str, *words: str
) -> list[dict[str, Any]]:
    stdin.buffer = io.BytesIO(text.encode())
    main(words)
    return [json.loads(line) for line in capsys.readouterr().out.splitlines()]


def test_lines_of_json_have_what_was_asked_for(
    models: Path, stdin: SimpleNamespace, capsys: pytest.CaptureFixture[str]
) -> None:
    command = ("--model", str(models / "words"), "--json")
    (plain, blank) = lines_of_json(stdin, capsys, "a mäñ\n\n", *command)
    assert plain.keys() == {"source", "tokens", "subwords", "n_best"}
    assert plain["tokens"] == ["a", "mäñ"]
    nothing = {"text": "", "tokens": [], "subwords": [], "score": 0.0}
    assert blank == {"source": "", "tokens": [], "subwords": [], "n_best": [nothing]}
    more = ("--n-best", "3", "--links", "--weights")
    (full,) = lines_of_json(stdin, capsys, "a man\n", *command, *more)
    (first, *others), weights = full["n_best"], full["weights"]
    assert first.keys() == {"text", "tokens", "subwords", "score", "links"}
    assert len(others) == 2
    (heads,) = weights.values()
    assert np.shape(heads) == (4, len(first["subwords"]) + 1, len(full["subwords"]) + 1)
    np.testing.assert_allclose(np.sum(heads, axis=-1), 1.0, atol=1e-3)


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--n-best", "2"], "--n-best, --links and --weights come with --json"),
        (["--json", "--n-best", "9"], r"--n-best: expected 1 to 5 \(beam\), got 9"),
        (["--json", "--links", "--model", "{words}"], "--links, --weights: expected one --model"),
    ],
)
@pytest.mark.usefixtures("stdin")
def test_what_does_not_go_together_is_refused(models: Path, words: list[str], message: str) -> None:
    model = str(models / "words")
    with pytest.raises(InputError, match=message):
        main(["--model", model, *(word.format(words=model) for word in words)])


def test_a_file_is_not_translated_into_itself(models: Path, tmp_path: Path) -> None:
    text = tmp_path / "text"
    text.write_text("a man\n")
    command = [sys.executable, "-m", "pipeline.translate", "--model", str(models / "words")]
    with text.open() as given, text.open("a") as out:
        done = subprocess.run(command, stdin=given, stdout=out, stderr=subprocess.PIPE, text=True)
    assert done.returncode == 2
    assert done.stderr == "error: stdin: expected an input apart from stdout\n"
    assert text.read_text() == "a man\n"
