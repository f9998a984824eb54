"""Settings of the stage `evaluate`."""

from dataclasses import dataclass
from typing import Annotated, Literal

from annotated_types import Interval

from mgsa.cli.settings import MAX_SEED, check_each_once
from pipeline.evaluate.command_metrics import CommandMetric


@dataclass(frozen=True)
class EvaluateSettings:
    """Metrics, bootstrap samples of their 95% intervals, trials of randomisation tests (0: none).

    The seed is at least 1: sacreBLEU's paired tests take 0 for no seed. `commands` are metrics of
    others, `NAME=COMMAND` (`pipeline.evaluate.command_metrics`).
    """

    metrics: tuple[Literal["bleu", "chrf", "ter"], ...]
    bleu_tokenizer: Literal["13a", "intl", "zh", "char", "none"]
    bootstrap_samples: Annotated[int, Interval(ge=1, le=1_000_000)]
    randomization_trials: Annotated[int, Interval(ge=0, le=1_000_000)]
    seed: Annotated[int, Interval(ge=1, le=MAX_SEED)]
    commands: tuple[str, ...]

    def __post_init__(self) -> None:
        check_each_once("metrics", self.metrics)
        taken = {"bleu", "chrf", "ter", "sentences", "signatures"}
        for name in (CommandMetric.of(command).name for command in self.commands):
            if name in taken:
                raise ValueError(f"commands: expected another name than {name}, which is taken")
            taken.add(name)
