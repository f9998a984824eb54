"""Archives that hold more than is wanted, less, or something else than they say."""

from __future__ import annotations

import gzip
import io
import re
import tarfile
import tracemalloc
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import pipeline.archive
from mgsa.base.errors import InputError
from pipeline.archive import unpack
from tests.mutations import mutated_bytes, refusal

CONTENT = bytes(range(256)) * 1000

HOLES = {"GNU.sparse.major": "1", "GNU.sparse.minor": "0"}


def archive(
    path: Path,
    members: list[tuple[str, bytes]],
    mode: str = "w:gz",
    *,
    kind: int = tarfile.PAX_FORMAT,
    headers: dict[str, str] | None = None,
) -> Path:
    """An archive, of whose members all `headers` of pax are said."""
    with tarfile.open(path, mode, format=kind) as tar:  # type: ignore[call-overload]
        for name, content in members:
            info = tarfile.TarInfo(name)
            info.size, info.pax_headers = len(content), headers or {}
            tar.addfile(info, io.BytesIO(content))
    return path


@pytest.mark.parametrize("mode", ["w", "w:gz", "w:bz2", "w:xz"])
def test_only_the_members_asked_for_are_unpacked(tmp_path: Path, mode: str) -> None:
    path = archive(
        tmp_path / "a.tgz", [("x/a.en", b"one"), ("./x/b.en", b"three"), ("c", b"c")], mode
    )
    out = tmp_path / "out"
    assert unpack(path, ["x/a.en", "x/b.en"], out, max_bytes=8) == 8
    assert {file.relative_to(out) for file in out.rglob("*") if file.is_file()} == {
        Path("x/a.en"), Path("x/b.en")
    }  # fmt: skip
    assert (out / "x/b.en").read_bytes() == b"three"


@pytest.mark.parametrize(
    ("members", "asked", "message"),
    [
        ([("a", b"12345")], "a", "expected at most 4 bytes of text"),
        ([("a", b"1")], "b", "no member b"),
        ([("../a", b"1")], "../a", "unsafe member: "),
        ([("/a", b"1")], "/../a", "unsafe member: /../a"),
    ],
)
def test_unfit_members_are_refused(
    tmp_path: Path, members: list[tuple[str, bytes]], asked: str, message: str
) -> None:
    path = archive(tmp_path / "a.tgz", members)
    with pytest.raises(InputError, match=re.escape(f"a.tgz: {message}")):
        unpack(path, [asked], tmp_path / "out", max_bytes=4)
    assert not (tmp_path / "a").exists()


def test_links_are_refused(tmp_path: Path) -> None:
    with tarfile.open(tmp_path / "a.tgz", "w:gz") as tar:
        info = tarfile.TarInfo("a")
        info.type, info.linkname = tarfile.SYMTYPE, "/etc/passwd"
        tar.addfile(info)
    with pytest.raises(InputError, match=r"a.tgz: expected a plain file: a$"):
        unpack(tmp_path / "a.tgz", ["a"], tmp_path / "out", max_bytes=4)


@pytest.mark.parametrize("kind", [tarfile.GNUTYPE_LONGNAME, tarfile.XHDTYPE, tarfile.XGLTYPE])
def test_a_name_that_fills_the_memory_is_refused(tmp_path: Path, kind: bytes) -> None:
    path = tmp_path / "a.tgz"
    info = tarfile.TarInfo("a")
    info.type, info.size = kind, 100_000_000
    with tarfile.open(path, "w:gz") as tar:
        tar.addfile(info, io.BytesIO(bytes(info.size)))
    assert path.stat().st_size < 200_000
    tracemalloc.start()
    with pytest.raises(InputError, match=r"a\.tgz: damaged archive: 100,000,000 bytes about a"):
        unpack(path, ["a"], tmp_path / "out", max_bytes=4)
    assert tracemalloc.get_traced_memory()[1] < 10_000_000
    tracemalloc.stop()


def test_too_many_members_are_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pipeline.archive, "_MAX_MEMBERS", 100)
    path = archive(tmp_path / "a.tgz", [("b", b"")] * 101)
    with pytest.raises(InputError, match=r"a\.tgz: expected at most 100 members$"):
        unpack(path, ["a"], tmp_path / "out", max_bytes=100_000)


def test_a_bomb_is_refused_before_it_is_unpacked(tmp_path: Path) -> None:
    path = archive(tmp_path / "a.tgz", [("a", bytes(100_000_000))])
    assert path.stat().st_size < 200_000
    with pytest.raises(InputError, match=r"a\.tgz: expected at most 1,000,000 bytes of t"):
        unpack(path, ["a"], tmp_path / "out", max_bytes=1_000_000)
    assert not (tmp_path / "out").exists()


def test_what_nobody_asked_for_is_not_unfolded_to_the_end(tmp_path: Path) -> None:
    path = archive(tmp_path / "a.tgz", [("b", bytes(100_000_000)), ("a", b"1")])
    most = 4 + 100 * path.stat().st_size
    with pytest.raises(InputError, match=rf"a\.tgz: expected at most {most:,} bytes, unpacked$"):
        unpack(path, ["a"], tmp_path / "out", max_bytes=4)


def test_a_size_without_end_is_not_waited_for(tmp_path: Path) -> None:
    """tarfile would look for the next member by reading nothing, a billion times."""
    path = archive(tmp_path / "a.tgz", [("b", b"1")], headers={"size": str(1 << 60)})
    with pytest.raises(InputError, match=r"a\.tgz: expected at most [\d,]+ bytes, unpacked$"):
        unpack(path, ["a"], tmp_path / "out", max_bytes=4)


