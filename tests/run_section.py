"""The section `run` of a parameter file that tests write: one process, on the CPU."""

from __future__ import annotations

from typing import Any

RUN: dict[str, Any] = {
    "workers": 1,
    "executor": "processes",
    "ray_address": None,
    "parse_gpu": False,
    "accelerator": "cpu",
    "devices": 1,
    "nodes": 1,
    "logger": "none",
}
