"""A unit of a fork: one stack, started once over one link, alive with others and driven in its turn."""

import time
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Self

from callbench.adapter.network.host import Hosts
from callbench.adapter.placement import Placement
from callbench.adapter.stack import side_processes
from callbench.adapter.stack.sides import Sides
from callbench.catalog.manifest import Programs
from callbench.catalog.reach import LOOPBACK
from callbench.model.cell import Cell, Stack
from callbench.runner import still
from callbench.runner.measure.compiler import CompilerTime
from callbench.runner.measure.warm_up import STEADY, WarmUp, operation_of, warmed_up
from callbench.runner.slices import LONG_CALL_SECONDS, SLICE_SECONDS, Length
from callbench.runner.visit import ALWAYS, Checks, OpenVisit
from callbench.stats.digits import percent
from callbench.stats.warmed import BUSY


@dataclass(frozen=True)
class Wanted:
    """What is to be started.

    Attributes:
        name: unique in the fork.
        cells: that it is started for: each of their calls is made once before anything is timed.
        options: of the server, beside what it does by itself.
        cold: whether its first calls are measured.
        checks: what it is asked before anything is timed, beside each call of its cells.
    """

    name: str
    stack: Stack
    programs: Programs
    cells: tuple[Cell, ...]
    link: str
    options: Mapping[str, Any] = field(default_factory=dict)
    cold: bool = False
    checks: Checks = ALWAYS


