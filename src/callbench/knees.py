"""Searches for knees: the highest rate, or the most clients, that still meet an objective. One a stack and block."""

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any

from callbench import links, mixed, objective
from callbench.catalogue import Catalogue
from callbench.cell import Cell, Load, Stack
from callbench.errors import AdapterFailure, BadInput
from callbench.measure import LIMIT_SECONDS, measured
from callbench.placement import Placement
from callbench.plan import Plan, Visit
from callbench.schedules import Schedules
from callbench.stats.knee import Span, Step, next_level
from callbench.stats.rate import window_of
from callbench.store import Run
from callbench.study.loads import KneePart
from callbench.visit import AnsweredWrongly, OpenVisit

RATES = (0.1, 10_000_000.0)
CLIENTS = (1, 1_000)
# How much longer than the cell's own seconds a step may take to make the cell's calls at a low rate.
_LONGEST = 10
_GUESS_SECONDS = 0.1
_TRIES = 2


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


class Knees:
    """Searches beside the visits of a run; what is in the journal already is not tried again."""

    def __init__(self, run: Run, plan: Plan, catalogue: Catalogue, placement: Placement, schedules: Schedules) -> None:
        """Prepares; nothing is started before it is needed."""
        self._searches = [Search(**record) for record in run.info.get("knees", [])]
        self._cells = {cell.id: cell for cell in plan.cells}
        self._wires = plan.wires
        self._catalogue = catalogue
        self._placement = placement
        self._schedules = schedules
        self._steps: dict[tuple[str, str, int], list[Step]] = {}
        for line in run.lines() if self._searches else ():
            if line["kind"] == "step":
                key = str(line["knee"]), str(line["cell"]), int(line["block"])
                self._steps.setdefault(key, []).append(Step(float(line["level"]), bool(line["holds"])))

    def beside(self, visit: Visit, stack: Stack) -> Iterator[dict[str, Any]]:
        """Searches what is left of a visit's knees, and gives the journal's lines, a step each."""
        visited = {trial.cell.id for trial in visit.trials}
        mine = [search for search in self._searches if search.cell in visited]
        for _ in range(_TRIES):
            left = [search for search in mine if not self._over(search, visit.block)]
            if not left:
                return
            try:
                yield from self._opened(visit, stack, left)
            except (AdapterFailure, AnsweredWrongly, links.LinkFailure) as failure:
                yield {"kind": "note", "text": f"the knee of {stack.id} in block {visit.block} broke off: {failure}"}

    def _over(self, search: Search, block: int) -> bool:
        steps = self._steps.get((search.knee, search.cell, block), [])
        return bool(steps) and next_level(steps, 1.0, search.span) is None

    def _opened(self, visit: Visit, stack: Stack, left: Sequence[Search]) -> Iterator[dict[str, Any]]:
        cells = [self._cells[search.cell] for search in left]
        programs = self._catalogue.programs(stack)
        with (
            links.made(visit.link, self._wires) as hosts,
            OpenVisit(programs, stack, cells, self._placement, hosts) as opened,
        ):
            for search in left:
                if self._cells[search.cell].id not in opened.cannot and self._paces(search, opened):
                    yield from self._search(search, visit.block, opened)

    @staticmethod
    def _paces(search: Search, opened: OpenVisit) -> bool:
        return search.along == "clients" or "open" in opened.sides.client.hello["features"]

    def _search(self, search: Search, block: int, opened: OpenVisit) -> Iterator[dict[str, Any]]:
        cell = self._cells[search.cell]
        steps = self._steps.setdefault((search.knee, search.cell, block), [])
        start = 1.0 if steps or search.along == "clients" else _guess(cell, opened)
        while (level := next_level(steps, start, search.span)) is not None:
            line = self._step(search, replace(cell, load=search.load(cell.load, level)), block, opened)
            place = {"knee": search.knee, "cell": cell.id, "block": block, "stack": cell.stack, "step": len(steps)}
            steps.append(Step(level, line["holds"]))
            yield {"kind": "step", **place, "along": search.along, "level": level, **line}

    def _step(self, search: Search, cell: Cell, block: int, opened: OpenVisit) -> dict[str, Any]:
        """One trial, and whether it met the objective at the rate that was asked for."""
        opened.connect(cell)
        schedule = self._schedules.of(cell, block)
        try:
            trial = measured(opened.sides, cell, (), schedule)
        finally:
            if schedule is not None:
                # It follows from the seed; a search would leave a dozen of them.
                schedule.unlink(missing_ok=True)
        return {"clients": cell.load.clients, **trial, **held(trial["done"], search.objective, cell.load.rate_per_s)}


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


def _guess(cell: Cell, opened: OpenVisit) -> float:
    """Where to begin: half of what the clients reach in a closed loop."""
    opened.connect(cell)
    done = opened.sides.client.drive(
        cell.call, cell.arguments, calls=cell.load.clients, seconds=_GUESS_SECONDS, limit_seconds=LIMIT_SECONDS
    )
    return max(1.0, window_of(done).per_s / 2)
