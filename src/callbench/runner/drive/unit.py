"""A unit of a fork: one stack, started once over one link, alive with others and driven in slices."""

import time
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Self

from callbench.adapter.network.host import Hosts
from callbench.adapter.placement import Placement
from callbench.adapter.stack import side_processes
from callbench.adapter.stack.sides import Sides
from callbench.catalog.manifest import Programs
from callbench.catalog.reach import LOOPBACK
from callbench.model.cell import Cell, Stack
from callbench.runner.drive.running_stack import BASIC_CHECKS, Checks, RunningStack
from callbench.runner.drive.slices import LONG_CALL_SECONDS, SLICE_SECONDS, Length
from callbench.runner.machine import idle_processes
from callbench.runner.measure.compiler import CompilerTime
from callbench.runner.measure.warm_up import STEADY, WarmUp, operation_of, warm_up_cell
from callbench.stats.estimate.digits import percent
from callbench.stats.steady.warmed import BUSY
from callbench.store.lines.forks import UnitRecord

# After a slice, its compilers are looked at so often; and waited for so long at most, after one slice and in all.
_LOOK_S = 0.005
_MOST_WAITED_A_SLICE_NS = 1_000_000_000
_MOST_WAITED_NS = 20_000_000_000


@dataclass(frozen=True)
class UnitRequest:
    """What to start.

    Attributes:
        name: unique in the fork.
        cells: the cells that it is started for. Each of their calls is made once before anything is timed.
        options: options of the server.
        cold: whether the cold start is measured.
        checks: calls that are checked before anything is timed, besides those of the cells.
    """

    name: str
    stack: Stack
    programs: Programs
    cells: tuple[Cell, ...]
    link: str
    options: Mapping[str, object] = field(default_factory=dict)
    cold: bool = False
    checks: Checks = BASIC_CHECKS


