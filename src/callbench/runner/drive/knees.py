"""Searches for knees: the highest rate, or the most clients, that still meets an objective. One step per round."""

import math
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import replace

from callbench.catalog import mixed
from callbench.catalog.study.loads import KneePart
from callbench.model import objective
from callbench.model.cell import Cell
from callbench.model.errors import BadInput
from callbench.runner.drive.schedules import Schedules, length
from callbench.runner.drive.slices import Length
from callbench.runner.drive.tasks import SlicePlan, Task
from callbench.stats.load.knee import LevelTrial, next_level
from callbench.stats.load.rate import Drive, window_of
from callbench.store.lines.of_kind import of_kind
from callbench.store.lines.overload import ObjectiveMet
from callbench.store.lines.rounds import SliceSeen
from callbench.store.lines.run import KneeStepLine
from callbench.store.record import Record
from callbench.store.requested.knee_search import Search
from callbench.store.requested.run import RequestedRun

RATES = (0.1, 10_000_000.0)
CLIENTS = (1, 1_000)
_GUESS_SECONDS = 0.1


def plan_searches(parts: Sequence[KneePart], objective_text: str | None, cells: Sequence[Cell]) -> tuple[Search, ...]:
    """Return the searches of a run.

    Args:
        parts: the knees of the study.
        objective_text: an objective for every group of the run, along the rate, or None.
        cells: the cells of the run.

    Raises:
        BadInput: the objective is invalid.
    """
    every = list(parts)
    if objective_text is not None:
        try:
            objective.parse(objective_text)
        except ValueError as failure:
            raise BadInput(f"--objective {failure}") from None
        groups = dict.fromkeys(cell.group for cell in cells)
        every += [KneePart(id=f"{group}: {objective_text}", group=group, objective=objective_text) for group in groups]
    return tuple(search for part in every for search in _searches(part, cells))


def _searches(part: KneePart, cells: Sequence[Cell]) -> Iterator[Search]:
    """Yield one search per stack and link of the group.

    Its cell has the most clients along the rate, else the fewest.
    """
    bases: dict[tuple[str, str], Cell] = {}
    for cell in cells:
        chosen = part.stacks is None or any(mixed.fits(cell.stack, pattern) for pattern in part.stacks)
        if cell.group == part.group and chosen:
            before = bases.setdefault((cell.stack, cell.link), cell)
            if cell.load.clients > before.load.clients:
                bases[cell.stack, cell.link] = cell
    least, most = RATES if part.along == "rate" else CLIENTS
    for cell in bases.values():
        yield Search(
            knee=part.id,
            cell=cell.id,
            along=part.along,
            objective=part.objective,
            arrivals=cell.load.arrivals if cell.load.open else part.arrivals,
            least=part.least or least,
            most=part.most or most,
            precision=part.precision,
        )


class Searches:
    """The searches of a run, with the steps that the journal already has."""

    def __init__(self, run: Record) -> None:
        """Read the searches.

        Raises:
            BadInput: the journal is damaged.
        """
        self.every = run.requested(RequestedRun).knees
        self._steps: dict[tuple[str, str, int], list[LevelTrial]] = {}
        for line in of_kind(run.lines(), KneeStepLine) if self.every else ():
            key = line["knee"], line["cell"], line["fork"]
            self._steps.setdefault(key, []).append(LevelTrial(line["level"], line["holds"]))

    def steps(self, search: Search, fork: int) -> list[LevelTrial]:
        """Return the list of steps of a search in a fork; it grows during the search."""
        return self._steps.setdefault((search.knee, search.cell, fork), [])

    def tasks(self, unit: str, cells: Mapping[str, Cell], fork: int, schedules: Schedules) -> "list[SearchTask]":
        """Return the unfinished searches that a unit can run in a fork."""
        mine = (
            SearchTask(search, cells[search.cell], unit, fork, self, schedules)
            for search in self.every
            if search.cell in cells
        )
        return [task for task in mine if not task.over]


