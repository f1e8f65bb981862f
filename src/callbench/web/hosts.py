"""The view of other machines: which are there, what they do, their clocks and round trips."""

import contextlib
import threading
from collections.abc import Callable, Sequence
from typing import Annotated, TypeVar

from pydantic import BaseModel, Field, TypeAdapter
from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import Route

from callbench.model.errors import CallbenchError
from callbench.store.head import now
from callbench.web.program import said
from callbench.web.views import view

_Row = TypeVar("_Row", bound=BaseModel)
# With this exit code a host cannot be used; what is known of all is printed.
_UNUSABLE = 2


class ListedHost(BaseModel):
    """A row of `callbench hosts list --json`."""

    host: str
    connected: bool
    address: str
    version: str
    does: Annotated[str, Field(description="what it does now, in words")]


class CheckedStream(BaseModel):
    """What one stream by TLS carried from a host to another one."""

    to: Annotated[str, Field(description="the other host")]
    mbit_s: Annotated[float | None, Field(description="what arrived, in Mbit/s; null: there was no stream")]
    seconds: Annotated[float, Field(description="for how long it was counted")]
    why_not: Annotated[str, Field(description="why there was none; empty if there was one")]

    @property
    def text(self) -> str:
        """How much it carried, as `hosts check` writes it."""
        return f"none to {self.to}" if self.mbit_s is None else f"{self.mbit_s:.3g} Mbit/s to {self.to}"


class CheckedHost(BaseModel):
    """A row of `callbench hosts check --json`."""

    name: str
    wrong: Annotated[str, Field(description="why it cannot be used; empty if it can")]
    address: str
    version: str
    system: str
    processors: int
    clock_ms: Annotated[float | None, Field(description="its clock less this one; null: not known")]
    clock_bound_ms: Annotated[float | None, Field(description="the clock is not further off than this")]
    round_trip_ms: Annotated[float | None, Field(description="of an order and its answer, median")]
    adapters: Annotated[int, Field(description="that can run there")]
    lacking: Annotated[list[str], Field(description="adapters that cannot run there")]
    tools: Annotated[dict[str, bool | None], Field(description="whether each tool is there; null: it is not known")]
    rights: Annotated[dict[str, str | None], Field(description="why its user may not; null: it may")]
    stream: Annotated[CheckedStream | None, Field(description="to another host; null: no other was checked")]

    @property
    def lacks(self) -> list[str]:
        """The tools that are not there."""
        return [name for name, there in self.tools.items() if there is False]

    @property
    def may_not(self) -> list[str]:
        """What its user may not do."""
        return [name for name, why in self.rights.items() if why]

    @property
    def clock(self) -> str:
        """How far its clock is off, as `hosts check` writes it."""
        if self.clock_ms is None or self.clock_bound_ms is None:
            return ""
        return f"{self.clock_ms:+.3g} ms ± {self.clock_bound_ms:.2g}"


class OtherMachines:
    """What the addresses below `/hosts` answer. It looks only when it is asked: a look takes a host for a moment."""

    def __init__(self) -> None:
        """Begin with nothing known."""
        self._one = threading.Lock()
        self._known: dict[str, tuple[Sequence[BaseModel], str, str]] = {}

    def routes(self) -> Sequence[Route]:
        """Return the addresses."""
        return (
            Route("/hosts", self._show, methods=["GET"]),
            Route("/hosts/look", self._answer(self.look), methods=["POST"]),
            Route("/hosts/check", self._answer(self.check), methods=["POST"]),
        )

    def look(self) -> list[ListedHost]:
        """Return what `callbench hosts list` says now.

        Raises:
            CallbenchError: it cannot say anything; the sentence is the command's.
        """
        return self._asked("list", ListedHost, (0,))

    def check(self) -> list[CheckedHost]:
        """Return what `callbench hosts check` says now. Each host is taken for a moment.

        Raises:
            CallbenchError: it cannot say anything; the sentence is the command's.
        """
        return self._asked("check", CheckedHost, (0, _UNUSABLE))

    def _asked(self, word: str, row: type[_Row], ends: Sequence[int]) -> list[_Row]:
        with self._one:
            try:
                text = said(["hosts", word, "--json"], ends)
                rows = TypeAdapter(list[row]).validate_json(text)  # type: ignore[valid-type]
            except CallbenchError as failure:
                self._known[word] = [], now(), str(failure)
                raise
            self._known[word] = rows, now(), ""
            return rows

    def _show(self, _: Request) -> Response:
        return view("hosts", {"there": self._known.get("list"), "checked": self._known.get("check")})

    def _answer(self, ask: Callable[[], object]) -> Callable[[Request], object]:
        async def answer(_: Request) -> Response:
            # Where it fails, the view says why.
            with contextlib.suppress(CallbenchError):
                await run_in_threadpool(ask)
            return RedirectResponse("/hosts", 303)

        return answer
