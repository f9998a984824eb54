"""A finished run, small and made up, for the page about it: every folder and file that it shows."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import yaml
from markupsafe import Markup
from nltk.tree import Tree

from mgsa.analysis.heat_maps import HeatMap
from mgsa.base.io import write_json
from mgsa.base.settings import from_mapping
from pipeline.base.figures import draw_heat_map
from pipeline.base.tables import write_csv
from pipeline.partition import syntactic_partition, write_phrases_line
from pipeline.probing.accuracies import Accuracy, report_of
from pipeline.report import ReportSettings
from pipeline.report_page.blocks import Block, Details, Figure, Group, Table
from pipeline.report_page.inputs import Inputs, System
from pipeline.tokens.trees import bracketed, escape_token
from tests.collected_table import TABLE

PARAMETERS: dict[str, Any] = {
    "corpus": {"kind": "local", "name": "<b>made up</b>"},
    "tokenize": {"max_tokens": 100, "max_ratio": None},
    "model": {"kind": "transformer", "multi_granularity": {"granularities": ["syntactic_1"]}},
    "report": {"split": "test", "sentences": 3, "max_words": 60, "ranked": 3, "metric": "chrf"},
}

HOSTILE = [
    """<script>alert("x")</script> & 'quotes' </style> <img src=x onerror=alert(1)>""",
    "שלום עולם \u202eevil\u202c",
    "a\u200bb \u200d \u00a0 {{ 7 * 7 }} %s {0} \u2028 \x07",
    " ".join(f"word{i}" for i in range(300)),
    "x" * 600 + " ends",
]
"""Text that a careless page would run, mirror, or be torn apart by."""

FOLDERS = (
    *("reports", "corpus", "tokenized", "parser", "parsed", "bpe", "partitions"),
    *("phrase-counts", "alignments", "dataset", "patterns"),
)
"""The options of the stage whose folders are called so."""
PLAIN = ["A dog sees the cat .", "The cat sleeps .", "She reads a long book in the garden ."]
SYSTEM = "mgsa_<i>tiny</i>"

CELLS = [
    Accuracy(encoder, layer, task, classes, 80, accuracy + 5 * layer, 70.0 + layer, 95.5, majority)
    for encoder, layers in (("model", (1, 2)), ("scratch_<b>", (3,)))
    for layer in layers
    for task, classes, accuracy, majority in (("voice", 2, 75.0, 61.25), ("pos", 4, 80.0, 20.5))
]
"""Of a model, both of whose layers were probed, and of an encoder from scratch."""
VOICES = {"active": 49, "passive": 31, "none": 3}
PARTS = {"NN": 20, "<b>": 9, "OTHER": 0}

SHARES = """place,layer,attention,quadrant,share
encoder,1,words,token_to_token,0.250000
encoder,1,syntactic_1,token_to_phrase,0.500000
encoder,1,syntactic_2,token_to_phrase,0.250000
cross,1,words,token_to_token,1.000000
"""


def write_run(folder: Path, sentences: Sequence[str] = (*PLAIN, *HOSTILE)) -> Path:
    """Write everything that the stages would have, and `params.yaml`; give `folder` back.

    Every sentence is its own reference, and is translated by leaving out its first word. Of the
    training pairs, three were dropped.
    """
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "params.yaml").write_text(yaml.safe_dump(PARAMETERS), encoding="utf-8")
    _write_texts(folder, sentences)
    _write_reports(folder / "reports", len(sentences))
    write_patterns(folder / "patterns", (SYSTEM, "second"), SYSTEM)
    write_json(folder / "tables/some.json", TABLE)
    write_json(
        folder / "parser/parser.json",
        {"kind": "stanza", "package": "pack<age>", "identity": "c0ffee", "files": {}},
    )
    manifest = {
        "source_language": "en",
        "target_language": "de",
        "files": {"tags.json": {"bytes": 1, "sha256": "deadbeef"}},
        "made_by": {"libraries": {"numpy": "0.0.1", "a<b>c": "2"}},
    }
    write_json(folder / "dataset/manifest.json", manifest)
    write_system(folder / "own", sentences)
    return folder


def arguments(folder: Path, *more: str) -> list[str]:
    """The stage's arguments for what `write_run` wrote."""
    paths = {name: folder / name for name in FOLDERS}
    paths |= {n: folder / "own" / n for n in ("translations", "curves", "attention", "model")}
    paths |= {"params": folder / "params.yaml", "out": folder / "page"}
    paths |= {"table": folder / "tables/some.json"}
    return [word for name, path in paths.items() for word in (f"--{name}", str(path))] + [*more]


