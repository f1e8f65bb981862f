"""Warming up: pieces of the call that is to be measured, until a stated test says that its rate is steady.

A stack whose runtimes compile nothing while they run gets a few short pieces until it does not get faster. Where a
side's runtime compiles, the test is that of `stats.warmed`, over seconds, with the compiler's own time beside it.
"""

from dataclasses import asdict, dataclass, field
from typing import Any

from callbench.adapter.stack.sides import Sides
from callbench.model.cell import Cell
from callbench.runner.measure.compiler import CompilerTime
from callbench.stats.steady import settled
from callbench.stats.warmed import AGAIN_SECONDS, FIRST_SECONDS, OTHER_SECONDS, Look, Piece, look

# Of a drive that does not end by itself.
LIMIT_SECONDS = 60.0
# Where nothing compiles: the whole warm-up as a multiple of the trial, at least and at most so long.
_TRIALS_LONG = 5.0
_LIMIT_LEAST = 1.0
_LIMIT_MOST = 20.0
# Where a runtime compiles: for one operation in the life of a pair of processes, and for each further cell of it.
COMPILING_LIMIT_SECONDS = 60.0
FURTHER_LIMIT_SECONDS = 10.0
# A piece costs the core some milliseconds besides; a short warm-up needs shorter ones to have enough of them.
_PIECE_SECONDS = 0.2
_PIECE_AGAIN_SECONDS = 0.1

STEADY, LIMIT, SILENT, SKIPPED = "steady", "limit", "nothing answered", "not warmed up"


@dataclass(frozen=True)
class WarmUp:
    """How a warm-up went.

    Attributes:
        compiles: whether a side's runtime compiles while it runs.
        steady: whether the test said steady; None where there was too little to test.
        ended: why it ended: `steady`, `limit`, `nothing answered`, `not warmed up`.
        why: what was still going on at its end, or nothing.
        limit_s: after how many seconds it would have ended in any case.
        before_s: seconds for which the same operation had been driven before, by these processes.
        compiler_ns: processor time of the compiler meanwhile, by side.
        collector_ns: of the garbage collector.
        pieces: calls answered, nanoseconds, and the compiler's nanoseconds on the busiest side, of each piece.
    """

    compiles: bool
    steady: bool | None
    ended: str
    why: str
    limit_s: float
    before_s: float
    compiler_ns: dict[str, int] = field(default_factory=dict)
    collector_ns: dict[str, int] = field(default_factory=dict)
    pieces: list[tuple[int, int, int]] = field(default_factory=list)

    @property
    def seconds(self) -> float:
        """How long was driven."""
        return sum(elapsed_ns for _, elapsed_ns, _ in self.pieces) / 1e9

    @property
    def not_steady(self) -> str:
        """Why nothing that follows counts, or nothing: a phrase; before its colon stands the kind without figures."""
        if self.ended == SKIPPED:
            return "it was not warmed up"
        if self.compiles and self.ended == LIMIT:
            return f"its warm-up ended before it was steady: after {self.before_s + self.seconds:.0f} s {self.why}"
        return ""

    def record(self) -> dict[str, Any]:
        """As the journal has it, without the pieces."""
        said = {key: value for key, value in asdict(self).items() if key != "pieces"}
        return {**said, "seconds": self.seconds, "calls": sum(calls for calls, _, _ in self.pieces)}


