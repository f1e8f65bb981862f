"""The cold start: what the first calls of a server and a client that were both just started take."""

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from callbench.adapter.stack.sides import Sides
from callbench.model.cell import Cell
from callbench.model.errors import AdapterFailure
from callbench.runner.measure.compiler import CompilerTime
from callbench.runner.measure.warm_up import operation_of

if TYPE_CHECKING:
    from callbench.adapter.contract import Done

THOUSAND = 1_000
_SECOND_NS = 1_000_000_000
# A thousand calls may take longer than one wants to wait; where nothing compiles, cold is soon over.
_LIMIT_COMPILING_S = 10.0
_LIMIT_S = 0.5
# No stack becomes so many times as quick within the limit as it was in its first second.
MOST_QUICKER = 5


def first_of(cells: Sequence[Cell]) -> Cell:
    """The cell whose call is made cold: the first in the study's order, the same in every block."""
    return min(cells, key=lambda cell: cell.id)


def cold(sides: Sides, cell: Cell, judge: Callable[[Cell], None] | None) -> dict[str, Any] | None:
    """Makes the first calls, by the one client that is connected. Gives what the journal has of them.

    The first call is driven alone, then up to a thousand, where the first second shows that they can be had within the
    limit, then what is left of that second where a side's runtime compiles. Time between these drives, some
    milliseconds, is not in it. Answers are checked as in a trial; they are judged in full afterwards, and a stack that
    answers wrongly is left out with everything that was measured of it.

    Args:
        sides: the processes, served and connected with one client.
        cell: whose call is made.
        judge: makes one call first where the client has nothing to check answers by before; else None.

    Returns:
        None where the call cannot be made.

    Raises:
        AdapterFailure: a side died.
    """
    compiles = sides.compiles or CompilerTime(sides).compiles
    try:
        if judge is not None:
            judge(cell)
        drives = list(_drives(sides, cell, _LIMIT_COMPILING_S if compiles else _LIMIT_S, whole_second=compiles))
    except AdapterFailure:
        if sides.broken:
            raise
        return None
    driven_ns = sum(done["elapsed_ns"] for done in drives)
    sides.warmed_s[operation_of(cell)] = driven_ns / 1e9
    first = drives[0]
    return {
        "cell": cell.id,
        "call": cell.call,
        "calls_before": int(judge is not None),
        "first_call_ns": first["elapsed_ns"] if first["calls"] == 1 else None,
        "first_second_calls": _first_second(drives),
        "thousand_calls_ns": _thousand(drives),
        "errors": sum(sum(done["errors"].values()) for done in drives),
        "driven_ns": driven_ns,
    }


def _drives(sides: Sides, cell: Cell, limit_s: float, *, whole_second: bool) -> "list[Done]":
    """One call, then up to a thousand within the first second, then the rest of them, or of the second."""
    drives: list[Done] = []

    def drive(calls: int, until_s: float, *, whole: bool = False) -> None:
        left_s = until_s - sum(done["elapsed_ns"] for done in drives) / 1e9
        if left_s > 0 and calls > 0:
            seconds, limit_seconds = (left_s, 60.0) if whole else (0.0, left_s)
            drives.append(
                sides.client.drive(cell.call, cell.arguments, calls=calls, seconds=seconds, limit_seconds=limit_seconds)
            )

    drive(1, limit_s)
    drive(THOUSAND - 1, min(limit_s, 1))
    made = sum(done["calls"] for done in drives)
    # What waits for a far link never comes to a thousand within the limit.
    if made * limit_s * MOST_QUICKER >= THOUSAND:
        drive(THOUSAND - made, limit_s)
    if whole_second:
        drive(1, 1, whole=True)
    return drives


def _thousand(drives: "Sequence[Done]") -> int | None:
    """Nanoseconds of the first thousand calls, None where fewer were answered."""
    calls = elapsed_ns = 0
    for done in drives:
        calls, elapsed_ns = calls + done["calls"], elapsed_ns + done["elapsed_ns"]
        if calls >= THOUSAND:
            return elapsed_ns
    return None


def _first_second(drives: "Sequence[Done]") -> int | None:
    """Calls of the first second, None where less was driven; between two of the counts, ten a second, evenly spread."""
    points, at_ns, calls = [(0, 0)], 0, 0
    for done in drives:
        points += [(at_ns + at, calls + count) for at, count, _ in done["intervals"] if at < done["elapsed_ns"]]
        at_ns, calls = at_ns + done["elapsed_ns"], calls + done["calls"]
        points.append((at_ns, calls))
    # The last drive ends with the second, to the clock's and the last call's length.
    if at_ns < 0.99 * _SECOND_NS:
        return None
    behind = next((place for place, point in enumerate(points) if point[0] >= _SECOND_NS), None)
    if behind is None:
        return calls
    (before_ns, before), (after_ns, after) = points[behind - 1], points[behind]
    return round(before + (after - before) * (_SECOND_NS - before_ns) / (after_ns - before_ns))
