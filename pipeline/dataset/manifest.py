"""Provenance of a dataset, and the preprocessing settings that inference needs."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from mgsa.cli.settings import read_yaml

RECORDED_SECTIONS = (
    *("corpus", "tokenize", "parser", "parse"),
    *("bpe", "partition", "align", "dataset"),
)
"""Sections of the parameter file that a dataset depends on."""

INFERENCE_SECTIONS = ("tokenize", "parse", "bpe", "partition")
"""Those that `preprocessing.json` has too, for raw text becomes rows by them."""

NOT_RECORDED = ("codes", "folder", "resources", "vocabulary")
"""Keys that name places: what is there shows in hashes of files."""


def recorded_parameters(path: Path) -> dict[str, dict[str, Any]]:
    """The parameter sections a dataset depends on, less `NOT_RECORDED`."""
    content = read_yaml(path)
    return {
        section: recorded(content[section])
        for section in RECORDED_SECTIONS
        if isinstance(content.get(section), dict)
    }


def recorded(section: Mapping[str, Any]) -> dict[str, Any]:
    """A section less `NOT_RECORDED`."""
    return {key: value for key, value in section.items() if key not in NOT_RECORDED}
