"""The conversation with an MCP server, over any channel: an introduction, and the question for its tools, page by page.

Servers up to revision 2025-11-25 expect the handshake `initialize`. Since 2026-07-28 there is none, and each request
says its version itself. The handshake comes first here: a server that does not know it must answer with an error,
whereas an old server may be silent if it is asked something before the handshake.
"""

from typing import Any, Protocol

from callbench.model.errors import BadInput
from callbench.model.version import VERSION

HANDSHAKE, STATELESS = "2025-11-25", "2026-07-28"
PAGES = 1000
"""Pages of a list. A server that sends more of them is taken to have no end."""
LARGEST = 64 * 2**20
"""Bytes of all pages."""
_CLIENT = {"name": "callbench", "version": VERSION}
_META = {
    "io.modelcontextprotocol/protocolVersion": STATELESS,
    "io.modelcontextprotocol/clientInfo": _CLIENT,
    "io.modelcontextprotocol/clientCapabilities": {},
}


class ServerChannel(Protocol):
    """A channel to a server.

    Attributes:
        name: the command or the URL, for messages.
        received: the bytes that it has sent so far.
        version: the revision that is spoken; empty during the handshake.
    """

    name: str
    received: int
    version: str

    def ask(self, method: str, params: dict[str, object]) -> dict[str, object]:
        """The answer to a request: an object with `result` or `error`.

        Raises:
            BadInput: the server cannot be reached, or its answer is none.
        """

    def notify(self, method: str) -> None:
        """Send what has no answer.

        Raises:
            BadInput: the server cannot be reached.
        """


def tools(server: ServerChannel) -> tuple[str, list[Any]]:
    """The name that a server gives itself, or nothing, and its tools as it describes them.

    Raises:
        BadInput: it cannot be reached, or it breaks the protocol.
    """
    answer = server.ask("initialize", {"protocolVersion": HANDSHAKE, "capabilities": {}, "clientInfo": _CLIENT})
    params: dict[str, object] = {}
    name = ""
    if "error" in answer:
        server.version = STATELESS
        params = {"_meta": _META}
    else:
        result = _result(server, "initialize", answer)
        server.version = str(result.get("protocolVersion", HANDSHAKE))
        about = result.get("serverInfo")
        name = str(about.get("name", "")) if isinstance(about, dict) else ""
        server.notify("notifications/initialized")
    return name, _listed(server, params)


def _listed(server: ServerChannel, params: dict[str, object]) -> list[Any]:
    found: list[Any] = []
    cursors: set[str] = set()
    for _ in range(PAGES):
        result = _result(server, "tools/list", server.ask("tools/list", params))
        page = result.get("tools")
        if not isinstance(page, list):
            raise BadInput(f"{server.name} answers tools/list without a list of tools; mend the server")
        found += page
        if server.received > LARGEST:
            raise BadInput(f"{server.name} has sent more than {LARGEST >> 20} MiB; shorten its list of tools")
        cursor = result.get("nextCursor")
        if cursor is None:
            return found
        if not isinstance(cursor, str) or cursor in cursors:
            raise BadInput(f"{server.name} sends the page {str(cursor)[:80]!r} twice; mend its paging")
        cursors.add(cursor)
        params = {**params, "cursor": cursor}
    raise BadInput(f"{server.name} has more than {PAGES} pages of tools; mend its paging")


def _result(server: ServerChannel, method: str, answer: dict[str, object]) -> dict[str, object]:
    if "error" in answer:
        error = answer["error"]
        message = error.get("message") if isinstance(error, dict) else error
        raise BadInput(f"{server.name} answers {method} with an error: {str(message)[:200]}; mend the server")
    result = answer.get("result")
    if not isinstance(result, dict):
        raise BadInput(f"{server.name} answers {method} without a result; mend the server")
    return result
