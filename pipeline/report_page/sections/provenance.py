"""What was run: every parameter, the hashes of what was made, the versions of what made it."""

from __future__ import annotations

import json
import platform
from collections.abc import Iterator, Mapping
from importlib import metadata
from pathlib import Path
from typing import Any, NamedTuple

from mgsa.files import sha256
from pipeline.report_page.inputs import Inputs
from pipeline.report_page.numbers import Report
from pipeline.report_page.section import Context
from pipeline.stage import SECTIONS

LIBRARIES = (
    *("mgsa", "torch", "lightning-fabric", "numpy", "pyarrow", "safetensors", "sacrebleu"),
    *("stanza", "sacremoses", "subword-nmt", "spacy", "Jinja2", "matplotlib", "dvc", "dvclive"),
)
"""What a run's numbers, or this page, may depend on."""


class Artifact(NamedTuple):
    """Something that was made: its file or folder, and what tells it from every other."""

    name: str
    path: Path
    identity: str
    of: str


def context(inputs: Inputs) -> Context:
    """Always there: the parameter file is."""
    dataset = inputs.path("dataset")
    manifest = None if dataset is None else Report.read(dataset / "manifest.json")
    return {
        "sections": [
            (name, list(flatten(inputs.parameters[name])))
            for name in SECTIONS
            if name in inputs.parameters
        ],
        "parameter_file": inputs.parameter_file,
        "differences": list(_differences(inputs)),
        "artifacts": list(_artifacts(inputs)),
        "versions": _versions(manifest),
        "has_recorded": manifest is not None,
    }


def flatten(values: Any, prefix: str = "") -> Iterator[tuple[str, str]]:
    """Every key of a section, outer ones before a point, with its value as YAML has it."""
    if isinstance(values, Mapping) and values:
        for key, value in values.items():
            yield from flatten(value, f"{prefix}.{key}" if prefix else str(key))
    else:
        text = values if isinstance(values, str) else json.dumps(values, ensure_ascii=False)
        yield prefix, text


def _differences(inputs: Inputs) -> Iterator[tuple[str, list[tuple[str, str, str]]]]:
    """Each system's keys with another value than the parameter file's: key, its value, the file's.

    A key that one of the two lacks is shown as empty there.
    """
    shared = dict(flatten(inputs.parameters))
    for system in inputs.systems:
        own = system.parameters()
        if own is not None:
            values = dict(flatten(own))
            keys = [*values, *(key for key in shared if key not in values)]
            yield (
                system.name,
                [
                    (key, values.get(key, ""), shared.get(key, ""))
                    for key in keys
                    if values.get(key) != shared.get(key)
                ],
            )


def _artifacts(inputs: Inputs) -> Iterator[Artifact]:
    parser, aligner = inputs.path("parser"), inputs.path("alignments")
    if parser is not None:
        identity = Report.read(parser / "parser.json").text("identity")
        yield Artifact("parser", parser, identity, "kind, language and model files")
    if aligner is not None:
        path = aligner / "aligner.json"
        yield Artifact("alignments", aligner, sha256(path), "aligner.json")
    dataset = inputs.path("dataset")
    if dataset is not None:
        path = dataset / "manifest.json"
        yield Artifact("dataset", dataset, sha256(path), "its manifest, which has every file's")
        files: Any = Report.read(path).content.get("files", {})
        for name, file in sorted(files.items()) if isinstance(files, dict) else ():
            digest = file.get("sha256") if isinstance(file, dict) else None
            yield Artifact(f"dataset: {name}", dataset / name, str(digest), "")
    for system in inputs.systems:
        if system.model is not None:
            path = system.model / "manifest.json"
            what = "its manifest, which has every file's"
            yield Artifact(f"model: {system.name}", system.model, sha256(path), what)


def _versions(manifest: Report | None) -> list[tuple[str, str, str]]:
    """Each library's version where this page was made, and as the dataset recorded it."""
    made_by: Any = {} if manifest is None else manifest.content.get("made_by", {})
    found: Any = made_by.get("libraries", {}) if isinstance(made_by, dict) else {}
    recorded = {str(k): str(v) for k, v in found.items()} if isinstance(found, dict) else {}
    rows = [("Python", platform.python_version(), "")]
    for name in [*LIBRARIES, *sorted(recorded.keys() - set(LIBRARIES))]:
        try:
            here = metadata.version(name)
        except metadata.PackageNotFoundError:
            here = ""
        if here or name in recorded:
            rows.append((name, here, recorded.get(name, "")))
    return rows
