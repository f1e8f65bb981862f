"""A stack under the suite: served and connected as each check wants it, and started anew where it broke."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from callbench.adapter.placement import Placement
from callbench.adapter.service import expected
from callbench.adapter.session import Adapter
from callbench.adapter.stack.sides import Sides
from callbench.catalog.manifest import Programs
from callbench.model.cell import Stack
from callbench.model.errors import AdapterFailure
from callbench.model.request import only_call

# As long as a benchmark's: a runtime that loads its classes on a busy machine takes seconds over its first call.
PATIENCE_SECONDS = 10.0
TIMEOUT_MS = 15_000


@dataclass(frozen=True)
class Arrangement:
    """How a stack is served and connected."""

    options: Mapping[str, float] = field(default_factory=dict)
    clients: int = 1
    timeout_ms: int = TIMEOUT_MS


PLAIN = Arrangement()


class Unasked(Exception):  # noqa: N818 - it names what happened
    """A check is not made of a stack, since it cannot be: the sentence says why."""


@dataclass(frozen=True)
class Probe:
    """A call with which a check tries whether all is well, and its right answer."""

    call: str
    arguments: Mapping[str, Any]
    value: Any


_SUM = Probe("Sum", {"a": 20, "b": 22}, 42)
_HELLO = Probe("Hello", {}, "Hello World")
_ITEM = Probe("FindItems", {"n": 1}, expected("FindItems", {"n": 1}))


class Session:
    """The processes of one adapter, or of a mixed stack's two, for one stack after the other. Close it.

    Attributes:
        endpoint: where the stack is served as last arranged.
    """

    def __init__(self, programs: Programs, placement: Placement) -> None:
        """Starts nothing yet."""
        self._programs = programs
        self._placement = placement
        self._sides: Sides | None = None
        self._stack: Stack | None = None
        self._arranged: Arrangement | None = None
        self._breaks = 0
        self._told = ""
        self.endpoint = ""

    @property
    def stack(self) -> Stack:
        """The stack under the suite."""
        assert self._stack is not None  # noqa: S101 - checks are run after `turn_to`
        return self._stack

    @property
    def probe(self) -> Probe:
        """What is called where any call will do: one that every stack can carry, or the only one that this one can."""
        return {None: _SUM, _ITEM.call: _ITEM}.get(only_call(self.stack), _HELLO)

    @property
    def breaks(self) -> int:
        """How often this stack has died or left the contract."""
        return self._breaks

    @property
    def sides_broken(self) -> bool:
        """Whether a side has died or left the contract and not been started again."""
        return self._sides is not None and self._sides.broken

    def turn_to(self, stack: Stack) -> None:
        """Goes on with another stack."""
        self._settle()
        if self._stack is not None and stack.in_process != self._stack.in_process:
            self.close()
        self._stack = stack
        self._breaks = 0

    def sides(self, want: Arrangement = PLAIN) -> Sides:
        """Both sides, arranged so.

        Raises:
            AdapterFailure: that cannot be had.
        """
        sides = self.started()
        if self._arranged != want:
            self._settle()
            sides = self.started()
            self.endpoint = sides.serve(self.stack, want.options)
            self._arranged = want
            sides.client.connect(self.stack.client, self.endpoint, want.clients, timeout_ms=want.timeout_ms)
            if self.probe is _ITEM:
                # Drives are held against the answer that was judged; where none came, the check will tell.
                said_error(lambda: sides.client.call(_ITEM.call, _ITEM.arguments))
                sides.counted()
        return sides

    def client(self, want: Arrangement = PLAIN) -> Adapter:
        """The client of a stack arranged so.

        Raises:
            AdapterFailure: that cannot be had.
        """
        return self.sides(want).client

    def unserved(self) -> Sides:
        """Both sides, nothing served, nobody connected.

        Raises:
            AdapterFailure: that cannot be had.
        """
        self._settle()
        return self.started()

    def forget(self) -> None:
        """Says that a check has left things in disorder: the next one arranges all anew."""
        self._arranged = None

    def server_anew(self) -> Adapter:
        """Another server process in the place of one that is gone; the client keeps what it has connected.

        Raises:
            AdapterFailure: it cannot be started.
        """
        sides = self.started()
        sides.server.process.close(grace=0)
        sides.server = Adapter(self._programs.server, "the server", self._placement.server).greeted()
        sides.server.patience_s = PATIENCE_SECONDS
        return sides.server

    def tell(self, story: str) -> None:
        """Says what a check has found, for people who want to see each."""
        self._told = story

    def take_told(self) -> str:
        """What the last check has told, once."""
        told, self._told = self._told, ""
        return told

    def note_break(self) -> None:
        """Counts it where a side broke, and ends both then."""
        if self._sides is not None and self._sides.broken:
            self._breaks += 1
            self.close()

    def close(self) -> None:
        """Ends the processes. What they make of being told so is the lifecycle's check; here it takes no time."""
        if self._sides is not None:
            self._sides.close(at_once=True)
        self._sides = None
        self._arranged = None

    def started(self) -> Sides:
        """Both sides, however arranged.

        Raises:
            AdapterFailure: they cannot be started.
        """
        if self._sides is None:
            self._sides = Sides(self._programs, self._placement, in_process=self.stack.in_process)
            for side in (self._sides.client, self._sides.server):
                side.patience_s = PATIENCE_SECONDS
        return self._sides

    def _settle(self) -> None:
        """Back to nothing served and nobody connected."""
        if self._sides is None or self._arranged is None:
            return
        self._arranged = None
        try:
            self._sides.client.disconnect()
            self._sides.server.stop_serving()
        except AdapterFailure:
            self.close()  # the next check begins with fresh processes


def said_error(ask: Any) -> str | None:  # noqa: ANN401 - any function without arguments
    """The kind of the error that a request is answered with, or None where it is answered otherwise.

    Raises:
        AdapterFailure: the adapter died or left the contract.
    """
    try:
        ask()
    except AdapterFailure as failure:
        if failure.kind in ("died", "silent", "garbage"):
            raise
        return failure.kind
    return None
