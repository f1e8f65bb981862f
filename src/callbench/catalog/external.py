"""The description of an external server: how it is started or where it runs, and how it is called."""

import json
import os
import shutil
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Final, Self, cast
from urllib.parse import urlsplit

from pydantic import BaseModel, ConfigDict, Field, model_validator

from callbench.model.card import ExternalTable, RequestTable, StackCard
from callbench.model.cell import Stack
from callbench.model.request import Request
from callbench.model.script import UrlPath

KEY: Final = "external"
PORT, HOST = "{port}", "{host}"
MODULE = "callbench.adapter.external"
# The part before the slash in the name of a server without a manifest: one of a study, or of the command line.
OF_STUDY, OF_COMMAND_LINE = "servers", "given"
READY_SECONDS = 30.0


class External(BaseModel):
    """The table `external` of a card.

    Attributes:
        start: the command, word by word; {port} and {host} stand for its address.
        url: of a server that runs by itself: Callbench does not start it, end it or assign processors.
        path: after host and port; only for a command.
        ready_seconds: seconds in which it must listen.
        environment: additional environment variables; {port} and {host} are filled in too.
        folder: the working folder, relative to the file with the table.
        pid: the process behind a URL, if it cannot be found by its port.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

    start: Annotated[tuple[str, ...], Field(min_length=1)] | None = None
    url: str | None = None
    path: UrlPath | None = None
    ready_seconds: Annotated[float, Field(gt=0, le=600, allow_inf_nan=False)] = READY_SECONDS
    environment: dict[str, str] | None = None
    folder: str | None = None
    pid: Annotated[int, Field(ge=1)] | None = None

    @model_validator(mode="after")
    def _one_source(self) -> Self:
        """Check that there is either a command or a URL."""
        if (self.start is None) == (self.url is None):
            raise ValueError("give either start, the command that starts the server, or url, where it runs")
        if self.url is not None:
            _checked_url(self.url)
            given = [name for name in ("path", "environment", "folder") if getattr(self, name) is not None]
            if given:
                raise ValueError(f"{given[0]} is for a server that is started: a url says where one runs already")
        elif self.pid is not None:
            raise ValueError("pid is for a url: what is started is watched anyway")
        elif not any(PORT in text for text in (*(self.start or ()), *(self.environment or {}).values())):
            raise ValueError(
                "start has no {port}: it stands for the port to listen on; for a server with a port of its own give url"
            )
        return self


class Server(External):
    """`[servers.NAME]` of a study: an external server with its card."""

    request: Request | None = None
    message: str = "any"
    channel: str | None = None
    language: str | None = None
    library: str | None = None
    about: str | None = None
    server_model: str | None = None
    waits: str | None = None
    tuning: str | None = None
    note: str | None = None
    compiles: bool | None = None

    def entry(self, name: str) -> dict[str, object]:
        """Return the server as a `[[stack]]` of a manifest."""
        mine = self.model_dump(exclude_none=True)
        table = {key: mine.pop(key) for key in External.model_fields if key in mine}
        mine.pop("language", None)
        return {"name": name, **mine, KEY: table}


def _checked_url(url: str) -> None:
    try:
        parts = urlsplit(url)
        host, _ = parts.hostname, parts.port
    except ValueError as failure:
        raise ValueError(f"url {url}: {failure}") from None
    if parts.scheme not in ("http", "https") or not host:
        raise ValueError(f"url {url} is not an HTTP URL: one looks like http://127.0.0.1:8080/path")


def complete_card(card: StackCard, folder: Path) -> StackCard:
    """Return a card with the values that follow from an external server.

    Args:
        card: the card with the table.
        folder: the folder of the file with the table.
    """
    table = card[KEY].copy()
    if table.get("start"):
        table["folder"] = str((folder / table.get("folder", ".")).absolute())
    request = card.get("request") or cast("RequestTable", Request().model_dump(exclude_none=True))
    return {**card, "external": table, "request": request, "counts": False, "roles": "server-only"}


def channel_of(request: RequestTable | Request | None) -> str:
    """Return the channel of a server whose card names none."""
    given = request.keep_alive if isinstance(request, Request) else (request or {}).get("keep_alive")
    return "http" if given is False else "http-keepalive"


def program(adapter: str, language: str, stacks: Mapping[str, ExternalTable]) -> tuple[str, ...]:
    """Return the command of the adapter that represents external stacks, given by name with their tables.

    -P: a user's file with the name of a standard module must not be imported instead.
    """
    given = {"adapter": adapter, "language": language, "stacks": {name: dict(table) for name, table in stacks.items()}}
    return sys.executable, "-P", "-m", MODULE, json.dumps(given)


def runs_by_itself(stack: Stack) -> bool:
    """Return whether a stack's server runs by itself: it is neither started nor ended here, nor bound to processors."""
    return "url" in stack.card.get(KEY, {})


def why_not(stack: Stack) -> str | None:
    """Return why the server cannot be started on this machine, or None."""
    table = stack.card.get(KEY, {})
    if not table.get("start"):
        return None
    folder, first = Path(table["folder"]), str(table["start"][0])
    if not folder.is_dir():
        return f"the folder {folder} that it is started in does not exist"
    if "/" in first:
        path = folder / first
        if not path.is_file():
            return f"its command {path} does not exist"
        return None if os.access(path, os.X_OK) else f"its command {path} is not executable: run `chmod +x {path}`"
    there = (table.get("environment") or {}).get("PATH")
    return None if shutil.which(first, path=there) else f"its command {first} is not installed"
