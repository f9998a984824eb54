"""Probing data from literal trees, by the stage itself; settings of probes that take a second."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from mgsa.cli.files import read_json, write_json
from mgsa.cli.outputs import sha256
from mgsa.cli.settings import from_mapping
from pipeline.formats.trees import read_tree
from pipeline.probe.settings import ProbeConfig
from pipeline.probe_data.__main__ import main
from tests.lines import write_lines
from tests.parameters import PARAMETERS, recorded_text
from tests.text_folders import build_dataset, stage_argv, write_text

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
        write_json(folder / "tokenized/text.json", recorded_text(language))
        record(folder / "tokenized/text.json")
    for split, count in (("train", len(trees)), ("valid", 1), ("test", 1)):
        write_lines(folder / f"parsed/{split}.trees", trees[:count])
    for name in ("parser", "parsed"):
        write_json(folder / name / "parser.json", {"kind": "trees", "identity": "c0ffee"})
    build_dataset(folder)


def arguments(folder: Path, *overrides: str, out: str = "probing") -> list[str]:
    """The arguments of the stage `probe_data` for what `write_dataset` wrote."""
    paths = {name: name for name in ("parsed", "tokenized", "dataset")}
    return stage_argv(folder, *overrides, **paths, out=out, report=f"{out}.json")


def build(folder: Path, *overrides: str, out: str = "probing") -> Path:
    """Run the stage with other settings (`key=value`), and give the artifact's folder."""
    main(arguments(folder, *overrides, out=out))
    return folder / out


def record(file: Path) -> None:
    """Enter a file that was changed anew in the manifest of its folder, if there is one."""
    for folder in file.parents:
        if (path := folder / "manifest.json").exists():
            manifest, name = read_json(path), file.relative_to(folder).as_posix()
            manifest["files"][name] = {"bytes": file.stat().st_size, "sha256": sha256(file)}
            write_json(path, manifest)
            return


PROBE: dict[str, Any] = PARAMETERS["probe"]
SCRATCH: dict[str, Any] = PROBE["scratch"]


def probe_config(**changes: Any) -> ProbeConfig:
    """`PROBE` but for these keys."""
    return from_mapping(ProbeConfig, PROBE | changes, "probe")
