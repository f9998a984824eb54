"""A finished run, small and made up, for the page about it: every folder and file that it shows."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import yaml
from markupsafe import Markup
from nltk.tree import Tree

from mgsa.cli.files import write_json
from mgsa.cli.settings import from_mapping
from pipeline.analyze.figures import heat_map_chart
from pipeline.analyze.heat_maps import HeatMap, Parts
from pipeline.charts import write_figure
from pipeline.formats.phrases import write_phrases_line
from pipeline.formats.tables import write_csv
from pipeline.formats.trees import bracketed, escape_token
from pipeline.partition import syntactic_partition
from pipeline.probe.accuracies import COLUMNS, report_of
from pipeline.report.inputs import FOLDERS, OUTPUTS, Inputs, System
from pipeline.report.settings import ReportSettings
from tests.collected_table import TABLE
from tests.lines import write_lines

PARAMETERS: dict[str, Any] = {
    "corpus": {"kind": "local", "name": "<b>made up</b>"},
    "tokenize": {"max_tokens": 100, "max_ratio": None},
    "model": {"kind": "transformer", "multi_granularity": {"granularities": ["syntactic_1"]}},
    "report": {"sentences": 3, "max_words": 60, "ranked": 3, "metric": "chrf"},
}
HOSTILE = [
    """<script>alert("x")</script> & 'quotes' </style> <img src=x onerror=alert(1)>""",
    "שלום עולם \u202eevil\u202c",
    "a\u200bb \u200d \u00a0 {{ 7 * 7 }} %s {0} \u2028 \x07",
    " ".join(f"word{i}" for i in range(300)),
    "x" * 600 + " ends",
]
"""Text that a careless page would run, mirror, or be torn apart by."""
PLAIN = ["A dog sees the cat .", "The cat sleeps .", "She reads a long book in the garden ."]
SYSTEM = "mgsa_<i>tiny</i>"


def told_of(accuracy: float) -> dict[str, Any]:
    """Contrastive accuracies."""
    block = {"contrasts": 3, "accuracy": accuracy, "low": 12.5, "high": 100.0}
    groups = {"category": ("<b>", "noun"), "depth": ("2",), "parse": ("right",)}
    return block | {f"by_{name}": dict.fromkeys(of, block) for name, of in groups.items()}


SCORES = "parsed_reference,parsed_variant,random_reference,random_variant"
SCORES = f"""line,category,depth,target,{SCORES}
1,noun,2,A cat sees the dog .,-1.5,-2.25,-3.0,-2.0
2,<b>,,Sleeps the cat .,-1.0,-0.5,-1.0,-2.0
3,noun,2,"{HOSTILE[1]}",-4.0,-5.0,-6.0,-6.0
"""
SHARES = """place,layer,attention,quadrant,share
encoder,1,words,token_to_token,0.250000
encoder,1,syntactic_1,token_to_phrase,0.500000
encoder,1,syntactic_2,token_to_phrase,0.250000
cross,1,words,token_to_token,1.000000
"""
CELLS = [
    dict(
        zip(
            COLUMNS,
            (encoder, layer, task, classes, 80, high + 5 * layer, 70.0 + layer, 95.5, majority),
            strict=True,
        )
    )
    for encoder, layers in (("model", (1, 2)), ("scratch_<b>", (3,)))
    for layer in layers
    for task, classes, high, majority in (("voice", 2, 75.0, 61.25), ("pos", 4, 80.0, 20.5))
]
"""Of a model, both of whose layers were probed, and of an encoder from scratch."""
CONTRASTS = [
    {"line": 1, "category": "noun", "depth": 2, "target": "A cat sees the dog ."},
    {"line": 2, "category": "<b>", "target": "Sleeps the cat ."},
    {"line": 3, "category": "noun", "depth": 2, "target": HOSTILE[1]},
]
CLASSES = {"voice": {"active": 49, "passive": 31, "none": 3}, "pos": {"NN": 20, "<b>": 9}}
TOKENS = {f"{s}_{side}_tokens": 10 for s in ("train", "test") for side in ("source", "target")}
REPORTS: dict[str, dict[str, Any]] = {
    "params": {"corpus": "local", "model": SYSTEM},
    "tokenize": {
        **{"train_pairs": 5, "train_kept": 2, "train_dropped_empty": 1, "train_dropped_long": 2},
        **{"test_pairs": 8, "test_kept": 8, "test_pairs_in_train": 3},
        **TOKENS,
    },
    "parser": {"dev_trees": 200, "labelled_f1": 97.16, "tagging_accuracy": 98.61},
    "parse": {"sentences": 100, "flat_too_long": 3, "flat_failed": 1},
    "bpe": {
        **{"merges": 40, "source_words": 1893, "source_subwords": 99},
        **{"target_words": 2001, "target_subwords": 98, "train_source_subwords": 13},
    },
    "partition": {
        **{"sentences": 10, "phrases_per_sentence_ngram_2": 5.9841},
        **{"phrases_per_sentence_syntactic_1": 3.4837, "words_per_phrase_ngram_2": 1.9179},
        "words_per_phrase_syntactic_1": 3.2944,
    },
    "align": {
        **{"test_links": 40, "test_links_per_target_word": 1.022},
        **{"test_unaligned_source": 0.0313, "test_unaligned_target": 0.0208},
        **{"test_precision": 98.07, "test_recall": 95.79, "test_aer": 3.08},
    },
    "train": {"updates": 300, "parameters": 2018764},
    "contrast": {
        "contrasts": 3,
        **{kind: told_of(share) for kind, share in (("parsed", 66.6667), ("random", 33.3333))},
        "words": told_of(0.0),
    },
    "probe_data": dict.fromkeys(("train", "valid", "test"), CLASSES),
    "probe": report_of(CELLS, {"sentences": {"test": 83}, "tasks": ["voice", "pos"], "seed": 1}),
}
DESCRIPTIONS: dict[str, dict[str, Any]] = {
    "corpus/corpus.json": {
        "name": "<b>made up</b>",
        **{"source_language": "en", "target_language": "de"},
    },
    "parser/parser.json": {"kind": "stanza", "package": "pack<age>"},
    "alignments/aligner.json": {"kind": "hmm", "splits": ["test"]},
    "dataset/manifest.json": {
        "kind": "mgsa dataset",
        "files": {},
        "settings": {"bpe": {"merges": 4321}},
    },
    "tables/some.json": TABLE,
}


def write_run(folder: Path, sentences: Sequence[str] = (*PLAIN, *HOSTILE)) -> Path:
    """Write everything that the stages would have, and `params.yaml`; give `folder` back.

    Every sentence is its own reference, and is translated by leaving out its first word.
    """
    tokens = [tokens_of(text) for text in sentences]
    tokenized = [" ".join(words) for words in tokens]
    trees = [comb(words) for words in tokens]
    texts: dict[str, Sequence[str]] = {
        "params.yaml": yaml.safe_dump(PARAMETERS).splitlines(),
        "corpus/test.source": sentences,
        "corpus/test.target": sentences,
        "corpus/test.contrast": [json.dumps(one) for one in CONTRASTS],
        "tokenized/test.source": tokenized,
        "tokenized/test.target": tokenized,
        "tokenized/test.links": [_links(len(words)) for words in tokens],
        "tokenized/train.source": ["kept", "kept too"],
        "tokenized/train.target": ["behalten", "auch"],
        "parsed/test.trees": [bracketed(tree) for tree in trees],
        "partitions/test.phrases": [write_phrases_line(syntactic_partition(t, 2)) for t in trees],
        "plots/partition/phrase_lengths.csv": ["level,length,count", "1,1,40", "1,2,9", "2,1,70"],
        "plots/partition/tags.csv": ["level,tag,count", '1,",",3', "1,<b>,9", "2,NP-SBJ,5"],
        "alignments/test.links": [_links(len(words) - 1) for words in tokens],
    }
    for name, lines in texts.items():
        write_lines(folder / name, lines)
    for name, content in DESCRIPTIONS.items():
        write_json(folder / name, content)
    for stage, content in REPORTS.items():
        write_json(folder / f"reports/{stage}.json", content)
    write_json(folder / "reports/evaluate.json", evaluation(51.0, len(sentences)))
    write_patterns(folder / FOLDERS["patterns"], (SYSTEM, "second"), SYSTEM)
    write_outputs({name: folder / FOLDERS[name] for name in OUTPUTS}, sentences)
    return folder


def write_system(folder: Path, references: Sequence[str], *, dropped: int = 1) -> Path:
    """Write a system's folder, whose translations lack the first `dropped` words; give it back."""
    write_outputs({name: folder / name for name in OUTPUTS}, references, dropped)
    write_json(folder / "evaluate.json", evaluation(50.0 + dropped, len(references)))
    for stage in ("train", "contrast"):
        write_json(folder / f"{stage}.json", REPORTS[stage])
    return folder


