"""Stage `params`, the first to run: check every section of `params.yaml` and name its presets.

`dvc exp run -S model=…` composes the groups in `conf/`; `dvc repro` runs `params.yaml` as it is. A
file edited by hand is reported as its nearest composition and the keys that differ. `--write`
composes the file anew.
"""

import json
import sys
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any

from mgsa.cli.command import Input, Option, OutputFile, Report, command
from mgsa.cli.errors import InputError
from mgsa.cli.files import atomic_file, write_json
from mgsa.cli.run import run
from mgsa.cli.settings import from_mapping, read_yaml
from mgsa.config import ModelConfig, TrainConfig, TranslateConfig
from mgsa.run_config import RunConfig
from pipeline.align.settings import AlignSettings
from pipeline.analyze.settings import AnalyzeSettings
from pipeline.bpe import BpeSettings
from pipeline.contrast.settings import ContrastSettings
from pipeline.corpus.settings import Corpus, LocalCorpus, SampleCorpus
from pipeline.dataset.settings import DatasetSettings
from pipeline.evaluate.settings import EvaluateSettings
from pipeline.formats.phrases import PartitionSettings
from pipeline.formats.tables import flatten
from pipeline.parse.settings import ParseSettings
from pipeline.parser.settings import ParserSettings, TrainedParser
from pipeline.phrasal_patterns.settings import PhrasalPatternsSettings
from pipeline.probe.settings import ProbeConfig
from pipeline.probe_data.settings import ProbeDataSettings
from pipeline.report.settings import ReportSettings
from pipeline.statistics.bleu_tokenizers import choose_tokenizer
from pipeline.tokenize import TokenizeSettings

SETTINGS: dict[str, Any] = {
    "corpus": Corpus,
    "tokenize": TokenizeSettings,
    "parser": ParserSettings,
    "parse": ParseSettings,
    "bpe": BpeSettings,
    "partition": PartitionSettings,
    "align": AlignSettings,
    "dataset": DatasetSettings,
    "probe_data": ProbeDataSettings,
    "model": ModelConfig,
    "train": TrainConfig,
    "translate": TranslateConfig,
    "contrast": ContrastSettings,
    "evaluate": EvaluateSettings,
    "phrasal_patterns": PhrasalPatternsSettings,
    "analyze": AnalyzeSettings,
    "probe": ProbeConfig,
    "report": ReportSettings,
    "run": RunConfig,
}
"""The sections of `params.yaml`, in the order of the stages: the dataclass of each, or those of its
kinds."""

GROUPS = ("corpus", "parser", "align", "model", "train")
ABSENT = "nothing"


def check_parameters(content: Mapping[str, Any], path: Path) -> None:
    """Check all sections (`content`) of the parameter file `path`.

    Raises:
        InputError: a section is missing or unknown, a key or value is wrong, or sections contradict
            each other.
    """
    for name in content:
        if name not in SETTINGS:
            expected = ", ".join(SETTINGS)
            raise InputError(f"{name}: unknown section; expected one of {expected}", path=path)
    sections: dict[str, Any] = {}
    for name, settings in SETTINGS.items():
        if name not in content:
            raise InputError(f"{name}: missing section", path=path)
        sections[name] = from_mapping(settings, content[name], f"{path}: {name}")
    for fault in _contradictions(sections):
        raise InputError(fault, path=path)


def _contradictions(sections: Mapping[str, Any]) -> Iterator[str]:
    """Messages for sections that need what another section, or the pipeline, does not provide."""
    corpus, parser, align, model = (sections[k] for k in ("corpus", "parser", "align", "model"))
    treebank = trees = links = isinstance(corpus, SampleCorpus)
    if isinstance(corpus, LocalCorpus):
        treebank, links = corpus.treebank is not None, corpus.train.links is not None
        trees = corpus.brings("trees")
    if isinstance(parser, TrainedParser) and None in (parser.train, parser.dev) and not treebank:
        yield (
            "parser: it is trained on the corpus's own treebank, which this corpus lacks: "
            "expected files as parser.train and parser.dev, or another parser (parser=stanza)"
        )
    if parser.kind == "trees" and not trees:
        yield (
            "parser.kind: trees takes those that come with the corpus, and this one lacks them "
            "in some split: expected another parser (parser=stanza)"
        )
    granularities = getattr(getattr(model, "multi_granularity", None), "granularities", ())
    syntactic = [name for name in granularities if name.startswith("syntactic_")]
    if parser.kind == "none" and syntactic:
        yield (
            f"parser.kind: none gives flat trees, but the model attends to {syntactic[0]}: "
            "expected another parser, or a model without syntactic granularities"
        )
    levels = sections["partition"].levels
    for name in syntactic:
        if int(name.removeprefix("syntactic_")) > levels:
            yield f"partition.levels: expected at least the level of {name}, which the model has"
    if model.share_embeddings == "all" and not sections["dataset"].joint_vocabulary:
        yield "dataset.joint_vocabulary: expected true, as model.share_embeddings: all needs"
    yield from _unfit_tokenizers(sections)
    if sections["report"].split != "test":
        yield "report.split: expected test, which is what the pipeline translates"
    if align.kind == "corpus" and not links:
        yield (
            "align.kind: corpus takes the links that come with the corpus, and this one has none: "
            "expected another aligner (align=hmm)"
        )
    if align.kind == "none" and model.alignment is not None:
        yield "align.kind: none gives no links, but model.alignment learns from them"


