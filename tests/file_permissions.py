"""What a file's mode forbids, it forbids this process too, even where it is root's."""

from __future__ import annotations

import ctypes
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

_VERSION_3 = 0x20080522
_OVERRIDE = 1 << 1 | 1 << 2
"""CAP_DAC_OVERRIDE and CAP_DAC_READ_SEARCH: by these, modes are nothing to root.

Source: Linux, include/uapi/linux/capability.h; capset(2).
"""


class _Header(ctypes.Structure):
    _fields_ = (("version", ctypes.c_uint32), ("pid", ctypes.c_int))


class _Capabilities(ctypes.Structure):
    _fields_ = (
        ("effective", ctypes.c_uint32),
        ("permitted", ctypes.c_uint32),
        ("inheritable", ctypes.c_uint32),
    )


@contextmanager
def modes_count() -> Iterator[None]:
    """Files and folders of other modes are not written to, or read, while the block runs."""
    if os.geteuid() != 0:
        yield
        return
    libc = ctypes.CDLL(None, use_errno=True)
    header, found = _Header(_VERSION_3, 0), (_Capabilities * 2)()
    assert libc.capget(ctypes.byref(header), found) == 0
    everything = found[0].effective
    found[0].effective &= ~_OVERRIDE
    assert libc.capset(ctypes.byref(header), found) == 0
    try:
        yield
    finally:
        found[0].effective = everything
        assert libc.capset(ctypes.byref(header), found) == 0


def let_modes_count() -> None:
    """The same for a process that is about to start a program: what is to run before it does."""
    if os.geteuid() == 0:
        drop = 24  # PR_CAPBSET_DROP
        libc = ctypes.CDLL(None, use_errno=True)
        for capability in (1, 2):
            assert libc.prctl(drop, capability, 0, 0, 0) == 0


@contextmanager
def mode(path: Path, bits: int) -> Iterator[None]:
    """A file or folder has another mode while the block runs, and modes count."""
    before = path.stat().st_mode
    path.chmod(bits)
    try:
        with modes_count():
            yield
    finally:
        path.chmod(before)