class Unit:
    """A started stack. Close it.

    Attributes:
        request: the request that it was started for.
        start: the number of this start in the run; None: the journal has no line about it.
        running: its processes: served, verified and connected.
        paused: whether it is paused between its slices.
        spins: whether its sides wait by polling. Unless paused, they then use a whole processor.
        compiler_ns: processor time of the busier side's compiler in the last slice.
    """

    def __init__(self, request: UnitRequest, placement: Placement, hosts: Hosts, sides: Sides | None = None) -> None:
        """Start, verify and connect the stack. `sides` are its processes, if they were started earlier.

        Raises:
            AdapterFailure: a side failed, or an answer is wrong.
        """
        self.request = request
        self.start: int | None = None
        self.paused = False
        self._stopped = self._warm = False
        self._idle_usage: idle_processes.IdleUsage | None = None
        self._compiler: CompilerTime | None = None
        # Compiler time of each side within slices, and the duration of these slices.
        self._compiled_ns: Counter[str] = Counter()
        self._compiled_before: Mapping[str, int] = {}
        # How long compilers were waited for after slices.
        self._waited_ns = 0
        self.compiler_ns = 0
        self._driven_ns = 0
        self._most = _most_clients(request.cells)
        # Duration of a call during the warm-up of its cell, in seconds, by cell.
        self._call_s: dict[str, float] = {}
        self.running = RunningStack(
            request.programs,
            request.stack,
            request.cells,
            placement,
            hosts,
            options=request.options,
            cold=request.cold,
            checks=request.checks,
            sides=sides,
        )
        self._pids: tuple[int, ...] = ()
        # Processes of an external server are never paused.
        self._ours = self.running.sides.external is None
        self.spins = str(request.stack.card.get("waits", "")).startswith("spins")

    @property
    def name(self) -> str:
        """Unique in the fork."""
        return self.request.name

    @property
    def broken(self) -> bool:
        """Whether a side died or broke the contract."""
        return self.running.sides.broken

    def connect(self, cell: Cell) -> int:
        """Connect the clients of a cell, unless they are connected. Return how many of them must call.

        All numbers of clients share their connections. A spinning stack has no connections that are not driven.
        """
        many = cell.load.clients if self.spins else self._most.get(str(cell.options), 1)
        many = max(many, cell.load.clients)
        self.running.connect(replace(cell, load=replace(cell.load, clients=many)))
        return cell.load.clients

    def warm(self, cell: Cell, length: Length) -> WarmUp | None:
        """Warm up a cell: to a steady rate if a runtime compiles, otherwise with a few calls that do not count.

        Native stacks are at full speed from the third millisecond on. If the operation was already steady with another
        cell, a few calls are enough too, because the rehearsal does the rest. Return how it went if a runtime compiles
        or the warm-up is switched off, else None.
        """
        self.wake()
        sides, operation = self.running.sides, operation_of(cell)
        try:
            clients = self.connect(cell)
            # A switched-off warm-up takes the same path: nothing counts then.
            if sides.warm_up_limit_s == 0 or (sides.compiles and operation not in sides.steady):
                return warm_up_cell(sides, cell, clients)
            seconds = length.seconds / (2 if sides.compiles else 4)
            done = sides.client.drive(
                cell.call, cell.arguments, calls=cell.load.clients, seconds=seconds, clients=clients
            )
            self._call_s[cell.id] = clients * done["elapsed_ns"] / 1e9 / max(1, done["calls"])
            if not sides.compiles:
                return None
            before_s = sides.warmed_s.get(operation, 0.0)
            return WarmUp(compiles=True, steady=True, ended=STEADY, why="", limit_s=0.0, before_s=before_s)
        finally:
            self.pause()

    def needs_lead(self, cell: Cell) -> bool:
        """Return whether a few calls must precede each slice of a warmed-up cell.

        For a call as long as a slice, cold caches and sleeping threads do not matter. Over a link, an idle connection
        matters for longer calls too.
        """
        return self.call_s(cell) < (SLICE_SECONDS if cell.link == LOOPBACK else LONG_CALL_SECONDS)

    def call_s(self, cell: Cell) -> float:
        """Return the duration of a call for one client during the warm-up, in seconds; 0: unknown."""
        return self._call_s.get(cell.id, 0.0)

    def lead_in(self, cell: Cell, clients: int, seconds: float) -> None:
        """Make a few calls that do not count: they wake threads and fill caches."""
        self.running.sides.client.lead_in(cell.call, cell.arguments, seconds, clients)

    def start_idle_watch(self) -> None:
        """Start to measure what the unit uses while it is not driven."""
        self._pids = side_processes.processes_of(self.running.sides, new=True).every if self._ours else ()
        self._idle_usage = idle_processes.IdleUsage(self._pids)
        self.pause()

    def reset_counts(self, *, warm: bool = True) -> None:
        """Restart counting: idle use, and compiler time during slices.

        Args:
            warm: whether all warm-ups are over. Before that, runtimes may compile at any time.
        """
        self._warm = warm
        self._idle_usage = idle_processes.IdleUsage(self._pids)
        if self._compiler is None and self.running.sides.compiles:
            self._compiler = CompilerTime(self.running.sides)
        self._compiled_ns.clear()
        self._driven_ns = 0

    def pause(self) -> None:
        """End a slice: pause the unit if it uses processor time while idle."""
        if self._idle_usage is None:
            return
        if self._compiler is not None and not self._stopped:
            self._count_compiler(self._compiler)
            if self._warm and self.compiler_ns:
                self._let_compiler_finish(self._compiler)
        self.paused = bool(self._pids) and (
            self.paused or self.spins or (self._warm and self._idle_usage.exceeds_limit)
        )
        if self.paused:
            idle_processes.stop(self._pids)
            self._stopped = True
        self._idle_usage.slice_ended()

    def _count_compiler(self, compiler: CompilerTime) -> None:
        """Take what the compilers of both sides used in the slice that ends."""
        took = {side: spent.compiler_ns for side, spent in compiler.read().items()}
        mine = {side: ns - self._compiled_before.get(side, ns) for side, ns in took.items()}
        self._compiled_ns.update(mine)
        self.compiler_ns = max(mine.values(), default=0)

    def _let_compiler_finish(self, compiler: CompilerTime) -> None:
        """Wait until the compilers have done what the slice gave them to do, as far as there is time for it.

        Else a compiler would take time from the stacks that are driven next. Its unit would be paused for that, and
        then compile in its own slices alone, up to the last one.
        """
        began = time.monotonic_ns()
        before = _compiling_ns(compiler)
        while self._waited_ns < _MOST_WAITED_NS:
            time.sleep(_LOOK_S)
            now = _compiling_ns(compiler)
            waited_ns = time.monotonic_ns() - began
            if now - before <= BUSY * _LOOK_S * 1e9 or waited_ns > _MOST_WAITED_A_SLICE_NS:
                break
            before = now
        self._waited_ns += time.monotonic_ns() - began

    def wake(self) -> int:
        """Begin a slice: resume the unit if it is paused. Return the nanoseconds of that; 0 if it was not paused."""
        if self._idle_usage is None:
            return 0
        self._idle_usage.slice_begins()
        if self._compiler is not None:
            self._compiled_before = {side: took.compiler_ns for side, took in self._compiler.read().items()}
        if not self._stopped:
            return 0
        began = time.monotonic_ns()
        idle_processes.resume_processes(self._pids)
        self._stopped = False
        return time.monotonic_ns() - began

    @property
    def pids(self) -> tuple[int, ...]:
        """Its processes, once idle use is measured; none for an external server."""
        return self._pids

    def add_driven_time(self, elapsed_ns: int) -> None:
        """Add the duration of a slice."""
        self._driven_ns += elapsed_ns

    @property
    def compiles(self) -> bool:
        """Whether a side's runtime compiles while it runs."""
        return self.running.sides.compiles

    def compiler_report(self) -> str:
        """Return how much a compiler worked during its slices, in words; "" if it did not."""
        if not self._compiled_ns or not self._driven_ns:
            return ""
        took_ns, side = max((ns, name) for name, ns in self._compiled_ns.items())
        if took_ns <= BUSY * self._driven_ns:
            return ""
        who = "both sides" if side == "both" else f"the {side}"
        share = percent(took_ns / self._driven_ns)
        return f"the compiler of {who} was active: it used {share} of a processor"

    def record(self) -> UnitRecord:
        """Return the journal record of the unit at the end of its fork."""
        share = self._idle_usage.share if self._idle_usage is not None else None
        return UnitRecord(unit=self.name, stack=self.request.stack.id, idle_share=share, paused=self.paused)

    def kill(self) -> None:
        """Kill its processes, whatever they do. It must still be closed."""
        idle_processes.kill(self._pids)

    def close(self, *, at_once: bool = False) -> None:
        """End its processes."""
        if self._stopped:
            idle_processes.resume_processes(self._pids)
        self.running.sides.close(at_once=at_once or self.broken)

    def __enter__(self) -> Self:
        """Return the unit."""
        return self

    def __exit__(self, kind: object, *_: object) -> None:
        """Close it; at once if something failed."""
        self.close(at_once=kind is not None)


def _compiling_ns(compiler: CompilerTime) -> int:
    """Return the processor time of all its compilers so far."""
    return sum(side.compiler_ns for side in compiler.read().values())


def _most_clients(cells: Sequence[Cell]) -> dict[str, int]:
    """Return the largest number of clients of the cells, by connection options."""
    most: dict[str, int] = {}
    for cell in cells:
        most[str(cell.options)] = max(most.get(str(cell.options), 1), cell.load.clients)
    return most
