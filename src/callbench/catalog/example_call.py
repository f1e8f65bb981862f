"""An example call to a stack that is served: a command line for a client that knows nothing of Callbench."""

import shlex
from typing import Final
from urllib.parse import urlsplit

from callbench.model.card import RequestTable
from callbench.model.cell import Stack
from callbench.model.installation import home
from callbench.model.request import KEY, PROTOCOL, connected_with

# Of a card: the command line, and what curl is given to reach an address of its channel.
EXAMPLE: Final = "example"
CURL: Final = "curl"
_URL = "{url}"
# How many items it asks of a FindItems server.
ITEMS = "10"


def example_call(stack: Stack, endpoint: str) -> str | None:
    """Return a command line that makes one call; None if no common program can make it.

    Args:
        stack: whose card says how.
        endpoint: where it is served.
    """
    if KEY in stack.card:
        return _request(stack.card[KEY], endpoint)
    template, curl = stack.card.get(EXAMPLE), stack.card.get(CURL)
    # Other programs than curl reach what curl reaches by its address alone.
    if template is None or ("{curl}" in template and curl is None) or (_URL in template and curl != _URL):
        return None
    url = endpoint.partition("#")[0]
    parts = urlsplit(url)
    values = {"url": url, "address": url, "authority": parts.netloc, "path": parts.path}
    filled = str(template).replace("{curl}", curl or "").replace("{contract}", shlex.quote(str(home() / "contract")))
    for name, value in values.items():
        filled = filled.replace(f"{{{name}}}", shlex.quote(value))
    return filled


def _request(table: RequestTable, endpoint: str) -> str | None:
    """Return the request that the card's table describes, for curl."""
    if table.get("protocol", PROTOCOL) != PROTOCOL or "script" in table or "body_hex" in table:
        return None
    # Options of a card that are no part of a request have no effect here.
    url, options = connected_with(table, endpoint, {})
    body = f"@{options['body_file']}" if "body_file" in options else options.get("body")
    usual = "GET" if body is None else "POST"
    method = options.get("method", usual)
    words = ["curl", "-s"]
    words += ["-X", method] if method != usual else []
    words += [word for name, value in options.get("headers") or () for word in ("-H", f"{name}: {value}")]
    words += ["--data-binary", body] if body is not None else []
    return shlex.join(word.replace("{n}", ITEMS) for word in [*words, url])
