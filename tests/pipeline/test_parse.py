"""The parse stage: every sentence gets a tree, whatever becomes of it."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path

import pytest

from mgsa.base.cli import run
from mgsa.base.errors import InputError
from mgsa.base.io import read_json
from mgsa.base.settings import RunConfig, from_mapping
from pipeline.base.stage import SPLITS
from pipeline.parse import main
from pipeline.parsing.stanza_parser import ConstituencyParser
from pipeline.tokens.trees import bracketed, flat_tree
from tests.parse_inputs import command, parameters, toy_parser, write_tokenized
from tests.run_section import RUN
from tests.text_folders import ToyParser


def test_a_gpu_that_is_not_there_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("torch.cuda.is_available", lambda: False)
    tokenized, parser = write_tokenized(tmp_path / "tokenized", ["a"]), toy_parser(tmp_path)
    argv = command(tmp_path, tokenized, parser, parameters(tmp_path), "out")
    assert run(main, [*argv, "--set", "run.parse_gpu=true"]) == 2
    assert capsys.readouterr().err == (
        "error: run.parse_gpu: expected false, as there is no GPU to be used\n"
    )


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


def test_a_sentence_that_the_parser_refuses_is_flat_and_tried_by_the_next_run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    fussy = FussyParser()
    monkeypatch.setattr(ConstituencyParser, "load", lambda *_, **__: fussy)
    monkeypatch.setattr("pipeline.parse.WINDOW_SENTENCES", 2)
    tokenized = write_tokenized(tmp_path / "tokenized", ["a b", "a poison", "c"])
    parser, params = toy_parser(tmp_path), parameters(tmp_path)
    assert run(main, command(tmp_path, tokenized, parser, params, "out")) == 0
    assert (tmp_path / "out" / "train.trees").read_text("utf-8").splitlines() == [
        *fussy.parse([["a", "b"]]),
        "(ROOT (FRAG (X a) (X poison)))",
        *fussy.parse([["c"]]),
    ]
    assert read_json(tmp_path / "out.json")["flat_failed"] == 3
    assert capsys.readouterr().err == (
        "parse: train.source:2: the first sentence without a tree: poison is too much\n"
        "parse: 9 sentences, 2 parsed now, 3 flat\n"
    )
    assert fussy.refusals == 2, "once in its batch and once alone, not in every window"
    fussy.refused = "antidote"
    assert run(main, command(tmp_path, tokenized, parser, params, "out")) == 0
    assert "9 sentences, 1 parsed now, 0 flat" in capsys.readouterr().err


def test_a_parser_that_refuses_many_sentences_stops_the_stage(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    fussy = FussyParser()
    monkeypatch.setattr(ConstituencyParser, "load", lambda *_, **__: fussy)
    tokenized = write_tokenized(tmp_path / "tokenized", ["a b", "a poison", "more poison"])
    parser, params = toy_parser(tmp_path), parameters(tmp_path)
    assert run(main, command(tmp_path, tokenized, parser, params, "out")) == 1
    assert capsys.readouterr().err.splitlines()[1:] == [
        "error: parse: the parser refuses 6 of 9 sentences, the last of them as: poison is too much"
    ]
    assert not (tmp_path / "out").exists()
    enough = write_tokenized(tmp_path / "enough", ["a poison", "more poison", *["a b"] * 400])
    assert run(main, command(tmp_path, enough, parser, params, "out")) == 0


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
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    error: Exception,
    message: str,
) -> None:
    class Broken:
        def parse(self, _: Sequence[Sequence[str]]) -> list[str]:
            raise error

    monkeypatch.setattr(ConstituencyParser, "load", lambda *_, **__: Broken())
    tokenized = write_tokenized(tmp_path / "tokenized", ["a b"])
    argv = command(tmp_path, tokenized, toy_parser(tmp_path), parameters(tmp_path), "out")
    assert run(main, argv) == 1
    assert capsys.readouterr().err.startswith(f"error: {message}")
    assert not (tmp_path / "out").exists()


def test_ready_made_trees_are_checked_and_copied(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    tokenized = write_tokenized(tmp_path / "tokenized", ["a ( b"])
    for split in SPLITS:
        tree = "(ROOT  (X (A a) (-LRB- -LRB-) (B b)))\n"
        (tokenized / f"{split}.trees").write_text(tree, encoding="utf-8")
    parser = toy_parser(tmp_path, kind="trees")
    argv = command(tmp_path, tokenized, parser, parameters(tmp_path), "out")
    assert run(main, argv) == 0
    copied = (tmp_path / "out" / "test.trees").read_text("utf-8")
    assert copied == "(ROOT (X (A a) (-LRB- -LRB-) (B b)))\n"
    assert read_json(tmp_path / "out.json") == {"sentences": 3}
    (tokenized / "train.trees").unlink()
    assert run(main, argv) == 2
    assert "train.trees: no such file" in capsys.readouterr().err


def test_without_a_parser_every_tree_is_flat(tmp_path: Path) -> None:
    sentences = ["Der Hund bellt .", "( ja )"]
    tokenized = write_tokenized(tmp_path / "tokenized", sentences)
    parser = toy_parser(tmp_path, kind="none")
    argv = command(tmp_path, tokenized, parser, parameters(tmp_path), "out")
    assert run(main, argv) == 0
    for split in SPLITS:
        lines = (tmp_path / "out" / f"{split}.trees").read_text("utf-8").splitlines()
        assert lines == [bracketed(flat_tree(sentence.split(" "))) for sentence in sentences]
    assert read_json(tmp_path / "out.json") == {"sentences": 3 * len(sentences)}


def test_without_ray_it_is_said_how_to_get_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setitem(sys.modules, "ray", None)  # as if it were not installed
    tokenized, parser = write_tokenized(tmp_path / "tokenized", ["a"]), toy_parser(tmp_path)
    argv = command(tmp_path, tokenized, parser, parameters(tmp_path), "out")
    assert run(main, [*argv, "--set", "run.executor=ray"]) == 2
    assert capsys.readouterr().err == (
        "error: run.executor: ray is not installed: expected processes, or Ray beside this "
        "project (pip install '.[ray]')\n"
    )
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize(
    ("executor", "address"),
    [("processes", "auto"), ("ray", "cluster"), ("ray", "ray://head:10001"), ("ray", "head:port")],
)
def test_the_address_of_a_cluster_is_checked(executor: str, address: str) -> None:
    run = RUN | {"executor": executor, "ray_address": address}
    with pytest.raises(InputError, match="run: ray_address: expected null, or with executor: ray"):
        from_mapping(RunConfig, run, "params.yaml: run")
