"""From what was counted of a side's processes to the shares that a verdict rests on."""

from collections.abc import Sequence
from typing import TypedDict

from callbench.stats.load.bottleneck import Side


class SideReading(TypedDict):
    """What was seen of one side's processes from outside, during one drive; times in nanoseconds.

    Attributes:
        seen_ns: of the drive's time, for how long they were watched.
        cpus: how many processors they may use.
        busiest_ns: what their busiest thread ran, None if threads could not be seen.
        neighbour_ns: what other processes ran on their processors.
    """

    elapsed_ns: int
    seen_ns: int
    cpus: int
    run_ns: int
    wait_ns: int
    busiest_ns: int | None
    neighbour_ns: int


def side_of(seen: Sequence[SideReading], own_ns: int | None, elapsed_ns: int) -> Side:
    """Put a side's values together: the larger of what its adapter says of itself and of what was seen from outside.

    An adapter speaks for its own process only, and what was seen by thread ends a little before the drive does.

    Args:
        seen: of each trial, from outside.
        own_ns: processor time as its adapter says it; None if no one does.
        elapsed_ns: how long it was driven.
    """
    time = sum(reading["elapsed_ns"] for reading in seen)
    if not seen or not time:
        return Side(busy=own_ns / elapsed_ns if own_ns is not None and elapsed_ns else None)
    capacity = sum(reading["elapsed_ns"] * max(1, reading["cpus"]) for reading in seen)
    watched = sum(reading["seen_ns"] for reading in seen)
    per_processor = capacity / time
    counted = sum(reading["run_ns"] for reading in seen) / (watched * per_processor) if watched else 0.0
    share = own_ns / (elapsed_ns * per_processor) if own_ns is not None and elapsed_ns else 0.0
    wanted = sum(reading["run_ns"] + reading["wait_ns"] for reading in seen)
    return Side(
        busy=min(1.0, max(counted, share)),
        thread=min(1.0, sum(reading["busiest_ns"] or 0 for reading in seen) / watched) if watched else None,
        waited=sum(reading["wait_ns"] for reading in seen) / wanted if wanted else 0.0,
        neighbours=min(1.0, sum(reading["neighbour_ns"] for reading in seen) / capacity),
    )
