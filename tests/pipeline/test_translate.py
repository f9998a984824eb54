from __future__ import annotations

import io
import random
import re
import shutil
import subprocess
import sys
import threading
from collections.abc import Iterator
from itertools import chain, repeat
from pathlib import Path

import pytest

from mgsa.base.cli import run
from mgsa.base.errors import InputError
from mgsa.config import STANDARD_SEARCH
from mgsa.data.dataset import open_dataset
from mgsa.data.schema import LONGEST
from mgsa.decoding.translate import Translator
from pipeline.tokens.moses import MosesText
from pipeline.translate import READ_BYTES, main, read_chunks, translate_text
from tests.imports import ROOT
from tests.model_folders import random_model
from tests.pipeline.dataset.test_preprocessor import random_pairs, with_toy_parser
from tests.text_folders import build_dataset, parse_with_toy, write_text

WORDS_ONLY = {"multi_granularity": None}


class Trickle(io.RawIOBase):
    """A stream of which only some bytes are ready at a time, like a pipe or a terminal."""

    def __init__(self, content: bytes, sizes: Iterator[int]) -> None:
        self._content = content
        self._sizes = sizes

    def read1(self, most: int) -> bytes:
        size = min(next(self._sizes), most)
        given, self._content = self._content[:size], self._content[size:]
        return given


def lines_of(content: bytes, *, seed: int = 0) -> list[str]:
    generator = random.Random(seed)
    sizes = iter(lambda: generator.randint(1, 5), None)
    chunks = read_chunks(Trickle(content, sizes))  # type: ignore[arg-type]
    return [line for chunk in chunks for line in chunk]


@pytest.mark.parametrize(
    ("content", "lines"),
    [
        (b"", []),
        (b"one\ntwo\n", ["one", "two"]),
        (b"one\ntwo", ["one", "two"]),  # no line end after the last
        (b"one\n\ntwo\n\n", ["one", "", "two", ""]),
        (b"one\r\ntwo\r\n", ["one", "two"]),
        (b"\xef\xbb\xbfone\ntwo\n", ["one", "two"]),  # a byte order mark
        ("ü€😀\nx\u2028y\x0cz\n".encode(), ["ü€😀", "x\u2028y\x0cz"]),  # only \n ends a line
    ],
)
def test_lines_are_read_however_they_arrive(content: bytes, lines: list[str]) -> None:
    for seed in range(5):
        assert lines_of(content, seed=seed) == lines


def test_what_is_ready_is_one_chunk() -> None:
    content = b"a\nb\nc\nd"
    assert list(read_chunks(io.BytesIO(content))) == [["a", "b", "c"], ["d"]]
    halves = Trickle(content, iter([4, 100, 100]))
    assert list(read_chunks(halves)) == [["a", "b"], ["c"], ["d"]]  # type: ignore[arg-type]


def test_lines_before_a_broken_one_are_given() -> None:
    chunks = read_chunks(io.BytesIO(b"one\ntwo\n\xffthree\nfour\n"))
    assert next(chunks) == ["one", "two"]
    with pytest.raises(InputError, match=r"^stdin:3: expected UTF-8 text: .* at byte 1$"):
        next(chunks)


@pytest.fixture(scope="module")
def folders(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """A dataset from text, a model that attends to its phrases, and one that doesn't."""
    folder = tmp_path_factory.mktemp("translate")
    write_text(
        folder, {split: random_pairs(30, i) for i, split in enumerate(("train", "valid", "test"))}
    )
    parse_with_toy(folder)
    dataset = build_dataset(folder)
    return {
        "dataset": dataset,
        "phrases": random_model(folder / "phrases", dataset),
        "words": random_model(folder / "words", dataset, **WORDS_ONLY),
    }


def test_text_is_translated_as_the_rows_of_a_dataset_are(folders: dict[str, Path]) -> None:
    dataset = open_dataset(folders["dataset"])
    translator = Translator.load(folders["phrases"])
    expected = translator.translate(list(dataset.read("test")))
    texts = list(dataset.texts("test", "source_text"))
    out = io.BytesIO()
    source = io.BytesIO("".join(f"{text}\n" for text in texts).encode())
    translate_text(translator, with_toy_parser(dataset), STANDARD_SEARCH, source, out)
    german = MosesText("de")
    lines = out.getvalue().decode().splitlines()
    assert lines == [german.detokenize(one.text.split()) for one in expected]
    assert len(set(lines)) > 10


def test_a_line_of_more_subwords_than_a_row_may_have_is_refused(folders: dict[str, Path]) -> None:
    """Those before it have been translated, and those of earlier chunks are counted."""
    dataset = open_dataset(folders["dataset"])
    translator = Translator.load(folders["phrases"])
    content = b"a man\n\nthe dog\n" + b"a " * (LONGEST + 1) + b"\na cat\n"
    source = Trickle(content, chain([6], repeat(READ_BYTES)))
    out = io.BytesIO()
    with pytest.raises(InputError, match=r"^stdin:4: expected at most 32767 subwords, got 32768$"):
        translate_text(translator, with_toy_parser(dataset), STANDARD_SEARCH, source, out)  # type: ignore[arg-type]
    lines = out.getvalue().decode().split("\n")
    assert [bool(line) for line in lines] == [True, False, True, False]


def test_empty_lines_stay_where_they_are_and_invalid_utf_8_ends_it(
    folders: dict[str, Path],
) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "pipeline.translate", "--model", folders["words"]],
        input=b"\na man\n \n\nthe dog\n\xc3\x28\nthe dog\n",
        capture_output=True,
        cwd=ROOT,
    )
    lines = done.stdout.decode().split("\n")
    assert [bool(line) for line in lines] == [False, True, False, False, True, False]
    assert re.fullmatch(rb"error: stdin:6: expected UTF-8 text: .* at byte 1\n", done.stderr)
    assert done.returncode == 2