def write_system(folder: Path, references: Sequence[str], *, dropped: int = 1) -> Path:
    """Write a system's folder, whose translations lack the first `dropped` words; give it back."""
    hypotheses = [" ".join(text.split(" ")[dropped:]) for text in references]
    _write_lines(folder / "translations/test.references", references)
    _write_lines(folder / "translations/test.hypotheses", hypotheses)
    curves = folder / "curves/plots/metrics"
    _write_lines(
        curves / "valid_nll.tsv",
        ["step\tvalid_nll", *(f"{100 * i}\t{4.5 / i + dropped}" for i in (1, 2, 3))],
    )
    _write_lines(
        curves / "valid_perplexity.tsv", ["step\tvalid_perplexity", "100\tnan", "200\t7.5"]
    )
    _write_lines(curves / "skipped_batches.tsv", ["step\tskipped_batches", "100\t0", "200\t0"])
    write_json(folder / "evaluate.json", evaluation(50.0 + dropped, len(references)))
    write_json(folder / "train.json", {"updates": 300, "parameters": 2018764})
    write_json(folder / "model/manifest.json", {"kind": "mgsa model"})
    (folder / "attention/heat_maps/test_1").mkdir(parents=True)
    (folder / "attention/attention_shares.csv").write_text(SHARES, encoding="utf-8")
    words = {"words": ("<b>", "$ & ]]>", "</svg>")}
    heat_map = HeatMap("encoder", 1, words, words, np.eye(3))
    draw_heat_map(
        heat_map, folder / "attention/heat_maps/test_1/encoder_1.svg", sentence="test, sentence 1"
    )
    return folder


def evaluation(bleu: float, sentences: int) -> dict[str, Any]:
    """What the stage `evaluate` would report."""
    return {
        "sentences": sentences,
        "bleu": bleu,
        "bleu_mean": bleu + 0.25,
        "bleu_interval": 2.5,
        "chrf": bleu + 10,
        "bleu_baseline": bleu + 1,
        "bleu_difference": -1.0,
        "bleu_p_value": 0.0312,
        "bleu_randomization_p_value": 0.0437,
        "signatures": [{"metric": "bleu", "signature": "nrefs:1|<i>"}],
    }


def write_patterns(folder: Path, systems: Sequence[str], baseline: str | None) -> None:
    """Write the tables of the stage `phrasal_patterns`; each system is a point above the last.

    A bin of lengths is too rare to be drawn, and so is a category, of which no resample had any.
    """
    folder.mkdir(parents=True)
    sizes = [{"measure": name, "n": n} for name in ("precision", "bleu") for n in range(1, 9)]
    bins = {"1-5": 40, "6-10": 25, "11+": 3}
    categories = {"all": 200, "NN": 50, "unaligned": 60, "<b>": 1}
    cells: dict[str, list[dict[str, Any]]] = {
        "ngrams": [{**size, "ngrams": 100} for size in sizes],
        "lengths": [
            {"source_words": words, "sentences": sentences, **size, "ngrams": 100}
            for words, sentences in bins.items()
            for size in sizes
        ],
        "categories": [
            {"n": size, "category": category, "ngrams": ngrams}
            for size in ("1", "phrase")
            for category, ngrams in categories.items()
        ],
    }
    for name, of_table in cells.items():
        rows = []
        for above, system in enumerate(systems):
            for cell in of_table:
                score = 90 - cell["ngrams"] / 10 if "category" in cell else 95.5 - 10 * cell["n"]
                rare = cell["ngrams"] == 1
                row = {"system": system, **cell} | _interval("score", score + above, 2.25, rare)
                if baseline is not None:
                    row |= {"baseline": baseline, "p_value": 0.0312}
                    row |= _interval("difference", above, 0.75)
                rows.append(row)
        write_csv(rows, folder / f"{name}.csv")


