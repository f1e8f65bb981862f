"""A stack started for its cells: served, verified, connected."""

import time
from collections.abc import Mapping, Sequence
from typing import Any, Self

from callbench.adapter import oracle
from callbench.adapter.equivalent import CALL as LISTED
from callbench.adapter.network.host import LOOPBACK_HOSTS, Hosts
from callbench.adapter.placement import Placement
from callbench.adapter.stack.sides import Sides
from callbench.catalog.manifest import Programs
from callbench.model.cell import Cell, Stack
from callbench.model.errors import AdapterFailure, CallbenchError
from callbench.model.request import only_call
from callbench.runner.measure.cold import cold as measured_cold
from callbench.runner.measure.cold import first_of

# Before anything is timed, whatever the cells: numbers, a text, and a refusal that must keep the connection.
Checks = Sequence[tuple[str, dict[str, Any]]]
ALWAYS: Checks = (
    ("Sum", {"a": 1, "b": 2}),
    ("Hello", {}),
    ("GetPersons", {"n": -1}),
    ("Sum", {"a": 2**31 - 1, "b": 1}),
)

# What is slow by its card may answer a hundred clients one after another: that is no failure.
_SLOW_TIMEOUT_MS = 60_000
# How long after its last call a process may end.
_ENDS_S = 0.5
_WRONG = ("wrong-answer", "status", "redirect")


class AnsweredWrongly(CallbenchError):  # noqa: N818 - it names what happened
    """A stack gave a wrong answer: nothing of it is timed."""


