"""An MCP server as a source of calls: it is started or addressed, asked for its tools, and ended."""

import json
from collections.abc import Sequence

from callbench.adapter.tool_server.by_command import CommandServer
from callbench.adapter.tool_server.by_url import UrlServer
from callbench.adapter.tool_server.conversation import tools
from callbench.catalog.imports.source import Source
from callbench.model.errors import BadInput


def source(documents: Sequence[str], command: str, url: str, *, network: bool) -> Source:
    """The tools of a server, as a document with the answer of `tools/list`.

    Args:
        documents: what the user named besides; there may be none.
        command: starts a server that speaks over its standard input and output; empty if there is a URL.
        url: of a server that speaks streamable HTTP; empty if there is a command.
        network: whether requests may be sent to `url`.

    Raises:
        BadInput: several of them or none are given, or the server cannot be started, reached or understood.
    """
    if len([given for given in (documents, command, url) if given]) != 1:
        raise BadInput("name one of these: a document, a server by --command, or a server by --url")
    if url and not network:
        raise BadInput(f"--url sends requests to {url}: add --allow-network to allow that")
    with CommandServer(command) if command else UrlServer(url) as server:
        name, found = tools(server)
    try:
        data = json.dumps({"tools": found}).encode()
    except RecursionError:
        raise BadInput(f"{command or url}: its list of tools is nested too deeply; shorten its schemas") from None
    return Source(command or url, data=data, title=name)
