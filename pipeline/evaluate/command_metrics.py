"""Metrics by commands: whatever reads source, hypotheses and references and prints numbers."""

import re
import shlex
import subprocess
from collections.abc import Mapping
from pathlib import Path
from statistics import fmean
from tempfile import TemporaryDirectory

from mgsa.cli.errors import FailedError, InputError
from pipeline.evaluate.settings import CommandMetric, EvaluateSettings
from pipeline.formats.translations import Translations

LARGEST = 1e100
"""Numbers below it can be added up."""
_NUMBER = r"(?:[-+]?(?:\d+\.?\d*|\.\d+)(?:e[-+]?\d+)?|nan|[-+]?inf)"
LINE = re.compile(rf"((?:.*[^-+−±<>~≤≥\s]\s)?\s*)({_NUMBER})\s*", re.I)
"""A line with a number at its end, and no sign apart from it."""
WITHIN = re.compile(rf"(?<![\w./\\-]){_NUMBER}(?![\w./\\-])", re.I)
"""A number that is no part of a name such as `chrF2` or `runs/20/hyp.20.txt`."""


def printed_scores(
    metric: CommandMetric, files: Mapping[str, Path], sentences: int
) -> tuple[float, list[float]]:
    """The score of the corpus, and those of its sentences if the command prints them.

    The command is run without a shell. Every line of its output ends in a number, and has no other
    but the sentence's. There is one, the score of the corpus; or one a sentence; or those and then
    the corpus's, after other words. Without the last, it is their mean.

    Args:
        files: by the names that the command has in braces.

    Raises:
        InputError: there is no such command, or it needs another file.
        FailedError: it failed, or printed anything else.
    """
    name, words = metric.name, shlex.split(metric.command)
    for file, path in files.items():
        words = [word.replace(f"{{{file}}}", str(path)) for word in words]
    if any("{source}" in word for word in words):
        raise InputError(f"{name}: expected --source, which its command reads")
    try:
        done = subprocess.run(words, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, check=False)
    except OSError as error:
        raise InputError(f"{name}: {words[0]}: {error.strerror}") from None
    if done.returncode:
        raise FailedError(f"{name}: {words[0]} ended with status {done.returncode}")
    lines = [*filter(str.strip, done.stdout.decode("utf-8", "replace").splitlines())]
    numbers, shapes = list[float](), list[str]()
    for place, line in enumerate(lines):
        match = LINE.fullmatch(line)
        index = {f"{place}", f"{place + 1}"} if len(lines) > 1 and place < sentences else set()
        others = {*WITHIN.findall(match[1] or "")} if match else set()
        if match is None or len(others) > 1 or not others <= index:
            raise FailedError(f"{name}: expected lines with a number, at their ends, got {line!r}")
        numbers.append(float(match[2]))
        shapes.append(re.sub(r"\d+", "", match[1] or ""))
    if wrong := [number for number in numbers if not abs(number) < LARGEST]:
        which = f"{wrong[0]} as number {numbers.index(wrong[0]) + 1} of {len(numbers)}"
        raise FailedError(f"{name}: expected finite numbers, got {which}")
    if len(numbers) == 1:
        return numbers[0], []
    if not sentences <= len(numbers) <= sentences + 1:
        expected = f"lines that end in a number: one, or one for each of {sentences} sentences"
        raise FailedError(f"{name}: expected {expected}, got {len(numbers)}")
    if len({*shapes[:sentences]}) > 1:
        told = ", ".join(sorted(map(repr, {*shapes})))
        raise FailedError(f"{name}: expected lines of one kind before their numbers, got {told}")
    if shapes[sentences:] == shapes[:1]:
        raise FailedError(f"{name}: expected other words before the score of the corpus, the last")
    each = numbers[:sentences]
    return (numbers[-1] if len(numbers) > sentences else fmean(each)), each


def command_scores(
    metric: CommandMetric, translations: Translations, settings: EvaluateSettings
) -> dict[str, float]:
    """Score, difference to the baseline's translations, intervals and p-values, by name.

    Its command reads the texts as they were read, and the first reference, in UTF-8 without CR.

    Intervals (of two resamples or more) and p-values are of the mean over sentences, where the
    command tells their scores. Errors are as of `printed_scores`.
    """
    import numpy as np

    from pipeline.statistics.bootstrap import compare, estimate, resampled_sums
    from pipeline.statistics.randomization import randomization_test

    name, texts = metric.name, dict(translations.texts)
    texts["references"] = [first for first, *_ in translations.references]
    with TemporaryDirectory() as folder:
        files = {text: Path(folder, text) for text in texts}
        for text, path in files.items():
            path.write_text("".join(f"{line}\n" for line in texts[text]), encoding="utf-8")
        baseline, sentences = files.pop("baseline", None), len(texts["references"])
        score, ours = printed_scores(metric, files, sentences)
        found, systems = {name: score}, [ours]
        if baseline is not None:
            other, theirs = printed_scores(metric, {**files, "hypotheses": baseline}, sentences)
            found |= {f"{name}_baseline": other, f"{name}_difference": score - other}
            systems.append(theirs)
    if not all(systems):
        return found
    each = np.array(systems).T[..., None]  # (N, S, 1)
    means = each.mean(axis=0)
    resampled = resampled_sums(each, settings.bootstrap_samples, settings.seed) / sentences
    if settings.bootstrap_samples > 1:
        ends = estimate(means, resampled)
        found[f"{name}_mean"] = float(resampled[:, 0].mean())
        found[f"{name}_interval"] = float(ends.high[0, 0] - ends.low[0, 0]) / 2
    if baseline is not None:
        differing = (each != each[:, 1:]).sum(axis=0)
        found[f"{name}_p_value"] = float(compare(means, resampled, 1, differing)[1][0, 0])
        if trials := settings.randomization_trials:
            found[f"{name}_randomization_p_value"] = randomization_test(
                each[:, 0], each[:, 1], np.ravel, trials=trials, seed=settings.seed
            )
    return found
