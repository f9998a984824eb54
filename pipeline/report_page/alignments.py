"""Word alignments: counts and error rates, and links as matrices, against gold ones."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence, Set
from dataclasses import dataclass
from pathlib import Path

from mgsa.base.errors import InputError
from mgsa.base.word_links import Link
from pipeline.base.charts import SYSTEMS, Spec, chart, labels
from pipeline.base.stage import SPLITS
from pipeline.base.text import read_sentences
from pipeline.links import PHARAOH, read_gold_links, read_links
from pipeline.report_page.blocks import Block, Figure, Group, Table, drawn_sentence, figure, files
from pipeline.report_page.inputs import Inputs, Report, check_same_number
from pipeline.report_page.markup import html, join
from pipeline.report_page.numbers import fixed, percent, plain

LINK_KINDS = {
    "link": ("link", "links", "■"),
    "sure": ("found, and a sure gold link", "right", "■"),
    "possible": ("found, and a possible gold link", "possible", "◆"),
    "wrong": ("found, but no gold link", "wrong", "✕"),
    "missed": ("sure gold link that was not found", "missed", "○"),
    "unneeded": ("possible gold link that was not found", "possible left out", "◇"),
}
"""What a cell of a matrix can be, for people; `link` where there is no gold to compare with."""
_CROSS = "M-.7,-.7L.7,.7M.7,-.7L-.7,.7"
_CLEAR = "transparent"
_MARKS = {
    "link": ("square", SYSTEMS[0], SYSTEMS[0]),
    "sure": ("square", SYSTEMS[0], SYSTEMS[0]),
    "possible": ("diamond", SYSTEMS[5], SYSTEMS[5]),
    "wrong": (_CROSS, _CLEAR, SYSTEMS[1]),
    "missed": ("circle", _CLEAR, SYSTEMS[3]),
    "unneeded": ("diamond", _CLEAR, "var(--muted, #59636d)"),
}
"""Shape, fill and stroke."""


@dataclass(frozen=True)
class Links:
    """Links of the split, as some aligner gives them."""

    name: str
    path: Path
    lines: Sequence[str]

    @classmethod
    def read(cls, name: str, path: Path) -> Links:
        """Read a file of links."""
        return cls(name, path, list(read_sentences(path)))


def alignments(inputs: Inputs) -> Iterator[Block]:
    """Counts and error rates of links; links as matrices, against gold ones if there are any."""
    report = inputs.report("align")
    shown: list[Block] = []
    if rates := _error_rates(inputs, report):
        columns = ["links of", "split", "precision", "recall", "AER"]
        shown.append(Table("Against gold links, in per cent", columns, rates))
    if report is not None and (counts := _link_counts(report)):
        columns = ["split", "pairs", "links", "a target word", "source without", "target without"]
        shown.append(Table("Links of the aligner", columns, counts))
    if shown:
        yield Group(shown, "beside")
    source, target, links = inputs.tokens("source"), inputs.tokens("target"), _links(inputs)
    gold = None
    if source is not None and target is not None and links:
        gold = _gold(inputs)
        sides = {inputs.file("tokenized", "source"): source}
        sides[inputs.file("tokenized", "target")] = target
        of_links = {one.path: one.lines for one in (*links, gold) if one is not None}
        check_same_number({**sides, **of_links})
        mark = '<li><span class="mark {}" aria-hidden="true">{}</span>{}</li>'
        marks = [
            html(mark, kind, character, text)
            for kind, (text, _, character) in LINK_KINDS.items()
            if (kind == "link") == (gold is None)
        ]
        yield html('<ul class="legend" aria-label="Marks">{}</ul>', join(marks))
        for index in inputs.drawn:
            matrices = [_matrix(index, source[index], target[index], one, gold) for one in links]
            yield drawn_sentence(inputs, index, source[index], [Group(matrices, "matrices")])
    if shown or links:
        yield files(report, *(one.path for one in (*links, gold) if one is not None))


def _links(inputs: Inputs) -> list[Links]:
    """The aligner's links of the split, then those of systems."""
    split, links = inputs.settings.split, []
    if (folder := inputs.paths.get("alignments")) is not None:
        aligner = Report.read(folder / "aligner.json")
        if split in aligner["splits"]:
            links.append(Links.read(aligner["kind"], inputs.file("alignments", "links")))
    for system in inputs.systems:
        path = None if system.folder is None else system.folder / f"{split}.links"
        if path is not None and path.is_file():
            links.append(Links.read(system.name, path))
    return links


