"""The parser stage: trained on a treebank, taken from a folder, or not needed."""

from __future__ import annotations

import functools
import resource
import shutil
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any, cast

import pytest
import torch
import yaml

from mgsa.cli.errors import InputError
from mgsa.cli.files import read_json, write_json
from mgsa.cli.outputs import MANIFEST, sha256
from mgsa.cli.run import run
from pipeline.constituency import transition_parser
from pipeline.constituency.parser_folder import read_parser_folder
from pipeline.constituency.stanza_parser import ConstituencyParser, Unparsed, parse_each
from pipeline.constituency.transition_parser import parse_tagged
from pipeline.constituency.treebank import MAX_LEVELS
from pipeline.formats.tables import Record
from pipeline.formats.text import SPLITS
from pipeline.formats.trees import read_tree, read_treebank
from pipeline.parser.__main__ import evaluate, main
from pipeline.sample import write_sample
from tests.lines import write_lines
from tests.parameters import PARAMETERS
from tests.text_folders import contents, stage_argv

TRAIN = """
parser:
  kind: train
  train: {train}
  dev: null
  training:
    seed: 1
    vector_dim: 12
    hidden: 16
    epochs: 3
    batch: 10
    learning_rate: 2.0e-4
"""


def package(resources: Path | str, dev: Path | str = "null") -> str:
    """The parameters of a package of stanza's in a local folder."""
    return (
        f"parser:\n  kind: stanza\n  package: ptbsample\n  resources: {resources}\n  dev: {dev}\n"
    )


def command(folder: Path, params: str, out: str = "parser", **tokenize: str) -> list[str]:
    sections = {"tokenize": PARAMETERS["tokenize"] | tokenize, "run": PARAMETERS["run"]}
    text = yaml.safe_dump(sections)
    (folder / "params.yaml").write_text(text + params, encoding="utf-8")
    languages = {"source_language": "en", "target_language": "de"}
    write_json(folder / "corpus/corpus.json", languages)
    return stage_argv(folder, corpus="corpus", out=out, report=f"{out}.json")


def in_a_process(argv: list[str], **options: Any) -> subprocess.CompletedProcess[str]:
    """The stage where stanza logs to the stderr of its own, and sets of words have their order."""
    words = [sys.executable, "-B", "-m", "pipeline.parser", *argv]
    return subprocess.run(words, capture_output=True, text=True, **options)


