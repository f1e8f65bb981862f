"""Run a comparison: in each fork both candidates of a pair are started again. Each fork is on disk before the next."""

import math
import random
import secrets
import sys
import time
from collections.abc import Sequence
from contextlib import closing, suppress
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path

from callbench.adapter import placement
from callbench.adapter.placement import Placement
from callbench.catalog.catalogue import Catalogue
from callbench.catalog.study import own_servers
from callbench.catalog.study.own_servers import ServerOverrides
from callbench.model.cell import Cell
from callbench.model.errors import BadInput
from callbench.model.request import only_call
from callbench.runner.compare import tasks
from callbench.runner.compare.fork import (
    Amount,
    Cells,
    ComparedFork,
    ComparisonTask,
    Pair,
    ReferenceEcho,
    SideFailure,
    said_of_sides,
)
from callbench.runner.compare.operands import Candidate, candidates, pairs
from callbench.runner.machine import environment, idle_states
from callbench.runner.measure.host_monitor import GapDetector
from callbench.runner.reference.echoes import REFERENCE_CHANNEL, MachineState, available_echoes
from callbench.stats.estimate.percentile_calls import fewest_calls
from callbench.store.head import COMPARISON, as_file, folder, head, now
from callbench.store.lines.comparison import LeftOutLine, MetLine
from callbench.store.progress import ProgressFile
from callbench.store.record_writer import RecordWriter
from callbench.store.requested.comparison import RequestedComparison

# Seconds of a cell's load; only its slices are driven.
_CELL_SECONDS = 0.5
_TRIES = 2
# In so many forks, each side is also called without a pause: slices leave a server time to recover between them.
_SUSTAINED_FORKS, _SUSTAINED_SECONDS = 3, 0.5
# Each start has its own speed, so several forks are needed: with fewer than ten, intervals are wide. But slices vary
# more than starts, so a fork drives for so many times as long as it took to start.
LEAST_FORKS, MOST_FORKS = 10, 50
TIMES_STARTING = 3


@dataclass(frozen=True)
class ComparisonRequest:
    """The options of a comparison.

    Attributes:
        a: the first operand: the baseline of all ratios.
        calls: as given on the command line.
        study: a study whose groups give the calls instead, or None.
        clients: if empty: 1, or as the study says.
        seconds: duration of driving each cell, both sides and all rounds together.
        rounds: the number of forks; None: it depends on the duration of a start.
        hold_idle: whether to prevent deep idle states; None: if possible.
        server: how to call external servers, both in the same way; servers of a study as the study says.
    """

    a: str
    b: str
    calls: Sequence[str] = ()
    study: str | None = None
    groups: Sequence[str] = ()
    clients: Sequence[int] = ()
    seconds: float = 5.0
    rounds: int | None = None
    hold_idle: bool | None = None
    level: float = 0.01
    threshold: float = 0.02
    p99_threshold: float | None = 0.1
    seed: int | None = None
    server: ServerOverrides = field(default_factory=ServerOverrides)

    @property
    def tail_calls(self) -> int:
        """How many calls of each side, in all forks, give its p99 an interval; 0 if none is judged."""
        judged = self.p99_threshold is not None and math.isfinite(self.p99_threshold)
        return 2 * fewest_calls(0.99) if judged else 0


@dataclass(frozen=True)
class Prepared:
    """A comparison that can begin.

    Attributes:
        cells: of each pair, with the same id on both sides.
        echo: the raw echo of every round; None if it cannot run.
        seed: of the random order.
        hold_idle: whether deep idle states are prevented.
    """

    pairs: Sequence[Pair]
    cells: Sequence[Sequence[Cells]]
    echo: ReferenceEcho | None
    where: Placement
    seed: int
    hold_idle: bool


def prepare(request: ComparisonRequest, catalogue: Catalogue) -> Prepared:
    """Find what is compared.

    Raises:
        BadInput: an option is wrong.
    """
    catalogue, (a, b) = own_servers.with_named_servers(catalogue, (request.a, request.b), request.server)
    pairs_ = pairs(candidates(a, catalogue), candidates(b, catalogue))
    cells_ = (
        _supported_cells(pairs_, tasks.cells_of_study(request.study, request.groups, request.clients, _CELL_SECONDS))
        if request.study
        else tasks.cells_of_calls(request.calls or _default_calls(pairs_), request.clients, _CELL_SECONDS)
    )
    return Prepared(
        pairs_,
        _cells_of_pairs(pairs_, cells_),
        _reference_echo(catalogue),
        placement.choose_placement(),
        secrets.randbits(32) if request.seed is None else request.seed,
        _can_hold_idle_states(request.hold_idle),
    )


