"""Drawn sentences: their tree, and as many phrases as the partition has."""

from __future__ import annotations

from pathlib import Path

import pytest

from mgsa.base.errors import InputError
from pipeline.report_page.sections.trees import context
from tests.report_folders import PLAIN, inputs_of, tokens_of, write_run


def test_sentences_have_their_tree_and_their_phrases(finished_run: Path) -> None:
    shown = context(inputs_of(finished_run))
    assert shown is not None
    phrases = (finished_run / "partitions/test.phrases").read_text("utf-8").split("\n")
    trees = (finished_run / "parsed/test.trees").read_text("utf-8").split("\n")
    lengths = [len(sentence["words"]) for sentence in shown["sentences"]]
    assert lengths == sorted(lengths)
    assert lengths[-1] <= 60
    for sentence in shown["sentences"]:
        index = sentence["index"]
        assert sentence["brackets"] == trees[index]
        assert len(sentence["tree"].words) == len(sentence["words"])
        levels = phrases[index].split(" ||| ")
        assert [str(level).count('class="label"') for level in sentence["levels"]] == [
            len(level.split(" ")) for level in levels
        ]


def test_either_trees_or_phrases_will_do(finished_run: Path) -> None:
    for without, key, missing in (("parsed", "tree", None), ("partitions", "levels", [])):
        shown = context(inputs_of(finished_run, without))
        assert shown is not None
        assert shown["sentences"][0][key] == missing
    assert context(inputs_of(finished_run, "parsed", "partitions")) is None
    assert context(inputs_of(finished_run, "tokenized")) is None


def test_where_no_sentence_is_to_be_drawn_there_is_no_section(finished_run: Path) -> None:
    assert context(inputs_of(finished_run, sentences=0)) is None
    assert context(inputs_of(finished_run, max_words=1)) is None


@pytest.mark.parametrize(
    ("name", "line", "message"),
    [
        ("parsed/test.trees", "(S (NP A", "test.trees:2: column 8: unbalanced"),
        ("parsed/test.trees", "(S (NP A))", "test.trees:2: leaf 1 of the tree is 'A'"),
        ("partitions/test.phrases", "2:NP", "test.phrases:2: level 1: lengths add up to 2 words"),
        ("partitions/test.phrases", "", "test.phrases:2: expected phrases, found an empty line"),
    ],
)
def test_what_does_not_fit_the_tokens_is_named(
    tmp_path: Path, name: str, line: str, message: str
) -> None:
    write_run(tmp_path, PLAIN)
    path = tmp_path / name
    lines = path.read_text("utf-8").split("\n")
    lines[1] = line
    path.write_text("\n".join(lines), "utf-8")
    with pytest.raises(InputError, match=message):
        context(inputs_of(tmp_path))
    assert len(tokens_of(PLAIN[1])) == 4


def test_unequal_files_are_named(tmp_path: Path) -> None:
    write_run(tmp_path, PLAIN)
    path = tmp_path / "parsed/test.trees"
    path.write_text("(S (NP A))\n", "utf-8")
    with pytest.raises(InputError, match=r"test.trees:1: ends after 1 line; expected as many as"):
        context(inputs_of(tmp_path))
