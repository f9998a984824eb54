"""What outputs are made of, and inputs that were made of others."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import pytest

from mgsa.cli.command import Input, OutputFolder, command
from mgsa.cli.errors import InputError
from mgsa.cli.files import write_json
from mgsa.cli.outputs import (
    MADE_OF,
    SETTINGS,
    atomic_folder,
    manifest_of,
    recorded_settings,
    sha256,
)


def tokenize(
    *,
    text: Annotated[Path, Input("text", kind="text")],
    out: Annotated[Path, OutputFolder("tokens", "tokens")],
) -> None:
    with atomic_folder(out) as folder:
        (folder / "tokens").write_bytes((text / "text").read_bytes())


def pair(
    *,
    text: Annotated[Path, Input("text", kind="text")],
    tokens: Annotated[Path, Input("tokens")],
    out: Annotated[Path, OutputFolder("pairs", "pairs")],
) -> None:
    with atomic_folder(out) as folder:
        (folder / "pairs").write_text(f"{text} {tokens}")


def score(*, references: Annotated[list[Path], Input("references", "FILE")]) -> None:
    assert references


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    for name in ("a", "b"):
        Path(name).mkdir()
        Path(name, "text").write_text(name)
        files = {"text": {"bytes": 1, "sha256": sha256(Path(name, "text"))}}
        write_json(Path(name, "manifest.json"), {"kind": "mgsa text", "files": files})
    command(tokenize, "tokenize")(["--text", "a", "--out", "tokens"])
    return tmp_path


@pytest.mark.usefixtures("folder")
def test_an_output_has_the_digests_of_its_inputs_and_of_theirs() -> None:
    digests = {"mgsa text": [sha256(Path("a/manifest.json"))]}
    assert (manifest_of(Path("tokens")) or {})[MADE_OF] == digests
    command(pair, "pair")(["--text", "a", "--tokens", "tokens", "--out", "pairs"])
    digests |= {"mgsa tokens": [sha256(Path("tokens/manifest.json"))]}
    assert (manifest_of(Path("pairs")) or {})[MADE_OF] == digests


@dataclass(frozen=True)
class Words:
    case: str
    folder: str


def test_an_output_has_the_settings_of_its_inputs_and_its_own(folder: Path) -> None:
    def build(
        words: Words,
        run: Words,
        *,
        tokens: Annotated[Path, Input("tokens")],
        out: Annotated[Path, OutputFolder("pairs", "pairs")],
    ) -> None:
        assert recorded_settings() == {"tokens": {"kept": 1}, "words": {"case": words.case}}
        assert run.case == "b"
        pair(text=tokens, tokens=tokens, out=out)

    made = manifest_of(folder / "tokens") or {}
    write_json(folder / "tokens/manifest.json", made | {SETTINGS: {"tokens": {"kept": 1}}})
    (folder / "params.yaml").write_text("{words: {case: a, folder: x}, run: {case: b, folder: x}}")
    command(build, "pair")(["--tokens", "tokens", "--out", "pairs", "--set", "case=lower"])
    settings = {"tokens": {"kept": 1}, "words": {"case": "lower"}}
    assert (manifest_of(Path("pairs")) or {})[SETTINGS] == settings


@pytest.mark.usefixtures("folder")
def test_inputs_that_were_made_of_others_are_refused() -> None:
    with pytest.raises(
        InputError, match="tokens: expected mgsa tokens made of the same mgsa text as b"
    ):
        command(pair, "pair")(["--text", "b", "--tokens", "tokens", "--out", "pairs"])
    assert not Path("pairs").exists()


@pytest.mark.usefixtures("folder")
def test_an_input_that_was_altered_is_refused() -> None:
    Path("a/text").write_text("b")
    with pytest.raises(InputError, match="a/text: expected the file as its command wrote it"):
        command(pair, "pair")(["--text", "a", "--tokens", "tokens", "--out", "pairs"])


@pytest.mark.usefixtures("folder")
def test_a_backup_that_a_pattern_finds_is_refused() -> None:
    Path("tokens/tokens.bak").touch()
    with pytest.raises(InputError, match=r"tokens\.bak: expected a file that the manifest\.json"):
        command(score, "score")(["--references", "tokens/tokens", "tokens/tokens.bak"])
    command(score, "score")(["--references", "tokens/tokens", "tokens/.."])


@pytest.mark.usefixtures("folder")
def test_what_says_nothing_is_taken() -> None:
    Path("tokens/manifest.json").unlink()
    command(pair, "pair")(["--text", "b", "--tokens", "tokens", "--out", "pairs"])
    assert (manifest_of(Path("pairs")) or {})[MADE_OF].keys() == {"mgsa text"}
