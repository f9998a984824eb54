"""Word alignments: their counts and error rates, and links as matrices, against gold ones."""

from __future__ import annotations

from collections.abc import Sequence, Set
from dataclasses import dataclass
from pathlib import Path

from mgsa.base.errors import InputError
from mgsa.word_links import Link
from pipeline.base.stage import SPLITS
from pipeline.base.text import read_sentences
from pipeline.links import PHARAOH, read_gold_links, read_links
from pipeline.report_page.charts.link_matrix import KINDS, Gold, LinkMatrix, link_matrix
from pipeline.report_page.inputs import Inputs, check_same_number
from pipeline.report_page.numbers import Report
from pipeline.report_page.section import Context


@dataclass(frozen=True)
class Links:
    """Links of the split, as some aligner gives them."""

    name: str
    path: Path
    lines: Sequence[str]


def context(inputs: Inputs) -> Context | None:
    report = inputs.report("align")
    source, target = inputs.tokens("source"), inputs.tokens("target")
    links = _links(inputs)
    drawn: list[dict[str, object]] = []
    gold = None
    if source is not None and target is not None and links:
        split, tokenized = inputs.settings.split, inputs.paths["tokenized"]
        gold = _gold(inputs)
        files = [*links, *([] if gold is None else [gold])]
        check_same_number(
            {tokenized / f"{split}.source": source, tokenized / f"{split}.target": target}
            | {file.path: file.lines for file in files}
        )
        drawn = [
            {
                "index": index,
                "source": source[index],
                "target": target[index],
                "matrices": [
                    (one.name, _matrix(index, source[index], target[index], one, gold))
                    for one in links
                ],
            }
            for index in inputs.drawn
        ]
    scores = _scores(inputs, report)
    splits = [] if report is None else _splits(report)
    if not (splits or scores or drawn):
        return None
    return {
        "splits": splits,
        "scores": scores,
        "sentences": drawn,
        "opened": inputs.opened,
        "gold": gold,
        "kinds": {k: v for k, v in KINDS.items() if (k == "link") == (gold is None)},
        "split": inputs.settings.split,
        "languages": inputs.languages,
        "paths": [
            *([] if report is None else [report.path]),
            *(one.path for one in links),
            *([] if gold is None else [gold.path]),
        ],
    }


def _links(inputs: Inputs) -> list[Links]:
    """The aligner's links of the split, then those that systems gave."""
    split, found = inputs.settings.split, []
    folder = inputs.path("alignments")
    if folder is not None:
        aligner = Report.read(folder / "aligner.json")
        path = folder / f"{split}.links"
        if split in aligner.content.get("splits", ()):
            found.append(Links(aligner.text("kind"), path, list(read_sentences(path))))
    for system in inputs.systems:
        own = system.links(split)
        if own is not None:
            found.append(Links(system.name, own, list(read_sentences(own))))
    return found


def _gold(inputs: Inputs) -> Links | None:
    """Gold links: of the file that was given, or the corpus's own unless they are the aligner's."""
    path, folder = inputs.gold, inputs.path("alignments")
    if path is None:
        path = inputs.paths["tokenized"] / f"{inputs.settings.split}.links"
        if not path.is_file():
            return None
        if folder is not None and Report.read(folder / "aligner.json").text("kind") == "corpus":
            return None
    return Links("gold", path, list(read_sentences(path)))


def _matrix(
    index: int, source: Sequence[str], target: Sequence[str], links: Links, gold: Links | None
) -> LinkMatrix:
    line = index + 1
    found = set(read_links(links.lines[index], path=links.path, line=line))
    _check_ends(found, source, target, links.path, line)
    if gold is None:
        return link_matrix(source, target, found, None)
    sure, possible = read_gold_links(gold.lines[index], PHARAOH, path=gold.path, line=line)
    _check_ends(sure | possible, source, target, gold.path, line)
    return link_matrix(source, target, found, Gold(sure, possible))


def _check_ends(
    links: Set[Link], source: Sequence[str], target: Sequence[str], path: Path, line: int
) -> None:
    for i, j in sorted(links):
        if i >= len(source) or j >= len(target):
            raise InputError(
                f"expected links between {len(source)} source and {len(target)} target words, "
                f"got {i}-{j}",
                path=path,
                line=line,
            )


def _splits(report: Report) -> list[dict[str, float | str | None]]:
    """The aligner's counts of every split."""
    keys = ("pairs", "links", "links_per_target_word", "unaligned_source", "unaligned_target")
    return [
        {"name": split, **{key: report.get(f"{split}_{key}") for key in keys}}
        for split in SPLITS
        if f"{split}_links" in report
    ]


def _scores(inputs: Inputs, report: Report | None) -> list[dict[str, float | str]]:
    """Precision, recall and error rate, wherever some are reported."""
    keys = ("precision", "recall", "aer")
    rows: list[dict[str, float | str]] = []
    if report is not None:
        rows += [
            {"name": "aligner", "split": split}
            | {key: report.number(f"{split}_{key}") for key in keys}
            for split in SPLITS
            if f"{split}_aer" in report
        ]
    for system in inputs.systems:
        own = system.report("align")
        if own is not None and "aer" in own:
            rows.append(
                {"name": system.name, "split": inputs.settings.split}
                | {key: own.number(key) for key in keys}
            )
    return rows
