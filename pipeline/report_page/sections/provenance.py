"""What was run: every parameter, the hashes of what was made, the versions of what made it."""

from __future__ import annotations

import json
import platform
from collections.abc import Iterator, Mapping
from importlib import metadata
from pathlib import Path
from typing import Any, NamedTuple

from mgsa.base.io import sha256
from pipeline.base.stage import SECTIONS
from pipeline.report_page.inputs import Inputs
from pipeline.report_page.numbers import Report
from pipeline.report_page.section import Context
from pipeline.report_page.system import System

LIBRARIES = (
    *("mgsa", "torch", "lightning-fabric", "numpy", "pyarrow", "safetensors", "sacrebleu"),
    *(
        "stanza",
        "sacremoses",
        "subword-nmt",
        "spacy",
        "Jinja2",
        "vl-convert-python",
        "dvc",
        "dvclive",
    ),
)
"""What a run's numbers, or this page, may depend on."""


class Artifact(NamedTuple):
    """Something that was made: its file or folder, and what tells it from every other."""

    name: str
    path: Path
    identity: str
    of: str


class Shown(NamedTuple):
    """The parameters that the page shows in full: the run's, or those of the first system.

    Attributes:
        of: the system that they are of, if they are not the run's.
    """

    file: Path
    sections: Mapping[str, Any]
    of: System | None


def context(inputs: Inputs) -> Context:
    """Always there: versions are."""
    shown = _shown(inputs)
    dataset = inputs.path("dataset")
    manifest = None if dataset is None else Report.read(dataset / "manifest.json")
    return {
        "sections": [
            (name, list(flatten(shown.sections[name])))
            for name in SECTIONS
            if shown is not None and name in shown.sections
        ],
        "parameter_file": None if shown is None else shown.file,
        "parameters_of": None if shown is None or shown.of is None else shown.of.name,
        "differences": [] if shown is None else list(_differences(inputs, shown)),
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


def _flat_sections(sections: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    for name, section in sections.items():
        yield from flatten(section, name)


def _shown(inputs: Inputs) -> Shown | None:
    """What is shown in full; `None` where systems are compared that have no file of parameters."""
    if inputs.parameters is not None:
        return Shown(inputs.parameter_file, inputs.parameters, None)
    for system in inputs.systems:
        sections = system.parameters()
        if sections is not None and system.parameter_file is not None:
            return Shown(system.parameter_file, sections, system)
    return None


def _differences(inputs: Inputs, shown: Shown) -> Iterator[tuple[str, list[tuple[str, str, str]]]]:
    """Each system's keys with another value than what is shown: key, its value, the one shown.

    A key that one of the two lacks is shown as empty there. A section that the system was not run
    with is no difference.
    """
    for system in inputs.systems:
        own = None if system is shown.of else system.parameters()
        if own is not None:
            values = dict(_flat_sections(own))
            shared = dict(_flat_sections({n: s for n, s in shown.sections.items() if n in own}))
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
