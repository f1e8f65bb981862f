"""The words of a plan: a stack with its card, a load, a cell."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from callbench.model.card import StackCard, SweepOfCell

CLOSED = "closed"
# Calls of a client in a slice, if a call takes longer than a slice and nobody says otherwise.
CALLS_PER_SLICE = 4
# The conditions of the machine's idle states that a run can be made in: as it is, and kept from idling deeply.
AS_IS, HELD = "as it is", "held"
# Between the client's stack and the server's in the name of a mixed one. No shell and no glob takes it for its own.
MIXED = ":"
# The key of a card, and its value where a stack carries nothing but the calls of a service of the user's own.
OWN: Final = "own"
OWN_ONLY = "only"
# Keys of a card that the core asks for: `callbench.catalog.manifest.Card` says what each one holds.
FORMAT: Final = "format"
CODING: Final = "coding"
DISSECTOR: Final = "dissector"
USUAL_IN: Final = "usual_in"
SERVICE, ADVICE = "service", "advice"
MESSAGE_OPTIONS: Final = "message_options"
NO_ECHO_WITH: Final = "no_echo_with"
REFERENCE: Final = "reference"
TIMES_CODEC: Final = "times_codec"


@dataclass(frozen=True)
class Stack:
    """One thing under test, as its manifest describes it.

    Attributes:
        id: `adapter/name`; `CLIENT:SERVER` where the client of one stack calls the server of another.
        card: the fairness card: server_model, connections_per_client, waits, nagle, tuning, roles, about ...
        lacks: checks of the suite known to fail, with why.
        why_not: why it cannot run here, or None.
        instrument: part of the measuring instrument, not a thing to compare: left out unless named.
    """

    id: str
    adapter: str
    message: str
    channel: str
    language: str
    library: str
    version: str
    card: StackCard = field(default_factory=StackCard)
    lacks: Mapping[str, str] = field(default_factory=dict)
    why_not: str | None = None
    instrument: bool = False

    @property
    def available(self) -> bool:
        """Whether it can run here."""
        return self.why_not is None

    @property
    def client(self) -> str:
        """The name of the stack whose client it is: its own, except for a mixed one."""
        return sides_of(self.id)[0]

    @property
    def server(self) -> str:
        """The name of the stack whose server it is: its own, except for a mixed one."""
        return sides_of(self.id)[1]

    @property
    def mixed(self) -> bool:
        """Whether its client is one stack's and its server another's."""
        return MIXED in self.id

    @property
    def half(self) -> bool:
        """Whether it has one side only: measured in mixed stacks, and no row by itself."""
        return self.card.get("roles") in ("client-only", "server-only")

    @property
    def own(self) -> bool:
        """Whether it carries the calls of a service of the user's own."""
        return bool(self.card.get(OWN))

    @property
    def own_only(self) -> bool:
        """Whether it carries no other calls."""
        return self.card.get(OWN) == OWN_ONLY

    @property
    def in_process(self) -> bool:
        """Whether one process plays both sides."""
        return self.card.get("roles") == "in-process"


@dataclass(frozen=True)
class Load:
    """How many clients, when they call, until how many calls and seconds (whichever comes later).

    Attributes:
        clients: in an open loop, the most calls that can be in progress at once.
        arrivals: `closed`: each client calls again when it was answered and has thought; `constant` or `poisson`: an
            open loop, in which calls arrive whether or not the last one was answered.
        rate_per_s: of an open loop: arrivals a second; else None.
        think_ns: of a closed loop: how long a client waits between an answer and its next call.
        ramp_up_ns: of a closed loop: over how long the clients begin, evenly spread; their calls count from the first.
        slice_calls: of a closed loop: the least number of calls of a client in a slice; of an open one: of all.
        fork_calls: the least number of calls in a fork, as far as that has time: a claim about a percentile needs them.
    """

    clients: int
    calls: int
    seconds: float
    arrivals: str = CLOSED
    rate_per_s: float | None = None
    think_ns: int = 0
    ramp_up_ns: int = 0
    slice_calls: int = CALLS_PER_SLICE
    fork_calls: int = 0

    @property
    def open(self) -> bool:
        """Whether calls arrive by a schedule."""
        return self.arrivals != CLOSED


@dataclass(frozen=True)
class Cell:
    """Stack x call x load x link.

    Attributes:
        id: short name within the run, `c001`.
        group: the study's name for the cells that belong together.
        options: what the clients connect with: options of the stack's own.
        timed: whether it has trials.
        wire: None: its bytes are not counted; empty: they are; else the sweep that counts them: over, grid, fine, most.
        watch: whether it is left alone for a while after its load, to see what its processes give back.
        fresh: whether its stack is started for it alone.
        restart: whether a server that dies of it is started again and again, not once.
        idle: the condition of the machine's idle states that it is measured in.
    """

    id: str
    group: str
    stack: str
    call: str
    arguments: Mapping[str, Any]
    load: Load
    link: str = "loopback"
    options: Mapping[str, Any] = field(default_factory=dict)
    timed: bool = True
    wire: SweepOfCell | None = None
    watch: bool = False
    fresh: bool = False
    restart: bool = False
    idle: str = AS_IS

    @property
    def whole(self) -> bool:
        """Whether it is driven in one piece, on a start of its own: what it does to its processes is looked for."""
        return self.fresh or self.watch or self.restart or self.load.ramp_up_ns > 0


def sides_of(stack: str) -> tuple[str, str]:
    """The names of the stacks that play client and server in one of that name: `CLIENT:SERVER`, or one for both."""
    client, _, server = stack.partition(MIXED)
    return client, server or client


def rate_text(rate_per_s: float | None) -> str:
    """A rate asked for as people choose cells by it: `500`, `0.25`; nothing for a closed loop."""
    return "" if rate_per_s is None else f"{rate_per_s:.12g}"