def test_lines_come_back_before_the_input_ends(folders: dict[str, Path]) -> None:
    """As somebody at a terminal wants it."""
    command = [sys.executable, "-m", "pipeline.translate", "--model", str(folders["words"])]
    with subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, cwd=ROOT
    ) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        watchdog = threading.Timer(120, process.kill)
        watchdog.start()
        for text in (b"a man\n", b"the dog sees a cat\n"):
            process.stdin.write(text)
            process.stdin.flush()
            assert process.stdout.readline().endswith(b"\n")
        process.stdin.close()
        assert process.wait() == 0
        watchdog.cancel()


def stage(folders: dict[str, Path], out: Path, *extra: str, model: str = "phrases") -> int:
    paths = ["--model", str(folders[model]), "--dataset", str(folders["dataset"])]
    return run(main, [*paths, "--split", "test", "--out", str(out), *extra])


def test_a_split_becomes_three_files(folders: dict[str, Path], tmp_path: Path) -> None:
    out = tmp_path / "translations"
    assert stage(folders, out, "--set", "beam=2") == 0
    dataset = open_dataset(folders["dataset"])
    found = Translator.load(folders["phrases"]).translate(list(dataset.read("test")), beam=2)
    german = MosesText("de")
    hypotheses = [german.detokenize(one.text.split()) for one in found]
    assert (out / "test.hypotheses").read_text("utf-8").splitlines() == hypotheses
    references = (out / "test.references").read_text("utf-8").splitlines()
    assert references == list(dataset.texts("test", "target_text"))
    scores = [float(line) for line in (out / "test.scores").read_text("utf-8").splitlines()]
    assert scores == pytest.approx([one.score for one in found], rel=1e-4)
    names = {path.name for path in out.iterdir()}
    assert names == {"test.hypotheses", "test.references", "test.scores"}


def test_failure_leaves_the_outputs_as_they_were(
    folders: dict[str, Path], tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "translations"
    out.mkdir()
    (out / "test.hypotheses").write_text("as it was", encoding="utf-8")
    damaged = tmp_path / "dataset"
    shutil.copytree(folders["dataset"], damaged)
    with (damaged / "test.parquet").open("r+b") as file:
        file.truncate(100)
    assert stage(folders | {"dataset": damaged}, out) == 2
    assert "test.parquet: expected" in capfd.readouterr().err
    assert (out / "test.hypotheses").read_text("utf-8") == "as it was"


def test_another_split_is_not_replaced(
    folders: dict[str, Path], tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    assert stage(folders, tmp_path, "--set", "beam=1") == 0
    assert stage(folders, tmp_path, "--split", "valid") == 2
    assert "expected a folder of this command's files alone" in capfd.readouterr().err
    assert (tmp_path / "test.hypotheses").is_file()


def test_half_of_the_stages_arguments_are_refused(
    folders: dict[str, Path], capfd: pytest.CaptureFixture[str]
) -> None:
    assert run(main, ["--model", str(folders["words"]), "--split", "test"]) == 2
    assert "--dataset, --split and --out come together" in capfd.readouterr().err


def test_a_model_needs_no_parameter_file(
    folders: dict[str, Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    assert stage(folders, tmp_path / "out") == 0
    dataset = open_dataset(folders["dataset"])
    assert len((tmp_path / "out/test.hypotheses").read_text("utf-8").splitlines()) == (
        dataset.num_rows("test")
    )


def test_several_models_translate_together(folders: dict[str, Path], tmp_path: Path) -> None:
    assert stage(folders, tmp_path / "one") == 0
    assert stage(folders, tmp_path / "both", "--model", str(folders["words"])) == 0
    one = (tmp_path / "one/test.hypotheses").read_text("utf-8")
    both = (tmp_path / "both/test.hypotheses").read_text("utf-8")
    assert one != both
