"""The cold start: the first calls of a server and a client that have both just started."""

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from callbench.adapter.stack.sides import Sides
from callbench.model.cell import Cell
from callbench.model.errors import AdapterFailure
from callbench.runner.measure.compiler import CompilerTime
from callbench.runner.measure.warm_up import operation_of
from callbench.store.lines.starts import ColdRecord

if TYPE_CHECKING:
    from callbench.adapter.contract import Done

THOUSAND = 1_000
_SECOND_NS = 1_000_000_000
# Limits in seconds, because a thousand calls may take long; without a compiler the cold phase is short.
_LIMIT_COMPILING_S = 10.0
_LIMIT_S = 0.5
# No stack becomes more than so many times faster after its first second.
MOST_SPEED_UP = 5


def first_of(cells: Sequence[Cell]) -> Cell:
    """Return the cell whose call is measured: the first in the study's order, the same in every fork."""
    return min(cells, key=lambda cell: cell.id)


def measure_cold_start(sides: Sides, cell: Cell, judge: Callable[[Cell], None] | None) -> ColdRecord | None:
    """Make the first calls with one connected client. Return the journal record.

    The first call is driven alone. Then up to a thousand calls follow, if the first second shows that they fit into the
    limit, and the rest of that second if a runtime compiles. The milliseconds between these drives do not count.
    Answers are checked as in a trial and verified in full later. A stack that answers wrongly is excluded with all of
    its values.

    Args:
        sides: the processes, served and connected with one client.
        cell: the cell of the call.
        judge: makes one call first, if the client needs an answer to compare with; else None.

    Returns:
        None if the call fails.

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
    return ColdRecord(
        cell=cell.id,
        call=cell.call,
        calls_before=int(judge is not None),
        first_call_ns=first["elapsed_ns"] if first["calls"] == 1 else None,
        first_second_calls=_first_second_calls(drives),
        thousand_calls_ns=_first_thousand_ns(drives),
        errors=sum(sum(done["errors"].values()) for done in drives),
        driven_ns=driven_ns,
    )


def _drives(sides: Sides, cell: Cell, limit_s: float, *, whole_second: bool) -> "list[Done]":
    """Drive one call, then up to a thousand in the first second, then the remaining ones or the rest of it."""
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
    calls_made = sum(done["calls"] for done in drives)
    # Skip it if a thousand calls over a slow link do not fit into the limit.
    if calls_made * limit_s * MOST_SPEED_UP >= THOUSAND:
        drive(THOUSAND - calls_made, limit_s)
    if whole_second:
        drive(1, 1, whole=True)
    return drives


def _first_thousand_ns(drives: "Sequence[Done]") -> int | None:
    """Return the nanoseconds of the first thousand calls; None if fewer succeeded."""
    calls = elapsed_ns = 0
    for done in drives:
        calls, elapsed_ns = calls + done["calls"], elapsed_ns + done["elapsed_ns"]
        if calls >= THOUSAND:
            return elapsed_ns
    return None


def _first_second_calls(drives: "Sequence[Done]") -> int | None:
    """Return the calls of the first second, interpolated between ten counts a second; None if it was shorter."""
    points, at_ns, calls = [(0, 0)], 0, 0
    for done in drives:
        points += [(at_ns + at, calls + count) for at, count, _ in done["intervals"] if at < done["elapsed_ns"]]
        at_ns, calls = at_ns + done["elapsed_ns"], calls + done["calls"]
        points.append((at_ns, calls))
    # The last drive ends with the second, except for the precision of the clock and the last call.
    if at_ns < 0.99 * _SECOND_NS:
        return None
    behind = next((place for place, point in enumerate(points) if point[0] >= _SECOND_NS), None)
    if behind is None:
        return calls
    (before_ns, before), (after_ns, after) = points[behind - 1], points[behind]
    return round(before + (after - before) * (_SECOND_NS - before_ns) / (after_ns - before_ns))
