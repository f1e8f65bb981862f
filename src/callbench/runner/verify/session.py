"""A stack in the suite: served and connected as each check needs it, and restarted if it breaks."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from callbench.adapter.placement import Placement
from callbench.adapter.service import expected
from callbench.adapter.session import Adapter
from callbench.adapter.stack.sides import Sides
from callbench.catalog.manifest import Programs
from callbench.model.cell import Stack
from callbench.model.errors import OF_THE_ADAPTER, AdapterFailure
from callbench.model.request import only_call
from callbench.runner.machine.batch_limits import raise_limits

# The same as in a benchmark: on a busy machine a runtime may load classes for seconds before its first call.
PATIENCE_SECONDS = 10.0
TIMEOUT_MS = 30_000


@dataclass(frozen=True)
class Arrangement:
    """How a stack is served and connected."""

    options: Mapping[str, float] = field(default_factory=dict)
    clients: int = 1
    timeout_ms: int = TIMEOUT_MS


PLAIN = Arrangement()


class NotApplicable(Exception):  # noqa: N818 - it names what happened
    """A check cannot be made of a stack; the sentence says why."""


@dataclass(frozen=True)
class ProbeCall:
    """A call that shows whether all is well, with its right answer."""

    call: str
    arguments: Mapping[str, object]
    value: Any


_SUM = ProbeCall("Sum", {"a": 20, "b": 22}, 42)
_HELLO = ProbeCall("Hello", {}, "Hello World")
_ITEM = ProbeCall("FindItems", {"n": 1}, expected("FindItems", {"n": 1}))


class VerifySession:
    """The processes of one adapter, or of a mixed stack's two, for one stack after the other. Close it.

    Attributes:
        endpoint: where the stack was served last.
    """

    def __init__(self, programs: Programs, placement: Placement) -> None:
        """Prepare; nothing is started."""
        self._programs = programs
        self._placement = placement
        self._sides: Sides | None = None
        self._stack: Stack | None = None
        self._arranged: Arrangement | None = None
        self._breaks = 0
        self._note = ""
        self.endpoint = ""

    @property
    def stack(self) -> Stack:
        """The current stack."""
        assert self._stack is not None  # noqa: S101 - checks are run after `use_stack`
        return self._stack

    @property
    def probe(self) -> ProbeCall:
        """A call for checks that need any call: one that every stack supports, or the only call of this stack."""
        return {None: _SUM, _ITEM.call: _ITEM}.get(only_call(self.stack), _HELLO)

    @property
    def breaks(self) -> int:
        """How often this stack died or broke the contract."""
        return self._breaks

    @property
    def sides_broken(self) -> bool:
        """Whether a side died or broke the contract and has not been restarted."""
        return self._sides is not None and self._sides.broken

    def use_stack(self, stack: Stack) -> None:
        """Continue with another stack."""
        self._reset()
        if self._stack is not None and stack.in_process != self._stack.in_process:
            self.close()
        self._stack = stack
        self._breaks = 0

    def sides(self, want: Arrangement = PLAIN) -> Sides:
        """Return both sides in an arrangement.

        Raises:
            AdapterFailure: the arrangement is not possible.
        """
        sides = self.started()
        if self._arranged != want:
            self._reset()
            sides = self.started()
            self.endpoint = sides.serve(self.stack, want.options)
            self._arranged = want
            try:
                sides.client.connect(self.stack.client, self.endpoint, want.clients, timeout_ms=want.timeout_ms)
            except AdapterFailure:
                # The next check tries again, and says the same, instead of asking a client that is not connected.
                self._reset()
                raise
            if self.probe is _ITEM:
                # The driver compares answers with a checked one. If there is none, the check itself reports it.
                error_kind(lambda: sides.client.call(_ITEM.call, _ITEM.arguments))
                sides.counted()
        return sides

    def client(self, want: Arrangement = PLAIN) -> Adapter:
        """Return the client in an arrangement.

        Raises:
            AdapterFailure: the arrangement is not possible.
        """
        return self.sides(want).client

    def without_server(self) -> Sides:
        """Return both sides, with nothing served and no client connected.

        Raises:
            AdapterFailure: that is not possible.
        """
        self._reset()
        return self.started()

    def mark_changed(self) -> None:
        """Note that a check changed the arrangement: the next check arranges everything again."""
        self._arranged = None

    def restart_server(self) -> Adapter:
        """Replace a server process that is gone. The client keeps its connections.

        Raises:
            AdapterFailure: it cannot be started.
        """
        sides = self.started()
        sides.server.process.close(grace=0)
        sides.server = Adapter(self._programs.server, "the server", self._placement.server).read_hello()
        sides.server.patience_s = PATIENCE_SECONDS
        return sides.server

    def set_note(self, note_: str) -> None:
        """Store what a check observed, in words."""
        self._note = note_

    def take_note(self) -> str:
        """Return the observation of the last check, once."""
        note, self._note = self._note, ""
        return note

    def note_break(self) -> None:
        """Count a broken side, and end both sides."""
        if self._sides is not None and self._sides.broken:
            self._breaks += 1
            self.close()

    def close(self) -> None:
        """End the processes at once. The lifecycle checks test a proper end."""
        if self._sides is not None:
            self._sides.close(at_once=True)
        self._sides = None
        self._arranged = None

    def started(self) -> Sides:
        """Return both sides in any arrangement.

        Raises:
            AdapterFailure: they cannot be started.
        """
        if self._sides is None:
            raise_limits()
            self._sides = Sides(self._programs, self._placement, in_process=self.stack.in_process)
            for side in (self._sides.client, self._sides.server):
                side.patience_s = PATIENCE_SECONDS
        return self._sides

    def _reset(self) -> None:
        """Stop serving and disconnect."""
        if self._sides is None or self._arranged is None:
            return
        self._arranged = None
        try:
            self._sides.client.disconnect()
            self._sides.server.stop_serving()
        except AdapterFailure:
            self.close()  # the next check starts new processes


def error_kind(ask: Any) -> str | None:  # noqa: ANN401 - any function without arguments
    """Return the kind of error that answers a request; None if it is not an error.

    Raises:
        AdapterFailure: the adapter died or broke the contract.
    """
    try:
        ask()
    except AdapterFailure as failure:
        if failure.kind in OF_THE_ADAPTER:
            raise
        return failure.kind
    return None
