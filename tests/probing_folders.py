"""Probing data from literal trees, by the stage itself; settings of probes that take a second."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import yaml

from mgsa.cli.files import read_json, sha256, write_json
from mgsa.cli.settings import from_mapping, read_yaml
from pipeline.formats.trees import read_tree
from pipeline.probe.settings import ProbeConfig
from pipeline.probe_data.__main__ import main
from tests.lines import write_lines
from tests.text_folders import build_dataset, stage_argv, write_text

SETTINGS = {
    "trees": "parsed",
    "sentences": 120_000,
    "shares": [2, 1, 1],
    "tss_classes": 3,
    "seed": 1,
}

TREES = (
    "(ROOT (S (NP (DT The) (NN dog)) (VP (VBD slept)) (. .)))",
    "(ROOT (S (NP (DT The) (NN dog)) (VP (VBZ is) (VP (VBN seen))) (. .)))",
    "(ROOT (S (NP (DT The) (NN cat)) (VP (VBD was) (VP (VBN seen))) (. .)))",
    "(ROOT (SQ (VBD Did) (NP (DT the) (NN cat)) (VP (VB sleep)) (. ?)))",
    "(ROOT (SBARQ (WHNP (WP Who)) (SQ (VP (VBZ sleeps))) (. ?)))",
    "(ROOT (NP (NP (DT A) (NN house)) (PP (IN by) (NP (DT the) (NN sea))) (. .)))",
    "(ROOT (S (PP (IN By) (NP (NN night))) (, ,) (NP (NNS cats)) (VP (VBP walk)) (. .)))",
    "(ROOT (S (NP (NNS Cats)) (ADVP (RB never)) (VP (VBP sleep)) (. .)))",
)
"""Sentences whose labels differ in all tasks; the last classes of TSS are there once each."""


def write_dataset(
    folder: Path, trees: Sequence[str] = TREES, *, language: str = "en", **partition: object
) -> None:
    """What the stages up to `dataset` would have made of the sentences of trees; `params.yaml`."""
    folder.mkdir(exist_ok=True)
    sentences = [" ".join(read_tree(tree).leaves()) for tree in trees]
    pairs = [(sentence, f"Satz {number}") for number, sentence in enumerate(sentences)]
    write_text(folder, {"train": pairs, "valid": pairs[:1], "test": pairs[:1]}, **partition)
    if language != "en":
        write_json(folder / "tokenized/languages.json", {"source": language, "target": "de"})
    for split, count in (("train", len(trees)), ("valid", 1), ("test", 1)):
        write_lines(folder / f"parsed/{split}.trees", trees[:count])
    (folder / "parser").mkdir()
    write_json(folder / "parser/parser.json", {"kind": "trees", "identity": "c0ffee"})
    build_dataset(folder)
    params = folder / "params.yaml"
    sections = read_yaml(params) | {"probe_data": SETTINGS}
    params.write_text(yaml.safe_dump(sections), encoding="utf-8")


def arguments(folder: Path, *overrides: str, out: str = "probing") -> list[str]:
    """The arguments of the stage `probe_data` for what `write_dataset` wrote."""
    paths = {name: name for name in ("parsed", "tokenized", "dataset")}
    return stage_argv(folder, *overrides, **paths, out=out, report=f"{out}.json")


def build(folder: Path, *overrides: str, out: str = "probing") -> Path:
    """Run the stage with other settings (`key=value`), and give the artifact's folder."""
    main(arguments(folder, *overrides, out=out))
    return folder / out


def record(file: Path) -> None:
    """Enter a file that was changed anew in the manifest beside it, if there is one."""
    path = file.with_name("manifest.json")
    if path.exists():
        manifest = read_json(path)
        manifest["files"][file.name] = {"bytes": file.stat().st_size, "sha256": sha256(file)}
        write_json(path, manifest)


SCRATCH: dict[str, Any] = {
    "layers": 2,
    "phrase_layers": [1],
    "ngrams": [2, 3],
    "levels": [1, 2],
    "interaction_width": 8,
    "interaction_chunk": 4,
    "learning_rate": 0.01,
    "warmup": 2,
}
PROBE: dict[str, Any] = {
    "tasks": ["voice", "tense", "tss", "spc", "pos"],
    "encoders": ["pretrained"],
    "layers": "last",
    "hidden": 16,
    "dropout": 0.1,
    "learning_rate": 0.01,
    "batch_tokens": 60,
    "max_epochs": 3,
    "patience": 2,
    "bootstrap_samples": 50,
    "seed": 1,
    "scratch": SCRATCH,
}


def probe_config(**changes: Any) -> ProbeConfig:
    """`PROBE` but for these keys."""
    return from_mapping(ProbeConfig, PROBE | changes, "probe")
