"""Searches for knees: the highest rate, or the most clients, that still meet an objective. A step a round."""

import math
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any

from callbench.catalog import mixed
from callbench.catalog.study.loads import KneePart
from callbench.model import objective
from callbench.model.cell import Cell, Load
from callbench.model.errors import BadInput
from callbench.runner.schedules import Schedules
from callbench.runner.slices import Length
from callbench.runner.tasks import Task, Turn
from callbench.stats.knee import Span, Step, next_level
from callbench.stats.rate import window_of
from callbench.store.run import Run

RATES = (0.1, 10_000_000.0)
CLIENTS = (1, 1_000)
# How much longer than the cell's own seconds a step may take to make the cell's calls at a low rate.
_LONGEST = 10
_GUESS_SECONDS = 0.1


@dataclass(frozen=True)
class Search:
    """One knee of one stack over one link, as run.json has it.

    Attributes:
        knee: the knee's id.
        cell: the cell whose call, clients and connection it makes.
        along: `rate` or `clients`.
        objective: as it was written.
        arrivals: of the open loop, along the rate.
        least: the lowest level to try.
        most: the highest.
        precision: as a share.
    """

    knee: str
    cell: str
    along: str
    objective: str
    arrivals: str
    least: float
    most: float
    precision: float

    @property
    def span(self) -> Span:
        """Where to look."""
        return Span(self.least, self.most, self.precision, whole=self.along == "clients")

    def load(self, own: Load, level: float) -> Load:
        """The load of a step: of the cell's own but for what is searched along."""
        if self.along == "clients":
            return replace(own, clients=int(level), arrivals="closed", rate_per_s=None)
        calls = min(own.calls, math.ceil(level * own.seconds * _LONGEST))
        return Load(own.clients, calls, own.seconds, self.arrivals, level)


def planned(parts: Sequence[KneePart], wish: str | None, cells: Sequence[Cell]) -> list[dict[str, Any]]:
    """The searches of a run, as run.json has them.

    Args:
        parts: what the study asks for.
        wish: an objective for every group of the run, along the rate; None: none.
        cells: those of the run.

    Raises:
        BadInput: the wish is no objective.
    """
    every = list(parts)
    if wish is not None:
        try:
            objective.parse(wish)
        except ValueError as failure:
            raise BadInput(f"--objective {failure}") from None
        groups = dict.fromkeys(cell.group for cell in cells)
        every += [KneePart(id=f"{group}: {wish}", group=group, objective=wish) for group in groups]
    return [asdict(search) for part in every for search in _searches(part, cells)]


def _searches(part: KneePart, cells: Sequence[Cell]) -> Iterator[Search]:
    """One a stack and link of the group: with the most clients it has along the rate, else with the fewest."""
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
            part.id,
            cell.id,
            part.along,
            part.objective,
            cell.load.arrivals if cell.load.open else part.arrivals,
            part.least or least,
            part.most or most,
            part.precision,
        )


class Searches:
    """The searches of a run, and what of them is in the journal already."""

    def __init__(self, run: Run) -> None:
        """Reads them.

        Raises:
            BadInput: the journal is damaged.
        """
        self.every = [Search(**record) for record in run.info.get("knees", [])]
        self._steps: dict[tuple[str, str, int], list[Step]] = {}
        for line in run.lines() if self.every else ():
            if line["kind"] == "step":
                key = str(line["knee"]), str(line["cell"]), int(line["block"])
                self._steps.setdefault(key, []).append(Step(float(line["level"]), bool(line["holds"])))

    def steps(self, search: Search, fork: int) -> list[Step]:
        """The steps that one has made in a fork; it grows."""
        return self._steps.setdefault((search.knee, search.cell, fork), [])

    def tasks(self, unit: str, cells: Mapping[str, Cell], fork: int, schedules: Schedules) -> "list[SearchTask]":
        """What is left to search in a fork on a unit that is alive for these cells."""
        mine = (
            SearchTask(one, cells[one.cell], unit, fork, self, schedules) for one in self.every if one.cell in cells
        )
        return [task for task in mine if not task.over]


