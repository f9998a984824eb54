"""Metrics by commands: whatever reads source, hypotheses and references and prints numbers."""

from __future__ import annotations

import re
import shlex
import subprocess
from collections.abc import Mapping
from dataclasses import dataclass
from math import isfinite
from pathlib import Path
from statistics import fmean

from mgsa.cli.errors import FailedError, InputError

FORM = re.compile(r"([a-z][a-z0-9]*)=(.*\{hypotheses\}.*)")
READ = ("source", "hypotheses", "references")
"""Files that a command may read, in braces."""
NUMBER = re.compile(r"(?:.*\s)?([-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?|nan|[-+]?inf)\s*", re.I)
"""A line with a number at its end."""


@dataclass(frozen=True)
class CommandMetric:
    """`comet=comet-score -s {source} -t {hypotheses} -r {references}`.

    The command is run without a shell. Lines of its output that end in a number count: there is
    one, the score of the corpus; or one a sentence; or those and then the corpus's. Without the
    last, it is their mean.
    """

    name: str
    command: str

    @classmethod
    def of(cls, setting: str) -> CommandMetric:
        """Raise a `ValueError` for another form."""
        if not (form := FORM.fullmatch(setting)):
            expected = "expected NAME=COMMAND, NAME in lower case, with {hypotheses} in the command"
            raise ValueError(f"commands: {expected}, got {setting!r}")
        for name in re.findall(r"\{(.*?)\}", form[2]):
            if name not in READ:
                raise ValueError(
                    f"commands: expected {{{'}, {'.join(READ)}}} in {setting!r}, got {{{name}}}"
                )
        shlex.split(form[2])
        return cls(form[1], form[2])

    def scores(self, files: Mapping[str, Path], sentences: int) -> tuple[float, list[float]]:
        """The score of the corpus, and those of its sentences if the command prints them.

        Args:
            files: by the names that the command has in braces.

        Raises:
            InputError: there is no such command, or it needs another file.
            FailedError: it failed, or printed no such numbers.
        """
        words = shlex.split(self.command)
        for name, path in files.items():
            words = [word.replace(f"{{{name}}}", str(path)) for word in words]
        if any("{source}" in word for word in words):
            raise InputError(f"{self.name}: expected --source, which its command reads")
        try:
            done = subprocess.run(
                words, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, check=False
            )
        except OSError as error:
            raise InputError(f"{self.name}: {words[0]}: {error.strerror}") from None
        if done.returncode:
            raise FailedError(f"{self.name}: {words[0]} ended with status {done.returncode}")
        lines = done.stdout.decode("utf-8", "replace").splitlines()
        numbers = [float(found[1]) for line in lines if (found := NUMBER.fullmatch(line))]
        if not all(map(isfinite, numbers)):
            raise FailedError(f"{self.name}: expected finite numbers, got {numbers}")
        if len(numbers) == 1:
            return numbers[0], []
        if not sentences <= len(numbers) <= sentences + 1:
            expected = f"lines that end in a number: one, or one for each of {sentences} sentences"
            raise FailedError(f"{self.name}: expected {expected}, got {len(numbers)}")
        each = numbers[:sentences]
        return (numbers[-1] if len(numbers) > sentences else fmean(each)), each


def command_scores(
    metric: CommandMetric,
    files: Mapping[str, Path],
    baseline: Path | None,
    *,
    sentences: int,
    samples: int,
    trials: int,
    seed: int,
) -> dict[str, float]:
    """Score, difference to the baseline's translations, intervals and p-values, by name.

    Intervals (bootstrap `samples`, at least two) and p-values (by bootstrap, and by `trials` of
    randomisation if there are some) are of the mean over sentences, where the command tells their
    scores. Errors are as of `CommandMetric.scores`.
    """
    import numpy as np

    from pipeline.statistics.bootstrap import compare, estimate, resampled_sums
    from pipeline.statistics.randomization import randomization_test

    name = metric.name
    score, ours = metric.scores(files, sentences)
    found, systems = {name: score}, [ours]
    if baseline is not None:
        other, theirs = metric.scores({**files, "hypotheses": baseline}, sentences)
        found |= {f"{name}_baseline": other, f"{name}_difference": score - other}
        systems.append(theirs)
    if not all(systems):
        return found
    statistics = np.array(systems).T  # (N, S)
    means = statistics.mean(axis=0)
    resampled = resampled_sums(statistics, samples, seed) / sentences
    if samples > 1:
        ends = estimate(means, resampled)
        found[f"{name}_mean"] = float(resampled[:, 0].mean())
        found[f"{name}_interval"] = float(ends.high[0] - ends.low[0]) / 2
    if baseline is not None:
        differing = (statistics != statistics[:, 1:]).sum(axis=0)
        found[f"{name}_p_value"] = float(compare(means, resampled, 1, differing)[1][0])
        if trials:
            found[f"{name}_randomization_p_value"] = randomization_test(
                statistics[:, :1],
                statistics[:, 1:],
                lambda sums: sums[:, 0],
                trials=trials,
                seed=seed,
            )
    return found