class Unit:
    """Started. Close it.

    Attributes:
        wanted: what it was started as.
        visit: the number of this start in the run; None: no line of the journal is about it.
        opened: its processes, served, verified and connected.
        frozen: whether it is stopped between its slices.
        spins: whether its sides wait by asking again and again: not stopped, they take all of a processor.
        compiler_ns: what the compiler of its busier side took of a processor in its last slice.
    """

    def __init__(self, wanted: Wanted, placement: Placement, hosts: Hosts, sides: Sides | None = None) -> None:
        """Starts it (`sides`: its processes, where they were started before), verifies it, connects it.

        Raises:
            AdapterFailure: a side failed.
            AnsweredWrongly: an answer is not the service's.
        """
        self.wanted = wanted
        self.visit: int | None = None
        self.frozen = False
        self._stopped = self._warm = False
        self._watched: still.Watched | None = None
        self._compiler: CompilerTime | None = None
        # Of the compilers of each side, within slices; and how long these were.
        self._compiled_ns: Counter[str] = Counter()
        self._compiled_before: Mapping[str, int] = {}
        self.compiler_ns = 0
        self._driven_ns = 0
        self._most = _most_clients(wanted.cells)
        # How long a call took when its cell was warmed up, by cell.
        self._call_s: dict[str, float] = {}
        self.opened = OpenVisit(
            wanted.programs,
            wanted.stack,
            wanted.cells,
            placement,
            hosts,
            options=wanted.options,
            cold=wanted.cold,
            checks=wanted.checks,
            sides=sides,
        )
        self._pids: tuple[int, ...] = ()
        # Of those that run already and are somebody else's nothing is stopped.
        self._ours = self.opened.sides.elsewhere is None
        self.spins = str(wanted.stack.card.get("waits", "")).startswith("spins")

    @property
    def name(self) -> str:
        """Unique in the fork."""
        return self.wanted.name

    @property
    def broken(self) -> bool:
        """Whether a side died or left the contract."""
        return self.opened.sides.broken

    def connect(self, cell: Cell) -> int:
        """Connects what the cell needs, if it is not. Gives how many of those connected are to call.

        All numbers of clients share their connections; what spins has none that are not driven.
        """
        many = cell.load.clients if self.spins else self._most.get(str(cell.options), 1)
        many = max(many, cell.load.clients)
        self.opened.connect(replace(cell, load=replace(cell.load, clients=many)))
        return cell.load.clients

    def warm(self, cell: Cell, length: Length) -> WarmUp | None:
        """Warms a cell up: to a steady rate where a runtime compiles, else by some calls that do not count.

        From the third millisecond on these were as quick as any later ones (native stacks). Of an operation that was
        steady with another cell some calls are enough as well: the rehearsal sees to the rest.
        Gives how it went where a runtime compiles or nothing was to be warmed up, else None.
        """
        self.wakes()
        sides, operation = self.opened.sides, operation_of(cell)
        try:
            clients = self.connect(cell)
            # By the same way where a person said that nothing is to be warmed up: nothing counts then.
            if sides.warm_up_limit_s == 0 or (sides.compiles and operation not in sides.steady):
                return warmed_up(sides, cell, clients)
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
            self.rests()

    def needs_lead(self, cell: Cell) -> bool:
        """Whether some calls are to come before a slice of a cell that was warmed up.

        Caches and wakes are lost in a call that takes as long as a slice; the rest of a link's connection only in a
        longer one.
        """
        return self.call_s(cell) < (SLICE_SECONDS if cell.link == LOOPBACK else LONG_CALL_SECONDS)

    def call_s(self, cell: Cell) -> float:
        """How long a call of a cell took a client when it was warmed up, in seconds; 0: nobody knows."""
        return self._call_s.get(cell.id, 0.0)

    def lead_in(self, cell: Cell, clients: int, seconds: float) -> None:
        """Makes a few calls that do not count: what slept is awake, what others pushed out of the caches is back."""
        self.opened.sides.client.drive(cell.call, cell.arguments, calls=1, seconds=seconds, clients=clients)

    def settles(self) -> None:
        """It is alive beside others: from here on it is watched whether it keeps still while it is not driven."""
        self._pids = side_processes.of(self.opened.sides, new=True).every if self._ours else ()
        self._watched = still.Watched(self._pids)
        self.rests()

    def counts_anew(self, *, warm: bool = True) -> None:
        """From here on it counts what it does while it is not driven, and what its compiler does while it is.

        Args:
            warm: warming up is over, for it and for all others; before that what compiles is let do so all the time.
        """
        self._warm = warm
        self._watched = still.Watched(self._pids)
        if self._compiler is None and self.opened.sides.compiles:
            self._compiler = CompilerTime(self.opened.sides)
        self._compiled_ns.clear()
        self._driven_ns = 0

    def rests(self) -> None:
        """Its slice is over: it is stopped where it does not keep still by itself."""
        if self._watched is None:
            return
        self.frozen = bool(self._pids) and (self.frozen or self.spins or (self._warm and self._watched.restless))
        if self.frozen:
            still.stop(self._pids)
            self._stopped = True
        if self._compiler is not None:
            took = {side: one.compiler_ns for side, one in self._compiler.took().items()}
            mine = {side: ns - self._compiled_before.get(side, ns) for side, ns in took.items()}
            self._compiled_ns.update(mine)
            self.compiler_ns = max(mine.values(), default=0)
        self._watched.rests()

    def wakes(self) -> int:
        """Its slice comes: it goes on where it was stopped. Gives the nanoseconds that took, 0 where it was awake."""
        if self._watched is None:
            return 0
        self._watched.begins()
        if self._compiler is not None:
            self._compiled_before = {side: took.compiler_ns for side, took in self._compiler.took().items()}
        if not self._stopped:
            return 0
        began = time.monotonic_ns()
        still.go_on(self._pids)
        self._stopped = False
        return time.monotonic_ns() - began

    @property
    def pids(self) -> tuple[int, ...]:
        """Its processes, once it has settled; none of a server that is somebody else's."""
        return self._pids

    def drove(self, elapsed_ns: int) -> None:
        """A slice of it took so long."""
        self._driven_ns += elapsed_ns

    @property
    def compiles(self) -> bool:
        """Whether a side's runtime compiles while it runs."""
        return self.opened.sides.compiles

    def compiled(self) -> str:
        """Say by how much a compiler was at work while its slices were driven, or nothing where it was not."""
        if not self._compiled_ns or not self._driven_ns:
            return ""
        took_ns, side = max((ns, name) for name, ns in self._compiled_ns.items())
        if took_ns <= BUSY * self._driven_ns:
            return ""
        who = "both sides" if side == "both" else f"the {side}"
        share = percent(took_ns / self._driven_ns)
        return f"the compiler of {who} was at work meanwhile: it took {share} of a processor"

    def record(self) -> dict[str, Any]:
        """What the journal has of it when its fork is over."""
        share = self._watched.share if self._watched is not None else None
        return {"unit": self.name, "stack": self.wanted.stack.id, "unasked": share, "frozen": self.frozen}

    def kill(self) -> None:
        """Ends its processes by force, in the middle of whatever they do; it has still to be closed."""
        still.kill(self._pids)

    def close(self, *, at_once: bool = False) -> None:
        """Ends its processes."""
        if self._stopped:
            still.go_on(self._pids)
        self.opened.sides.close(at_once=at_once or self.broken)

    def __enter__(self) -> Self:
        """Itself."""
        return self

    def __exit__(self, kind: object, *_: object) -> None:
        """Closes it: at once where something went wrong."""
        self.close(at_once=kind is not None)


def _most_clients(cells: Sequence[Cell]) -> dict[str, int]:
    """The most clients that cells have, by what they connect with."""
    most: dict[str, int] = {}
    for cell in cells:
        most[str(cell.options)] = max(most.get(str(cell.options), 1), cell.load.clients)
    return most