def warmed_up(sides: Sides, cell: Cell, clients: int | None = None) -> WarmUp:
    """Drives pieces of the cell's call until its rate is steady, or the limit is reached.

    Args:
        sides: the processes of both, connected.
        cell: whose call is driven.
        clients: how many of those connected call; None: all.

    Raises:
        AdapterFailure: a side failed.
    """
    clock = CompilerTime(sides)
    compiles = sides.compiles or clock.compiles
    operation = operation_of(cell)
    had_s = sides.warmed_s.get(operation, 0.0)
    least_s = _least_s(operation, sides)
    limit_s = _limit_s(cell, sides, had_s, compiles=compiles)
    if not limit_s:
        return WarmUp(compiles, None, SKIPPED, "", 0.0, had_s)
    piece_s = _piece_s(cell, least_s, compiles=compiles)
    pieces: list[tuple[int, int, int]] = []
    ended, passed_s, before_ns = LIMIT, 0.0, 0
    while passed_s < limit_s:
        done = sides.client.drive(
            cell.call,
            cell.arguments,
            calls=cell.load.clients,
            seconds=piece_s,
            limit_seconds=LIMIT_SECONDS,
            clients=clients,
        )
        compiler_ns = max((one.compiler_ns for one in clock.took().values()), default=0) if compiles else 0
        pieces.append((done["calls"], done["elapsed_ns"], max(0, compiler_ns - before_ns)))
        passed_s, before_ns = passed_s + done["elapsed_ns"] / 1e9, compiler_ns
        # Where not one call is answered there is nothing to become faster.
        if not done["calls"]:
            ended = SILENT
            break
        if looked(pieces, least_s).steady if compiles else settled(rates_of_pieces(pieces)):
            ended = STEADY
            break
    sides.warmed_s[operation] = had_s + passed_s
    if ended == STEADY:
        sides.steady.add(operation)
    took = clock.took() if compiles else {}
    last = looked(pieces, least_s) if compiles else None
    return WarmUp(
        compiles,
        ended == STEADY if last is not None or len(pieces) >= 4 else None,
        ended,
        "" if ended == STEADY or last is None else last.why_not,
        limit_s,
        had_s,
        {side: one.compiler_ns for side, one in took.items()},
        {side: one.collector_ns for side, one in took.items()},
        pieces,
    )


def looked(pieces: list[tuple[int, int, int]], least_s: float) -> Look:
    """What the test says of a curve as the journal has it."""
    return look([Piece(calls, ns / 1e9, compiler_ns / 1e9) for calls, ns, compiler_ns in pieces if ns > 0], least_s)


def operation_of(cell: Cell) -> str:
    """Name what a runtime compiles: the call, with the type that it sends."""
    return f"{cell.call} {cell.arguments.get('type', '')}".strip()


def longest(trial_s: float) -> float:
    """Say how many seconds a warm-up takes at the most, before a trial of so many, where nothing compiles."""
    return min(max(_TRIALS_LONG * trial_s, _LIMIT_LEAST), _LIMIT_MOST)


def _least_s(operation: str, sides: Sides) -> float:
    """How many seconds the test of a stack that compiles needs at least, by what its processes did before."""
    if operation in sides.steady:
        return AGAIN_SECONDS
    return OTHER_SECONDS if sides.steady else FIRST_SECONDS


def _limit_s(cell: Cell, sides: Sides, had_s: float, *, compiles: bool) -> float:
    """The limit of one cell's warm-up, in seconds; 0: none is wanted."""
    asked_s = sides.warm_up_limit_s
    if not compiles:
        usual_s = longest(cell.load.seconds)
        return usual_s if asked_s is None else min(usual_s, asked_s)
    most_s = COMPILING_LIMIT_SECONDS if asked_s is None else asked_s
    return max(most_s - had_s, min(FURTHER_LIMIT_SECONDS, most_s))


def _piece_s(cell: Cell, least_s: float, *, compiles: bool) -> float:
    """The least length of a piece, in seconds."""
    if compiles:
        return _PIECE_AGAIN_SECONDS if least_s <= AGAIN_SECONDS else _PIECE_SECONDS
    return min(max(cell.load.seconds / 10, 0.01), 0.1)


def rates_of_pieces(pieces: list[tuple[int, int, int]]) -> list[float]:
    """Calls a second of each piece."""
    return [calls / (elapsed_ns / 1e9) for calls, elapsed_ns, _ in pieces if elapsed_ns > 0]
