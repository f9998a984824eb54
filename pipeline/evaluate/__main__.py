"""Stage `evaluate`: sacreBLEU's scores of translations, and those of other metrics' commands."""

import sys
from filecmp import cmp
from pathlib import Path
from typing import Annotated

from mgsa.cli.command import Input, ParameterFile, Report
from mgsa.cli.errors import InputError
from mgsa.cli.outputs import digest, write_report
from mgsa.cli.provenance import checked_digests
from mgsa.cli.run import for_stdout, run
from pipeline.evaluate.command_metrics import command_scores
from pipeline.evaluate.scores import describe, score
from pipeline.evaluate.settings import CommandMetric, EvaluateSettings
from pipeline.formats.translations import Translations
from pipeline.stage.command import stage
from pipeline.statistics.bleu_tokenizers import target_language


def evaluate_translations(
    evaluate: EvaluateSettings,
    *,
    params: Annotated[Path, ParameterFile()],
    hypotheses: Annotated[Path, Input("detokenised translations, one a line", "FILE")],
    references: Annotated[
        list[Path], Input("their references, a file each; a further one may be blank", "FILE")
    ],
    sets: Annotated[
        Path | None, Input("the name of the test set of each line, of several sets", "FILE")
    ] = None,
    baseline: Annotated[
        Path | None, Input("another system's translations, to compare with", "FILE")
    ] = None,
    source: Annotated[
        Path | None, Input("what was translated, for commands that read it", "FILE")
    ] = None,
    corpus: Annotated[
        Path | None, Input("whose target language it is (default: that of the parameter file)")
    ] = None,
    report: Annotated[Path | None, Report()] = None,
) -> None:
    """BLEU, chrF and TER of detokenised translations, with confidence intervals.

    Commands in `evaluate.commands` add other metrics, which read the first reference. Several test
    sets have scores of each, and their means.
    """
    from pipeline.evaluate.means import mean_bleu_test, mean_over_sets

    for path in (hypotheses, *references):
        checked_digests([path.parent, *filter(None, [corpus])])
    language = target_language(params, corpus)
    files = {"hypotheses": hypotheses, "baseline": baseline, "source": source}
    given = {name: path for name, path in files.items() if path is not None}
    translations = Translations.read(given, references, sets)
    systems = {name: path for name, path in given.items() if name != "source"}
    translations.check_systems(systems, references)
    if source and any(cmp(source, path, shallow=False) for path in references):
        raise InputError("expected references apart from --source", path=source)
    reports = {}
    for name, part in translations.by_set().items():
        ours, theirs = part.texts["hypotheses"], part.texts.get("baseline")
        reports[name] = score(ours, part.references, evaluate, language=language, baseline=theirs)
    scores = mean_over_sets(reports)
    # Lists, which DVC takes for no metrics.
    scores["hypotheses"] = [digest(translations.texts["hypotheses"])]
    scores["references"] = [digest(translations.references)]
    if len(reports) > 1 and baseline and "bleu" in scores:
        p_value = mean_bleu_test([translations], evaluate, language)
        scores |= {} if p_value is None else {"bleu_randomization_p_value": p_value}
    for metric in map(CommandMetric.of, evaluate.commands):
        scores |= command_scores(metric, translations, evaluate)
        scores["signatures"].append({"metric": metric.name, "signature": metric.command})
    if "ter" in evaluate.metrics and "ter" not in scores:
        print(f"no TER: {language} has no blanks between words", file=sys.stderr)
    if language is None:
        print(f"{params}: no corpus.target_language: taken as one with blanks", file=sys.stderr)
    if report is not None:
        write_report(report, scores)
    for line in describe(scores):
        print(for_stdout(line))


main = stage(evaluate_translations)

if __name__ == "__main__":
    sys.exit(run(main))