def _gold(inputs: Inputs) -> Links | None:
    """Gold links: of the file that was given, or the corpus's own unless they are the aligner's."""
    if inputs.gold is not None:
        return Links.read("gold", inputs.gold)
    path, folder = inputs.file("tokenized", "links"), inputs.paths.get("alignments")
    if folder is not None and Report.read(folder / "aligner.json")["kind"] == "corpus":
        return None
    return Links.read("gold", path) if path.is_file() else None


def _matrix(
    index: int, source: Sequence[str], target: Sequence[str], links: Links, gold: Links | None
) -> Figure:
    line = index + 1
    found = set(read_links(links.lines[index], path=links.path, line=line))
    _check_ends(found, source, target, links.path, line)
    sure_possible = None
    if gold is not None:
        sure, possible = read_gold_links(gold.lines[index], PHARAOH, path=gold.path, line=line)
        _check_ends(sure | possible, source, target, gold.path, line)
        sure_possible = (sure, possible)
    kinds = kinds_of(found, sure_possible)
    counts = Counter(kinds.values())
    told = [f"{counts[kind]} {LINK_KINDS[kind][1]}" for kind in LINK_KINDS if counts[kind]]
    title = f"{links.name}: {', '.join(told) or 'no links'}"
    rows = [[source[i], target[j], LINK_KINDS[kind][0]] for (i, j), kind in sorted(kinds.items())]
    table = Table(title, ["source", "target", "link"], rows)
    return figure(title, link_chart(source, target, kinds), table)


def link_chart(source: Sequence[str], target: Sequence[str], kinds: Mapping[Link, str]) -> Spec:
    """Links as a matrix: a column for each source word, a row for each target word."""
    rows = [{"source": i, "target": j, "kind": kind} for (i, j), kind in sorted(kinds.items())]
    spec = chart("link_matrix", rows, x="source", y="target", title="")
    for channel, words in (("x", source), ("y", target)):
        spec["encoding"][channel]["scale"]["domain"] = list(range(len(words)))
        spec["encoding"][channel]["axis"]["labelExpr"] = labels(words)
    for place, channel in enumerate(("shape", "fill", "stroke")):
        marks = [mark[place] for mark in _MARKS.values()]
        spec["encoding"][channel]["scale"] = {"domain": list(_MARKS), "range": marks}
    return spec


def kinds_of(links: Set[Link], gold: tuple[Set[Link], Set[Link]] | None) -> dict[Link, str]:
    """What each link is, found ones and gold ones (sure, possible)."""
    if gold is None:
        return dict.fromkeys(links, "link")
    sure, possible = gold[0], gold[1] - gold[0]
    return (
        dict.fromkeys(possible, "unneeded")
        | dict.fromkeys(sure, "missed")
        | dict.fromkeys(links, "wrong")
        | dict.fromkeys(links & possible, "possible")
        | dict.fromkeys(links & sure, "sure")
    )


def _check_ends(
    links: Set[Link], source: Sequence[str], target: Sequence[str], path: Path, line: int
) -> None:
    for i, j in sorted(links):
        if i >= len(source) or j >= len(target):
            expected = f"links between {len(source)} source and {len(target)} target words"
            raise InputError(f"expected {expected}, got {i}-{j}", path=path, line=line)


def _link_counts(report: Report) -> list[list[str]]:
    """The aligner's counts of every split."""
    formats = {
        "pairs": plain,
        "links": plain,
        "links_per_target_word": fixed,
        "unaligned_source": percent,
        "unaligned_target": percent,
    }
    return [
        [split, *(shown(report.number(f"{split}_{key}")) for key, shown in formats.items())]
        for split in SPLITS
        if f"{split}_links" in report
    ]


def _error_rates(inputs: Inputs, report: Report | None) -> list[list[str]]:
    """Precision, recall and error rate, wherever some are reported."""
    rated = [("aligner", split, report, f"{split}_") for split in SPLITS] if report else []
    systems = inputs.systems_reports("align").items()
    return [
        [
            name,
            split,
            *(fixed(of.number(f"{key}{rate}")) for rate in ("precision", "recall", "aer")),
        ]
        for name, split, of, key in (
            *rated,
            *((name, inputs.settings.split, own, "") for name, own in systems),
        )
        if f"{key}aer" in of
    ]
