"""An MCP server at a URL: streamable HTTP, in which each message is a POST of its own."""

import contextlib
import json
import time
import urllib.error
import urllib.parse
import urllib.request
from collections.abc import Iterator
from http.client import HTTPException, HTTPResponse
from typing import Any, Self

from callbench.adapter.tool_server.conversation import LARGEST, STATELESS
from callbench.model.errors import BadInput

SECONDS = 30.0
_CHUNK = 2**16


class UrlServer:
    """A server at an address. Its session, if it makes one, ends with the `with` block."""

    def __init__(self, url: str) -> None:
        """Nothing is sent yet.

        Raises:
            BadInput: the address is none.
        """
        try:
            parts = urllib.parse.urlsplit(url)
        except ValueError:
            parts = urllib.parse.urlsplit("")
        if parts.scheme not in {"http", "https"} or not parts.hostname:
            raise BadInput(f"--url {url}: name the address of a server, such as http://localhost:3000/mcp")
        self.name = url
        self.received = 0
        self.version = ""
        self._asked = 0
        self._session = ""
        self._opener = urllib.request.OpenerDirector()
        # No redirects: a POST would become a GET, and an address that nobody named would be asked.
        for handler in (
            urllib.request.ProxyHandler(),
            urllib.request.HTTPHandler(),
            urllib.request.HTTPSHandler(),
            urllib.request.HTTPErrorProcessor(),
            urllib.request.HTTPDefaultErrorHandler(),
        ):
            self._opener.add_handler(handler)

    def __enter__(self) -> Self:
        """Use it until the end of the block."""
        return self

    def __exit__(self, *_: object) -> None:
        """End the session."""
        if self._session:
            # A server may refuse to end sessions. Then it ends them by itself.
            with contextlib.suppress(OSError, HTTPException, BadInput), self._opened("DELETE", None, ""):
                pass

    def ask(self, method: str, params: dict[str, object]) -> dict[str, object]:
        """See `ServerChannel`. What the server asks or announces meanwhile is skipped."""
        self._asked += 1
        body = {"jsonrpc": "2.0", "id": self._asked, "method": method, "params": params}
        deadline = time.monotonic() + SECONDS
        try:
            with self._opened("POST", body, method) as answer:
                self._session = answer.headers.get("Mcp-Session-Id") or self._session
                for message in self._messages(answer, deadline):
                    if isinstance(message, dict) and "method" not in message and message.get("id") == self._asked:
                        return message
        except urllib.error.HTTPError as error:
            with error:
                return self._refused(error, method)
        except (OSError, HTTPException, ValueError, RecursionError) as error:
            reason = error.reason if isinstance(error, urllib.error.URLError) else error
            raise BadInput(f"cannot ask {self.name} ({method}): {str(reason)[:200]}; is an MCP server there?") from None
        raise BadInput(f"{self.name} ends without an answer to {method}; is an MCP server there?")

    def notify(self, method: str) -> None:
        """See `ServerChannel`."""
        try:
            with self._opened("POST", {"jsonrpc": "2.0", "method": method}, method) as answer:
                answer.read(_CHUNK)
        except (OSError, HTTPException) as error:
            raise BadInput(f"{self.name} does not take {method}: {str(error)[:200]}; mend the server") from None

    def _opened(self, verb: str, body: dict[str, object] | None, method: str) -> contextlib.closing[HTTPResponse]:
        headers = {"Accept": "application/json, text/event-stream"}
        if body is not None:
            headers["Content-Type"] = "application/json"
        if self.version:
            headers["MCP-Protocol-Version"] = self.version
        if self._session:
            headers["Mcp-Session-Id"] = self._session
        if self.version == STATELESS:
            headers["Mcp-Method"] = method
        data = None if body is None else json.dumps(body).encode()
        request = urllib.request.Request(self.name, data, headers, method=verb)  # noqa: S310 - checked above
        return contextlib.closing(self._opener.open(request, timeout=SECONDS))

    def _refused(self, error: urllib.error.HTTPError, method: str) -> dict[str, object]:
        """What a status that is no success says: a message of the protocol, or a sentence for the user."""
        if method == "initialize" and error.code in {400, 404, 405, 406}:
            return {"error": {"message": f"status {error.code}"}}
        with contextlib.suppress(OSError, HTTPException, ValueError, RecursionError):
            body = json.loads(error.read(_CHUNK))
            if isinstance(body, dict) and isinstance(body.get("error"), dict):
                return body
        if error.code in {401, 403}:
            raise BadInput(f"{self.name} asks for a login; save its answer to tools/list in a file, and import that")
        moved = error.headers.get("Location")
        where = f", which leads to {urllib.parse.urljoin(self.name, moved)}: name that address" if moved else ""
        raise BadInput(f"{self.name} answers {method} with status {error.code}{where or '; is an MCP server there?'}")

    def _messages(self, answer: HTTPResponse, deadline: float) -> Iterator[Any]:
        """The messages of an answer: a JSON document, or a stream of events that have one each."""
        lines = self._lines(answer, deadline)
        if answer.headers.get_content_type() != "text/event-stream":
            yield json.loads(b"\n".join(lines))
            return
        data: list[bytes] = []
        for line in lines:
            if line.startswith(b"data:"):
                data.append(line.removeprefix(b"data:").removeprefix(b" "))
            elif not line and data:
                yield json.loads(b"\n".join(data))
                data = []

    def _lines(self, answer: HTTPResponse, deadline: float) -> Iterator[bytes]:
        """The lines of a body as they come, without their ends, and an empty one behind the last."""
        rest = b""
        while piece := answer.read1(_CHUNK):
            self.received += len(piece)
            if self.received > LARGEST:
                raise BadInput(f"{self.name} has sent more than {LARGEST >> 20} MiB; shorten its list of tools")
            if time.monotonic() > deadline:
                raise TimeoutError(f"its answer was not whole after {SECONDS:g} s")
            *whole, rest = (rest + piece).split(b"\n")
            yield from (line.removesuffix(b"\r") for line in whole)
        yield rest
        yield b""
