"""A server on this machine that cuts, stalls, refuses, lies and leads astray, as it is told to."""

from __future__ import annotations

import hashlib
import threading
import time
from contextlib import suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

CONTENT = bytes(range(256)) * 1000
SHA256 = hashlib.sha256(CONTENT).hexdigest()


LENGTHS = {
    "unknown length": None,
    "cut unknown length": None,
    "no length": "many",
    "negative length": "-1",
    "too short": "9",
}
"""What behaviours say that the length is, where it is not what it is."""

_OK = b"HTTP/1.1 200 OK\r\n"
_CHUNKED = _OK + b"Transfer-Encoding: chunked\r\n\r\n"
ENDLESS = {
    "endless header": (_OK + b"X-Name: ", b"x"),
    "endless headers": (b"", b"HTTP/1.1 100 Continue\r\n\r\n"),
    "endless chunk length": (_CHUNKED, b"0"),
    "endless trailers": (_CHUNKED + b"%x\r\n%b\r\n0\r\n" % (len(CONTENT), CONTENT), b"x: y\r\n"),
}
"""Behaviours that keep the line busy without content: what comes first, and then forever."""


class Server(ThreadingHTTPServer):
    """Serves as scripted: one behaviour a request, the last one from then on.

    What it serves is CONTENT, unless `files` has something else at the path.
    """

    daemon_threads = True

    def __init__(self, behaviours: list[str]) -> None:
        super().__init__(("127.0.0.1", 0), Handler)
        self.behaviours = behaviours
        self.files: dict[str, bytes] = {}
        self.paths: list[str] = []
        self.ranges: list[str | None] = []

    def url(self, name: str = "corpus.bin") -> str:
        return f"http://127.0.0.1:{self.server_port}/some/{name}"


class Handler(BaseHTTPRequestHandler):
    server: Server

    def do_GET(self) -> None:
        server = self.server
        content = server.files.get(self.path, CONTENT)
        server.paths.append(self.path)
        server.ranges.append(self.headers["Range"])
        number = min(len(server.ranges), len(server.behaviours)) - 1
        behaviour = server.behaviours[number]
        if behaviour.isdigit():
            self.send_error(int(behaviour))
            return
        if behaviour.startswith("Location: "):
            self.send_response(302)
            self.send_header(*behaviour.split(": ", 1))
            self.end_headers()
            self.repeat(b"", b"Found elsewhere. ")
            return
        if behaviour == "stall":
            threading.Event().wait(3)
            return
        if behaviour in ENDLESS:
            self.repeat(*ENDLESS[behaviour])
            return
        start = int((self.headers["Range"] or "bytes=0-")[len("bytes=") : -1])
        if behaviour == "no ranges":
            start = 0
        if start >= len(content) or behaviour == "no range at all":
            self.send_response(416)
            self.send_header("Content-Range", f"bytes */{len(content)}")
            self.end_headers()
            return
        self.send_response(206 if start else 200)
        if start:
            self.send_header("Content-Range", f"bytes {start}-{len(content) - 1}/{len(content)}")
        length = LENGTHS.get(behaviour, str(len(content) - start))
        if length is not None:
            self.send_header("Content-Length", length)
        self.end_headers()
        if behaviour in ("drip", "gush, then drip"):
            fast = 100_000 if behaviour.startswith("gush") else 0
            self.wfile.write(content[start : start + fast])
            self.drip(content[start + fast :])
            return
        end = start + 100_000 if behaviour.startswith("cut") else len(content)
        self.wfile.write(content[start:end])

    def drip(self, content: bytes) -> None:
        """Ten bytes at a time, well before any timeout, as long as somebody listens."""
        with suppress(ConnectionError):
            for place in range(0, len(content), 10):
                self.wfile.write(content[place : place + 10])
                time.sleep(0.05)

    def repeat(self, first: bytes, forever: bytes) -> None:
        """Something, well before any timeout, as long as somebody listens."""
        with suppress(ConnectionError):
            self.wfile.write(first)
            while True:
                self.wfile.write(forever)
                time.sleep(0.05)

    def log_message(self, *_: Any) -> None:
        """Not on the terminal."""
