"""Stage `evaluate`: sacreBLEU's scores of translations, and those of other metrics' commands."""

import sys
from pathlib import Path
from typing import Annotated

from mgsa.cli.command import Input, Report
from mgsa.cli.files import write_json
from mgsa.cli.run import run
from pipeline.evaluate.command_metrics import command_scores
from pipeline.evaluate.scores import describe, score
from pipeline.evaluate.settings import CommandMetric, EvaluateSettings
from pipeline.formats.text import read_parallel
from pipeline.stage.command import stage


def evaluate_translations(
    evaluate: EvaluateSettings,
    *,
    hypotheses: Annotated[Path, Input("detokenised translations, one a line", "FILE")],
    references: Annotated[Path, Input("their references", "FILE")],
    baseline: Annotated[
        Path | None, Input("another system's translations, to compare with", "FILE")
    ] = None,
    source: Annotated[
        Path | None, Input("what was translated, for commands that read it", "FILE")
    ] = None,
    report: Annotated[Path | None, Report()] = None,
) -> None:
    """BLEU, chrF and TER of detokenised translations, with confidence intervals.

    So are other metrics, by the commands in `evaluate.commands`.
    """
    paths = [references, hypotheses, *(path for path in (baseline, source) if path)]
    # sacreBLEU's command strips lines so.
    columns = [
        [line.rstrip() for line in column] for column in zip(*read_parallel(paths), strict=True)
    ]
    scores = score(columns[1], columns[0], evaluate, baseline=columns[2] if baseline else None)
    files = {"hypotheses": hypotheses, "references": references}
    files |= {"source": source} if source else {}
    for metric in map(CommandMetric.of, evaluate.commands):
        scores |= command_scores(metric, files, baseline, len(columns[0]), evaluate)
        scores["signatures"].append({"metric": metric.name, "signature": metric.command})
    if report is not None:
        write_json(report, scores)
    for line in describe(scores):
        print(line)


main = stage(evaluate_translations)

if __name__ == "__main__":
    sys.exit(run(main))
