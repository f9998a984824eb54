"""The parse stage with models of stanza's: small English ones, where they are."""

from __future__ import annotations

import resource
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from mgsa.base.cli import run
from mgsa.base.io import read_json, sha256
from pipeline.parse import main
from pipeline.parsing.parser_folder import write_parser_folder
from pipeline.tokens.trees import read_tree, read_treebank
from tests.parse_inputs import command, parameters, write_tokenized

SENTENCES = ["A man sleeps .", "Two dogs ( big ones ) run -LRB- .", "A man sleeps .", "Hello"]


@pytest.fixture(scope="module")
def real_parser(shared: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The small English models as a parser folder."""
    folder = tmp_path_factory.mktemp("parser") / "parser"
    shutil.copytree(shared / "stanza_resources", folder)
    folder.chmod(0o755)
    write_parser_folder(folder, kind="stanza", language="en", package="ptbsample")
    return folder


@pytest.mark.real
def test_every_sentence_gets_a_tree_over_its_tokens(tmp_path: Path, real_parser: Path) -> None:
    tokenized = write_tokenized(tmp_path / "tokenized", [*SENTENCES, " ".join(["w"] * 5000)])
    argv = command(tmp_path, tokenized, real_parser, parameters(tmp_path), "out")
    assert run(main, argv) == 0
    leaves = [tree.leaves() for tree in read_treebank(tmp_path / "out" / "train.trees")]
    assert leaves[1] == ["Two", "dogs", "-LRB-", "big", "ones", "-RRB-", "run", "-LRB-", "."]
    assert [len(words) for words in leaves] == [4, 9, 4, 1, 5000]
    assert read_json(tmp_path / "out.json") == {
        "sentences": 15,
        "flat_too_long": 3,
        "flat_failed": 0,
    }


@pytest.mark.real
def test_only_what_is_new_is_parsed(
    tmp_path: Path, real_parser: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    tokenized = write_tokenized(tmp_path / "tokenized", SENTENCES)
    argv = command(tmp_path, tokenized, real_parser, parameters(tmp_path), "first")
    assert run(main, argv) == 0
    assert "12 sentences, 3 parsed now" in capsys.readouterr().err
    write_tokenized(tokenized, [*SENTENCES, "A new sentence ."])
    argv = command(tmp_path, tokenized, real_parser, parameters(tmp_path), "second")
    assert run(main, argv) == 0
    assert "15 sentences, 1 parsed now" in capsys.readouterr().err


@pytest.mark.real
def test_the_number_of_workers_does_not_matter(
    tmp_path: Path, real_parser: Path, shared: Path
) -> None:
    trees = (shared / "treebank" / "dev.mrg").read_text("utf-8").splitlines()[:120]
    tokenized = write_tokenized(
        tmp_path / "tokenized", [" ".join(read_tree(tree).leaves()) for tree in trees]
    )
    outputs = []
    for workers in (1, 2):
        (tmp_path / "memory.sqlite").unlink(missing_ok=True)
        params = parameters(tmp_path, workers=workers)
        assert run(main, command(tmp_path, tokenized, real_parser, params, f"out{workers}")) == 0
        outputs.append(sha256(tmp_path / f"out{workers}" / "train.trees"))
    assert outputs[0] == outputs[1]


@pytest.mark.real
def test_a_full_disk_under_the_memory_is_one_line(tmp_path: Path, real_parser: Path) -> None:
    sentences = [f"Dog {number} runs ." for number in range(100)]
    tokenized = write_tokenized(tmp_path / "tokenized", sentences)
    argv = command(tmp_path, tokenized, real_parser, parameters(tmp_path), "out")
    done = subprocess.run(
        [sys.executable, "-B", "-m", "pipeline.parse", *argv],
        capture_output=True,
        text=True,
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (20_000, 20_000)),
    )
    assert done.returncode == 1
    (line,) = done.stderr.splitlines()
    assert line.startswith(f"error: {tmp_path}/memory.sqlite: ")
    assert not (tmp_path / "out").exists()
    assert not list(tmp_path.glob(".partial-*"))
