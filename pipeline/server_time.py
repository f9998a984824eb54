"""HTTP that gives a server so much time and no more, whatever it sends to keep the line busy.

Of Python's library, a timeout bounds only the silence between two bytes. Here it bounds the wait
for all of a head, and from then on for content: heads, lengths of chunks and trailers that never
end are none.
"""

from __future__ import annotations

import io
import socket
import time
from http.client import HTTPConnection, HTTPResponse, HTTPSConnection
from typing import Any
from urllib.request import HTTPHandler, HTTPSHandler, Request

SLOWEST = 1000
"""Bytes a second; who sends fewer for longer than the timeout is as good as silent."""


class _Deadline:
    """When a server has taken too long: to answer, or for so much content as it should send."""

    def __init__(self, timeout: float) -> None:
        self.timeout = timeout
        self._complaint = f"the server takes longer than {timeout:g} seconds to answer"
        self._start()

    def expect_content(self) -> None:
        """From here on, time is given for content."""
        self._complaint = f"the server sends fewer than {SLOWEST} bytes a second"
        self._start()

    def count(self, received: int) -> None:
        """Bytes of content have come; once they are enough, time starts anew."""
        self._received += received
        # What came before says nothing of now: a mean would let who was fast be silent for hours.
        if self._received >= SLOWEST * self.timeout:
            self._start()

    def seconds(self) -> float:
        """What is left.

        Raises:
            TimeoutError: nothing.
        """
        left = self._end - time.monotonic()
        if left <= 0:
            raise self.passed()
        return left

    def passed(self) -> TimeoutError:
        """What to raise when nothing is left."""
        return TimeoutError(self._complaint)

    def _start(self) -> None:
        self._end = time.monotonic() + self.timeout
        self._received = 0


class _Stream(io.RawIOBase):
    """The bytes of a socket up to a deadline."""

    def __init__(self, stream: io.RawIOBase, connected: socket.socket, deadline: _Deadline) -> None:
        self._stream = stream
        self._socket = connected
        self._deadline = deadline

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int | None:
        self._socket.settimeout(self._deadline.seconds())
        try:
            return self._stream.readinto(buffer)
        except TimeoutError:
            raise self._deadline.passed() from None
        finally:
            # TLS begins with it after a proxy's answer, and so does the next deadline.
            self._socket.settimeout(self._deadline.timeout)

    def close(self) -> None:
        self._stream.close()
        super().close()


class _Response(HTTPResponse):
    """An answer of which head and content come in time, or a TimeoutError."""

    def __init__(
        self,
        sock: socket.socket,
        debuglevel: int = 0,
        method: str | None = None,
        url: str | None = None,
    ) -> None:
        super().__init__(sock, debuglevel, method, url)
        timeout = sock.gettimeout()
        assert timeout is not None
        self._deadline = _Deadline(timeout)
        self.fp = io.BufferedReader(_Stream(self.fp.detach(), sock, self._deadline))

    def begin(self) -> None:
        super().begin()
        self._deadline.expect_content()

    def read1(self, n: int = -1) -> bytes:
        block = super().read1(n)
        self._deadline.count(len(block))
        return block


class _Connection(HTTPConnection):
    response_class = _Response


class _SecureConnection(HTTPSConnection):
    response_class = _Response


class TimedHTTP(HTTPHandler):
    """Opens `http:` for a time."""

    def http_open(self, req: Request) -> HTTPResponse:
        return self.do_open(_Connection, req)


class TimedHTTPS(HTTPSHandler):
    """Opens `https:` for a time."""

    def https_open(self, req: Request) -> HTTPResponse:
        return self.do_open(_SecureConnection, req)
