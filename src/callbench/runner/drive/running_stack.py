"""A stack that is started for its cells: served, connected and verified."""

import math
import time
from collections.abc import Mapping, Sequence
from typing import Any, Self

from callbench.adapter import oracle, own_answers
from callbench.adapter.equivalent import CALL as LISTED
from callbench.adapter.network.host import LOOPBACK_HOSTS, Hosts
from callbench.adapter.placement import Placement
from callbench.adapter.stack.sides import Sides
from callbench.catalog.manifest import Programs
from callbench.model.cell import Cell, Stack
from callbench.model.errors import AdapterFailure, CallbenchError
from callbench.model.request import only_call
from callbench.runner.measure.cold_start import first_of, measure_cold_start
from callbench.store.lines.starts import ColdRecord, StartRecord

# Calls that are checked before anything is timed: numbers, a text, and a refusal that must keep the connection.
Checks = Sequence[tuple[str, dict[str, object]]]
BASIC_CHECKS: Checks = (
    ("Sum", {"a": 1, "b": 2}),
    ("Hello", {}),
    ("GetPersons", {"n": -1}),
    ("Sum", {"a": 2**31 - 1, "b": 1}),
)

# A stack that is slow by its card may answer a hundred clients one after another, which is no failure.
_SLOW_TIMEOUT_MS = 60_000
# Connections that were idle for this share of the time after which their server closes them are made anew: what is
# closed between two slices is the measurement's doing, and no failure of the stack.
_IDLE_SHARE = 0.5
# A server of somebody else's that does not say so may be one of the most impatient: gunicorn closes after 2 s.
_EXTERNAL_CLOSES_S = 2.0
# How long after its last call a process may take to end.
_EXIT_SECONDS = 0.5
_WRONG = ("wrong-answer", "status", "redirect")


class WrongAnswer(CallbenchError):  # noqa: N818 - it names what happened
    """A stack gave a wrong answer. Nothing of it is timed."""


