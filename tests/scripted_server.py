"""A server on this machine that cuts, stalls and refuses, as it is told to."""

from __future__ import annotations

import hashlib
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

CONTENT = bytes(range(256)) * 1000
MD5 = hashlib.md5(CONTENT).hexdigest()


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
        behaviour = server.behaviours[min(len(server.ranges), len(server.behaviours)) - 1]
        if behaviour.isdigit():
            self.send_error(int(behaviour))
            return
        if behaviour.startswith("Location: "):
            self.send_response(302)
            self.send_header(*behaviour.split(": ", 1))
            self.end_headers()
            return
        if behaviour == "stall":
            threading.Event().wait(3)
            return
        start = int((self.headers["Range"] or "bytes=0-")[len("bytes=") : -1])
        if behaviour == "no ranges":
            start = 0
        self.send_response(206 if start else 200)
        if behaviour != "unknown length":
            self.send_header("Content-Length", str(len(content) - start))
        self.end_headers()
        self.wfile.write(content[start : start + 100_000 if behaviour == "cut" else None])

    def log_message(self, *_: Any) -> None:
        """Not on the terminal."""