def _unfit_tokenizers(sections: Mapping[str, Any]) -> Iterator[str]:
    for name in ("evaluate", "phrasal_patterns"):
        try:
            choose_tokenizer(sections[name].bleu_tokenizer, sections["corpus"].target_language)
        except InputError as error:
            yield f"{name}.{error}"


def compose(config: Path, overrides: Sequence[str]) -> dict[str, Any]:
    """Compose the groups in `config` by Hydra with `group=option` overrides.

    Raises:
        InputError: an option or key is unknown, or the files of the groups don't fit each other.
    """
    import hydra
    from omegaconf import OmegaConf

    try:
        with hydra.initialize_config_dir(str(config.resolve()), version_base=None):
            composed = hydra.compose("config", overrides=list(overrides))
        params: dict[str, Any] = OmegaConf.to_container(composed, resolve=True)
        return params
    except Exception as error:  # Hydra has no class of its own for a malformed list of defaults
        for path in sorted(config.rglob("*.yaml")):
            if path.stat().st_size:  # Hydra takes an empty file for an empty option
                read_yaml(path)  # says in which line
        message = str(error).splitlines()[0]
        if override := getattr(error, "override", None):
            message = f"{override}: expected one group=option or key=value"
        elif options := getattr(error, "options", None):
            message += f"; expected one of {', '.join(options)}"
        raise InputError(message, path=config) from None


Differences = dict[str, tuple[Any, Any]]
"""By key (`train.max_epochs`), the value of the parameter file and that of a composition."""


def nearest_composition(
    params: Mapping[str, Any], config: Path
) -> tuple[dict[str, str], Differences]:
    """The options in `config` nearest to `params`, and the keys that differ.

    Groups set disjoint keys, so the best option of each is found independently; nothing is better
    than no difference.
    """
    entries = read_yaml(config / "config.yaml")["defaults"]
    options = {g: option for entry in entries if entry != "_self_" for g, option in entry.items()}
    differences = _differences(params, compose(config, []))
    for group in GROUPS:
        names = sorted(path.stem for path in (config / group).glob("*.yaml"))
        if not names:
            raise InputError("expected a config group, found no option", path=config / group)
        for name in names if differences else ():
            tried = options | {group: name}
            overrides = [f"{group}={option}" for group, option in tried.items()]
            found = _differences(params, compose(config, overrides))
            if len(found) < len(differences):
                options, differences = tried, found
    return options, differences


def describe(options: Mapping[str, str], differences: Differences, path: Path) -> Iterator[str]:
    """Yield a line that names the options of `path`, then one for each differing key."""
    count = len(differences)
    more = f", with {count} value{'s' * (count != 1)} that no preset gives:" if count else ""
    yield f"{path} is " + " ".join(f"{group}={name}" for group, name in options.items()) + more
    for key, pair in differences.items():
        value, preset = (
            v if isinstance(v, str) else json.dumps(v, ensure_ascii=False) for v in pair
        )
        yield f"  {key}: {value} (the preset has {preset})"


def _differences(params: Mapping[str, Any], composed: Mapping[str, Any]) -> Differences:
    wanted, preset = flatten(params), flatten(composed)
    pairs = {key: (wanted.get(key, ABSENT), preset.get(key, ABSENT)) for key in wanted | preset}
    differing = {key: pair for key, pair in pairs.items() if pair[0] != pair[1]}
    # Where one has a section and the other `null`, the keys of the section tell it.
    parents = {key for key in differing if any(k.startswith(f"{key}.") for k in differing)}
    return {key: pair for key, pair in differing.items() if key not in parents}


def check_or_compose(
    *,
    params: Annotated[Path, OutputFile("parameter file, which --write replaces")] = Path(
        "params.yaml"
    ),
    config: Annotated[Path, Input("config groups")] = Path("conf"),
    write: Annotated[
        list[str] | None,
        Option("write the composition of these, as `dvc exp run -S` would", "GROUP=OPTION"),
    ] = None,
    report: Annotated[Path | None, Report("what the file is (JSON)")] = None,
) -> None:
    """Check the parameter file and say which composition of the groups it is, or write one."""
    content = read_yaml(params) if write is None else compose(config, write)
    check_parameters(content, params)
    if write is not None:
        import yaml

        with atomic_file(params) as file:
            yaml.safe_dump(content, file, sort_keys=False, allow_unicode=True)
        return
    options, differences = nearest_composition(content, config)
    print(*describe(options, differences, params), sep="\n", file=sys.stderr)
    if report:
        pairs = {
            key: dict(zip(("params", "preset"), p, strict=True)) for key, p in differences.items()
        }
        write_json(report, {**options, "differences": pairs})


main = command(check_or_compose, "python -m pipeline.params")

if __name__ == "__main__":
    sys.exit(run(main))