class RunningStack:
    """A running stack. Close it.

    Attributes:
        sides: its processes.
        endpoint: where the server says that it serves.
        record: the journal record of the start, without its place in the plan.
        unsupported: reasons by cell id: the calls that the stack says it does not support.
        lacks: ids of the unsupported cells that count as missing, not as failed.
    """

    def __init__(  # noqa: PLR0913, PLR0917 - what is started, for what, where and how
        self,
        programs: Programs,
        stack: Stack,
        cells: Sequence[Cell],
        placement: Placement,
        hosts: Hosts = LOOPBACK_HOSTS,
        options: Mapping[str, object] | None = None,
        *,
        cold: bool = False,
        checks: Checks = BASIC_CHECKS,
        sides: Sides | None = None,
    ) -> None:
        """Start each side on its host, serve, connect and verify.

        With `cold`, the first calls are measured before anything is verified. Each call of the cells is made once and
        checked, besides the `checks`. `sides` are processes that were started earlier; this object closes them.

        Raises:
            AdapterFailure: a side failed, or an answer is wrong.
        """
        self._stack = stack
        self._connected: tuple[int, Mapping[str, object]] | None = None
        # When its connections were last about to be used, on the monotonic clock.
        self._used_s = time.monotonic()
        self.unsupported: dict[str, str] = {}
        self.lacks: set[str] = set()
        self._checked_calls: set[str] = set()
        self.sides = sides or Sides(programs, placement, in_process=stack.in_process, hosts=hosts, greet=False)
        try:
            self.sides.read_hello()
            unavailable = self.sides.unavailable(stack)
            if unavailable:
                raise AdapterFailure("unsupported", unavailable)  # noqa: TRY301 - whatever it is, the sides are closed
            self.endpoint = self.sides.serve(stack, options)
            served = time.monotonic()
            cold_start = self._measure_cold_start(cells) if cold else None
            connecting_s = time.monotonic()
            # Connect without options: a wrong option is the fault of a cell, not of the stack.
            connections = self._connect(cells[0].load.clients, {})
            connected = time.monotonic()
            self._verify(cells, checks)
        except BaseException:
            self.sides.close(at_once=True)
            raise
        self.record = StartRecord(
            start_s=round(served - self.sides.started, 6),
            connect_s=round(connected - connecting_s, 6),
            verify_s=round(time.monotonic() - connected, 6),
            connections=connections,
            cold=cold_start,
            hello=self.sides.hello,
        )

    def connect(self, cell: Cell) -> None:
        """Connect the cell's clients with the cell's options, unless they are connected and were used lately.

        Raises:
            AdapterFailure: the client failed.
        """
        card = self._stack.card
        closes_s = card.get("closes_idle_s", _EXTERNAL_CLOSES_S if "external" in card else math.inf)
        idle_s = time.monotonic() - self._used_s
        if idle_s > _IDLE_SHARE * closes_s:
            self._connected = None
        self._used_s += idle_s
        self._connect(cell.load.clients, cell.options)
        # The driver compares every answer with the checked answer of the current connections.
        key = _key(cell)
        if only_call(self._stack) == LISTED and key not in self._checked_calls:
            self._check(cell.call, cell.arguments)
            self._checked_calls.add(key)

    def _measure_cold_start(self, cells: Sequence[Cell]) -> ColdRecord | None:
        """Measure the first calls. Return None for a server that runs already or whose first calls take minutes."""
        if self.sides.external is not None or self._stack.card.get("slow"):
            return None
        self._connect(1, {})
        # The driver needs a checked answer for comparison if the card does not contain one.
        judge = (lambda cell: self._check(cell.call, cell.arguments)) if only_call(self._stack) == LISTED else None
        record_ = measure_cold_start(self.sides, first_of(cells), judge)
        # A driver continues if its server dies. Report that here, before a later call finds no listener.
        died = self.sides.server.process.died(_EXIT_SECONDS) if record_ is not None and record_["errors"] else None
        if died is not None:
            raise died
        # Connect again later, so that the recorded connection time is that of the cells.
        self._connected = None
        return record_

    def _connect(self, clients: int, options: Mapping[str, object]) -> int | None:
        """Return the number of open connections; None if the clients were connected already."""
        requested = (clients, options)
        if requested == self._connected:
            return None
        self._connected = None
        self._checked_calls = set()
        timeout_ms = _SLOW_TIMEOUT_MS if self._stack.card.get("slow") else None
        connections = self.sides.client.connect(
            self._stack.client, self.endpoint, clients, timeout_ms=timeout_ms, options=options
        )
        self._connected = requested
        return connections

    def _verify(self, cells: Sequence[Cell], checks: Checks) -> None:
        only = only_call(self._stack)
        # What carries calls of the user alone is checked by these.
        for call, arguments in () if self._stack.own_only else checks:
            if only in (None, call):
                self._check(call, arguments)
        self._exclude_unsupported_loads(cells)
        # Check each call once, whatever the number of clients.
        known: dict[str, AdapterFailure | None] = {}
        for cell in cells:
            key = _key(cell)
            if key not in known:
                known[key] = self._failure_of(cell)
                self._checked_calls.add(key)
            if failure := known[key]:
                self.unsupported[cell.id] = f"{cell.call} fails as {failure.kind}: {failure}"
                if failure.kind == "unsupported":
                    self.lacks.add(cell.id)

    def _exclude_unsupported_loads(self, cells: Sequence[Cell]) -> None:
        """Exclude the cells whose load the adapter does not support."""
        adapter, features = self.sides.client.hello["adapter"], self.sides.client.hello["features"]
        for cell in cells:
            if cell.load.open and "open" not in features:
                self.unsupported[cell.id] = f"the adapter {adapter} has no open loop: it replays no schedules"
            elif cell.load.think_ns and "think" not in features:
                self.unsupported[cell.id] = f"the adapter {adapter} has no think time"
            elif cell.load.ramp_up_ns and "ramp-up" not in features:
                self.unsupported[cell.id] = f"the adapter {adapter} has no ramp-up: its clients all begin at once"
        self.lacks |= self.unsupported.keys()

    def _failure_of(self, cell: Cell) -> AdapterFailure | None:
        try:
            for arguments in own_answers.some(self.sides.client.service, cell.call, cell.arguments):
                self._check(cell.call, arguments)
        except AdapterFailure as failure:
            if self.sides.broken:
                raise
            return failure
        return None

    def _check(self, call: str, arguments: Any) -> None:  # noqa: ANN401 - JSON
        try:
            client = self.sides.client
            wrong = oracle.error_in(call, arguments, client.call(call, arguments), client.service)
        except AdapterFailure as failure:
            # The load driver checks answers by the expectations of the server's card.
            if failure.kind not in _WRONG:
                raise self.sides.attribute_failure(failure) from failure
            raise WrongAnswer(f"answered wrongly: {failure}") from failure
        if wrong:
            raise WrongAnswer(f"answered wrongly: {wrong}")

    def __enter__(self) -> Self:
        """Return the running stack."""
        return self

    def __exit__(self, kind: object, *_: object) -> None:
        """End its processes; at once if something failed."""
        self.sides.close(at_once=kind is not None)


def _key(cell: Cell) -> str:
    return f"{cell.call} {cell.arguments}"
