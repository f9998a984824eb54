"""Needs of a run beside `params.yaml`: files, programs, devices that a late stage would miss."""

import shlex
import shutil
from collections.abc import Iterator, Mapping
from importlib.util import find_spec
from itertools import product, starmap
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from mgsa.cli.errors import InputError
from mgsa.cli.files import with_links
from mgsa.cli.guard import overlap
from mgsa.cli.outputs import kind_of
from mgsa.cli.settings import paths_read, read_yaml
from mgsa.config import ModelConfig, TrainConfig
from pipeline.evaluate.settings import CommandMetric

ARTIFACTS = {
    "train.initial": ("mgsa model",),
    "dataset.vocabulary": ("mgsa model", "mgsa dataset"),
}
"""Settings that name a folder of one of these kinds."""
TREES = ("parsed", "gold")
"""Values of `probe_data.trees` that are no file."""


def check_machine(sections: Mapping[str, Any], path: Path) -> None:
    """Raise an `InputError` for what the sections of the parameter file `path` need in vain."""
    from mgsa.training.loggers import check_installed
    from pipeline.align.eflomal import find_command
    from pipeline.bpe import take
    from pipeline.constituency.parser_folder import package_files
    from pipeline.dataset.build import known_vocabularies

    for key, read in _paths(sections):
        if key != "corpus.folder" and not read.exists():  # splits may name all their files
            raise InputError(f"{key}: no such file: {read}", path=path)
        expected = ARTIFACTS.get(key)
        if expected and (kind_of(read) or "no artifact") not in expected:
            found = kind_of(read) or "no manifest"
            raise InputError(f"{key}: expected {' or '.join(expected)}, found {found}", path=path)
    for problem in _missing(sections):
        raise InputError(problem, path=path)
    run, parser, bpe = (sections[name] for name in ("run", "parser", "bpe"))
    check_installed(run.logger)
    if bpe.codes is not None:
        with TemporaryDirectory() as folder:
            take(Path(bpe.codes), Path(folder), bpe)
    if known := sections["dataset"].vocabulary:
        known_vocabularies(Path(known), joint=sections["dataset"].joint_vocabulary)
    if sections["train"].initial or sections["train"].frozen:
        _check_weights(sections["model"], sections["train"])
    if sections["align"].kind == "eflomal":
        find_command()
    if parser.kind == "stanza" and parser.resources is not None:
        language = sections["corpus"].source_language
        package_files(Path(parser.resources), language, parser.package)


def _check_weights(model: ModelConfig, train: TrainConfig) -> None:
    """Build the model without memory: those of `initial` must fit, the `frozen` be there."""
    import torch

    from mgsa.artifact.model import WEIGHTS, load_model
    from mgsa.artifact.weights import named_tensors, put_tensors
    from mgsa.model.build import build_model
    from mgsa.training.initial import freeze

    sizes, initial = [8, 8, 2], None
    if train.initial is not None:
        initial = load_model(Path(train.initial))
        sizes = [*map(len, initial.vocabularies), len(initial.tags)]
    with torch.device("meta"):
        source, target, tags = sizes
        built = build_model(
            model, source_vocabulary=source, target_vocabulary=target, num_tags=tags
        )
    if initial is not None:
        put_tensors(built, named_tensors(initial.model), path=initial.folder / WEIGHTS)
    freeze(built, train.frozen)


def check_outputs(sections: Mapping[str, Any], path: Path) -> None:
    """Raise an `InputError` for a setting that names an output of the `dvc.yaml` beside `path`.

    DVC removes outputs before it runs their stages.
    """
    pipeline = path.parent / "dvc.yaml"
    stages = read_yaml(pipeline)["stages"] if pipeline.exists() else {}
    named = [
        out
        for stage in stages.values()
        for kind in ("outs", "metrics", "plots")
        for out in stage.get(kind, ())
    ]
    outputs = [path.parent / name for out in named for name in _names(out)]
    for key, read in _paths(sections):
        if any(starmap(overlap, product(outputs, with_links(read)))):
            problem = f"{key}: expected a copy of {read}, which DVC removes before it makes it anew"
            raise InputError(
                f"{problem} (cp {'-r ' * read.is_dir()}{read} my_{read.name})", path=path
            )


def _names(out: str | Mapping[str, Any]) -> list[str]:
    """The path of an entry of `outs`, alone or with options."""
    return [out] if isinstance(out, str) else [*out]


def _paths(sections: Mapping[str, Any]) -> Iterator[tuple[str, Path]]:
    for name, section in sections.items():
        for key, read in paths_read(section, name):
            if not (key == "probe_data.trees" and str(read) in TREES):
                yield key, read


def _missing(sections: Mapping[str, Any]) -> Iterator[str]:
    run = sections["run"]
    if run.accelerator == "gpu" or run.parse_gpu:
        import torch

        gpus = torch.cuda.device_count()
        if run.accelerator == "gpu" and gpus < run.devices:
            those = f" or {gpus} devices, the GPUs here" if gpus else ", as there is no GPU"
            yield f"run: expected accelerator cpu{those}"
        if run.parse_gpu and not gpus:
            yield "run.parse_gpu: expected false, as there is no GPU"
    if run.executor == "ray" and find_spec("ray") is None:
        yield "run.executor: expected processes, or ray to be installed (pip install '.[ray]')"
    for command in sections["evaluate"].commands:
        program = shlex.split(CommandMetric.of(command).command)[0]
        if shutil.which(program) is None:
            yield f"evaluate.commands: no program {program}"