class OpenVisit:
    """A stack that is up. Close it.

    Attributes:
        sides: its processes.
        endpoint: what the server said it serves at.
        record: what the journal has of the visit, but for its place in the plan.
        cannot: why, by cell, of the cells whose call the stack said it cannot carry.
        lacks: those of them that it does not have, where others fail.
    """

    def __init__(  # noqa: PLR0913, PLR0917 - what is started, for what, where and how
        self,
        programs: Programs,
        stack: Stack,
        cells: Sequence[Cell],
        placement: Placement,
        hosts: Hosts = LOOPBACK_HOSTS,
        options: Mapping[str, Any] | None = None,
        *,
        cold: bool = False,
        checks: Checks = ALWAYS,
        sides: Sides | None = None,
    ) -> None:
        """Starts each side on its host, serves (with options of the server), connects and verifies.

        Where `cold` is wanted, the first calls are measured before anything is verified. Beside the `checks`, each call
        of the cells is made once and judged. `sides` are the processes where they were started before, in the same way;
        from here on they are this visit's to close.

        Raises:
            AdapterFailure: a side failed.
            AnsweredWrongly: an answer is not the service's.
        """
        self._stack = stack
        self._connected: tuple[int, Mapping[str, Any]] | None = None
        self.cannot: dict[str, str] = {}
        self.lacks: set[str] = set()
        self._judged: set[str] = set()
        self.sides = sides or Sides(programs, placement, in_process=stack.in_process, hosts=hosts, greet=False)
        try:
            self.sides.greeted()
            unavailable = self.sides.unavailable(stack)
            if unavailable:
                raise AdapterFailure("unsupported", unavailable)  # noqa: TRY301 - whatever it is, the sides are closed
            self.endpoint = self.sides.serve(stack, options)
            served = time.monotonic()
            made_cold = self._cold(cells) if cold else None
            begun = time.monotonic()
            # Without options: a wrong one is the fault of its cell, not of the stack.
            connections = self._connect(cells[0].load.clients, {})
            connected = time.monotonic()
            self._verify(cells, checks)
        except BaseException:
            self.sides.close(at_once=True)
            raise
        self.record: dict[str, Any] = {
            "start_s": round(served - self.sides.started, 6),
            "connect_s": round(connected - begun, 6),
            "verify_s": round(time.monotonic() - connected, 6),
            "connections": connections,
            "cold": made_cold,
            "hello": self.sides.hello,
        }

    def connect(self, cell: Cell) -> None:
        """Connects the cell's clients with the cell's options, if they are not.

        Raises:
            AdapterFailure: the client failed.
        """
        self._connect(cell.load.clients, cell.options)
        # The driver holds every answer against the one that was judged over the connections it has.
        key = _key(cell)
        if only_call(self._stack) == LISTED and key not in self._judged:
            self._check(cell.call, cell.arguments)
            self._judged.add(key)

    def _cold(self, cells: Sequence[Cell]) -> dict[str, Any] | None:
        """Measures the first calls; None of a server that runs already, or whose first calls take minutes."""
        if self.sides.elsewhere is not None or self._stack.card.get("slow"):
            return None
        self._connect(1, {})
        # The driver holds answers against one that was judged, where the card does not say what they are.
        judge = (lambda cell: self._check(cell.call, cell.arguments)) if only_call(self._stack) == LISTED else None
        made = measured_cold(self.sides, first_of(cells), judge)
        # A driver goes on where its server dies: better told here than by whoever then finds that nobody listens.
        died = self.sides.server.process.died(_ENDS_S) if made is not None and made["errors"] else None
        if died is not None:
            raise died
        # Connected anew, so that what is recorded of connecting is the cells'.
        self._connected = None
        return made

    def _connect(self, clients: int, options: Mapping[str, Any]) -> int | None:
        """Gives the connections open then, None where the clients were connected."""
        wanted = (clients, options)
        if wanted == self._connected:
            return None
        self._connected = None
        self._judged = set()
        timeout_ms = _SLOW_TIMEOUT_MS if self._stack.card.get("slow") else None
        connections = self.sides.client.connect(
            self._stack.client, self.endpoint, clients, timeout_ms=timeout_ms, options=options
        )
        self._connected = wanted
        return connections

    def _verify(self, cells: Sequence[Cell], checks: Checks) -> None:
        only = only_call(self._stack)
        for call, arguments in checks:
            if only in (None, call):
                self._check(call, arguments)
        self._cannot_pace(cells)
        # Each call once, however many numbers of clients there are for it.
        known: dict[str, AdapterFailure | None] = {}
        for cell in cells:
            key = _key(cell)
            if key not in known:
                known[key] = self._cannot(cell)
                self._judged.add(key)
            if failure := known[key]:
                self.cannot[cell.id] = f"{cell.call} fails as {failure.kind}: {failure}"
                if failure.kind == "unsupported":
                    self.lacks.add(cell.id)

    def _cannot_pace(self, cells: Sequence[Cell]) -> None:
        """Leaves out the cells whose loop the adapter does not have."""
        adapter, features = self.sides.client.hello["adapter"], self.sides.client.hello["features"]
        for cell in cells:
            if cell.load.open and "open" not in features:
                self.cannot[cell.id] = f"the adapter {adapter} has no open loop: it replays no schedules"
            elif cell.load.think_ns and "think" not in features:
                self.cannot[cell.id] = f"the adapter {adapter} has no think time"
            elif cell.load.ramp_up_ns and "ramp-up" not in features:
                self.cannot[cell.id] = f"the adapter {adapter} has no ramp-up: its clients all begin at once"
        self.lacks |= self.cannot.keys()

    def _cannot(self, cell: Cell) -> AdapterFailure | None:
        try:
            self._check(cell.call, cell.arguments)
        except AdapterFailure as failure:
            if self.sides.broken:
                raise
            return failure
        return None

    def _check(self, call: str, arguments: Any) -> None:  # noqa: ANN401 - JSON
        try:
            wrong = oracle.wrong(call, arguments, self.sides.client.call(call, arguments))
        except AdapterFailure as failure:
            # The load driver judges by what the server's card expects.
            if failure.kind not in _WRONG:
                raise self.sides.blamed(failure) from failure
            raise AnsweredWrongly(f"answered wrongly: {failure}") from failure
        if wrong:
            raise AnsweredWrongly(f"answered wrongly: {wrong}")

    def __enter__(self) -> Self:
        """Itself."""
        return self

    def __exit__(self, kind: object, *_: object) -> None:
        """Ends its processes: at once where something went wrong."""
        self.sides.close(at_once=kind is not None)


def _key(cell: Cell) -> str:
    return f"{cell.call} {cell.arguments}"
