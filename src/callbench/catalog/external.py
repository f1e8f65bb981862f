"""What is said of an external server: how it is started or where it runs, and how it is called."""

import json
import os
import shutil
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any, Self
from urllib.parse import urlsplit

from pydantic import BaseModel, ConfigDict, Field, model_validator

from callbench.model.cell import Stack
from callbench.model.request import Request, UrlPath

KEY = "external"
PORT, HOST = "{port}", "{host}"
MODULE = "callbench.adapter.external"
READY_SECONDS = 30.0


class External(BaseModel):
    """The table `external` of a card.

    Attributes:
        start: the command, word by word; {port} and {host} stand for where it is to listen.
        url: of a server that runs by itself: nobody starts it, ends it or gives it processors.
        path: behind host and port; of a command only.
        ready_seconds: within which it must listen.
        environment: beside what the core has; {port} and {host} may stand in it too.
        folder: where it is started; relative to the file that says so.
        pid: the process behind a URL, to be watched, where it cannot be found by its port.
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
        """It is started, or it runs."""
        if (self.start is None) == (self.url is None):
            raise ValueError("give either start, the command that starts the server, or url, where it runs")
        if self.url is not None:
            _checked_url(self.url)
            said = [name for name in ("path", "environment", "folder") if getattr(self, name) is not None]
            if said:
                raise ValueError(f"{said[0]} is for a server that is started: a url says where one runs already")
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

    def entry(self, name: str) -> dict[str, Any]:
        """As a `[[stack]]` of a manifest has it."""
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
        raise ValueError(f"url {url} is none for HTTP: one looks like http://127.0.0.1:8080/path")


def completed(card: Mapping[str, Any], folder: Path) -> dict[str, Any]:
    """A card with what follows from its server being external.

    Args:
        card: with the table.
        folder: that the file which says so lies in.
    """
    table = dict(card[KEY])
    if table.get("start"):
        table["folder"] = str((folder / table.get("folder", ".")).absolute())
    request = card.get("request") or Request().model_dump(exclude_none=True)
    kept = {**card, KEY: table, "request": request, "counts": False}
    return kept | {"roles": "server-only"}


def channel_of(request: Mapping[str, Any] | Request | None) -> str:
    """The channel that a server is reached by where its card names none."""
    said = request.keep_alive if isinstance(request, Request) else (request or {}).get("keep_alive")
    return "http" if said is False else "http-keepalive"


def program(adapter: str, language: str, stacks: Mapping[str, Mapping[str, Any]]) -> tuple[str, ...]:
    """The command that plays the server of external stacks, given by name with their tables.

    -P: a file of the user's that is named like one of Python's own must not be taken for it.
    """
    said = {"adapter": adapter, "language": language, "stacks": {name: dict(table) for name, table in stacks.items()}}
    return sys.executable, "-P", "-m", MODULE, json.dumps(said)


def is_elsewhere(stack: Stack) -> bool:
    """Whether its server runs by itself: it is neither started nor ended here, and keeps to no processors."""
    return "url" in (stack.card.get(KEY) or {})


def why_not(stack: Stack) -> str | None:
    """Why the server cannot be started on this machine, or None."""
    table = stack.card.get(KEY) or {}
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
