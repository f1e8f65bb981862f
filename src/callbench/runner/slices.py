"""One slice: a cell driven for some 20 ms, counted on both sides. And how long a slice of a cell is."""

import math
from collections.abc import Sequence
from contextlib import nullcontext
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from callbench.adapter import oracle
from callbench.adapter.stack.sides import Sides
from callbench.model.cell import Cell, Load
from callbench.runner.measure.probe import Probe, Watch
from callbench.runner.measure.traffic import Traffic
from callbench.runner.measure.trial import counted_after, limit_seconds, told_behind, told_counts
from callbench.store.head import now

# Long enough for the shortest calls to be many, short enough that a machine that drifts stays where it is meanwhile.
SLICE_SECONDS = 0.02
# Of a call that takes longer than that, so many for each client.
HANDFUL = 4
# A call that takes so long is made once a slice by each client: over a line that is so slow, it hardly scatters.
LONG_CALL_SECONDS = 0.5
# A cell that was driven for so long in a fork, in two slices at least, has been seen enough there.
ENOUGH_SECONDS, ENOUGH_SLICES = 3.0, 2
# A schedule's bursts and the queue behind them need time to show; so do thoughts.
OPEN_SECONDS = 0.2
ARRIVALS = 50
THOUGHTS = 4
# A slice in which the probes watch is longer: their looks at /proc come ten times a second.
WATCHED_SECONDS = 0.1


@dataclass(frozen=True)
class Length:
    """How long a slice is: at least so many seconds, and at least so many calls."""

    seconds: float
    calls: int


def length_of(load: Load, least_s: float = SLICE_SECONDS, *, slow: bool = False) -> Length:
    """The length of a slice.

    Args:
        load: of the cell.
        least_s: in seconds.
        slow: whether a single call takes seconds, by the server's card.
    """
    if load.rate_per_s:
        seconds = max(least_s, min(load.seconds, max(OPEN_SECONDS, ARRIVALS / load.rate_per_s)))
        return Length(seconds, max(1, math.ceil(load.rate_per_s * seconds)))
    seconds = max(least_s, THOUGHTS * load.think_ns / 1e9)
    return Length(seconds, load.clients * (1 if slow or load.think_ns else HANDFUL))


def shortened(length: Length, load: Load, call_s: float) -> Length:
    """The length of a slice of a call of which it is known how many seconds it takes; 0: it is not."""
    if call_s < LONG_CALL_SECONDS or load.open:
        return length
    return Length(length.seconds, min(length.calls, load.clients))


def enough(driven_s: float, slices: int) -> bool:
    """Say whether a cell needs no further slice in its fork."""
    return slices >= ENOUGH_SLICES and driven_s >= ENOUGH_SECONDS


def driven(  # noqa: PLR0913 - what is driven, how long, and who watches
    sides: Sides,
    cell: Cell,
    length: Length,
    *,
    clients: int | None = None,
    schedule: Path | None = None,
    burn_ns: int = 0,
    probes: Sequence[Probe] = (),
    traffic: Traffic | None = None,
) -> dict[str, Any]:
    """Drive one slice with the clients connected. Gives what the journal has of it, but for its place.

    Args:
        sides: the processes of both.
        cell: what to drive.
        length: how long.
        clients: how many of those connected; None: all.
        schedule: the arrivals of an open loop.
        burn_ns: how much longer each call keeps its client busy.
        probes: those that watch this slice.
        traffic: reads what the link carries; None: there is none.

    Raises:
        AdapterFailure: a side failed: there is no slice then.
    """
    before = sides.counted()
    behind = sides.backend_counts
    started = now()
    watching = [*probes, *([traffic] if traffic is not None else [])]
    watch = Watch(watching, sides, cell) if watching else None
    with watch if watch is not None else nullcontext():
        done = sides.client.drive(
            cell.call,
            cell.arguments,
            calls=length.calls,
            seconds=length.seconds,
            limit_seconds=limit_seconds(cell.load),
            think_ns=cell.load.think_ns,
            schedule=schedule,
            burn_ns=burn_ns,
            clients=clients,
            over=watch.over if watch is not None and probes else None,
        )
    after = counted_after(sides, done)
    found = watch.within(done) if watch is not None else {}
    return {
        "started": started,
        "done": lean(done),
        "counted": told_counts(before, after, found),
        "behind": told_behind(behind, sides.backend_counts),
        "agree": None if after is None else oracle.agree(cell.call, done, after),
        **found,
    }


def lean(done: Any) -> dict[str, Any]:  # noqa: ANN401 - a Done
    """A drive as the journal keeps it: without what follows from its place."""
    return {key: value for key, value in done.items() if key not in ("is", "id") and (key != "intervals" or value)}
