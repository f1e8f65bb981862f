"""Warming up: short pieces of the call that is to be measured, until its rate settles."""

from callbench.adapter import Adapter
from callbench.cell import Cell

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