def write_outputs(folders: Mapping[str, Path], references: Sequence[str], dropped: int = 1) -> None:
    """Write the outputs of a model."""
    losses = [f"{100 * i}\t{4.5 / i + dropped}" for i in (1, 2, 3)]
    metrics, translations = folders["curves"] / "plots/metrics", folders["translations"]
    for path, lines in (
        (translations / "test.sources", references),
        (translations / "test.references", references),
        (translations / "test.hypotheses", [" ".join(t.split(" ")[dropped:]) for t in references]),
        (metrics / "valid_nll.tsv", ["step\tvalid_nll", *losses]),
        (metrics / "valid_perplexity.tsv", ["step\tvalid_perplexity", "1\tnan", "2\t7.5"]),
        (metrics / "skipped_batches.tsv", ["step\tskipped_batches", "1\t0", "2\t0"]),
        (folders["attention"] / "attention_shares.csv", SHARES.splitlines()),
        (folders["contrast"] / "test.csv", SCORES.splitlines()),
    ):
        write_lines(path, lines)
    write_json(folders["model"] / "manifest.json", {"kind": "mgsa model"})
    words: Parts = {"words": ("<b>", "$ & ]]>", "</svg>")}
    path = folders["attention"] / "heat_maps/test_1/encoder_1.svg"
    path.parent.mkdir(parents=True)
    heat_map = HeatMap("encoder", 1, words, words, np.eye(3))
    write_figure(heat_map_chart(heat_map, "test, sentence 1"), path)


