"""Settings of a search: those of a file's section `translate`, or what stands in for them."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from mgsa.base.errors import InputError
from mgsa.base.settings import apply_overrides, from_mapping, read_yaml, to_mapping
from mgsa.config import TranslateConfig

SECTION = "translate"

STANDARD = TranslateConfig(
    beam=5, length_penalty=0.6, max_length_ratio=2.0, max_length_extra=10, batch_tokens=4096
)
"""For whoever has a model and no parameter file; otherwise the file's values hold."""


def read_translate_config(path: Path | None, overrides: Sequence[str]) -> TranslateConfig:
    """The section `translate` of a file (`None`: `STANDARD`), `key=value` overrides put in.

    Raises:
        InputError: the file lacks the section, or a key or value of it is wrong.
    """
    if path is None:
        values, where = to_mapping(STANDARD), SECTION
    else:
        content = read_yaml(path)
        if SECTION not in content:
            raise InputError(f"{SECTION}: missing section", path=path)
        values, where = content[SECTION], f"{path}: {SECTION}"
    if isinstance(values, dict):
        values = apply_overrides(values, overrides)
    return from_mapping(TranslateConfig, values, where)
