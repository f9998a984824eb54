"""A table over seeds as `pipeline.experiment` collects it, made up."""

from __future__ import annotations

from typing import Any


def over_seeds(mean: float, deviation: float) -> dict[str, float]:
    return {"mean": mean, "deviation": deviation}


NOTHING = {"comparisons": [], "over_seeds": {"bleu": None, "contrast": None}}
TABLE: dict[str, Any] = {
    "title": "Table 1: <b>composition</b>",
    "baseline": "base",
    "dataset": "decade",
    "systems": {
        "base": NOTHING
        | {
            "parameters": 1766028,
            "scores": {"bleu": over_seeds(50.25, 1.5), "chrf": over_seeds(60.0, 0.5)},
            "tokens_per_second": over_seeds(2345.6, 10.0),
            "minutes": over_seeds(12.34, 0.1),
            "contrast_parsed": over_seeds(72.5, 1.25),
            **{"seeds": [1, 2], "failed": [], "not_run": [3]},
        },
        "<i>new": {
            "parameters": 2018764,
            "scores": {"bleu": over_seeds(51.0, 0.75), "chrf": over_seeds(61.0, 0.25)},
            "tokens_per_second": over_seeds(2000.0, 20.0),
            "minutes": over_seeds(15.0, 0.2),
            "contrast_parsed": over_seeds(95.25, 0.5),
            "contrast_random": over_seeds(73.75, 2.0),
            "comparisons": [
                {"seed": 1, "difference": 1.5, "contrast": 0.0004}
                | {"bootstrap": 0.0217, "randomization": 0.0431},
                {"seed": 2, "difference": -0.5, "contrast": 0.0005}
                | {"bootstrap": 0.0217, "randomization": None},
            ],
            "over_seeds": {"bleu": 0.0312, "contrast": 0.0001},
            **{"seeds": [1, 2], "failed": [3], "not_run": []},
        },
        "late": NOTHING
        | {
            **{"parameters": None, "scores": {}, "tokens_per_second": None, "minutes": None},
            **{"seeds": [], "failed": [], "not_run": [1, 2, 3]},
        },
    },
}
"""What the experiments collected, of two systems and one that was not run."""
