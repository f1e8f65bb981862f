"""Virtual slowdown: make one side slower by a known amount, to see whether the rate follows.

The idea is that of Coz, reversed (Curtsinger and Berger, "Coz: finding code that counts with causal profiling", SOSP
2015). If a side is the limit, calls that keep it busy 5 % longer lower the rate by 4.8 %. If it is not, nothing
changes. The three variants are tasks of the same rounds, in random order.
"""

import random
import time
from collections.abc import Iterable, Mapping
from contextlib import ExitStack

from callbench.adapter.network.host import Hosts
from callbench.model.cell import Cell
from callbench.model.errors import AdapterFailure
from callbench.runner.drive.rounds import run_round
from callbench.runner.drive.running_stack import WrongAnswer
from callbench.runner.drive.slices import Length, length_of
from callbench.runner.drive.tasks import SlicePlan, Task
from callbench.runner.drive.unit import Unit, UnitRequest
from callbench.runner.plan.fork_cost import foretold
from callbench.runner.plan.plan import Plan
from callbench.runner.run.context import Context
from callbench.runner.run.links import enter_link
from callbench.stats.load.rate import Window, window_of
from callbench.store.lines.of_kind import of_kind
from callbench.store.lines.rounds import RoundLine, SliceSeen
from callbench.store.lines.run import SlowdownLine

SHARE = 0.05
ROUNDS = 40
QUICK_ROUNDS = 15
MOST_SECONDS = 8.0
# By default a run slows down a few cells only, and spends at most a tenth of its slices' time on it.
SAMPLE = 3
TIME_SHARE = 0.1
SECONDS_PER_CELL = 5.0
PLAIN, CLIENT, SERVER = "plain", "client", "server"
Pair = tuple[int, int, int, int]


def slow_down(context: Context, latest: float) -> None:
    """Slow down each side of some cells, and write down the effect.

    Args:
        context: of the run.
        latest: unless all cells are requested, none begins that would end after this moment of the monotonic clock.

    Raises:
        CallbenchError: the journal cannot be written.
    """
    every = context.requested.confirm
    rates, spent_s = rates_of(context.run.lines())
    for cell in choose_cells(context.plan, rates, context.seed, every=every, spent_s=spent_s):
        if not every and time.monotonic() + _seconds(context, cell) > latest:
            return
        out = cell.id in context.resume_state.cells or cell.stack in context.resume_state.stacks
        if not out and cell.id not in context.resume_state.slowed:
            for line in measure_slowdown(context, cell, rates[cell.id]):
                context.write(line)


def _seconds(context: Context, cell: Cell) -> float:
    """Estimate how long it takes to slow down a cell: two starts, and the rounds."""
    return 2 * foretold([cell], context.plan, context.catalogue).start_s + MOST_SECONDS


def choose_cells(plan: Plan, rates: Mapping[str, float], seed: int, *, every: bool, spent_s: float) -> list[Cell]:
    """Choose the cells to slow down: all if requested, else a random few; none in a short run.

    Args:
        plan: of the run.
        rates: calls per second by cell, for the measured cells.
        seed: of the random choice.
        every: whether all cells are requested.
        spent_s: the duration of the run's trials, in seconds.
    """
    able = [cell for cell in plan.cells_under(plan.conditions[0]) if rates.get(cell.id) and _depends_on_sides(cell)]
    if every:
        return able
    affordable = int(TIME_SHARE * spent_s / SECONDS_PER_CELL)
    return random.Random(seed).sample(able, min(SAMPLE, affordable, len(able)))  # noqa: S311 - a lot to be repeated, not a secret


def _depends_on_sides(cell: Cell) -> bool:
    """Return whether the sides determine a cell's rate. Schedules and think times determine other rates."""
    return not (cell.load.open or cell.load.think_ns or cell.whole)


def rates_of(lines: Iterable[Mapping[str, object]]) -> tuple[dict[str, float], float]:
    """Return calls per second by cell over all slices of a journal, and the seconds of all slices."""
    windows: dict[str, Window] = {}
    spent_ns = 0
    for line in of_kind(lines, RoundLine):
        for driven in line["slices"] if line["kind"] == "round" else ():
            cell, done = driven["cell"], driven["done"]
            windows[cell] = windows.get(cell, Window(0.0, 0)) + window_of(done)
            spent_ns += done["elapsed_ns"]
    return {cell: window.per_s for cell, window in windows.items() if window.per_s}, spent_ns / 1e9


