"""Reading and writing files: lines as every tool counts them, outputs whole or not at all."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from mgsa.cli.errors import InputError
from mgsa.cli.files import atomic_file, read_json, read_lines, write_json
from mgsa.cli.outputs import ManifestFile, atomic_folder, check_files, describe_files


def test_only_a_line_feed_ends_a_line(tmp_path: Path) -> None:
    (tmp_path / "text").write_bytes(b"a\r\n\nb")
    assert list(read_lines(tmp_path / "text")) == ["a", "", "b"]


def names(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


def mode(path: Path) -> int:
    return path.stat().st_mode & 0o777


def test_a_file_appears_when_its_block_ends(tmp_path: Path) -> None:
    path = tmp_path / "new" / "a.txt"
    with atomic_file(path) as file:
        file.write("ä\n")
        assert not path.exists()
    assert path.read_bytes() == b"\xc3\xa4\n"
    assert names(path.parent) == ["a.txt"]
    with atomic_file(path, "wb") as file:
        file.write(b"\xff")
    assert path.read_bytes() == b"\xff"


def test_a_folder_is_replaced_as_a_whole(tmp_path: Path) -> None:
    path = tmp_path / "out"
    for content in ("first", "second"):
        with atomic_folder(path) as folder:
            assert folder.parent == tmp_path
            (folder / content).write_text(content)
            (folder / "deep").mkdir()
            (folder / "deep" / "file").write_text(content)
        assert names(path) == ["deep", content]
        assert (path / "deep" / "file").read_text() == content
        assert names(tmp_path) == ["out"]


@pytest.mark.parametrize("mask", [0o022, 0o077, 0o002])
def test_modes_are_those_of_the_umask(tmp_path: Path, mask: int) -> None:
    """Finding 8: safetensors makes files that nobody else may read."""
    before = os.umask(mask)
    try:
        with atomic_folder(tmp_path / "out") as folder, atomic_file(tmp_path / "file"):
            (folder / "weights").touch(mode=0o600)
        assert mode(tmp_path / "file") == mode(tmp_path / "out" / "weights") == 0o666 & ~mask
        assert mode(tmp_path / "out") == 0o777 & ~mask
        for old, new in ((0o600, 0o600), (0o444, 0o666 & ~mask)):  # read-only ones are DVC's
            (tmp_path / "file").chmod(old)
            with atomic_file(tmp_path / "file"):
                pass
            assert mode(tmp_path / "file") == new
    finally:
        os.umask(before)


def test_what_is_there_stays_as_it_was_when_a_block_raises(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("old")
    fill(tmp_path / "out", "old")

    def write_and_fail() -> None:
        with atomic_folder(tmp_path / "out") as folder, atomic_file(tmp_path / "file") as file:
            (folder / "new").touch()
            file.write("new")
            raise KeyboardInterrupt("stop")

    with pytest.raises(KeyboardInterrupt, match="stop"):
        write_and_fail()
    assert (tmp_path / "file").read_text() == "old"
    assert names(tmp_path / "out") == ["old"]
    assert names(tmp_path) == ["file", "out"]


def test_what_another_program_writes_meanwhile_is_kept(tmp_path: Path) -> None:
    def write() -> None:
        with atomic_file(tmp_path / "file") as file:
            file.write("new")
            (tmp_path / "file").write_text("another's")

    with pytest.raises(InputError, match="file: expected nobody else to write it meanwhile"):
        write()
    assert (tmp_path / "file").read_text() == "another's"
    assert names(tmp_path) == ["file"]


def fill(path: Path, name: str) -> None:
    with atomic_folder(path) as folder:
        (folder / name).touch()


def test_json_is_read_as_it_was_written(tmp_path: Path) -> None:
    content = {"größe": [1, 2.5, None], "b": {"c": True}, "a name in Latin 1": "\udcfc"}
    write_json(tmp_path / "a.json", content)
    assert read_json(tmp_path / "a.json") == content
    assert (tmp_path / "a.json").read_text("utf-8").startswith('{\n  "größe": [\n')


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (None, r"a\.json: no such file$"),
        (b'{\n"a": }', r"a\.json:2: expected JSON: Expecting value"),
        (b'[\n"\xff"]', r"a\.json:2: expected UTF-8 text: invalid start byte at byte 2$"),
    ],
)
def test_malformed_json_is_named(tmp_path: Path, content: bytes | None, message: str) -> None:
    if content is not None:
        (tmp_path / "a.json").write_bytes(content)
    with pytest.raises(InputError, match=message):
        read_json(tmp_path / "a.json")


def test_a_pipe_is_written_to(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    reader = os.open(pipe, os.O_RDONLY | os.O_NONBLOCK)
    try:
        with atomic_file(pipe) as file:
            file.write("a\n")
        assert os.read(reader, 10) == b"a\n"
    finally:
        os.close(reader)
    assert pipe.is_fifo()


def test_a_link_to_a_file_is_replaced_and_one_to_a_folder_followed(tmp_path: Path) -> None:
    """Finding 7: the latter failed after the whole training."""
    (tmp_path / "cached").write_text("old")
    (tmp_path / "file").symlink_to("cached")
    (tmp_path / "disk").mkdir()
    (tmp_path / "out").symlink_to("disk")
    with atomic_file(tmp_path / "file") as file:
        file.write("new")
    fill(tmp_path / "out", "new")
    assert not (tmp_path / "file").is_symlink()
    assert (tmp_path / "cached").read_text() == "old"
    assert (tmp_path / "out").is_symlink()
    assert names(tmp_path / "disk") == ["new"]


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("a", None, "a: no such file, but manifest.json lists it"),
        ("a", "xy", "a: expected 1 bytes as in"),
        ("a", "y", "a: expected the file as its command wrote it"),
        ("b", "", "b: expected no file that"),
    ],
)
def test_a_folder_is_what_its_manifest_lists(
    tmp_path: Path, name: str, content: str | None, message: str
) -> None:
    (tmp_path / "a").write_text("x")
    files = {name: ManifestFile(**file) for name, file in describe_files(tmp_path).items()}
    (tmp_path / "manifest.json").touch()
    (tmp_path / ".hidden").touch()
    check_files(tmp_path, files, verify=True)
    if content is None:
        (tmp_path / name).unlink()
    else:
        (tmp_path / name).write_text(content)
    with pytest.raises(InputError, match=message):
        check_files(tmp_path, files, verify=True)
