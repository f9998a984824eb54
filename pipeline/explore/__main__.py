"""A live page on this machine: a sentence, its tree and phrases, and what models make of them."""

from __future__ import annotations

import sys
from contextlib import nullcontext, suppress
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING, Annotated
from urllib.parse import parse_qs

from annotated_types import Interval

from mgsa.cli.command import Input, Option
from mgsa.cli.errors import InputError
from mgsa.cli.run import run
from mgsa.cli.settings import Positive
from mgsa.config import DEFAULT_TRANSLATE_CONFIG
from mgsa.run_config import DEFAULT_RUN_CONFIG, RunConfig
from pipeline.stage.command import stage
from pipeline.text_model import ParserOption, TextModel

if TYPE_CHECKING:
    from pipeline.explore.sentence import Explorer

LOOPBACK = "127.0.0.1"
PORT = 8765
ALTERNATIVES = 5


class Server(ThreadingHTTPServer):
    """Serves pages to this machine alone; models translate one sentence at a time."""

    daemon_threads = True  # browsers keep connections open

    def __init__(self, explorer: Explorer, port: int) -> None:
        super().__init__((LOOPBACK, port), Handler)
        self.explorer = explorer
        self.one_at_a_time = Lock()

    @property
    def address(self) -> str:
        """The URL of the page."""
        return f"http://{LOOPBACK}:{self.server_port}/"


class Handler(BaseHTTPRequestHandler):
    """Answers requests for the page and its heat maps."""

    server: Server

    def handle(self) -> None:
        """Answer a connection; its reader may be on the next page already."""
        with suppress(ConnectionError):
            super().handle()

    def do_GET(self) -> None:
        """`/` is the page, `/map` one picture of it."""
        from pipeline.explore.page import Question, heat_map, render

        # Another name for this address is another site's, which shall not use the models.
        if (self.headers["Host"] or "").partition(":")[0] not in (LOOPBACK, "localhost"):
            self.send_error(HTTPStatus.FORBIDDEN)
            return
        # A request's bytes are read as Latin-1; those of curl are the terminal's.
        place, _, query = self.path.encode("latin-1").decode("utf-8", "replace").partition("?")
        explorer, kind = self.server.explorer, "text/html; charset=utf-8"
        try:
            question, asked = Question.of_query(query), parse_qs(query)
            with self.server.one_at_a_time if question.text else nullcontext():
                if place == "/map":
                    kind, number = "image/svg+xml", int(asked["number"][-1])
                    text = heat_map(explorer, question, asked["model"][-1], number)
                elif place == "/":
                    text = render(explorer, question)
                else:
                    raise LookupError(place)
        except (LookupError, ValueError, InputError):
            self.send_error(HTTPStatus.NOT_FOUND)
            return
        content = text.encode()
        self.send_response(HTTPStatus.OK)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        if self.command == "GET":
            self.wfile.write(content)

    do_HEAD = do_GET  # noqa: N815, a client takes no more than the headers

    def end_headers(self) -> None:
        """Let no other site embed the page, and no browser guess what it is."""
        self.send_header("X-Content-Type-Options", "nosniff")
        self.send_header("Content-Security-Policy", "frame-ancestors 'none'")
        super().end_headers()

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002
        """Say nothing of requests."""


def explore(
    run: RunConfig = DEFAULT_RUN_CONFIG,
    *,
    model: Annotated[dict[str, Path], Input("model artifacts, side by side", "NAME=DIR")],
    parser: ParserOption = None,
    beam: Annotated[Positive, Option("(default: 5)", "N")] = DEFAULT_TRANSLATE_CONFIG.beam,
    port: Annotated[
        int, Interval(ge=0, le=65_535), Option(f"0: a free one (default: {PORT})", "N")
    ] = PORT,
) -> None:
    """Serve a page that shows a sentence's tree and phrases, and what models make of it.

    Phrases can be cut anew there: models that read them translate again.
    """
    from pipeline.explore.sentence import Explorer

    opened = {
        name: TextModel.load([folder], parser=parser, run=run) for name, folder in model.items()
    }
    explorer = Explorer(opened, beam=beam, n_best=min(beam, ALTERNATIVES))
    try:
        server = Server(explorer, port)
    except OSError as error:
        raise InputError(f"--port {port}: {error.strerror}") from None
    with server:
        print(f"{server.address} (Ctrl-C ends it)", flush=True)
        try:
            server.serve_forever()
        except KeyboardInterrupt:
            print()


main = stage(explore)

if __name__ == "__main__":
    sys.exit(run(main))