class SearchTask(Task):
    """The task of one search: one step per round, until two levels are close enough.

    Attributes:
        result: the step of the last round as a journal record; None if there was none.
    """

    def __init__(  # noqa: PLR0913, PLR0917 - what is searched, on what, and what is known
        self, search: Search, cell: Cell, unit: str, fork: int, known: Searches, schedules: Schedules
    ) -> None:
        """Prepare the task."""
        self.unit = unit
        self.result: KneeStepLine | None = None
        self._search, self._cell, self._fork = search, cell, fork
        self._steps = known.steps(search, fork)
        self._schedules = schedules
        # Along the rate, the first level follows from a closed loop, which is driven first.
        self._start = 1.0 if self._steps or search.along == "clients" else None

    @property
    def over(self) -> bool:
        """Whether the level is found."""
        return bool(self._steps) and next_level(self._steps, 1.0, self._search.span) is None

    def is_supported(self, features: Collection[str]) -> bool:
        """Return whether an adapter with these features can run the search."""
        return self._search.along == "clients" or "open" in features

    def next_slice(self, number: int) -> SlicePlan | None:  # noqa: ARG002 - in every round
        """Return the next step, or at first a closed loop to see what rate is reached."""
        self.result = None
        if self._start is None:
            plain = replace(self._cell.load, arrivals="closed", rate_per_s=None)
            return SlicePlan(replace(self._cell, load=plain), Length(_GUESS_SECONDS, plain.clients))
        level = next_level(self._steps, self._start, self._search.span)
        if level is None:
            return None
        cell = replace(self._cell, load=self._search.load(self._cell.load, level))
        # Of random arrivals, some would else lie after the time.
        calls = length(cell.load) if cell.load.open else cell.load.calls
        return SlicePlan(cell, Length(cell.load.seconds, calls), self._schedules.of(cell, self._fork))

    def add_slice(self, plan: SlicePlan, result: SliceSeen) -> None:
        """Store the step, and whether it met the objective at the requested rate."""
        if plan.schedule is not None:
            # The schedule can be computed again from the seed.
            plan.schedule.unlink(missing_ok=True)
        if self._start is None:
            # Start with half of the rate of the closed loop.
            self._start = max(1.0, window_of(result["done"]).per_s / 2)
            return
        search, load = self._search, plan.cell.load
        level = float(load.clients if search.along == "clients" else load.rate_per_s or 0.0)
        met = objective_result(result["done"], search.objective, load.rate_per_s)
        self.result = KneeStepLine(
            kind="step",
            knee=search.knee,
            cell=search.cell,
            fork=self._fork,
            stack=self._cell.stack,
            step=len(self._steps),
            along=search.along,
            level=level,
            clients=load.clients,
            unsteady="; ".join(host["starved"] for host in result["done"].get("generators", ()) if host["starved"]),
            **result,
            **met,
        )
        self._steps.append(LevelTrial(level, met["holds"]))


def objective_result(done: Drive, objective_text: str, rate_per_s: float | None, due: float = 0.0) -> ObjectiveMet:
    """Compare a drive with an objective, at the requested rate (None for a closed loop).

    Args:
        done: the drive.
        objective_text: the objective.
        rate_per_s: the requested rate.
        due: as of `reached_per_s`; a call that failed is not made up for.

    Returns:
        `value_us`, the measured value (None if there is none), `reached_per_s`, and whether the objective `holds`.
    """
    from callbench.stats.load.pace import REACHED, reached_per_s  # noqa: PLC0415 - statistics are slow to load

    objective_ = objective.parse(objective_text)
    value_us = objective_.value_us(done)
    service = done.get("service")
    mean_ns = int(service["sum_ns"]) / service["count"] if service and service["count"] else 0.0
    window = window_of(done)
    due -= sum(done["errors"].values())
    reached = reached_per_s(done["calls"], done["elapsed_ns"], mean_ns, window, due)
    # Calls that still wait within the objective do not show that the rate was missed.
    in_time_ns = max(mean_ns, objective_.limit_us * 1e3)
    reached_in_time = reached_per_s(done["calls"], done["elapsed_ns"], in_time_ns, window, due)
    rate_held = rate_per_s is None or reached_in_time >= REACHED * rate_per_s
    # JSON has no infinity.
    shown = value_us if math.isfinite(value_us) else None
    # A client that fails rests before it calls again. So one that is never served hardly shows in a percentile.
    all_served = not done.get("unserved")
    holds = rate_held and all_served and value_us <= objective_.limit_us
    return {"value_us": shown, "reached_per_s": reached, "holds": holds}
