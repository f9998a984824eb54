"""What was run: stages with their times, every parameter, hashes of artifacts, versions."""

from __future__ import annotations

import json
import platform
from collections.abc import Iterator, Mapping
from importlib import metadata
from pathlib import Path
from typing import Any, NamedTuple

from markupsafe import Markup

from mgsa.base.io import sha256
from pipeline.base.stage import SECTIONS
from pipeline.report_page.blocks import (
    Block,
    Details,
    Files,
    Group,
    Table,
    breakable,
    duration,
    html,
)
from pipeline.report_page.files import Report
from pipeline.report_page.inputs import Inputs, System

LIBRARIES = (
    *("mgsa", "torch", "lightning-fabric", "numpy", "pyarrow", "safetensors", "sacrebleu"),
    *("stanza", "sacremoses", "subword-nmt", "spacy", "nltk", "Jinja2", "vl-convert-python"),
    *("dvc", "dvclive"),
)
"""What a run's numbers, or this page, may depend on."""
MANIFEST = "its manifest, which has every file's"


class Shown(NamedTuple):
    """The parameters that are shown in full: the run's or, if there are none, a system's."""

    file: Path
    sections: Mapping[str, Any]
    of: System | None


def provenance(inputs: Inputs) -> Iterator[Block]:
    """Always there: versions are."""
    if inputs.runs:
        rows = [
            [
                run.path.stem,
                run.text("started").replace("T", " ")[:19],
                duration(run.number("seconds")),
                run.text("host"),
                html("<code>{}</code>", run.content.get("commit") or ""),
            ]
            for run in inputs.runs
        ]
        yield Markup("<h3>Stages</h3>")
        columns = ["stage", "started (UTC)", "took", "machine", "commit"]
        yield Table("When and where each stage ran last", columns, rows)
    shown = _shown(inputs)
    if shown is not None:
        whose = "" if shown.of is None else html(" of {}", breakable(shown.of.name))
        yield html("<h3>Parameters{}</h3>", whose)
        sections = [name for name in SECTIONS if name in shown.sections]
        yield Group([_section(name, shown.sections[name]) for name in sections], "parameters")
        yield from _differences(inputs, shown)
    if artifacts := list(_artifacts(inputs)):
        yield Markup("<h3>Artifacts</h3>")
        caption = "SHA-256 that tells each artifact from every other"
        yield Table(caption, ["artifact", "SHA-256", "of"], artifacts)
    yield Markup("<h3>Versions</h3>")
    yield _versions(inputs)
    if shown is not None:
        yield Files([shown.file])


def _section(name: str, values: Any) -> Details:
    rows = [[breakable(key), value] for key, value in flatten(values)]
    table = Table(f"Parameters: {name}", ["key", "value"], rows, "keys-values")
    return Details(name, [table], opened=name in ("model", "train"))


def flatten(values: Any, prefix: str = "") -> Iterator[tuple[str, str]]:
    """Every key of a section, outer ones before a point, with its value as YAML has it."""
    if isinstance(values, Mapping) and values:
        for key, value in values.items():
            yield from flatten(value, f"{prefix}.{key}" if prefix else str(key))
    else:
        text = values if isinstance(values, str) else json.dumps(values, ensure_ascii=False)
        yield prefix, text


def _shown(inputs: Inputs) -> Shown | None:
    """`None` where systems are compared that have no file of parameters."""
    if inputs.parameters is not None:
        return Shown(inputs.parameter_file, inputs.parameters, None)
    for system in inputs.systems:
        sections = system.parameters()
        if sections is not None and system.parameter_file is not None:
            return Shown(system.parameter_file, sections, system)
    return None


def _differences(inputs: Inputs, shown: Shown) -> Iterator[Block]:
    """Each system's keys with another value than what is shown; empty where one lacks the key.

    A section that the system was not run with is no difference.
    """
    title = "each system" if shown.of is None else "the other systems"
    for system in inputs.systems:
        own = None if system is shown.of else system.parameters()
        if own is None:
            continue
        if title:
            yield html("<h3>Parameters of {}</h3><p>Where they are not those above.</p>", title)
            title = ""
        values = _flat_sections(own)
        above = _flat_sections({name: s for name, s in shown.sections.items() if name in own})
        rows = [
            [breakable(key), values.get(key, ""), above.get(key, "")]
            for key in {**values, **above}
            if values.get(key) != above.get(key)
        ]
        number = f"{len(rows)} {'value' if len(rows) == 1 else 'values'}"
        summary = html('{} <span class="muted">{}</span>', breakable(system.name), number)
        caption = f"Parameters of {system.name}"
        table = Table(caption, ["key", "its value", "value above"], rows)
        yield Details(summary, [table], style="drawing")


def _flat_sections(sections: Mapping[str, Any]) -> dict[str, str]:
    return dict(pair for name, section in sections.items() for pair in flatten(section, name))


def _artifacts(inputs: Inputs) -> Iterator[list[str]]:
    """Name, SHA-256, and what it is of."""
    parser, aligner = inputs.path("parser"), inputs.path("alignments")
    dataset = inputs.path("dataset")
    if parser is not None:
        identity = Report.read(parser / "parser.json").text("identity")
        yield _artifact("parser", identity, "kind, language and model files", parser)
    if aligner is not None:
        path = aligner / "aligner.json"
        yield _artifact("alignments", sha256(path), "aligner.json", aligner)
    if dataset is not None:
        path = dataset / "manifest.json"
        yield _artifact("dataset", sha256(path), MANIFEST, dataset)
        files = Report.read(path).part("files")
        for name in sorted(files.content):
            yield _artifact(f"dataset: {name}", files.part(name).text("sha256"), "", dataset / name)
    for system in inputs.systems:
        if system.model is not None:
            digest = sha256(system.model / "manifest.json")
            yield _artifact(f"model: {system.name}", digest, MANIFEST, system.model)


def _artifact(name: str, identity: str, of: str, path: Path) -> list[str]:
    digest = html('<code class="hash">{}</code>', identity)
    return [breakable(name), digest, html("{} <code>{}</code>", of, path)]


def _versions(inputs: Inputs) -> Table:
    """Each library's version where this page was made, and as the dataset recorded it."""
    dataset = inputs.path("dataset")
    recorded: Mapping[str, Any] = {}
    if dataset is not None:
        recorded = Report.read(dataset / "manifest.json").part("made_by").part("libraries").content
    rows = [["Python", platform.python_version(), ""]]
    for name in [*LIBRARIES, *sorted(recorded.keys() - set(LIBRARIES))]:
        try:
            here = metadata.version(name)
        except metadata.PackageNotFoundError:
            here = ""
        if here or name in recorded:
            rows.append([name, here, str(recorded.get(name, ""))])
    columns = ["library", "here", "when the dataset was made"]
    kept = 3 if recorded else 2
    return Table(
        "Versions of what this run and this page depend on",
        columns[:kept],
        [row[:kept] for row in rows],
    )
