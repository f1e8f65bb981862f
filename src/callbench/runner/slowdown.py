"""Virtual slowdown: one side is made slower by a known amount, to see whether the rate follows.

The idea is Coz's (Curtsinger and Berger, "Coz: finding code that counts with causal profiling", SOSP 2015), turned
round: where a side is the limit, a call that keeps it busy 5 % longer lowers the rate by 4.8 %; where it is not,
nothing happens. The three are tasks of a round like any others: alive together, a slice each, in random order.
"""

import random
import time
from collections.abc import Iterable, Mapping
from contextlib import ExitStack
from typing import Any

from callbench.adapter.network import made
from callbench.adapter.network.host import Hosts
from callbench.adapter.network.pair import LinkFailure
from callbench.model.cell import Cell
from callbench.model.errors import AdapterFailure
from callbench.runner.context import Context
from callbench.runner.plan import Plan
from callbench.runner.rounds import one_round
from callbench.runner.slices import Length, length_of
from callbench.runner.tasks import Task, Turn
from callbench.runner.unit import Unit, Wanted
from callbench.runner.visit import AnsweredWrongly
from callbench.stats.rate import Window, window_of

SHARE = 0.05
ROUNDS = 40
QUICK_ROUNDS = 15
MOST_SECONDS = 8.0
# By itself a run asks a few cells only, and takes a tenth of its slices' time for it at most.
SAMPLE = 3
TENTH = 0.1
ASKING_SECONDS = 5.0
PLAIN, CLIENT, SERVER = "plain", "client", "server"
Pair = tuple[int, int, int, int]


def slow_down(of: Context) -> None:
    """Makes each side of some cells slower, and writes down what that did.

    Raises:
        CallbenchError: the journal cannot be written.
    """
    every = bool(of.run.info.get("confirm", False))
    rates, spent_s = rates_of(of.run.lines())
    for cell in chosen(of.plan, rates, of.seed, every=every, spent_s=spent_s):
        out = cell.id in of.past.cells or cell.stack in of.past.stacks
        if not out and cell.id not in of.past.slowed:
            for line in asked(of, cell, rates[cell.id]):
                of.write(line)


def chosen(plan: Plan, rates: Mapping[str, float], seed: int, *, every: bool, spent_s: float) -> list[Cell]:
    """The cells to be asked: all where a person wants it, else a few by lot, none in a short run.

    Args:
        plan: the run's.
        rates: calls a second by cell, of those that were measured.
        seed: of the lot.
        every: whether all are wanted.
        spent_s: what the run's trials took, in seconds.
    """
    able = [cell for cell in plan.cells_under(plan.conditions[0]) if rates.get(cell.id) and _follows(cell)]
    if every:
        return able
    affordable = int(TENTH * spent_s / ASKING_SECONDS)
    return random.Random(seed).sample(able, min(SAMPLE, affordable, len(able)))  # noqa: S311 - a lot to be repeated, not a secret


def _follows(cell: Cell) -> bool:
    """Whether its sides set a cell's rate: an open loop's is its schedule's, and a client that thinks sets its own."""
    return not (cell.load.open or cell.load.think_ns or cell.whole)


def rates_of(lines: Iterable[Mapping[str, Any]]) -> tuple[dict[str, float], float]:
    """Calls a second by cell, over all slices of a journal; and the seconds that all of them took."""
    windows: dict[str, Window] = {}
    spent_ns = 0
    for line in lines:
        for one in line["slices"] if line["kind"] == "round" else ():
            cell, done = str(one["cell"]), one["done"]
            windows[cell] = windows.get(cell, Window(0.0, 0)) + window_of(done)
            spent_ns += done["elapsed_ns"]
    return {cell: window.per_s for cell, window in windows.items() if window.per_s}, spent_ns / 1e9


def burn_ns(rate: float, clients: int, processors: int) -> int:
    """How long each call must keep a side busy to take 5 % of what it can do.

    Between two answers lies 1 / rate; a side whose clients and processors allow it works on so many calls at once.
    """
    return max(1, round(SHARE * min(clients, max(1, processors)) / rate * 1e9))


