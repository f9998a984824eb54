"""Going on from a trained model: its weights, rows for new symbols, parts that stay as they are."""

from collections.abc import Iterable
from pathlib import Path

import torch
from torch import nn

from mgsa.artifact.model import WEIGHTS, load_model
from mgsa.artifact.weights import named_tensors, put_tensors
from mgsa.cli.errors import InputError
from mgsa.cli.files import read_json
from mgsa.cli.outputs import MANIFEST
from mgsa.data.dataset import Dataset
from mgsa.data.schema import BPE_FILES


def start_from(folder: Path, model: nn.Module, dataset: Dataset) -> None:
    """Copy the weights of the artifact in `folder` into `model`, newly built for `dataset`.

    The dataset's vocabularies and tags must begin with the artifact's; rows of the symbols that
    follow stay as they were drawn.

    Raises:
        InputError: they don't, words are segmented by other codes, or a weight doesn't fit.
    """
    artifact = load_model(folder)
    (source, target), (new_source, new_target) = artifact.vocabularies, dataset.vocabularies
    lists = {
        "source vocabulary": (source.symbols, new_source.symbols),
        "target vocabulary": (target.symbols, new_target.symbols),
        "tags": (artifact.tags, dataset.tags),
    }
    for what, (old, new) in lists.items():
        if new[: len(old)] != old:
            message = f"expected the {what} to begin with those of the model {folder}"
            raise InputError(f"{message} (dataset.vocabulary)", path=dataset.folder)
    files = read_json(folder / MANIFEST)["files"]
    for name in BPE_FILES:
        codes = dataset.manifest.files.get(name)
        if codes and name in files and codes.sha256 != files[name]["sha256"]:
            message = f"expected {name} of the model {folder} (bpe.codes)"
            raise InputError(message, path=dataset.folder)
    grown = {(len(old), len(new)) for old, new in lists.values()}
    tensors = named_tensors(artifact.model)
    for name, drawn in named_tensors(model).items():
        tensor = tensors.get(name)
        if tensor is None or tensor.shape[1:] != drawn.shape[1:]:
            continue  # `put_tensors` says so
        if (len(tensor), len(drawn)) in grown:
            tensors[name] = torch.cat([tensors[name], drawn.detach()[len(tensors[name]) :]])
    put_tensors(model, tensors, path=folder / WEIGHTS)


def freeze(model: nn.Module, names: Iterable[str]) -> None:
    """Exclude weights from training, by their names or those of the modules that hold them.

    An `InputError` is raised for a name that the model lacks, and if no weight is left to train.
    """
    weights = dict(model.named_parameters(remove_duplicate=False))
    for name in names:
        chosen = [key for key in weights if f"{key}.".startswith(f"{name}.")]
        if not chosen:
            known = ", ".join(child for child, _ in model.named_children())
            raise InputError(f"train.frozen: expected names of weights ({known}, …), got {name!r}")
        for key in chosen:
            weights[key].requires_grad_(False)
    if not any(weight.requires_grad for weight in weights.values()):
        raise InputError("train.frozen: expected some weights to train, got all")
