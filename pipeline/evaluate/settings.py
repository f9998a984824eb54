"""Settings of the stage `evaluate`."""

from __future__ import annotations

import re
import shlex
from dataclasses import dataclass
from typing import Annotated, Literal

from annotated_types import Interval

from mgsa.cli.settings import MAX_SEED, check_each_once
from pipeline.statistics.bleu_tokenizers import BleuTokenizer

FORM = re.compile(r"([a-z][a-z0-9]*)=([^\0\n]*\{hypotheses\}[^\0\n]*)")
READ = ("source", "hypotheses", "references")
"""Files that a command may read, in braces."""


@dataclass(frozen=True)
class CommandMetric:
    """A metric of others: `comet=comet-score -s {source} -t {hypotheses} -r {references}`."""

    name: str
    command: str

    @classmethod
    def of(cls, setting: str) -> CommandMetric:
        """Raise a `ValueError` for another form."""
        if not (form := FORM.fullmatch(setting)):
            expected = "NAME=COMMAND, NAME in lower case and digits, COMMAND with {hypotheses}"
            raise ValueError(f"commands: expected {expected}, got {setting!r}")
        for name in re.findall(r"\{(\w+)\}", form[2]):
            if name not in READ:
                raise ValueError(
                    f"commands: expected {{{'}, {'.join(READ)}}} in {setting!r}, got {{{name}}}"
                )
        try:
            words = shlex.split(form[2])
        except ValueError as error:
            raise ValueError(f"commands: {setting!r}: {error}") from None
        if shell := {"|", "<", ">", "&", "&&", ";"}.intersection(words):
            expected = f"no {min(shell)}, as no shell runs it (sh -c '…' is one)"
            raise ValueError(f"commands: expected {expected} in {setting!r}")
        return cls(form[1], form[2])


@dataclass(frozen=True)
class EvaluateSettings:
    """Metrics, bootstrap samples of their 95% intervals, trials of randomisation tests (0: none).

    The seed is at least 1: sacreBLEU's paired tests take 0 for no seed. `commands` are those of
    `CommandMetric`.
    """

    metrics: tuple[Literal["bleu", "chrf", "ter"], ...]
    bleu_tokenizer: BleuTokenizer
    bootstrap_samples: Annotated[int, Interval(ge=1, le=1_000_000)]
    randomization_trials: Annotated[int, Interval(ge=0, le=1_000_000)]
    seed: Annotated[int, Interval(ge=1, le=MAX_SEED)]
    commands: tuple[str, ...]

    def __post_init__(self) -> None:
        check_each_once("metrics", self.metrics)
        taken = {"bleu", "chrf", "ter", "sentences", "set", "sets", "signatures"}
        taken |= {"hypotheses", "references"}
        for name in (CommandMetric.of(command).name for command in self.commands):
            if name in taken:
                raise ValueError(f"commands: expected another name than {name}, which is taken")
            taken.add(name)