def evaluation(bleu: float, sentences: int) -> dict[str, Any]:
    """What the stage `evaluate` would report."""
    return {
        **{"sentences": sentences, "bleu": bleu, "bleu_mean": bleu + 0.25, "bleu_interval": 2.5},
        **{"chrf": bleu + 10, "bleu_baseline": bleu + 1, "bleu_difference": -1.0},
        **{"bleu_p_value": 0.0312, "bleu_randomization_p_value": 0.0437},
        "signatures": [
            {"metric": name, "signature": signature}
            for name, signature in (("bleu", "nrefs:1|<i>"), ("chrf", "nc:6"))
        ],
    }


def write_patterns(folder: Path, systems: Sequence[str], baseline: str | None) -> None:
    """Write the tables of the stage `phrasal_patterns`; each system is a point above the last."""
    sizes = [
        {"measure": name, "n": n, "ngrams": 100}
        for name in ("precision", "bleu")
        for n in range(1, 9)
    ]
    counts = {"all": 200, "NN": 50, "<b>": 1}
    cells: dict[str, list[dict[str, Any]]] = {
        "ngrams": sizes,
        "lengths": [{"source_words": "1-5", "sentences": 40, **size} for size in sizes],
        "categories": [
            {"n": size, "category": name, "ngrams": ngrams}
            for size in ("1", "phrase")
            for name, ngrams in counts.items()
        ],
    }
    folder.mkdir(parents=True)
    for name, of_table in cells.items():
        rows = []
        for above, system in enumerate(systems):
            scores = _interval("score", 75.5 + above, 2.25)
            if baseline is not None:
                scores |= {"baseline": baseline, "p_value": 0.0312}
                scores |= _interval("difference", above, 0.75)
            rows += [{"system": system, **cell, **scores} for cell in of_table]
        write_csv(rows, folder / f"{name}.csv")


def _interval(name: str, value: float, half: float) -> dict[str, Any]:
    return {name: value, f"{name}_low": value - half, f"{name}_high": value + half}


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


def _links(words: int) -> str:
    return " ".join(f"{i}-{i}" for i in range(words))


def arguments(folder: Path, *more: str) -> list[str]:
    """The stage's arguments for what `write_run` wrote."""
    paths = {"data": folder, "params": folder / "params.yaml", "out": folder / "page"}
    return [word for name, path in paths.items() for word in (f"--{name}", str(path))] + [*more]


def inputs_of(
    folder: Path, *without: str, compared: Sequence[Path] = (), **settings: Any
) -> Inputs:
    """What `write_run` wrote, less some of its folders (`tables` is one).

    Args:
        compared: folders of systems to compare beside the run's own.
        settings: in place of those it wrote.
    """
    paths = {name: folder / place for name, place in FOLDERS.items() if name not in without}
    own = System.of_run(paths)
    return Inputs(
        settings=from_mapping(ReportSettings, PARAMETERS["report"] | settings, "report"),
        parameters=PARAMETERS,
        paths=paths,
        systems=[own, *(System.in_folder(path.name, path) for path in compared)],
        tables=[] if "tables" in without else [folder / "tables/some.json"],
    )


def text_of(blocks: Iterable[Markup]) -> str:
    """What a section says, without markup: words with one space between them."""
    return Markup(re.sub("<svg.*?</svg>", "", "\n".join(blocks), flags=re.DOTALL)).striptags()