def burn_ns(rate: float, clients: int, processors: int) -> int:
    """Return how long each call must keep a side busy to use 5 % of its capacity, in nanoseconds.

    Between two answers lies 1 / rate. With several clients and processors, a side works on several calls at once.
    """
    return max(1, round(SHARE * min(clients, max(1, processors)) / rate * 1e9))


class _SlowedCell(Task):
    """The task of one variant: a cell on one of two units, with or without a longer busy time of its client."""

    def __init__(self, name: str, cell: Cell, unit: str, length: Length, burn: int) -> None:
        """Prepare the task."""
        self.name = name
        self.unit = unit
        self._cell = cell
        self._length = length
        self._burn = burn
        self.result: tuple[int, int] | None = None

    def next_slice(self, number: int) -> SlicePlan | None:  # noqa: ARG002 - in every round
        """Return one slice."""
        self.result = None
        return SlicePlan(self._cell, self._length, burn_ns=self._burn)

    def add_slice(self, plan: SlicePlan, result: SliceSeen) -> None:  # noqa: ARG002 - the interface
        """Store calls and nanoseconds."""
        self.result = result["done"]["calls"], result["done"]["elapsed_ns"]


def measure_slowdown(context: Context, cell: Cell, rate: float) -> list[SlowdownLine]:
    """Slow down each side in turn. Return one journal line per side, or one line that says why it was not possible.

    Each element of `pairs` has calls and nanoseconds without the slowdown, then calls and nanoseconds with it.
    """

    def impossible(why: str) -> list[SlowdownLine]:
        return [SlowdownLine(kind="slowdown", cell=cell.id, stack=cell.stack, slowed_side=None, why=why)]

    burns = {
        CLIENT: burn_ns(rate, cell.load.clients, len(context.placement.client)),
        SERVER: burn_ns(rate, cell.load.clients, len(context.placement.server)),
    }
    try:
        with ExitStack() as alive:
            hosts = enter_link(cell.link, context.plan.wires, alive)
            plain = _start_unit(context, cell, PLAIN, {}, hosts, alive)
            if "burn" not in plain.running.sides.features:
                return impossible("the adapter cannot be slowed down (feature burn)")
            units = {PLAIN: plain}
            if not context.stacks[cell.stack].in_process:
                units[SERVER] = _start_unit(context, cell, SERVER, {"burn_us": burns[SERVER] / 1e3}, hosts, alive)
            pairs = _pairs(context, cell, units, burns[CLIENT])
    except (AdapterFailure, WrongAnswer) as failure:
        return impossible(f"failed: {failure}")
    return [
        SlowdownLine(
            kind="slowdown",
            cell=cell.id,
            stack=cell.stack,
            slowed_side=side,
            burn_ns=burns[side],
            share=SHARE,
            pairs=of_side,
        )
        for side, of_side in pairs.items()
    ]


def _start_unit(  # noqa: PLR0913, PLR0917 - what is started, as what, and how
    context: Context, cell: Cell, name: str, options: Mapping[str, object], hosts: Hosts, alive: ExitStack
) -> Unit:
    stack = context.stacks[cell.stack]
    request = UnitRequest(name, stack, context.catalogue.programs(stack), (cell,), cell.link, options)
    unit = alive.enter_context(Unit(request, context.placement, hosts))
    unit.start_idle_watch()
    unit.warm(cell, length_of(cell.load))
    unit.reset_counts()
    return unit


def _pairs(context: Context, cell: Cell, units: Mapping[str, Unit], client_ns: int) -> dict[str, list[Pair]]:
    """Drive all variants, each round in random order."""
    length = length_of(cell.load)
    tasks = [_SlowedCell(PLAIN, cell, PLAIN, length, 0), _SlowedCell(CLIENT, cell, PLAIN, length, client_ns)]
    tasks += [_SlowedCell(SERVER, cell, SERVER, length, 0)] if SERVER in units else []
    pairs: dict[str, list[Pair]] = {task.name: [] for task in tasks[1:]}
    rng = random.Random(f"{context.seed} slowdown {cell.id}")  # noqa: S311 - an order to be repeated, not a secret
    last = time.monotonic() + MOST_SECONDS
    for number in range(QUICK_ROUNDS if context.quick else ROUNDS):
        if time.monotonic() > last:
            break
        run_round(tasks, units, number, rng, None, _failed, gaps=context.gaps)
        base = tasks[0].result
        for task in tasks[1:]:
            if base is not None and task.result is not None:
                pairs[task.name].append((*base, *task.result))
    return pairs


def _failed(task: Task, plan: SlicePlan, failure: AdapterFailure) -> None:  # noqa: ARG001 - the interface
    """End the measurement at the first failure."""
    raise failure
