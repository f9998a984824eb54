"""Sections show what the stages wrote, in words and numbers for people."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from mgsa.cli.errors import InputError
from mgsa.cli.files import write_json
from mgsa.cli.outputs import sha256
from pipeline.report.page import SECTIONS
from tests.lines import write_lines
from tests.report_folders import (
    PLAIN,
    SHARES,
    SYSTEM,
    evaluation,
    inputs_of,
    text_of,
    write_patterns,
    write_run,
)

BLOCKS = {section.name: section.blocks for section in SECTIONS}
ABOVE = f"above {SYSTEM}"


@pytest.fixture(scope="module")
def texts(finished_run: Path) -> dict[str, str]:
    return {name: text_of(blocks(inputs_of(finished_run))) for name, blocks in BLOCKS.items()}


@pytest.mark.parametrize(
    ("section", "told"),
    [
        ("overview", f"51.0 BLEU {SYSTEM} 66.7 contrastive accuracy of 3 contrasts"),
        ("overview", "2.02 M parameters 300 updates 2 training pairs of 5 in"),
        ("overview", "97.2 parser F1 on 200 held-out trees 3.1 AER of the aligner on test"),
        ("scores", "8 sentences, detokenised and cased."),
        (
            "scores",
            "system BLEU 95% interval gain p (randomisation) "
            f"{SYSTEM} 51.00 48.75 to 53.75 −1.00 0.044",
        ),
        ("scores", f"chrF (higher is better) system chrF {SYSTEM} 61.00"),  # no interval, no test
        ("scores", "metric signature bleu nrefs:1|<i>"),
        (
            "contrasts",
            "contrasts number phrases of the parse random phrases words alone "
            "all 3 66.7 (12.5–100.0) 33.3 (12.5–100.0) 0.0 (12.5–100.0) <b> 3 66.7",
        ),
        ("contrasts", "told by level 2 3 66.7"),
        ("contrasts", "parse right 3 66.7"),
        ("contrasts", f"right: noun, told by level 2 {PLAIN[2]}ROOTS<b>VBSheNNreads"),
        ("contrasts", f"reference {PLAIN[2]} ✓ −4.00 −6.00 variant"),
        ("contrasts", f"reference {PLAIN[1]} −1.00 ✓ −1.00 variant Sleeps the cat . ✓ −0.50 −2.00"),
        ("contrasts", f"wrong: <b> {PLAIN[1]}"),
        ("contrasts", f"Of {SYSTEM}, from short to long sentences:"),
        ("tables", "Table 1: <b>composition</b> (baseline: base)"),
        (
            "tables",
            "<i>new 51.00 ± 0.75 61.00 ± 0.25 +0.50 ± 1.41 0.0312 2,018,764 "
            "2,000 ± 20 15.0 ± 0.2 2 of 3 late 0 of 3 Their contrastive accuracy",
        ),
        ("tables", "base 72.50 ± 1.25 <i>new 95.25 ± 0.50 73.75 ± 2.00 0.0001 late"),
        ("sentences", "Sentence chrF of the 8 sentences of test. Listed are those with the worst"),
        ("patterns", "n ngrams score score low score high"),
        ("patterns", f"{SYSTEM} 2 100 75.5 73.25 77.75"),
        ("patterns", f"Recall of 1-grams, {ABOVE}"),
        ("curves", "update value 100 5.5 200 3.25 300 2.5"),
        ("curves", "Validation perplexity update value 2 7.5"),  # NaN has no place in a chart
        ("curves", f"system updates parameters {SYSTEM} 300 2,018,764"),
        ("attention", "1 words token_to_token 0.25 1 syntactic_1 token_to_phrase 0.5"),
        ("attention", f"encoder self-attention of test, sentence 1 {PLAIN[1]}"),
        ("probing", "the test split’s 83 sentences"),
        ("probing", "Is the main clause active or passive? 2 classes, 80 in the test split."),
        ("probing", "model 2 2 80 85 72 95.5 61.25 scratch_<b> 3 2 80 90 73 95.5 61.25"),
        ("probing", "Part of speech (POS) by layer"),
        ("probing", "Classes of Voice class train valid test active 49 49 49 passive 31 31 31"),
        ("corpus", "Training pairs that cleaning dropped: 1 empty, 2 long."),
        ("corpus", "train 5 2 10 5.0 10 5.0 test 8 8 10 1.2 10 1.2 3"),
        ("corpus", "source 1 1 source 2 1 target 1 2"),
        ("parsing", "A stanza parser, package pack<age>."),
        ("parsing", "Of 100 source sentences, 4 have a flat tree: 3 were too long, 1 failed."),
        ("parsing", "labelled bracketing F1 97.16 accuracy of parts of speech 98.61"),
        ("trees", "3 of the 8 sentences of test"),
        ("phrases", "ngram 2 5.98 1.92 syntactic 1 3.48 3.29"),
        ("phrases", "level length count level 1 1 40 level 1 2 9 level 2 1 70"),
        ("phrases", "Level 1: 12 phrases by tag"),
        ("subwords", "40 merges, of both languages together, to "),
        ("subwords", "train source 10 13 1.300"),
        ("alignments", "aligner test 40 1.02 3.1% 2.1% 98.07 95.79 3.08"),
        ("alignments", "hmm: 5 right, 1 missed"),
        ("provenance", 'kind transformer multi_granularity.granularities ["syntactic_1"]'),
        ("provenance", "max_tokens 100 max_ratio null"),
    ],
)
def test_what_a_section_tells(texts: dict[str, str], section: str, told: str) -> None:
    assert told in texts[section]


def test_several_test_sets_and_references(tmp_path: Path) -> None:
    write_run(tmp_path, PLAIN)
    given = (("mt02", 60, 1), ("<b>", 40, 2))
    parts = [{"set": name, **evaluation(bleu, count)} for name, bleu, count in given]
    sets = {one["set"]: {"bleu": one["bleu"], "chrf": one["chrf"]} for one in parts}
    report = evaluation(50.0, 3) | {"sets": sets, "set_reports": parts}
    of_two = [{"metric": "bleu", "signature": "nrefs:2|<i>"}]  # that of a set
    report["signatures"] = report["signatures"] + of_two
    write_json(tmp_path / "reports/evaluate.json", report)
    write_lines(tmp_path / "translations/test.references.2", ["Another.", "", "One more."])
    inputs = inputs_of(tmp_path, metric="bleu")
    headings = "system set sentences BLEU BLEU: p chrF"
    row = f"{SYSTEM} mt02 1 60.00 ± 2.50 0.044 70.00"
    means = f"Test sets, of which the scores above are means {headings} {row}"
    assert means in text_of(BLOCKS["scores"](inputs))
    shown = text_of(BLOCKS["sentences"](inputs))
    assert f"Reference 1{PLAIN[0]} Reference 2Another." in shown
    assert f"Reference{PLAIN[1]}" in shown
    assert "words the first reference lacks" in shown
    assert inputs.references == [[PLAIN[0], "Another."], [PLAIN[1]], [PLAIN[2], "One more."]]


@pytest.mark.parametrize(
    ("counts", "told"),
    [
        ({"source_merges": 3, "target_merges": 4}, "3 merges of the source, 4 of the target, to 1"),
        ({}, "Whole words: 1 source and 2 target"),
    ],
)
def test_subwords_of_each_side(tmp_path: Path, counts: dict[str, int], told: str) -> None:
    write_run(tmp_path, PLAIN)
    report = counts | {"source_subwords": 1, "target_subwords": 2}
    write_json(tmp_path / "reports/bpe.json", report)
    assert told in text_of(BLOCKS["subwords"](inputs_of(tmp_path)))


def test_systems_side_by_side(finished_run: Path) -> None:
    inputs = inputs_of(finished_run, compared=[finished_run / "second"])
    assert "52.0 best BLEU of 2 systems second" in text_of(BLOCKS["overview"](inputs))
    assert f"{SYSTEM} 100 5.5" in text_of(BLOCKS["curves"](inputs))
    contrasts = text_of(BLOCKS["contrasts"](inputs))
    assert f"{SYSTEM} 66.7 (12.5–100.0) 33.3 (12.5–100.0)" in contrasts
    assert "second 66.7 (12.5–100.0)" in contrasts
    assert "words alone 0.0 (12.5–100.0)" in contrasts
    assert "second 100 6.5" in text_of(BLOCKS["curves"](inputs))


@pytest.mark.parametrize(
    ("without", "empty"),
    [
        ("reports", "scores probing corpus subwords"),
        ("reports parser", "parsing"),
        ("reports phrase-counts", "phrases"),
        ("reports alignments", "alignments"),
        ("parsed partitions", "trees"),
        ("tokenized", "trees"),
        ("translations", "sentences"),
        ("curves", "curves"),
        ("attention", "attention"),
        ("patterns", "patterns"),
        ("tables", "tables"),
        ("reports", "contrasts"),
    ],
)
def test_what_is_not_given_is_not_shown(finished_run: Path, without: str, empty: str) -> None:
    for section in empty.split():
        assert text_of(BLOCKS[section](inputs_of(finished_run, *without.split()))) == "", section


def test_when_where_and_of_what_it_was_run(tmp_path: Path) -> None:
    write_run(tmp_path, PLAIN)
    for stage, minute, seconds in (("bpe", 7, 65.4), ("corpus", 2, 0.25)):
        started = f"2026-11-23T08:{minute:02}:00+00:00"
        note = {"started": started, "seconds": seconds, "host": "<b>", "commit": f"c{minute}"}
        write_json(tmp_path / f"runs/{stage}.json", note)
    assert "Run on 2026-11-23 on <b>, commit c7." in text_of(
        BLOCKS["overview"](inputs_of(tmp_path))
    )
    told = text_of(BLOCKS["provenance"](inputs_of(tmp_path)))
    corpus, bpe = "2026-11-23 08:02:00 0.2 <b> c2", "2026-11-23 08:07:00 65.4 <b> c7"
    assert f"corpus {corpus} bpe {bpe}" in told
    for path in ("alignments/aligner.json", "dataset/manifest.json", "model/manifest.json"):
        assert f"{sha256(tmp_path / path)} {tmp_path / path}" in told


def test_trees_of_a_corpus_and_no_trees_at_all(tmp_path: Path) -> None:
    write_run(tmp_path, PLAIN)
    write_json(tmp_path / "parser/parser.json", {"kind": "trees", "package": None})
    write_json(tmp_path / "reports/parse.json", {"sentences": 100})
    (tmp_path / "reports/parser.json").unlink()
    told = text_of(BLOCKS["parsing"](inputs_of(tmp_path)))
    assert told == "Trees came with the corpus; nothing was parsed."
    assert "3 of the 3 sentences" in text_of(BLOCKS["trees"](inputs_of(tmp_path)))
    write_json(tmp_path / "parser/parser.json", {"kind": "none", "package": None})
    for section in ("parsing", "trees", "phrases"):
        assert text_of(BLOCKS[section](inputs_of(tmp_path))) == ""


def test_one_system_alone_has_no_differences(tmp_path: Path) -> None:
    write_run(tmp_path, PLAIN)
    folder = tmp_path / "plots/phrasal_patterns"
    shutil.rmtree(folder)
    write_patterns(folder, ["model"], None)
    for name in ("lengths", "categories"):  # which need a source
        (folder / f"{name}.csv").unlink()
    told = text_of(BLOCKS["patterns"](inputs_of(tmp_path)))
    assert "n-gram precision" in told
    assert not any(text in told for text in ("above", "By source length", "category"))


def test_shares_of_words_alone_are_left_out(tmp_path: Path) -> None:
    """A Transformer attends from subwords to subwords."""
    write_run(tmp_path, PLAIN)
    rows = [row for row in SHARES.splitlines() if "token_to_phrase" not in row]
    (tmp_path / "plots/attention/attention_shares.csv").write_text("\n".join(rows) + "\n", "utf-8")
    told = text_of(BLOCKS["attention"](inputs_of(tmp_path)))
    assert "Heat maps" in told
    assert "Shares" not in told


def test_links_of_a_system_against_gold_ones(tmp_path: Path) -> None:
    write_run(tmp_path, PLAIN)
    gold, second = tmp_path / "tokenized/test.links", tmp_path / "second"
    gold.write_text("0-0 1p1 5p5\n" * 3, "utf-8")
    write_json(second / "evaluate.json", {"bleu": 1})
    write_json(second / "alignment.json", {"precision": 50, "recall": 25, "aer": 66.67})
    (second / "test.links").write_text("0-0 1-1\n" * 3, "utf-8")
    inputs = inputs_of(tmp_path, compared=[second], max_words=6)
    message = "links:2: expected links between 4 source and 4 target words, counted .*, got 5-5"
    with pytest.raises(InputError, match=message):
        list(BLOCKS["alignments"](inputs))
    gold.write_text("0-0 1p1 2p2\n" * 3, "utf-8")
    told = text_of(BLOCKS["alignments"](inputs))
    assert "second: 1 right, 1 possible, 1 possible left out" in told
    assert "second test 50.00 25.00 66.67" in told


def test_links_of_the_corpus_are_not_compared_with_themselves(tmp_path: Path) -> None:
    write_run(tmp_path, PLAIN)
    write_json(tmp_path / "alignments/aligner.json", {"kind": "corpus", "splits": ["test"]})
    told = text_of(BLOCKS["alignments"](inputs_of(tmp_path)))
    assert "corpus: 5 links" in told
    assert "gold" not in told
    # `align=none` leaves a folder and a report, with nothing in them.
    write_json(tmp_path / "alignments/aligner.json", {"kind": "none", "splits": []})
    write_json(tmp_path / "reports/align.json", {})
    assert text_of(BLOCKS["alignments"](inputs_of(tmp_path))) == ""
