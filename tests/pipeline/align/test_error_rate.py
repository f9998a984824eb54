"""AER, precision and recall by hand, as Och & Ney's definitions bound them, and of files."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mgsa.cli.files import write_json
from mgsa.cli.outputs import MADE_OF, MANIFEST, sha256, write_manifest
from mgsa.cli.run import run
from mgsa.data.word_links import Link
from pipeline.align.error_rate import AlignmentCounts, count, main
from pipeline.formats.tables import Record

SURE = {(0, 0), (1, 1)}
POSSIBLE = {(1, 2), (2, 1)}


@pytest.mark.parametrize(
    ("predicted", "precision", "recall", "error_rate"),
    [
        (SURE, 1, 1, 0),
        (SURE | POSSIBLE, 1, 1, 0),  # what is possible is no mistake
        ({(0, 0)}, 1, 1 / 2, 1 - (1 + 1) / (1 + 2)),
        ({(0, 0), (1, 2), (2, 2), (3, 3)}, 2 / 4, 1 / 2, 1 - (1 + 2) / (4 + 2)),
        (POSSIBLE, 1, 0, 1 - (0 + 2) / (2 + 2)),
        ({(5, 5)}, 0, 0, 1),
        (set(), 1, 0, 1),
    ],
)
def test_rates_are_those_computed_by_hand(
    predicted: set[Link], precision: float, recall: float, error_rate: float
) -> None:
    counts = count(predicted, SURE, POSSIBLE)
    found = (counts.precision, counts.recall, counts.error_rate)
    assert found == pytest.approx((precision, recall, error_rate))


links = st.sets(st.tuples(st.integers(0, 3), st.integers(0, 3)))


@given(st.lists(st.tuples(links, links)))
def test_counts_add_up_and_with_sure_links_alone_it_is_one_less_f1(
    corpus: list[tuple[set[Link], set[Link]]],
) -> None:
    total = sum((count(found, sure) for found, sure in corpus), AlignmentCounts())
    found, sure = (sum(len(pair[side]) for pair in corpus) for side in (0, 1))
    right = sum(len(pair[0] & pair[1]) for pair in corpus)
    assert total == AlignmentCounts(found, sure, right, right)
    if found and sure:
        assert (total.precision, total.recall) == (right / found, right / sure)
    assert total.error_rate == pytest.approx(
        1 - (2 * right / (found + sure) if found + sure else 1)
    )


FOUND = "0-0 1-2\n0-1\n"
GOLD = "0-0 1-1 1p2\n0-1 1-0\n"
SAME = [
    (FOUND, GOLD, []),
    (FOUND, "1-1 2-2 3p2\n2-1 1-2\n", ["--gold-first-index", "1", "--gold-target-first"]),
    ("1-1 3-2\n2-1\n", GOLD, ["--first-index", "1", "--target-first"]),
]
"""Three links, all of them possible; two of four sure ones. AER: 1 - (2 + 3) / (3 + 4)."""


def argv(folder: Path, found: str, gold: str) -> list[str]:
    (folder / "found").write_text(found)
    (folder / "gold").write_text(gold)
    return ["--alignments", str(folder / "found"), "--gold", str(folder / "gold")]


@pytest.mark.parametrize(("found", "gold", "notation"), SAME)
def test_files_are_scored(
    tmp_path: Path, found: str, gold: str, notation: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    report = ["--report", str(tmp_path / "report.json")]
    assert run(main, [*argv(tmp_path, found, gold), *notation, *report]) == 0
    assert capsys.readouterr().out == (
        "AER 28.57, precision 100.00, recall 50.00 "
        "(3 links, 3 of them possible; 2 of 4 sure links found)\n"
    )
    assert Record.read(tmp_path / "report.json") == {
        "precision": 100,
        "recall": 50,
        "aer": 28.57,
        "predicted": 3,
        "sure": 4,
        "predicted_sure": 2,
        "predicted_possible": 3,
    }


@pytest.mark.parametrize(
    ("found", "gold", "options", "told"),
    [
        (FOUND, GOLD, [], ""),
        (FOUND, "1-1 2-2 2p3\n1-2 2-1\n", [], "if words are counted from 1, give --gold-first-ind"),
        (FOUND, "1-1 2-2 2p3\n1-2 2-1\n", ["--gold-first-index", "1"], ""),
        ("1-1 2-3\n1-2\n", GOLD, [], "if words are counted from 1, give --first-index 1"),
        ("0-0 2-1\n1-0\n", "0-0 1-2\n0-1\n", [], "AER is 0.00% if one file has the target in fr"),
        ("0-0 2-1\n1-0\n", "0-0 1-2\n0-1\n", ["--target-first"], ""),
    ],
)
def test_files_that_contradict_the_options_are_told(
    tmp_path: Path,
    found: str,
    gold: str,
    options: list[str],
    told: str,
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert run(main, [*argv(tmp_path, found, gold), *options]) == 0
    said = capsys.readouterr().err
    assert said.count("\n") == bool(told)
    assert told in said


def test_gold_links_of_the_naacl_shared_task_are_scored(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    gold = "1 1 1 S\n1 2 2 S\n1 2 3 P\n2 1 2 S\n2 2 1 S\n"
    assert run(main, argv(tmp_path, FOUND + "\n", f"{gold}3 1 0 S\n")) == 0  # to the null word
    assert capsys.readouterr().out.startswith("AER 28.57, precision 100.00, recall 50.00 (3 links")
    assert run(main, argv(tmp_path, FOUND + "\n", gold)) == 2
    assert "gold:2: ends after 2 lines; expected as many as in " in capsys.readouterr().err
    assert run(main, argv(tmp_path, "1 1 1\n1 2 3\n", gold)) == 0  # it found none in the last


def test_links_are_of_the_golds_corpus(tmp_path: Path) -> None:
    for name in ("links", "mine", "other"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "test.links").write_text("0-0\n")
    for name in ("mine", "other"):
        write_manifest(tmp_path / name, {"kind": "mgsa corpus", "name": name})
    made_of = {"mgsa corpus": [sha256(tmp_path / "mine" / MANIFEST)]}
    links = {"kind": "mgsa alignments", "files": {}, MADE_OF: made_of}
    write_json(tmp_path / "links" / MANIFEST, links)
    command = ["--alignments", str(tmp_path / "links/test.links"), "--gold"]
    assert run(main, [*command, str(tmp_path / "mine/test.links")]) == 0
    assert run(main, [*command, str(tmp_path / "other/test.links")]) == 2
