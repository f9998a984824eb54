"""A disk that is full after so many bytes, as far as one file is concerned, for this process.

A process of its own under such a limit is best started with `-B`: of a module that it compiles,
Python would keep as many bytes as there was room for, and choke on them ever after.
"""

from __future__ import annotations

import resource
import sys
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def room_for(num_bytes: int) -> Iterator[None]:
    """No file that this process writes may be larger."""
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    compiled = sys.dont_write_bytecode
    sys.dont_write_bytecode = True
    resource.setrlimit(resource.RLIMIT_FSIZE, (num_bytes, limits[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)
        sys.dont_write_bytecode = compiled
