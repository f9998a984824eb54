"""Provenance of a run: stages, times, parameters, hashes, versions."""

import json
import platform
from collections.abc import Iterator
from typing import Any

from markupsafe import Markup

from mgsa.cli.outputs import sha256
from mgsa.cli.provenance import all_settings
from pipeline.formats.tables import flatten
from pipeline.report.blocks import breakable, details, group, html, number, table
from pipeline.report.inputs import Inputs
from pipeline.stage.command import library_versions

LIBRARIES = (
    *("torch", "lightning-fabric", "safetensors", "sacrebleu", "spacy", "nltk", "Jinja2"),
    *("vl-convert-python", "dvc", "dvclive"),
)
"""Libraries that a run's numbers, or this page, may depend on besides those of a dataset."""


def provenance(inputs: Inputs) -> Iterator[Markup]:
    """When and where each stage ran, and the parameters."""
    if inputs.runs:
        rows = [
            {
                "stage": run.path.stem,
                "started (UTC)": run["started"].replace("T", " ")[:19],
                "seconds": number(run["seconds"], ",.1f"),
                "machine": run["host"],
                "commit": html("<code>{}</code>", run["commit"] or ""),
            }
            for run in inputs.runs
        ]
        yield Markup("<h3>Stages</h3>")
        yield table("When and where each stage ran last", rows)
    if inputs.parameters is not None:
        recorded = all_settings(inputs.paths.values(), {})
        sections = {**inputs.parameters, **recorded}
        yield Markup("<h3>Parameters</h3>")
        if recorded:
            yield html(
                '<p class="muted">{} are as the outputs record them, the others as the parameter '
                "file has them now.</p>",
                ", ".join(name for name in sections if name in recorded),
            )
        yield group("parameters", [_section(*section) for section in sections.items()])
    if artifacts := [*_artifacts(inputs)]:
        yield Markup("<h3>Artifacts</h3>")
        yield table("SHA-256 of what describes each artifact", artifacts)
    yield Markup("<h3>Versions</h3>")
    versions = {"Python": platform.python_version(), **library_versions(*LIBRARIES)}
    rows = [{"library": name, "version": version} for name, version in versions.items()]
    yield table("Versions where this page was made", rows)


def _section(name: str, values: Any) -> Markup:
    texts = {
        key: value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
        for key, value in flatten(values).items()
    }
    rows = [{"key": breakable(key), "value": text} for key, text in texts.items()]
    numbers = table(f"Parameters: {name}", rows, "keys-values")
    return details(name, numbers, opened=name in ("model", "train"))


def _artifacts(inputs: Inputs) -> Iterator[dict[str, str]]:
    """Hashes that identify the artifacts."""
    described = {"parser": "parser.json", "alignments": "aligner.json", "dataset": "manifest.json"}
    files = {n: inputs.paths[n] / file for n, file in described.items() if n in inputs.paths}
    for system, model in inputs.system_outputs("model").items():
        files[f"model: {system}"] = model / "manifest.json"
    for name, path in files.items():
        digest = html('<code class="hash">{}</code>', sha256(path))
        yield {"artifact": breakable(name), "SHA-256": digest, "of": html("<code>{}</code>", path)}
