"""Lines of a torture test: slices of a client that behaves, and counts of the connections that do not."""

from typing import Literal, TypedDict

from callbench.store.lines.driven import CpuSoFar
from callbench.store.lines.notes import NoteLine
from callbench.store.lines.of_kind import LineTypes
from callbench.store.lines.sides import SideRead, SideUse
from callbench.store.lines.slices import SliceFigures, TimedSlice
from callbench.store.typed import Amount, Count, Positive

Phase = Literal["before", "during", "after"]


class ConnectionCounts(TypedDict):
    """Connections and bytes since the start, as the attacking side counts them: `engine/torture/src/counts.rs`."""

    opened: Count
    open_now: Count
    max_open: Count
    refused: Count
    timed_out: Count
    failed: Count
    answered: Count
    closed_by_server: Count
    reset_by_server: Count
    ended: Count
    sent_bytes: Count
    received_bytes: Count
    out_of_resources: Count


class ConnectionTotals(ConnectionCounts):
    """All of them at the end, and the processor time that they took."""

    processor: CpuSoFar


class HowEnded(TypedDict):
    """How a server ended, and why, in words."""

    how: str
    why: str


class ObservedFigures(SliceFigures):
    """What the observer saw in a slice; `connect_s` is None if it could not connect."""

    connect_s: Amount | None


class ObservedLine(ObservedFigures, TimedSlice):
    """A slice of the observer."""

    kind: Literal["slice"]
    test: str
    phase: Phase


class AttackLine(TypedDict):
    """A test begins. A slice with a median above `limit_us` is slow; `before_us` is the median before."""

    kind: Literal["test"]
    test: str
    about: str
    at_s: Amount
    begin: dict[str, SideRead]
    before_us: Positive
    limit_us: Positive


class ConnectionsSoFar(ConnectionCounts):
    """The connections so far, `at_ms` after they began."""

    at_ms: Count


class ConnectionsLine(ConnectionsSoFar):
    """The same, of a test."""

    kind: Literal["connections"]
    test: str


class AttackedLine(TypedDict):
    """A test is over; its connections had ended at `ended_s`."""

    kind: Literal["tested"]
    test: str
    ended_s: Amount
    connections: ConnectionTotals
    end: dict[str, SideRead]
    sides: dict[str, SideUse]
    loss: HowEnded | None


class LeftOutTestLine(TypedDict):
    """A test was not made, and why."""

    kind: Literal["left-out"]
    test: str
    why: str


class AttackAgainLine(TypedDict):
    """A test was interrupted and is repeated: its lines so far do not count."""

    kind: Literal["again"]
    test: str


TortureLine = ObservedLine | AttackLine | ConnectionsLine | AttackedLine | LeftOutTestLine | AttackAgainLine | NoteLine
TORTURE_LINES: LineTypes[TortureLine] = LineTypes("a torture", TortureLine)
