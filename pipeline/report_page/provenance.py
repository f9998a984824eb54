"""What was run: stages with their times, every parameter, hashes of artifacts, versions."""

from __future__ import annotations

import json
import platform
from collections.abc import Iterator, Mapping
from importlib import metadata
from pathlib import Path
from typing import Any

from markupsafe import Markup

from mgsa.base.io import sha256
from pipeline.report_page.blocks import Block, Details, Files, Group, Table
from pipeline.report_page.inputs import Inputs, Report, System
from pipeline.report_page.markup import breakable, html
from pipeline.report_page.numbers import counted, duration

LIBRARIES = (
    *("mgsa", "torch", "lightning-fabric", "numpy", "pyarrow", "safetensors", "sacrebleu"),
    *("stanza", "sacremoses", "subword-nmt", "spacy", "nltk", "Jinja2", "vl-convert-python"),
    *("dvc", "dvclive"),
)
"""What a run's numbers, or this page, may depend on."""
MANIFEST = "its manifest, which has every file's"


def provenance(inputs: Inputs) -> Iterator[Block]:
    """Always there: versions are."""
    if inputs.runs:
        rows = [
            [
                run.path.stem,
                run["started"].replace("T", " ")[:19],
                duration(run.number("seconds")),
                run["host"],
                html("<code>{}</code>", run["commit"] or ""),
            ]
            for run in inputs.runs
        ]
        yield Markup("<h3>Stages</h3>")
        columns = ["stage", "started (UTC)", "took", "machine", "commit"]
        yield Table("When and where each stage ran last", columns, rows)
    sections, file, of = _shown(inputs)
    if file is not None:
        yield html("<h3>Parameters{}</h3>", html(" of {}", breakable(of.name)) if of else "")
        yield Group([_section(*section) for section in sections.items()], "parameters")
        yield from _differences(inputs, sections, of)
    if artifacts := list(_artifacts(inputs)):
        yield Markup("<h3>Artifacts</h3>")
        caption = "SHA-256 that tells each artifact from every other"
        yield Table(caption, ["artifact", "SHA-256", "of"], artifacts)
    yield Markup("<h3>Versions</h3>")
    yield _versions(inputs)
    if file is not None:
        yield Files([file])


def _section(name: str, values: Any) -> Details:
    rows = [[breakable(key), value] for key, value in flatten(values)]
    table = Table(f"Parameters: {name}", ["key", "value"], rows, "keys-values")
    return Details(name, [table], opened=name in ("model", "train"))


def flatten(values: Any, prefix: str = "") -> Iterator[tuple[str, str]]:
    """Every key of a section, outer ones before a point, with its value as YAML has it."""
    if isinstance(values, Mapping) and (values or not prefix):
        for key, value in values.items():
            yield from flatten(value, f"{prefix}.{key}" if prefix else str(key))
    else:
        text = values if isinstance(values, str) else json.dumps(values, ensure_ascii=False)
        yield prefix, text


def _shown(inputs: Inputs) -> tuple[Mapping[str, Any], Path | None, System | None]:
    """The parameters to show in full, their file, and the system they are of if not the run's."""
    if inputs.parameters is not None:
        return inputs.parameters, inputs.parameter_file, None
    for system in inputs.systems:
        if (of_system := system.parameters()) is not None:
            file, sections = of_system
            return sections, file, system
    return {}, None, None


def _differences(inputs: Inputs, shown: Mapping[str, Any], of: System | None) -> Iterator[Block]:
    """Each system's keys with another value than what is shown; empty where one lacks the key.

    A section that the system was not run with is no difference.
    """
    others = (system for system in inputs.systems if system is not of)
    systems = [(system, ran[1]) for system in others if (ran := system.parameters())]
    if systems:
        whose = "each system" if of is None else "the other systems"
        yield html("<h3>Parameters of {}</h3><p>Where they are not those above.</p>", whose)
    for system, own in systems:
        values = dict(flatten(own))
        above = dict(flatten({name: shown[name] for name in shown if name in own}))
        rows = [
            [breakable(key), values.get(key, ""), above.get(key, "")]
            for key in {**values, **above}
            if values.get(key) != above.get(key)
        ]
        number = counted(len(rows), "value")
        summary = html('{} <span class="muted">{}</span>', breakable(system.name), number)
        caption = f"Parameters of {system.name}"
        table = Table(caption, ["key", "its value", "value above"], rows)
        yield Details(summary, [table], style="drawing")


def _artifacts(inputs: Inputs) -> Iterator[list[str]]:
    """Name, SHA-256, and what it is of."""
    if (parser := inputs.paths.get("parser")) is not None:
        identity = Report.read(parser / "parser.json")["identity"]
        yield _artifact("parser", identity, "kind, language and model files", parser)
    if (aligner := inputs.paths.get("alignments")) is not None:
        digest = sha256(aligner / "aligner.json")
        yield _artifact("alignments", digest, "aligner.json", aligner)
    if (dataset := inputs.paths.get("dataset")) is not None:
        path = dataset / "manifest.json"
        yield _artifact("dataset", sha256(path), MANIFEST, dataset)
        for name, file in sorted(Report.read(path)["files"].items()):
            yield _artifact(f"dataset: {name}", file["sha256"], "", dataset / name)
    for system in inputs.systems:
        if system.model is not None:
            digest = sha256(system.model / "manifest.json")
            yield _artifact(f"model: {system.name}", digest, MANIFEST, system.model)


def _artifact(name: str, identity: str, of: str, path: Path) -> list[str]:
    digest = html('<code class="hash">{}</code>', identity)
    return [breakable(name), digest, html("{} <code>{}</code>", of, path)]


def _versions(inputs: Inputs) -> Table:
    """Each library's version where this page was made, and as the dataset recorded it."""
    dataset = inputs.paths.get("dataset")
    recorded: Mapping[str, Any] = {}
    if dataset is not None:
        recorded = Report.read(dataset / "manifest.json")["made_by"]["libraries"]
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
    title = "Versions of what this run and this page depend on"
    return Table(title, columns[:kept], [row[:kept] for row in rows])
