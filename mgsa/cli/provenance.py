"""Provenance of inputs: folders of a kind, complete, and made of one another.

A manifest's `made_of` has the SHA-256 of the manifests of the inputs, and of theirs, by kind; its
`settings` the sections of the parameter file by which they and its folder were made.
"""

from collections.abc import Collection, Container, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from mgsa.cli.errors import InputError
from mgsa.cli.outputs import MADE_OF, MANIFEST, SETTINGS, check_file, manifest_of, sha256
from mgsa.cli.settings import to_mapping

ARTIFACTS = ("mgsa model", "mgsa dataset")
"""Kinds that are used with others, too, than they were made of."""
PLACES = ("codes", "folder", "initial", "resources", "vocabulary")
"""Keys that name places: what is there shows in hashes of files."""
Digests = Mapping[str, Sequence[str]]
"""SHA-256 of manifests by kind."""


def check_kind(folder: Path, kind: str) -> None:
    """Raise an `InputError` if a folder is not of a kind, or lacks a file, or one was altered."""
    manifest = manifest_of(folder) or {"kind": "no manifest", "files": {}}
    if manifest["kind"] != kind:
        raise InputError(f"expected {kind}, found {manifest['kind']}", path=folder)
    for file, about in manifest["files"].items():
        check_file(folder / file, about.get("bytes"), about.get("sha256", ""))


def check_listed(*files: Path) -> None:
    """Raise an `InputError` for a file that a manifest beside it does not list."""
    for file in files:
        manifest = manifest_of(file.parent)
        if manifest and file.name not in manifest["files"]:
            raise InputError(f"expected a file that the {MANIFEST} beside it lists", path=file)


def all_settings(folders: Iterable[Path], sections: Mapping[str, Any]) -> dict[str, Any]:
    """The settings of folders, then `sections` less `PLACES`; no output depends on `run`."""
    found: dict[str, Any] = {}
    for folder in folders:
        found |= (manifest_of(folder) or {}).get(SETTINGS, {})
    for name, section in sections.items():
        if name != "run":
            kept = to_mapping(section).items()
            found[name] = {key: value for key, value in kept if key not in PLACES}
    return found


def checked_digests(folders: Collection[Path], *, apart: Container[str] = ARTIFACTS) -> Digests:
    """The manifests of folders, and those that they were made of.

    An `InputError` is raised if a folder was made of another than is among them; those of kinds
    `apart` may be.
    """
    manifests = {folder: found for folder in folders if (found := manifest_of(folder))}
    own, earlier = dict[str, list[str]](), dict[str, list[str]]()
    places = dict[str, Path]()  # that tell of a kind
    for folder, manifest in manifests.items():
        own.setdefault(manifest["kind"], []).append(sha256(folder / MANIFEST))
        earlier |= manifest.get(MADE_OF, {})
        places |= dict.fromkeys(manifest.get(MADE_OF, {}), folder)
    digests, places = earlier | own, places | {m["kind"]: f for f, m in manifests.items()}
    for folder, manifest in manifests.items():
        for kind, others in manifest.get(MADE_OF, {}).items():
            if manifest["kind"] not in apart and not {*others} & {*digests.get(kind, others)}:
                same = f"the same {kind} as {places[kind]}"
                raise InputError(f"expected {manifest['kind']} made of {same}", path=folder)
    return digests