def create(request: ComparisonRequest, prepared: Prepared, out: Path | None) -> RecordWriter:
    """Make the folder of a comparison; None: `runs/compare-TIME`.

    Raises:
        BadInput: there is something already.
        CallbenchError: it cannot be written.
    """
    files = {
        "plan.json": _plan(prepared.pairs, prepared.cells),
        "environment.json": environment.record(prepared.where),
    }
    written = {name: as_file(value) for name, value in files.items()}
    return RecordWriter.create(folder(out, "compare"), _info(request, prepared), written)


def drive(run: RecordWriter, request: ComparisonRequest, prepared: Prepared) -> None:
    """Drive both candidates.

    Raises:
        CallbenchError: the folder cannot be written.
    """
    rng = random.Random(prepared.seed)  # noqa: S311 - an order to be repeated
    with idle_states.hold_idle_states(hold=prepared.hold_idle), GapDetector(prepared.where) as gaps:
        _Forks(run, prepared, rng).run(request, prepared.echo, gaps)


def _can_hold_idle_states(hold: bool | None) -> bool:
    """Return whether deep idle states are prevented.

    Raises:
        BadInput: it is requested and not possible.
    """
    if hold is False:
        return False
    try:
        with idle_states.hold_idle_states(hold=True):
            return True
    except BadInput:
        if hold:
            raise
        return False


def _reference_echo(catalogue: Catalogue) -> ReferenceEcho | None:
    """Return the raw echo over TCP, if it can run."""
    echo = available_echoes(catalogue).get(REFERENCE_CHANNEL)
    return ReferenceEcho(echo, catalogue.programs(echo)) if echo is not None else None


def _supported_cells(pairs_: Sequence[Pair], cells_: Sequence[Cell]) -> Sequence[Cell]:
    """Return the calls of a study that the compared external servers support.

    Raises:
        BadInput: there are none.
    """
    only = {call for pair in pairs_ for candidate in pair if (call := only_call(candidate.stack))}
    supported = [cell for cell in cells_ if not only - {cell.call}]
    if not supported:
        raise BadInput(f"no group of --study calls {' and '.join(sorted(only))}, which is what these servers answer")
    return supported


def _default_calls(pairs_: Sequence[Pair]) -> Sequence[str]:
    """Return the default calls: those that both of each pair support."""
    only = next((call for pair in pairs_ for candidate in pair if (call := only_call(candidate.stack))), None)
    return tasks.DEFAULT if only is None else (only,)


def _info(request: ComparisonRequest, prepared: Prepared) -> dict[str, object]:
    """Return the content of record.json."""
    requested = RequestedComparison(
        study=request.study or "",
        a=request.a,
        b=request.b,
        seconds=request.seconds,
        level=request.level,
        threshold=request.threshold,
        p99_threshold=request.p99_threshold,
        seed=prepared.seed,
        rounds=request.rounds,
        hold_idle=prepared.hold_idle,
        notes=request.server.notes,
    )
    return head(COMPARISON, f"{request.a} and {request.b}", asdict(requested))


def _cells_of_pairs(pairs_: Sequence[Pair], cells_: Sequence[Cell]) -> list[list[Cells]]:
    """Return the cells of every pair, with the same id on both sides."""
    cells: list[list[Cells]] = []
    for pair in pairs_:
        mine: list[Cells] = []
        for task in cells_:
            id_ = f"c{sum(map(len, cells)) + len(mine) + 1:03d}"
            mine.append((replace(task, id=id_, stack=pair[0].stack.id), replace(task, id=id_, stack=pair[1].stack.id)))
        cells.append(mine)
    return cells


def _plan(pairs_: Sequence[Pair], cells: Sequence[Sequence[Cells]]) -> dict[str, object]:
    """Return the content of plan.json."""
    return {
        "pairs": [
            {
                "a": _side(one),
                "b": _side(other),
                "cells": [_flat(both[0]) for both in mine],
            }
            for (one, other), mine in zip(pairs_, cells, strict=True)
        ]
    }


def _side(candidate: Candidate) -> dict[str, object]:
    """Return the plan's record of one side."""
    side = asdict(candidate.stack) | {
        "program": list(candidate.programs.client.program),
        "options": dict(candidate.options),
    }
    return side | ({"server_program": list(candidate.programs.server.program)} if candidate.stack.mixed else {})


