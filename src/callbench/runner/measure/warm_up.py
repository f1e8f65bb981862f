"""Warm-up: drive pieces of a cell's call until a fixed test says that its rate is steady.

A stack without a compiling runtime gets a few short pieces until it no longer becomes faster. With a compiling runtime
the test is that of `stats.warmed`: it takes seconds, and includes the compiler's own time.
"""

from dataclasses import dataclass, field

from callbench.adapter.stack.sides import Sides
from callbench.model.cell import Cell
from callbench.runner.measure.compiler import CompilerTime
from callbench.stats.steady.steady import settled
from callbench.stats.steady.warmed import AGAIN_SECONDS, FIRST_SECONDS, OTHER_SECONDS, WarmUpFit, WarmUpSegment, look
from callbench.store.lines.starts import WarmUpRecord

# Seconds for a drive that does not end by itself.
LIMIT_SECONDS = 60.0
# Without a compiler: the warm-up as a multiple of the trial, and its shortest and longest time in seconds.
_TRIALS_LONG = 5.0
_LIMIT_LEAST = 1.0
_LIMIT_MOST = 20.0
# With a compiler: seconds for the first cell of an operation on a pair of processes, and for each further cell.
COMPILING_LIMIT_SECONDS = 60.0
FURTHER_LIMIT_SECONDS = 10.0
# Each piece also costs the core some milliseconds. A short warm-up needs shorter pieces to have enough of them.
_PIECE_SECONDS = 0.2
_PIECE_AGAIN_SECONDS = 0.1

STEADY, LIMIT, SILENT, SKIPPED = "steady", "limit", "nothing answered", "not warmed up"


@dataclass(frozen=True)
class WarmUp:
    """How a warm-up went.

    Attributes:
        compiles: whether a side's runtime compiles while it runs.
        steady: whether the test was passed; None if there was too little to test.
        ended: why it ended: `steady`, `limit`, `nothing answered`, `not warmed up`.
        why: what was not steady at its end, or "".
        limit_s: seconds after which it would have ended in any case.
        before_s: seconds for which these processes had driven the same operation before.
        compiler_ns: processor time of the compiler, by side.
        collector_ns: processor time of the garbage collector, by side.
        pieces: successful calls, nanoseconds, and nanoseconds of the busiest side's compiler, of each piece.
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
        """Seconds of driving."""
        return sum(elapsed_ns for _, elapsed_ns, _ in self.pieces) / 1e9

    @property
    def not_steady(self) -> str:
        """Why the following trial does not count, or "". The part before a colon is the kind of reason."""
        if self.ended == SKIPPED:
            return "it was not warmed up"
        if self.compiles and self.ended == LIMIT:
            return f"its warm-up ended before it was steady: after {self.before_s + self.seconds:.0f} s {self.why}"
        return ""

    def record(self) -> WarmUpRecord:
        """Return the journal record, without the pieces."""
        return WarmUpRecord(
            compiles=self.compiles,
            steady=self.steady,
            ended=self.ended,
            why=self.why,
            limit_s=self.limit_s,
            before_s=self.before_s,
            compiler_ns=self.compiler_ns,
            collector_ns=self.collector_ns,
            seconds=self.seconds,
            calls=sum(calls for calls, _, _ in self.pieces),
        )


def warm_up_cell(sides: Sides, cell: Cell, clients: int | None = None) -> WarmUp:
    """Drive pieces of the cell's call until its rate is steady or the limit is reached.

    Args:
        sides: the connected processes of both sides.
        cell: the cell of the call.
        clients: how many of the connected clients call; None: all.

    Raises:
        AdapterFailure: a side failed.
    """
    clock = CompilerTime(sides)
    compiles = sides.compiles or clock.compiles
    operation = operation_of(cell)
    before_s = sides.warmed_s.get(operation, 0.0)
    least_s = _least_s(operation, sides)
    limit_s = _limit_s(cell, sides, before_s, compiles=compiles)
    if not limit_s:
        return WarmUp(compiles, None, SKIPPED, "", 0.0, before_s)
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
        compiler_ns = max((spent.compiler_ns for spent in clock.read().values()), default=0) if compiles else 0
        pieces.append((done["calls"], done["elapsed_ns"], max(0, compiler_ns - before_ns)))
        passed_s, before_ns = passed_s + done["elapsed_ns"] / 1e9, compiler_ns
        # If no call succeeds, nothing can become faster.
        if not done["calls"]:
            ended = SILENT
            break
        if steadiness_of(pieces, least_s).steady if compiles else settled(rates_of_pieces(pieces)):
            ended = STEADY
            break
    sides.warmed_s[operation] = before_s + passed_s
    if ended == STEADY:
        sides.steady.add(operation)
    took = clock.read() if compiles else {}
    last = steadiness_of(pieces, least_s) if compiles else None
    return WarmUp(
        compiles=compiles,
        steady=ended == STEADY if last is not None or len(pieces) >= 4 else None,
        ended=ended,
        why="" if ended == STEADY or last is None else last.why_not,
        limit_s=limit_s,
        before_s=before_s,
        compiler_ns={side: spent.compiler_ns for side, spent in took.items()},
        collector_ns={side: spent.collector_ns for side, spent in took.items()},
        pieces=pieces,
    )


def steadiness_of(pieces: list[tuple[int, int, int]], least_s: float) -> WarmUpFit:
    """Return the test's result for the pieces of a journal record."""
    return look(
        [WarmUpSegment(calls, ns / 1e9, compiler_ns / 1e9) for calls, ns, compiler_ns in pieces if ns > 0], least_s
    )


def operation_of(cell: Cell) -> str:
    """Return what a runtime compiles as one operation: the call, with the type that it sends."""
    return f"{cell.call} {cell.arguments.get('type', '')}".strip()


def longest_warm_up(trial_s: float) -> float:
    """Return the longest warm-up before a trial of so many seconds without a compiler, in seconds."""
    return min(max(_TRIALS_LONG * trial_s, _LIMIT_LEAST), _LIMIT_MOST)


def _least_s(operation: str, sides: Sides) -> float:
    """Return the least seconds that the test needs, depending on what the processes did before."""
    if operation in sides.steady:
        return AGAIN_SECONDS
    return OTHER_SECONDS if sides.steady else FIRST_SECONDS


def _limit_s(cell: Cell, sides: Sides, before_s: float, *, compiles: bool) -> float:
    """Return the limit of one cell's warm-up in seconds; 0: no warm-up."""
    asked_s = sides.warm_up_limit_s
    if not compiles:
        usual_s = longest_warm_up(cell.load.seconds)
        return usual_s if asked_s is None else min(usual_s, asked_s)
    most_s = COMPILING_LIMIT_SECONDS if asked_s is None else asked_s
    return max(most_s - before_s, min(FURTHER_LIMIT_SECONDS, most_s))


def _piece_s(cell: Cell, least_s: float, *, compiles: bool) -> float:
    """Return the least length of a piece in seconds."""
    if compiles:
        return _PIECE_AGAIN_SECONDS if least_s <= AGAIN_SECONDS else _PIECE_SECONDS
    return min(max(cell.load.seconds / 10, 0.01), 0.1)


def rates_of_pieces(pieces: list[tuple[int, int, int]]) -> list[float]:
    """Return the calls per second of each piece."""
    return [calls / (elapsed_ns / 1e9) for calls, elapsed_ns, _ in pieces if elapsed_ns > 0]
