"""Warming up: short pieces of the call that is to be measured, until its rate has stopped rising."""

from callbench.adapter import Adapter
from callbench.cell import Cell
from callbench.stats.steady import settled

LIMIT_SECONDS = 60.0
# Of the whole warm-up, as a multiple of the trial, and at least so long: a just-in-time compiler takes seconds.
_TRIALS_LONG = 5.0
_LIMIT_LEAST = 1.0
_LIMIT_MOST = 20.0
# What a runtime compiled for one cell serves the next cell of the same operation: that needs so much of the least time
# again, for its sizes.
_AGAIN = 0.1
_PIECES = 60


def warmed_up(client: Adapter, cell: Cell) -> list[tuple[int, int]]:
    """Drives short pieces of the cell's call until they do not get faster any more, or the limit is reached.

    A language whose runtime compiles while it runs asks for a least time in its manifest (`warm_up_seconds`): its curve
    has flat pieces between its steps. It compiles operations, not their arguments, so the least time is asked once of
    each operation in the life of a client, and a tenth of it of each further cell.

    Returns:
        Calls answered and nanoseconds of each piece: the warm-up curve.

    Raises:
        AdapterFailure: the client failed.
    """
    operation = operation_of(cell)
    had_s = client.warmed_s.get(operation, 0.0)
    least_s = least_seconds(client.warm_up_seconds, had_s)
    # A piece costs the core some milliseconds besides: a long warm-up is made of longer ones.
    piece_s = min(max(cell.load.seconds / 10, 0.01, least_s / _PIECES), 0.1)
    limit_s = max(2 * least_s, longest(cell.load.seconds))
    pieces: list[tuple[int, int]] = []
    passed_s = 0.0
    while passed_s < limit_s and (passed_s < least_s or not settled(rates_of_pieces(pieces))):
        done = client.drive(
            cell.call, cell.arguments, calls=cell.load.clients, seconds=piece_s, limit_seconds=LIMIT_SECONDS
        )
        pieces.append((done["calls"], done["elapsed_ns"]))
        passed_s += done["elapsed_ns"] / 1e9
        # Where not one call is answered there is nothing to become faster.
        if not done["calls"]:
            break
    client.warmed_s[operation] = had_s + passed_s
    return pieces


def operation_of(cell: Cell) -> str:
    """Name what a runtime compiles: the call, with the type that it sends."""
    return f"{cell.call} {cell.arguments.get('type', '')}".strip()


def longest(trial_s: float) -> float:
    """Say how many seconds a warm-up takes at the most, before a trial of so many, where no runtime asks for more."""
    return min(max(_TRIALS_LONG * trial_s, _LIMIT_LEAST), _LIMIT_MOST)


def least_seconds(wanted_s: float, had_s: float) -> float:
    """Say how long a cell is warmed up at least, where its operation was warmed up for `had_s` seconds before."""
    return max(wanted_s - had_s, _AGAIN * wanted_s)


def rates_of_pieces(pieces: list[tuple[int, int]]) -> list[float]:
    """Calls a second of each piece."""
    return [calls / (elapsed_ns / 1e9) for calls, elapsed_ns in pieces if elapsed_ns > 0]
