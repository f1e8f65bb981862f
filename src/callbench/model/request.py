"""How the load driver calls a server: the table `request` of the server's card, and what such a stack can carry.

This is the one place that knows what a request stands for: every part of the core asks here which call a stack that is
called by a request can carry, and what its client connects with.
"""

from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any, Final, Literal, Self
from urllib.parse import urlsplit

from pydantic import Field, model_validator

from callbench.model.card import RequestTable
from callbench.model.cell import Stack
from callbench.model.errors import BadInput
from callbench.model.script import RequestSpec, Script, UrlPath

KEY: Final = "request"
PROTOCOL = "http1"
# What the client-only stacks of the load driver begin with; the protocol follows.
DRIVER = "load/"
# The call of the service that what a URL answers stands for, where the table names none.
STANDS_FOR = "Hello"
# What of the table is for the core; the rest becomes options of the client's `connect`, under the same names.
_OURS = ("protocol", "path", "call", "select", "timeout_s")
FILES = ("body_file", "expect_body_file", "expect_schema_file", "certificates")


class Request(RequestSpec):
    """The table. What is not given is as the driver has it: docs/guide/load-a-server.md.

    Attributes:
        protocol: of the client-only stacks that can make it.
        call: which call of the service the answer stands for. That of FindItems is JSON; `{n}` in path, headers and
            body is the number of items.
        select: what of FindItems' answer there is, as paths with dots; all of it unless given.
        path: replaces the path of the URL that the server serves at; with a query, if need be.
        script: several requests instead of one.
        timeout_s: a call without an answer for so long has failed; 10 s unless given.
    """

    protocol: Annotated[str, Field(pattern=r"^[A-Za-z0-9][A-Za-z0-9._+-]*$")] = PROTOCOL
    call: Literal["Hello", "FindItems"] | None = None
    select: Annotated[tuple[str, ...], Field(min_length=1)] | None = None
    path: UrlPath | None = None
    script: dict[str, object] | None = None
    keep_alive: bool | None = None
    streams: Annotated[int, Field(ge=1)] | None = None
    timeout_s: Annotated[float, Field(ge=0.001, le=3600, allow_inf_nan=False)] | None = None
    certificates: str | None = None
    insecure: bool | None = None
    max_body_bytes: Annotated[int, Field(ge=1)] | None = None
    max_head_bytes: Annotated[int, Field(ge=1)] | None = None

    @model_validator(mode="after")
    def _together(self) -> Self:
        """Members that only make sense with others."""
        if self.select is not None and self.call != "FindItems":
            raise ValueError('select is of the answer of call = "FindItems"')
        if self.script is not None:
            Script.model_validate(self.script)
        return self


def is_driver(client: str) -> bool:
    """Whether a client is the load driver's, which makes the requests of cards."""
    return client.startswith(DRIVER)


def only_call(stack: Stack) -> str | None:
    """The one call of the service that a stack can carry by its nature, since a request stands for it; None: any."""
    return called(stack.card[KEY]) if stack.mixed and KEY in stack.card else None


def called(request: RequestTable) -> str:
    """The call that a request stands for."""
    return str(request.get("call") or STANDS_FOR)


def driver_bytes(stack: Stack) -> tuple[int, int | None] | None:
    """The bytes of data that the driver sends to a server and gets from it, as the server's card has them.

    Returns:
        What is asked and what is answered; the answer is None if any is right. None if no request stands for the
        call, or where what it carries follows from the call's arguments.

    Raises:
        BadInput: a file that the card names cannot be read.
    """
    if only_call(stack) != STANDS_FOR:
        return None
    table = stack.card[KEY]
    if "script" in table:
        return None
    return _length(table, "body") or 0, _length(table, "expect_body")


def _length(table: Mapping[str, object], name: str) -> int | None:
    """How long a text of a request is, however it is given; None if it is not."""
    if f"{name}_file" in table:
        file = Path(str(table[f"{name}_file"]))
        try:
            return file.stat().st_size
        except OSError as failure:
            raise BadInput(f"{name}_file {file} cannot be read: {failure.strerror}") from failure
    if f"{name}_hex" in table:
        return len(str(table[f"{name}_hex"])) // 2
    return len(str(table[name]).encode()) if name in table else None


def connected_with(
    request: RequestTable | None, endpoint: str, options: Mapping[str, object]
) -> tuple[str, dict[str, Any]]:
    """The endpoint and the options that a client connects with.

    Args:
        request: the server's table; None: a client of the same stack, which needs to be told nothing.
        endpoint: as the server said it.
        options: of the cell, which override the table's.
    """
    if request is None:
        return endpoint, dict(options)
    mine = {name: value for name, value in request.items() if name not in _OURS}
    # What has a client of its own as well may say a host and a port, as that understands them.
    endpoint = endpoint if "://" in endpoint else f"http://{endpoint}"
    path = request.get("path")
    if path is not None:
        whole = urlsplit(endpoint)
        endpoint = f"{whole.scheme}://{whole.netloc}{path}"
    return endpoint, {**mine, **options}