class _Slowed(Task):
    """A cell in its turn, on one of the two units, with or without a burn of its client."""

    def __init__(self, name: str, cell: Cell, unit: str, length: Length, burn: int) -> None:
        """Prepares."""
        self.name = name
        self.unit = unit
        self._cell = cell
        self._length = length
        self._burn = burn
        self.made: tuple[int, int] | None = None

    def turn(self, number: int) -> Turn | None:  # noqa: ARG002 - in every round
        """One slice."""
        self.made = None
        return Turn(self._cell, self._length, burn_ns=self._burn)

    def took(self, turn: Turn, made: Mapping[str, Any]) -> None:  # noqa: ARG002 - the interface
        """Keeps calls and nanoseconds."""
        self.made = made["done"]["calls"], made["done"]["elapsed_ns"]


def asked(of: Context, cell: Cell, rate: float) -> list[dict[str, Any]]:
    """Makes each side slower in turn. Gives a journal line a side, or one that says why it could not be asked.

    Each element of `pairs` is calls and nanoseconds without, and calls and nanoseconds with the burn.
    """
    place = {"kind": "slowdown", "cell": cell.id, "stack": cell.stack}
    burns = {
        CLIENT: burn_ns(rate, cell.load.clients, len(of.placement.client)),
        SERVER: burn_ns(rate, cell.load.clients, len(of.placement.server)),
    }
    try:
        with made.made(cell.link, of.plan.wires) as hosts, ExitStack() as alive:
            plain = _opened(of, cell, PLAIN, {}, hosts, alive)
            if "burn" not in plain.opened.sides.features:
                return [{**place, "burnt": None, "why": "the adapter cannot be slowed down (feature burn)"}]
            units = {PLAIN: plain}
            if not of.stacks[cell.stack].in_process:
                units[SERVER] = _opened(of, cell, SERVER, {"burn_us": burns[SERVER] / 1e3}, hosts, alive)
            pairs = _pairs(of, cell, units, burns[CLIENT])
    except (AdapterFailure, AnsweredWrongly, LinkFailure) as failure:
        return [{**place, "burnt": None, "why": f"failed: {failure}"}]
    return [
        {**place, "burnt": side, "burn_ns": burns[side], "share": SHARE, "pairs": found}
        for side, found in pairs.items()
    ]


def _opened(  # noqa: PLR0913, PLR0917 - what is started, as what, and how
    of: Context, cell: Cell, name: str, options: Mapping[str, Any], hosts: Hosts, alive: ExitStack
) -> Unit:
    stack = of.stacks[cell.stack]
    wanted = Wanted(name, stack, of.catalogue.programs(stack), (cell,), cell.link, options)
    unit = alive.enter_context(Unit(wanted, of.placement, hosts))
    unit.settles()
    unit.warm(cell, length_of(cell.load))
    unit.counts_anew()
    return unit


def _pairs(of: Context, cell: Cell, units: Mapping[str, Unit], client_ns: int) -> dict[str, list[Pair]]:
    """Drives all in turn, each round in random order."""
    length = length_of(cell.load)
    tasks = [_Slowed(PLAIN, cell, PLAIN, length, 0), _Slowed(CLIENT, cell, PLAIN, length, client_ns)]
    tasks += [_Slowed(SERVER, cell, SERVER, length, 0)] if SERVER in units else []
    pairs: dict[str, list[Pair]] = {task.name: [] for task in tasks[1:]}
    dice = random.Random(f"{of.seed} slowdown {cell.id}")  # noqa: S311 - an order to be repeated, not a secret
    last = time.monotonic() + MOST_SECONDS
    for number in range(QUICK_ROUNDS if of.quick else ROUNDS):
        if time.monotonic() > last:
            break
        one_round(tasks, units, number, dice, None, _failed, gaps=of.gaps)
        base = tasks[0].made
        for task in tasks[1:]:
            if base is not None and task.made is not None:
                pairs[task.name].append((*base, *task.made))
    return pairs


def _failed(task: Task, turn: Turn, failure: AdapterFailure) -> None:  # noqa: ARG001 - the interface
    """One that fails cannot be asked."""
    raise failure
