"""One trial: warmed up, counted on both sides."""

from typing import Any

from callbench import judge
from callbench.adapter import Adapter
from callbench.cell import Cell
from callbench.run_writer import now
from callbench.sides import Sides

LIMIT_SECONDS = 60.0
_MOST_PIECES = 5
_STEADY = 0.10


def warmed_up(client: Adapter, cell: Cell) -> list[tuple[int, int]]:
    """Drives short pieces of the cell's call until two rates in a row agree within 10 %, at most five.

    Returns:
        Calls answered and nanoseconds of each piece.

    Raises:
        AdapterFailure: the client failed.
    """
    piece_s = min(max(cell.load.seconds / 10, 0.01), 0.1)
    pieces: list[tuple[int, int]] = []
    while len(pieces) < _MOST_PIECES and not _steady(pieces):
        done = client.drive(
            cell.call, cell.arguments, calls=cell.load.clients, seconds=piece_s, limit_seconds=LIMIT_SECONDS
        )
        pieces.append((done["calls"], done["elapsed_ns"]))
    return pieces


def _steady(pieces: list[tuple[int, int]]) -> bool:
    if len(pieces) < 2:
        return False
    before, last = (calls / elapsed_ns for calls, elapsed_ns in pieces[-2:])
    return abs(last - before) <= _STEADY * max(last, before)


def measured(sides: Sides, cell: Cell) -> dict[str, Any]:
    """Makes a trial with the clients connected. Returns what the journal has of it, but for its place in the plan.

    Raises:
        AdapterFailure: a side failed: there is no trial then.
    """
    pieces = warmed_up(sides.client, cell)
    before = sides.server.counted()
    started = now()
    done = sides.client.drive(
        cell.call,
        cell.arguments,
        calls=cell.load.calls,
        seconds=cell.load.seconds,
        limit_seconds=max(LIMIT_SECONDS, 10 * cell.load.seconds),
    )
    after = sides.server.counted()
    return {
        "started": started,
        "warm_up": pieces,
        "done": done,
        "counted": {
            "calls": after["calls"],
            "processor": {"start": before["processor"], "end": after["processor"]},
        },
        "agree": judge.agree(cell.call, done, after),
    }