def _flat(cell: Cell) -> dict[str, object]:
    """Return what both sides of a cell share."""
    return {
        "id": cell.id,
        "name": tasks.cell_name(cell),
        "call": cell.call,
        "arguments": dict(cell.arguments),
        "options": dict(cell.options),
        "clients": cell.load.clients,
    }


class _Forks:
    """The forks of a comparison in progress."""

    def __init__(self, run: RecordWriter, prepared: Prepared, rng: random.Random) -> None:
        """Prepare the forks."""
        self._run = run
        self._pairs = prepared.pairs
        self._cells = prepared.cells
        self._where = prepared.where
        self._rng = rng
        # Forks of each pair that is still compared; None until the first fork shows how long a start takes.
        self._forks: dict[int, int | None] = dict.fromkeys(range(len(prepared.pairs)))
        self._machine = MachineState()
        self._began = time.monotonic()

    def run(self, request: ComparisonRequest, reference_echo: ReferenceEcho | None, gaps: GapDetector) -> None:
        """Run all forks; `gaps` detects lost processors during slices.

        Raises:
            CallbenchError: the folder cannot be written.
        """
        count = sum(map(len, self._cells))
        _print(f"{count} cell{'s' * (count > 1)}: {count * request.seconds:.0f} s of calls at least")
        number = 0
        with closing(ProgressFile(self._run.path)) as kept:
            while left := [index for index, forks in self._forks.items() if forks is None or number < forks]:
                for index in self._rng.sample(left, len(left)):
                    sustained_s = _sustained_s(request.seconds) if number < _SUSTAINED_FORKS else 0.0
                    cells_ = ComparisonTask(
                        self._pairs[index], self._cells[index], reference_echo, number == 0, sustained_s
                    )
                    self._fork(number, index, cells_, request, gaps)
                number += 1
                self._show_progress(number, kept)

    def _show_progress(self, number: int, kept: ProgressFile) -> None:
        """Show the progress: always in the record, about ten times in all in the terminal."""
        most = max((forks or 0 for forks in self._forks.values()), default=0)
        kept.offer(lambda: {"doing": f"fork {number} of {most}", "fork": number, "forks": max(most, 1)})
        if number * 10 // max(most, 1) > (number - 1) * 10 // max(most, 1):
            _print(f"fork {number} of {most}: {time.monotonic() - self._began:.0f} s")

    def _fork(
        self, number: int, index: int, cells_: ComparisonTask, request: ComparisonRequest, gaps: GapDetector
    ) -> None:
        """Run one fork of a pair. A pair that fails twice in a row is excluded."""

        def amount_of(started_s: float) -> Amount:
            if self._forks[index] is None:
                self._forks[index] = request.rounds or number_of_forks(request.seconds * len(cells_.cells), started_s)
            forks = self._forks[index] or 1
            return Amount(request.seconds / forks, math.ceil(request.tail_calls / forks))

        why, whys = "", dict[str, str]()
        for _ in range(_TRIES):
            started = now()
            try:
                made = ComparedFork(cells_, self._where, self._rng, self._machine, gaps).run(amount_of)
            except SideFailure as failure:
                why, whys = str(failure), whys | failure.whys
                continue
            self._run.append(MetLine(kind="met", round=number, pair=index, started=started, **made))
            return
        why = said_of_sides(whys) or why
        self._run.append(LeftOutLine(kind="excluded", pair=index, round=number, why=why, sides=sorted(whys)))
        del self._forks[index]
        _print(f"left out: {why}")


def _sustained_s(seconds: float) -> float:
    """Return for how long each half of the calls without a pause takes: all of them at most as long as the slices."""
    return min(_SUSTAINED_SECONDS, seconds / (_SUSTAINED_FORKS * len("AB") * 2))


def number_of_forks(seconds: float, started_s: float) -> int:
    """Return the number of forks.

    Args:
        seconds: driving time of all cells together.
        started_s: the duration of a start in seconds.
    """
    return max(LEAST_FORKS, min(MOST_FORKS, int(seconds / max(TIMES_STARTING * started_s, 1e-3))))


def _print(line: str) -> None:
    """Print a line of progress on stderr."""
    with suppress(BrokenPipeError):
        print(f"callbench: {line}", file=sys.stderr, flush=True)  # noqa: T201


def check_request(request: ComparisonRequest) -> ComparisonRequest:
    """Check that the options make sense together.

    Raises:
        BadInput: they do not.
    """
    if request.groups and not request.study:
        raise BadInput("--group needs --study: it chooses among a study's groups")
    if request.study and request.calls:
        raise BadInput("give either --call or --study")
    return request