def _interval(name: str, value: float, half: float, rare: bool = False) -> dict[str, float | None]:
    ends = (None, None) if rare else (value - half, value + half)
    return {name: value, f"{name}_low": ends[0], f"{name}_high": ends[1]}


def comb(words: Sequence[str]) -> Tree:
    """A tree that branches to the right at every other word."""
    leaves = [Tree("NN" if i % 2 else "VB", [escape_token(w)]) for i, w in enumerate(words)]
    tree = Tree("NP", [leaves[-1]])
    for number, leaf in reversed(list(enumerate(leaves[:-1]))):
        right = [tree] if number % 2 else tree
        tree = Tree("VP" if number % 2 else "NP", [leaf, *right])
    return Tree("ROOT", [Tree("S<b>", tree)])


def tokens_of(text: str) -> list[str]:
    """The tokens of a sentence, as the stages would have them."""
    return [word for word in text.split(" ") if word]


def _write_texts(folder: Path, sentences: Sequence[str]) -> None:
    tokens = [tokens_of(text) for text in sentences]
    tokenized = [" ".join(words) for words in tokens]
    trees = [comb(words) for words in tokens]
    lines: dict[str, Sequence[str]] = {
        "corpus/train.source": ["", "kept", "<dropped>", "kept too", "x"],
        "corpus/train.target": ["leer", "behalten", "<b>fort</b>", "auch", "y"],
        "corpus/test.source": sentences,
        "tokenized/test.source": tokenized,
        "tokenized/test.target": tokenized,
        "tokenized/test.lines": [str(i) for i in range(1, len(sentences) + 1)],
        "tokenized/test.links": [_links(len(words)) for words in tokens],
        "tokenized/train.source": ["kept", "kept too"],
        "tokenized/train.target": ["behalten", "auch"],
        "tokenized/dropped.tsv": [
            "split\tline\treason",
            "train\t1\tempty",
            "train\t3\tlong",
            "train\t5\tlong",
        ],
        "parsed/test.trees": [bracketed(tree) for tree in trees],
        "partitions/test.phrases": [write_phrases_line(syntactic_partition(t, 2)) for t in trees],
        "bpe/test.source": ["do@@ g s", *tokenized[1:]],
        "bpe/test.target": tokenized,
        "phrase-counts/phrase_lengths.csv": ["level,length,count", "1,1,40", "1,2,9", "2,1,70"],
        "phrase-counts/tags.csv": ["level,tag,count", '1,",",3', "1,<b>,9", "2,NP-SBJ,5"],
        "alignments/test.links": [_links(len(words) - 1) for words in tokens],
    }
    for name, texts in lines.items():
        _write_lines(folder / name, texts)
    write_json(
        folder / "corpus/corpus.json",
        {"name": "<b>made up</b>", "source_language": "en", "target_language": "de"},
    )
    write_json(
        folder / "alignments/aligner.json",
        {"kind": "hmm", "deterministic": True, "splits": ["test"]},
    )


def _links(words: int) -> str:
    return " ".join(f"{i}-{i}" for i in range(words))


