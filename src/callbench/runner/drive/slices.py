"""One slice: drive a cell for about 20 ms, with counts of both sides. Also the length of a cell's slices."""

import math
from collections.abc import Sequence
from contextlib import nullcontext
from dataclasses import dataclass
from pathlib import Path
from typing import cast

from callbench.adapter import oracle
from callbench.adapter.stack.sides import Sides
from callbench.model.cell import Cell, Load
from callbench.runner.measure.probe import Probe, TrialProbes
from callbench.runner.measure.traffic import Traffic
from callbench.runner.measure.trial import (
    counted_after,
    journal_form,
    limit_seconds,
    reported_backend_counts,
    reported_counts,
)
from callbench.store.head import now
from callbench.store.lines.rounds import SliceSeen

# Seconds: long enough for many short calls, and short enough that a drifting machine hardly changes meanwhile.
SLICE_SECONDS = 0.02
# A call that takes so many seconds is made once per slice and client: over such a slow line it hardly varies.
LONG_CALL_SECONDS = 0.5
# A cell with so many seconds and slices in a fork needs no more.
ENOUGH_SECONDS, ENOUGH_SLICES = 3.0, 2
# Unless a claim about a percentile needs more calls: then it is given up after so many.
CLAIMED_SECONDS = 30.0
# Bursts of a schedule, the queue behind them, and think times need longer slices.
OPEN_SECONDS = 0.2
ARRIVALS = 50
THOUGHTS = 4
# A watched slice is longer, because the probes read /proc ten times a second.
WATCHED_SECONDS = 0.1


@dataclass(frozen=True)
class Length:
    """The length of a slice: at least so many seconds, and at least so many calls."""

    seconds: float
    calls: int


def length_of(load: Load, least_s: float = SLICE_SECONDS, *, slow: bool = False) -> Length:
    """Return the length of a slice.

    Args:
        load: of the cell.
        least_s: the least length in seconds.
        slow: whether a single call takes seconds, by the server's card.
    """
    if load.rate_per_s:
        seconds = max(least_s, min(load.seconds, max(OPEN_SECONDS, max(ARRIVALS, load.slice_calls) / load.rate_per_s)))
        return Length(seconds, max(1, math.ceil(load.rate_per_s * seconds)))
    seconds = max(least_s, THOUGHTS * load.think_ns / 1e9)
    return Length(seconds, load.clients * (1 if slow or (load.think_ns and not load.fork_calls) else load.slice_calls))


def shorten(length: Length, load: Load, call_s: float) -> Length:
    """Shorten the slice of a slow call. `call_s` is its duration in seconds; 0: unknown."""
    if call_s < LONG_CALL_SECONDS or load.open:
        return length
    return Length(length.seconds, min(length.calls, load.clients))


def has_enough_slices(driven_s: float, slices: int, *, lacks_calls: bool = False) -> bool:
    """Return whether a cell needs no further slice in its fork.

    Args:
        driven_s: seconds of its slices so far.
        slices: their number.
        lacks_calls: whether a claim about the cell needs more calls than they have.
    """
    return slices >= ENOUGH_SLICES and driven_s >= (CLAIMED_SECONDS if lacks_calls else ENOUGH_SECONDS)


def drive_slice(  # noqa: PLR0913 - what is driven, how long, and who watches
    sides: Sides,
    cell: Cell,
    length: Length,
    *,
    clients: int | None = None,
    schedule: Path | None = None,
    burn_ns: int = 0,
    probes: Sequence[Probe] = (),
    traffic: Traffic | None = None,
) -> SliceSeen:
    """Drive one slice with the connected clients. Return its journal record, without its place in the plan.

    Args:
        sides: the processes of both sides.
        cell: what to drive.
        length: the length of the slice.
        clients: how many of the connected clients call; None: all.
        schedule: the arrivals of an open loop.
        burn_ns: how much longer each call keeps its client busy.
        probes: the probes of this slice.
        traffic: reads what the link carries; None: there is no link.

    Raises:
        AdapterFailure: a side failed, so there is no slice.
    """
    before = sides.counted()
    behind = sides.backend_counts
    started = now()
    watching = [*probes, *([traffic] if traffic is not None else [])]
    watch = TrialProbes(watching, sides, cell) if watching else None
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
            on_window_end=watch.so_far if watch is not None and probes else None,
        )
    after = counted_after(sides, done)
    watched = watch.within(done) if watch is not None else {}
    seen = SliceSeen(
        started=started,
        done=journal_form(done),
        counted=reported_counts(before, after, watched),
        backend=reported_backend_counts(behind, sides.backend_counts),
        agree=None if after is None else oracle.agree(cell.call, done, after),
    )
    return cast("SliceSeen", {**seen, **watched})
