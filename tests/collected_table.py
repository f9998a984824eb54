"""A table over seeds as `pipeline.experiment` collects it, made up."""

from __future__ import annotations

from typing import Any

TABLE: dict[str, Any] = {
    "title": "Table 1: <b>composition</b>",
    "baseline": "base",
    "dataset": "decade",
    "systems": {
        "base": {
            "parameters": 1766028,
            "scores": {
                "bleu": {"mean": 50.25, "deviation": 1.5},
                "chrf": {"mean": 60.0, "deviation": 0.5},
            },
            "tokens_per_second": {"mean": 2345.6, "deviation": 10.0},
            "minutes": {"mean": 12.34, "deviation": 0.1},
            "contrast_parsed": {"mean": 72.5, "deviation": 1.25},
            "comparisons": [],
            "over_seeds": {"bleu": None, "contrast": None},
            "seeds": [1, 2],
            "failed": [],
            "not_run": [3],
        },
        "<i>new": {
            "parameters": 2018764,
            "scores": {
                "bleu": {"mean": 51.0, "deviation": 0.75},
                "chrf": {"mean": 61.0, "deviation": 0.25},
            },
            "tokens_per_second": {"mean": 2000.0, "deviation": 20.0},
            "minutes": {"mean": 15.0, "deviation": 0.2},
            "contrast_parsed": {"mean": 95.25, "deviation": 0.5},
            "contrast_random": {"mean": 73.75, "deviation": 2.0},
            "comparisons": [
                {"seed": seed, "difference": difference, "contrast": p_value}
                | {"bootstrap": 0.0217, "randomization": randomization}
                for seed, difference, p_value, randomization in (
                    (1, 1.5, 0.0004, 0.0431),
                    (2, -0.5, 0.0005, None),
                )
            ],
            "over_seeds": {"bleu": 0.0312, "contrast": 0.0001},
            "seeds": [1, 2],
            "failed": [3],
            "not_run": [],
        },
        "late": {
            "parameters": None,
            "scores": {},
            "tokens_per_second": None,
            "minutes": None,
            "comparisons": [],
            "over_seeds": {"bleu": None, "contrast": None},
            "seeds": [],
            "failed": [],
            "not_run": [1, 2, 3],
        },
    },
}
"""What the experiments collected, of two systems and one that was not run."""