class SearchTask(Task):
    """A search in its turn: one step a round, each a drive of its own length, until two levels are near enough.

    Attributes:
        made: the last round's step, as the journal has it; None where there is none.
    """

    def __init__(  # noqa: PLR0913, PLR0917 - what is searched, on what, and what is known
        self, search: Search, cell: Cell, unit: str, fork: int, known: Searches, schedules: Schedules
    ) -> None:
        """Prepares."""
        self.unit = unit
        self.made: dict[str, Any] | None = None
        self._search, self._cell, self._fork = search, cell, fork
        self._steps = known.steps(search, fork)
        self._schedules = schedules
        # Where to begin along the rate is not known before a closed loop has been seen.
        self._start = 1.0 if self._steps or search.along == "clients" else None

    @property
    def over(self) -> bool:
        """Whether it has found its level."""
        return bool(self._steps) and next_level(self._steps, 1.0, self._search.span) is None

    def can(self, features: Collection[str]) -> bool:
        """Whether an adapter with these features can be driven along it."""
        return self._search.along == "clients" or "open" in features

    def turn(self, number: int) -> Turn | None:  # noqa: ARG002 - in every round
        """The next step, or first a look at what a closed loop reaches."""
        self.made = None
        if self._start is None:
            plain = replace(self._cell.load, arrivals="closed", rate_per_s=None)
            return Turn(replace(self._cell, load=plain), Length(_GUESS_SECONDS, plain.clients))
        level = next_level(self._steps, self._start, self._search.span)
        if level is None:
            return None
        cell = replace(self._cell, load=self._search.load(self._cell.load, level))
        return Turn(cell, Length(cell.load.seconds, cell.load.calls), self._schedules.of(cell, self._fork))

    def took(self, turn: Turn, made: Mapping[str, Any]) -> None:
        """A step is made: whether it met the objective at the rate that was asked for."""
        if turn.schedule is not None:
            # It follows from the seed; a search would leave a dozen of them.
            turn.schedule.unlink(missing_ok=True)
        if self._start is None:
            # Half of what the clients reach in a closed loop.
            self._start = max(1.0, window_of(made["done"]).per_s / 2)
            return
        search, load = self._search, turn.cell.load
        level = float(load.clients if search.along == "clients" else load.rate_per_s or 0.0)
        found = held(made["done"], search.objective, load.rate_per_s)
        place = {"knee": search.knee, "cell": search.cell, "block": self._fork, "stack": self._cell.stack}
        line = {"kind": "step", **place, "step": len(self._steps), "along": search.along, "level": level}
        self._steps.append(Step(level, found["holds"]))
        self.made = {**line, "clients": load.clients, "unsteady": "", **made, **found}


def held(done: Mapping[str, Any], wished: str, rate_per_s: float | None) -> dict[str, Any]:
    """Hold a drive against an objective, at the rate that was asked for (None: of a closed loop).

    Returns:
        `value_us`, the figure (None where there is none), `reached_per_s`, and whether it `holds`.
    """
    from callbench.stats.pace import REACHED, reached_per_s  # noqa: PLC0415 - statistics are slow to load

    aim = objective.parse(wished)
    value_us = aim.value_us(done)
    service = done["service"]
    mean_ns = int(service["sum_ns"]) / service["count"] if service and service["count"] else 0.0
    window = window_of(done)
    reached = reached_per_s(done["calls"], done["elapsed_ns"], mean_ns, window)
    # What the last calls may still wait for within the objective is no sign of a rate that was missed.
    begun = reached_per_s(done["calls"], done["elapsed_ns"], max(mean_ns, aim.limit_us * 1e3), window)
    kept = rate_per_s is None or begun >= REACHED * rate_per_s
    # JSON has no infinity: no figure where there is none.
    shown = value_us if math.isfinite(value_us) else None
    return {"value_us": shown, "reached_per_s": reached, "holds": kept and value_us <= aim.limit_us}