@pytest.mark.parametrize(
    "headers",
    [
        HOLES,
        {"GNU.sparse.map": "a,b"},
        {"GNU.sparse.map": "0,1"},
        {"GNU.sparse.size": "abc"},
        {"GNU.sparse.major": "1"},
        {"GNU.sparse.realsize": "1"},
    ],
    ids=str,
)
@pytest.mark.parametrize("asked", ["a", "b"])
def test_files_with_holes_are_refused(tmp_path: Path, headers: dict[str, str], asked: str) -> None:
    path = archive(tmp_path / "a.tgz", [("a", b"garbage"), ("b", b"1")], headers=headers)
    with pytest.raises(InputError, match=r"a\.tgz: damaged archive: a file with holes$"):
        unpack(path, [asked], tmp_path / "out", max_bytes=1000)


def test_an_older_file_with_holes_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "a.tar"
    info = tarfile.TarInfo("a")
    info.type = tarfile.GNUTYPE_SPARSE
    path.write_bytes(info.tobuf(tarfile.GNU_FORMAT))
    with pytest.raises(InputError, match=r"a\.tar: damaged archive: a file with holes$"):
        unpack(path, ["a"], tmp_path / "out", max_bytes=4)


@pytest.mark.parametrize(
    ("kind", "headers"), [(tarfile.PAX_FORMAT, {"size": "-5"}), (tarfile.GNU_FORMAT, None)]
)
@pytest.mark.parametrize("asked", ["a", "b"])
def test_negative_sizes_are_refused(
    tmp_path: Path, kind: int, headers: dict[str, str] | None, asked: str
) -> None:
    path = tmp_path / "a.tar"
    info = tarfile.TarInfo("a")
    info.size, info.pax_headers = -5, headers or {}
    path.write_bytes(info.tobuf(kind))
    with pytest.raises(InputError, match=r"a\.tar: damaged archive: a member of -5 bytes$"):
        unpack(path, [asked], tmp_path / "out", max_bytes=4)


def test_what_is_said_of_all_members_does_not_fill_the_memory(tmp_path: Path) -> None:
    """tarfile keeps a copy of it with each."""
    path, said = tmp_path / "a.tgz", {f"k{number}": "" for number in range(3000)}
    header = tarfile.TarInfo.create_pax_global_header(said)
    with gzip.open(path, "wb", compresslevel=1) as out:
        out.write(header + tarfile.TarInfo("b").tobuf() * 1000 + bytes(1024))
    tracemalloc.start()
    with pytest.raises(InputError, match=r"a\.tgz: no member a$"):
        unpack(path, ["a"], tmp_path / "out", max_bytes=4)
    assert tracemalloc.get_traced_memory()[1] < 10_000_000
    tracemalloc.stop()


@pytest.mark.parametrize(
    "content",
    [
        b"\x1f\x8b\x08",
        tarfile.TarInfo.create_pax_global_header({"a": "b"}) * 1000,
    ],
    ids=["the start of gzip", "headers without end"],
)
def test_damage_that_tarfile_does_not_expect_is_named(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "a.tar").write_bytes(content)
    with pytest.raises(InputError, match=r"a\.tar: damaged archive: "):
        unpack(tmp_path / "a.tar", ["a"], tmp_path / "out", max_bytes=4)


SAID = st.dictionaries(
    st.sampled_from(
        [
            *("size", "path", "linkpath", "mtime", "uid", "hdrcharset", "comment"),
            *(f"GNU.sparse.{key}" for key in ("major", "minor", "size", "realsize", "name")),
            *(f"GNU.sparse.{key}" for key in ("map", "offset", "numbytes", "numblocks")),
        ]
    ),
    st.sampled_from(["0", "1", "-1", "-600", "600", "abc", "a,b", "0,1", "", "\0", "9" * 5000]),
    max_size=3,
)
"""What pax headers may say, sense or not."""


@given(data=st.data(), kind=st.sampled_from([tarfile.GNU_FORMAT, tarfile.PAX_FORMAT]), said=SAID)
def test_whatever_an_archive_holds(
    tmp_path_factory: pytest.TempPathFactory, data: Any, kind: int, said: dict[str, str]
) -> None:
    folder = tmp_path_factory.getbasetemp() / "archives"
    folder.mkdir(exist_ok=True)
    members = [("x" * 120, b"one"), ("b", b"two")]
    path = archive(folder / "a.tar", members, "w", kind=kind, headers=said)
    whole = path.read_bytes()
    path.write_bytes(data.draw(st.one_of(st.just(whole), mutated_bytes(whole))))
    refused = refusal(lambda: unpack(path, ["b"], folder / "out", max_bytes=1000))
    assert refused is None or refused.startswith(f"{path}: ")
    assert {file.name for file in folder.iterdir()} <= {"a.tar", "out"}


def test_a_damaged_archive_is_named(tmp_path: Path) -> None:
    path = archive(tmp_path / "a.tgz", [("a", CONTENT)])
    path.write_bytes(path.read_bytes()[:-40])
    with pytest.raises(InputError, match=r"a.tgz: damaged archive: "):
        unpack(path, ["b"], tmp_path / "out", max_bytes=len(CONTENT))
    path.write_bytes(b"no archive")
    with pytest.raises(InputError, match=r"a.tgz: damaged archive: "):
        unpack(path, ["a"], tmp_path / "out", max_bytes=4)