@pytest.fixture(scope="session")
def trained(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a small treebank in `corpus`, and the parser that was trained on it."""
    folder = tmp_path_factory.mktemp("trained")
    (folder / "corpus").mkdir()
    sizes = {"train": 1, "valid": 1, "test": 1, "treebank_train": 60, "treebank_dev": 20}
    write_sample(folder / "corpus", seed=1, ambiguity=0.2, source_language="en", **sizes)
    in_a_process(command(folder, TRAIN.format(train="null")), check=True)
    return folder


def test_training_gives_a_parser_and_the_same_one_again(trained: Path) -> None:
    scores = read_json(trained / "parser.json")
    assert scores["dev_trees"] == 20
    assert 0 < scores["labelled_f1"] <= 100
    tokens = ["The", "man", "reads", "(", "books", ")", "."]
    tree = ConstituencyParser.load(trained / "parser").parse([tokens])[0]
    assert read_tree(tree).leaves() == ["The", "man", "reads", "-LRB-", "books", "-RRB-", "."]
    in_a_process(command(trained, TRAIN.format(train="null"), "again"), check=True)
    for name in read_parser_folder(trained / "parser").files:
        assert sha256(trained / "parser" / name) == sha256(trained / "again" / name), name


def test_trees_are_those_of_stanzas_own_parser(trained: Path) -> None:
    """Whatever the words: those it learnt from, too, and more sentences than are parsed in step."""
    corpus = (trained / "corpus/train.source").read_text().splitlines()
    gold = [tree.leaves() for tree in read_treebank(trained / "corpus/treebank/train.mrg")]
    reversed_words = [words[::-1] for words in gold]
    parser = ConstituencyParser.load(trained / "parser")
    tagged = parser._tag([*gold, *reversed_words, ["What"], *(line.split() for line in corpus)])
    expected = parser._model.parse_tagged_words(tagged, 50)
    assert list(map(str, parse_tagged(parser._model, tagged))) == list(map(str, expected))


def test_a_parse_without_end_is_given_up(trained: Path) -> None:
    parser = ConstituencyParser.load(trained / "parser")
    sentences = [["The", "man", "reads", "."], ["The", "man", "."]]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(transition_parser, "MAX_TRANSITIONS", 2)
        for tree in parse_each(parser, sentences):
            assert isinstance(tree, Unparsed)
            assert "no tree after" in tree.reason


def test_a_full_disk_while_training_is_one_line(trained: Path) -> None:
    limit = functools.partial(resource.setrlimit, resource.RLIMIT_FSIZE, (200_000, 200_000))
    done = in_a_process(command(trained, TRAIN.format(train="null"), "full"), preexec_fn=limit)
    assert done.returncode == 1
    (line,) = done.stderr.splitlines()
    assert "File too large" in line
    assert line.endswith("or more room on the disk")
    assert not [*trained.glob("full*"), *trained.glob(".partial-*")]


def test_a_parser_that_was_trained_here_is_taken_as_it_is(trained: Path, tmp_path: Path) -> None:
    """By another project, say, which scores it on other trees."""
    (tmp_path / "corpus").mkdir()
    dev = trained / "corpus/treebank/dev.mrg"
    ours = package(trained / "parser", dev).replace("ptbsample", "treebank")
    assert run(main, command(tmp_path, ours)) == 0
    theirs, kept = contents(tmp_path / "parser"), contents(trained / "parser")
    assert theirs | {MANIFEST: kept[MANIFEST]} == kept  # but for the settings
    assert Record.read(tmp_path / "parser.json") == Record.read(trained / "parser.json")
    assert run(main, command(tmp_path, ours.replace("treebank\n", "other\n"))) == 2


UNLABELLED = "A (f) ."
"""The corpus's own text, whose words get vectors too."""


def write_treebank(folder: Path, train: str, dev: str) -> None:
    (folder / "corpus" / "treebank").mkdir(parents=True)
    write_lines(folder / "corpus/train.source", [UNLABELLED])
    for part, text in (("train", train), ("dev", dev)):
        (folder / "corpus" / "treebank" / f"{part}.mrg").write_text(text, encoding="utf-8")


SHORT = TRAIN.format(train="null").replace("epochs: 6", "epochs: 1")


@pytest.mark.timeout(300)
def test_oddities_of_a_treebank_are_learnt_as_text_has_them(tmp_path: Path) -> None:
    """Wrappers, empty elements, brackets as words, case, depth, labels that dev alone has."""
    brackets = (
        "(S (NP (NN a) (PRN (-LRB- -LRB-) (NN b) (-RRB- -RRB-))) (VP (VB C) (NP (-NONE- *-1))))",
        "(S (NP (NN a) (PRN (-LRB- -LSB-) (NN b) (-RRB- -RSB-))) (VP (VB d)))",
    )
    wrapped = [f"( {brackets[0]})", f"(TOP {brackets[1]})", f"(S1 {brackets[0]})", brackets[1]]
    dev = [brackets[0], "(ROOT (UCP (NP (NN a)) (VB c)))"]
    write_treebank(tmp_path, "\n".join([*wrapped, nested(MAX_LEVELS)]), "\n".join(dev))
    assert run(main, command(tmp_path, SHORT, case="lower")) == 0
    assert read_json(tmp_path / "parser.json")["dev_trees"] == 2
    pretrain, parser = (
        torch.load(tmp_path / f"parser/en/{kind}/treebank.pt", weights_only=True)
        for kind in ("pretrain", "constituency")
    )
    learnt = {*"()[]abcd"}
    for words, expected in (
        (pretrain["vocab"]["_id2unit"], learnt | {"f", "."}),
        (parser["params"]["words"], learnt),
    ):
        assert {word for word in words if word.isprintable() and "<" not in word} == expected


def nested(levels: int) -> str:
    """A sentence whose last word has so many nodes above it, each on a line of its own."""
    return "\n ".join(["(S (NN a)"] * levels) + "(NN b)" + ")" * levels + "\n"


def test_what_stanza_takes_for_granted_is_one_line(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Seen with one epoch over one tree of nested X; that it comes to this is up to stanza."""

    def fall(*_: object, **__: object) -> None:
        raise AssertionError("no such transition")

    monkeypatch.setattr("stanza.models.constituency.parser_training.build_trainer", fall)
    write_treebank(tmp_path, *["(ROOT (S (NN a) (NN b)))\n" * 3] * 2)
    assert run(main, command(tmp_path, SHORT)) == 1
    said = capsys.readouterr().err
    assert "stanza can't train a parser on this treebank (AssertionError: no such tran" in said
    assert "Traceback" not in said
    assert not (tmp_path / "parser").exists()


@pytest.mark.real
def test_a_package_is_taken_from_a_folder_and_scored(tmp_path: Path, shared: Path) -> None:
    params = package(shared / "stanza_resources", dev=shared / "treebank/dev.mrg")
    assert run(main, command(tmp_path, params)) == 0
    scores = read_json(tmp_path / "parser.json")
    # The README there gives 94.1 and 83.3; EVALB leaves out punctuation, which is easy to tag.
    assert scores["tagging_accuracy"] == pytest.approx(94.1, abs=1)
    assert scores["labelled_f1"] == pytest.approx(83.3, abs=1.5)

    resources = tmp_path / "resources"
    shutil.copytree(shared / "stanza_resources", resources, copy_function=shutil.copyfile)
    (resources / "en" / "constituency" / "ptbsample.pt").write_bytes(b"of another library")
    done = in_a_process(command(tmp_path, package(resources), out="unloadable"))
    assert done.returncode == 2
    (line,) = done.stderr.splitlines()
    assert line.startswith("error: parser: stanza can't load this parser: ")
    assert ".partial-" not in line
    assert not (tmp_path / "unloadable").exists()


@pytest.mark.parametrize("kind", ["trees", "none"])
def test_ready_trees_and_flat_ones_need_no_parser(tmp_path: Path, kind: str) -> None:
    files = "".join(f"  {split}: null\n" for split in SPLITS if kind == "trees")
    assert run(main, command(tmp_path, f"parser:\n  kind: {kind}\n{files}")) == 0
    assert read_parser_folder(tmp_path / "parser").kind == kind
    with pytest.raises(InputError, match="it holds no models"):
        ConstituencyParser.load(tmp_path / "parser")


@pytest.mark.parametrize(
    ("params", "message"),
    [
        (TRAIN.format(train="null"), "treebank/train.mrg: the corpus brought no trees to train a"),
        (TRAIN.format(train="nowhere.mrg"), "nowhere.mrg: no such file"),
        (package("nowhere"), "nowhere/resources.json: no such file"),
    ],
)
def test_a_mistake_is_one_line(
    tmp_path: Path, params: str, message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(main, command(tmp_path, params)) == 2
    error = capsys.readouterr().err
    assert message in error
    assert error.count("\n") == 1
    assert not (tmp_path / "parser").exists()


def test_a_held_out_sentence_that_cannot_be_parsed_counts_as_flat() -> None:
    class Refusing:
        def parse(self, sentences: Sequence[Sequence[str]]) -> list[str]:
            if ["no"] in sentences:
                raise ValueError("no")
            return ["(ROOT (S (X yes)))" for _ in sentences]

    gold = [read_tree("(ROOT (S (X yes)))"), read_tree("(ROOT (S (X no)))")]
    scores = evaluate(cast("Any", Refusing()), gold)
    assert scores["dev_trees"] == 2
    assert scores["labelled_recall"] == scores["labelled_precision"] == 50
