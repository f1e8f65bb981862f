"""Two machines that are this one: agents' parts without Dask, which hand orders to the sessions of this process."""

import itertools
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any, cast

from callbench.adapter.network.remote.fleet import Agent, RemoteHost
from callbench.adapter.network.remote.keys import Keys
from callbench.adapter.network.remote.remote_process import RemoteProcess
from callbench.adapter.network.remote.session_host import SessionHost
from callbench.catalog.links.profile import Link, LinkPart
from callbench.catalog.manifest import Manifest

SLOW = Link.of("slow", LinkPart(delay_ms=3)).wire


class OnThisMachine:
    """An agent's part without Dask: orders go to the sessions of this process."""

    def __init__(self, folder: Path, name: str) -> None:
        """Take it."""
        folder.mkdir()
        self.name, self.sessions, self._numbers = (
            name,
            SessionHost(folder, Keys(folder, name, "127.0.0.1", 1)),
            itertools.count(1),
        )
        self.ask("take", {}, 0.0)

    @property
    def present(self) -> "OnThisMachine":
        return self

    def ask(self, do: str, members: Mapping[str, Any], _: float = 1.0) -> dict[str, Any]:
        order = {"do": do, "core": "core", **members}
        thread = self.sessions.thread_of(order)
        text = json.dumps(order)
        said = thread.submit(self.sessions.answer, text).result(60) if thread else self.sessions.answer(text)
        answer: dict[str, Any] = json.loads(said)
        return answer

    def start(self, who: str, manifest: Manifest | None, within: int | None = None) -> RemoteProcess:
        return RemoteProcess(who, manifest, self.name, next(self._numbers), self.ask, within=within)

    def host(self) -> RemoteHost:
        """The machine as a side of a link."""
        return RemoteHost("127.0.0.1", agent=cast("Agent", self))
