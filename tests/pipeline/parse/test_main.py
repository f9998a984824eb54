"""The parse stage: every sentence gets a tree, whatever becomes of it."""

from __future__ import annotations

import shutil
import sys
from collections.abc import Sequence
from pathlib import Path

import pytest
import yaml

from mgsa.cli.errors import InputError
from mgsa.cli.files import write_json
from mgsa.cli.outputs import sha256
from mgsa.cli.run import run
from mgsa.cli.settings import from_mapping
from mgsa.run_config import RunConfig
from pipeline.constituency.parser_folder import Kind, write_parser_folder
from pipeline.constituency.stanza_parser import ConstituencyParser
from pipeline.formats.tables import Record
from pipeline.formats.text import SPLITS
from pipeline.formats.trees import bracketed, flat_tree, read_tree, read_treebank
from pipeline.parse.__main__ import main
from tests.lines import write_lines
from tests.parameters import RUN, recorded_text
from tests.text_folders import ToyParser, stage_argv


def command(
    folder: Path, sentences: Sequence[str], *overrides: str, kind: Kind = "stanza"
) -> list[str]:
    """The arguments of the stage for splits of these sentences, and a parser of this kind.

    Without models, for tests that put a parser of their own in their place.
    """
    (folder / "parser").mkdir(exist_ok=True)
    for split in SPLITS:
        write_lines(folder / f"tokenized/{split}.source", sentences)
    write_json(folder / "tokenized/text.json", recorded_text())
    package = "ptbsample" if (folder / "parser/en").is_dir() else "toy"
    write_parser_folder(folder / "parser", kind=kind, language="en", package=package)
    sections = {"parse": {"max_words": 50}, "run": RUN}
    (folder / "params.yaml").write_text(yaml.safe_dump(sections), encoding="utf-8")
    paths = {"tokenized": "tokenized", "parser": "parser", "memory": "memory.sqlite"}
    return stage_argv(folder, *overrides, **paths, out="out", report="out.json")


def trees_of(folder: Path, split: str = "train") -> list[str]:
    return (folder / "out" / f"{split}.trees").read_text("utf-8").splitlines()


class FussyParser(ToyParser):
    """Refuses sentences with a certain word, and so every batch with one of them."""

    refused = "poison"
    refusals = 0

    def parse(self, sentences: Sequence[Sequence[str]]) -> list[str]:
        for sentence in sentences:
            if self.refused in sentence:
                self.refusals += 1
                raise IndexError(f"{self.refused} is too much\nfor this parser")
        return super().parse(sentences)


@pytest.fixture
def fussy(monkeypatch: pytest.MonkeyPatch) -> FussyParser:
    """The parser that the stage loads."""
    parser = FussyParser()
    monkeypatch.setattr(ConstituencyParser, "load", lambda *_, **__: parser)
    return parser