def _write_reports(folder: Path, sentences: int) -> None:
    tokens = {f"{s}_{side}_tokens": 10 for s in ("train", "test") for side in ("source", "target")}
    reports: dict[str, dict[str, Any]] = {
        "params": {
            **{"corpus": "local", "model": SYSTEM},
            "differences": {"model.dim": {"params": 7, "preset": None}},
        },
        "tokenize": {
            **{"train_pairs": 5, "train_kept": 2},
            **{"train_dropped_empty": 1, "train_dropped_long": 2},
            **{"test_pairs": sentences, "test_kept": sentences},
            **tokens,
        },
        "parser": {"dev_trees": 200, "labelled_f1": 97.16, "tagging_accuracy": 98.61},
        "parse": {"sentences": 100, "flat_too_long": 3, "flat_failed": 1},
        "bpe": {"merges": 40, "source_words": 1893, "train_source_subwords": 13},
        "partition": {
            **{"sentences": 10, "tags": 35},
            "phrases_per_sentence_ngram_2": 5.9841,
            "phrases_per_sentence_syntactic_1": 3.4837,
            "words_per_phrase_ngram_2": 1.9179,
            "words_per_phrase_syntactic_1": 3.2944,
        },
        "align": {
            **{"test_pairs": sentences, "test_links": 40, "test_links_per_target_word": 1.022},
            **{"test_unaligned_source": 0.0313, "test_unaligned_target": 0.0208},
            **{"test_precision": 98.07, "test_recall": 95.79, "test_aer": 3.08},
        },
        "evaluate": evaluation(51.0, sentences),
        "train": {"updates": 300, "parameters": 2018764},
        "probe_data": {
            "sentences": 960,
            **{split: {"voice": VOICES, "pos": PARTS} for split in ("train", "valid", "test")},
        },
        "probe": report_of(
            CELLS, {"sentences": {"test": 83}, "tasks": ["voice", "tense", "pos"], "seed": 1}
        ),
    }
    for stage, content in reports.items():
        write_json(folder / f"{stage}.json", content)


def _write_lines(path: Path, lines: Sequence[str]) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8", newline="\n")


def inputs_of(
    folder: Path, *without: str, compared: Sequence[Path] = (), **settings: Any
) -> Inputs:
    """What `write_run` wrote, less some of its folders (`tables` is one); `settings` in place of
    those it wrote.

    Args:
        compared: folders of systems to compare beside the run's own.
    """
    own = {"translations", "curves", "attention", "model"}
    names = [name for name in (*FOLDERS, *own) if name not in without]
    paths = {name: folder / "own" / name if name in own else folder / name for name in names}
    parts = {name: paths.get(name) for name in own}
    systems = [System(SYSTEM, paths.get("reports"), **parts)]
    return Inputs(
        settings=from_mapping(ReportSettings, PARAMETERS["report"] | settings, "report"),
        parameters=PARAMETERS,
        parameter_file=folder / "params.yaml",
        paths=paths,
        gold=None,
        systems=systems + [System.in_folder(path.name, path) for path in compared],
        tables=[] if "tables" in without else [folder / "tables/some.json"],
    )


def flat(blocks: Iterable[Block]) -> Iterator[Block]:
    """The blocks of a section with those inside others."""
    for block in blocks:
        yield block
        if isinstance(block, Group | Details):
            yield from flat(block.blocks)
        elif isinstance(block, Figure) and block.table is not None:
            yield block.table


def tables_of(blocks: Iterable[Block]) -> dict[str, list[list[str]]]:
    """The text of each table by its caption, without markup."""
    return {
        _plain(table.caption): [[_plain(cell or "") for cell in row] for row in table.rows]
        for table in flat(blocks)
        if isinstance(table, Table)
    }


def titles_of(blocks: Iterable[Block]) -> list[str]:
    """The titles of the charts."""
    return [block.title for block in flat(blocks) if isinstance(block, Figure)]


def text_of(blocks: Iterable[Block]) -> str:
    """All that stands in paragraphs and summaries, without markup."""
    texts = [block.summary if isinstance(block, Details) else block for block in flat(blocks)]
    return "\n".join(_plain(text) for text in texts if isinstance(text, str))


def _plain(text: str) -> str:
    return text.striptags() if isinstance(text, Markup) else text