def test_a_sentence_that_the_parser_refuses_is_flat_and_tried_by_the_next_run(
    tmp_path: Path,
    fussy: FussyParser,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setattr("pipeline.parse.sentences.WINDOW_SENTENCES", 2)
    argv = command(tmp_path, ["a b", "a poison", "c"])
    assert run(main, argv) == 0
    flat = "(ROOT (FRAG (X a) (X poison)))"
    assert trees_of(tmp_path) == [*fussy.parse([["a", "b"]]), flat, *fussy.parse([["c"]])]
    assert Record.read(tmp_path / "out.json")["flat_failed"] == 3
    assert capsys.readouterr().err == ("parse: 9 sentences, 2 parsed now, 3 flat\n")
    assert fussy.refusals == 2, "once in its batch and once alone, not in every window"
    fussy.refused = "antidote"
    assert run(main, argv) == 0
    assert "9 sentences, 1 parsed now, 0 flat" in capsys.readouterr().err


@pytest.mark.usefixtures("fussy")
def test_a_parser_that_refuses_many_sentences_stops_the_stage(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(main, command(tmp_path, ["a b", "a poison", "more poison"])) == 1
    assert capsys.readouterr().err == (
        "error: parse: the parser refuses 6 of 9 sentences, the last as: poison is too much\n"
    )
    assert not (tmp_path / "out").exists()
    assert run(main, command(tmp_path, ["a poison", "more poison", *["a b"] * 400])) == 0


@pytest.mark.parametrize(
    ("error", "message"),
    [
        (MemoryError(), "out of memory"),
        (RuntimeError("CUDA error: illegal access"), "the parser failed: RuntimeError: CUDA"),
        (TypeError("unexpected argument"), "the parser failed: TypeError: unexpected argument"),
    ],
)
def test_what_no_sentence_can_cause_stops_the_stage(
    tmp_path: Path,
    fussy: FussyParser,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    error: Exception,
    message: str,
) -> None:
    def fail(_: Sequence[Sequence[str]]) -> list[str]:
        raise error

    monkeypatch.setattr(fussy, "parse", fail)
    assert run(main, command(tmp_path, ["a b"])) == 1
    assert capsys.readouterr().err.startswith(f"error: {message}")
    assert not (tmp_path / "out").exists()


def test_ready_made_trees_are_checked_and_copied(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    argv = command(tmp_path, ["a ( b"], kind="trees")
    for split in SPLITS:
        tree = "(ROOT  (X (A a) (-LRB- -LRB-) (B b)))\n"
        (tmp_path / f"tokenized/{split}.trees").write_text(tree, encoding="utf-8")
    assert run(main, argv) == 0
    assert trees_of(tmp_path, "test") == ["(ROOT (X (A a) (-LRB- -LRB-) (B b)))"]
    assert Record.read(tmp_path / "out.json") == {
        "sentences": 3,
        "flat_too_long": 0,
        "flat_failed": 0,
    }
    (tmp_path / "tokenized/train.trees").unlink()
    assert run(main, argv) == 2
    assert "train.trees: no such file" in capsys.readouterr().err


def test_without_a_parser_every_tree_is_flat(tmp_path: Path) -> None:
    sentences = ["Der Hund bellt .", "( ja )"]
    assert run(main, command(tmp_path, sentences, kind="none")) == 0
    for split in SPLITS:
        expected = [bracketed(flat_tree(sentence.split(" "))) for sentence in sentences]
        assert trees_of(tmp_path, split) == expected
    assert Record.read(tmp_path / "out.json") == {"sentences": 3 * len(sentences)}


@pytest.mark.parametrize(
    ("override", "message"),
    [
        ("run.parse_gpu=true", "run.parse_gpu: expected false, as there is no GPU to be used\n"),
        (
            "run.executor=ray",
            "run.executor: ray is not installed: expected processes, or Ray beside this project "
            "(pip install '.[ray]')\n",
        ),
    ],
)
def test_what_this_machine_lacks_is_named(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    override: str,
    message: str,
) -> None:
    monkeypatch.setattr("torch.cuda.is_available", lambda: False)
    monkeypatch.setitem(sys.modules, "ray", None)  # as if it were not installed
    assert run(main, command(tmp_path, ["a"], override)) == 2
    assert capsys.readouterr().err == f"error: {message}"
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize(
    ("executor", "address"),
    [("processes", "auto"), ("ray", "cluster"), ("ray", "ray://head:10001"), ("ray", "head:port")],
)
def test_the_address_of_a_cluster_is_checked(executor: str, address: str) -> None:
    run = RUN | {"executor": executor, "ray_address": address}
    with pytest.raises(InputError, match="run: ray_address: expected null, or with executor: ray"):
        from_mapping(RunConfig, run, "params.yaml: run")


@pytest.fixture
def stanza_folder(shared: Path, tmp_path: Path) -> Path:
    """A folder with small English models of stanza's as `parser`."""
    shutil.copytree(shared / "stanza_resources", tmp_path / "parser")
    (tmp_path / "parser").chmod(0o755)
    return tmp_path


SENTENCES = ["A man sleeps .", "Two dogs ( big ones ) run -LRB- .", "A man sleeps .", "Hello"]


@pytest.mark.real
def test_every_sentence_gets_a_tree_over_its_tokens_and_only_what_is_new_is_parsed(
    stanza_folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(main, command(stanza_folder, [*SENTENCES, " ".join(["w"] * 5000)])) == 0
    leaves = [tree.leaves() for tree in read_treebank(stanza_folder / "out/train.trees")]
    assert leaves[1] == ["Two", "dogs", "-LRB-", "big", "ones", "-RRB-", "run", "-LRB-", "."]
    assert [len(words) for words in leaves] == [4, 9, 4, 1, 5000]
    counts = {"sentences": 15, "flat_too_long": 3, "flat_failed": 0}
    assert Record.read(stanza_folder / "out.json") == counts
    assert run(main, command(stanza_folder, [*SENTENCES, "A new sentence ."])) == 0
    said = capsys.readouterr().err
    assert "15 sentences, 3 parsed now" in said
    assert "15 sentences, 1 parsed now" in said


@pytest.mark.real
def test_the_number_of_workers_does_not_matter(stanza_folder: Path, shared: Path) -> None:
    trees = (shared / "treebank/dev.mrg").read_text("utf-8").splitlines()[:120]
    sentences = [" ".join(read_tree(tree).leaves()) for tree in trees]
    hashes = set()
    for workers in (1, 2):
        (stanza_folder / "memory.sqlite").unlink(missing_ok=True)
        assert run(main, command(stanza_folder, sentences, f"run.workers={workers}")) == 0
        hashes.add(sha256(stanza_folder / "out/train.trees"))
    assert len(hashes) == 1
