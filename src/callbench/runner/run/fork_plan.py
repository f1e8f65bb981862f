"""The number and length of forks: until everything is decided, or until the time is over."""

import math
import time

from callbench.model.cell import Cell
from callbench.runner.plan.estimate import FEWEST, SHORT_S
from callbench.runner.plan.fork_cost import ForkCost, foretold
from callbench.runner.plan.undecided_cells import early_undecided_cells, undecided_cells
from callbench.runner.run.context import Context, ForkTask, ForkTime
from callbench.runner.warm.worthwhile_rounds import LEAST_ROUNDS, OVER
from callbench.store.lines.forks import ForkLine


class ForkPlanner:
    """Plans the next fork.

    A run continues until everything is decided, or until its time is over. Every cell takes part in the planned forks,
    if there is time for that; otherwise, and in later forks, only undecided cells do. No fork begins that would end
    after the limit and a tenth of it, as the last one took.
    """

    def __init__(self, context: Context) -> None:
        """Read the settings in record.json."""
        self._context = context
        length = context.requested.length
        self._rounds, self._limit_s, self._exact = length.rounds, length.limit_s, length.exact
        # A budget is of all that is measured, the minutes of a study are of its forks.
        self._began = time.monotonic() if context.requested.budget_s is None else context.began
        self._before_s = context.resume_state.fork_seconds
        self._fewest = FEWEST * len(context.plan.conditions)
        self._planned = context.plan.forks * len(context.plan.conditions)

    @property
    def spent_s(self) -> float:
        """Seconds spent on forks so far, over all sessions of the run."""
        return self._before_s + time.monotonic() - self._began

    @property
    def latest(self) -> float:
        """When the run must be over, on the monotonic clock; infinity if its time is not limited."""
        return math.inf if self._limit_s is None else time.monotonic() + OVER * self._limit_s - self.spent_s

    def next_fork(self, number: int) -> ForkTask | None:
        """Return the work of a fork; None if there are no more forks."""
        plan = self._context.plan
        started = self._context.resume_state.forks.get(number)
        condition = plan.condition_of(number)
        if started is not None:
            by_id = {cell.id: cell for cell in plan.cells}
            cells = tuple(by_id[id_] for id_ in started["cells"] if id_ in by_id)
            return ForkTask(number, started["idle"], cells, started["rounds"], started["watch"], self._time(number))
        chosen = self._cells(number, condition)
        if chosen is None:
            return None
        watch = number < (1 if self._context.quick else len(plan.conditions))
        return ForkTask(number, condition, chosen, self._rounds, watch, self._time(number))

    def left_s(self, number: int) -> float:
        """Return the seconds that the planned forks after one still take, as the last fork of each condition took."""
        planned = range(number + 1, self._planned)
        last = {fork["idle"]: self._context.resume_state.over[at]["seconds"] for at, fork in self._over()}
        usual_s = max(last.values(), default=0.0)
        seconds = sum(last.get(self._context.plan.condition_of(later), usual_s) for later in planned)
        return seconds if self._limit_s is None else min(seconds, max(0.0, self._limit_s - self.spent_s))

    def _cells(self, number: int, condition: str) -> tuple[Cell, ...] | None:
        """Return the cells of a new fork; None if there is none."""
        planned, first = number < self._planned, number < self._fewest
        every = self._alive(self._context.plan.cells_under(condition))
        if self._exact or self._limit_s is None:
            return every if planned else None
        if first and self._limit_s < SHORT_S:
            return every
        if planned and (first or self._has_time_for(self._planned - number, every, condition, self._limit_s)):
            return every if self._has_time_for(1, every, condition, OVER * self._limit_s) else None
        undecided = self._undecided(number)
        cells = tuple(cell for cell in every if cell.id in undecided)
        # Excluded cells decide nothing. Without this, forks without cells would continue until the time is over.
        if not undecided & {cell.id for cell in self._alive(self._context.plan.timed)}:
            return None
        return cells if self._has_time_for(1, cells, condition, OVER * self._limit_s) else None

    def _undecided(self, number: int) -> set[str]:
        run, plan = self._context.run, self._context.plan
        if number >= self._planned:
            return undecided_cells(run, plan)
        return early_undecided_cells(run, plan, 1 + (number - self._fewest) // len(plan.conditions))

    def _has_time_for(self, forks: int, cells: tuple[Cell, ...], condition: str, limit_s: float) -> bool:
        """Return whether forks of these cells end in time, with the least rounds and as the last fork took."""
        cost = self._cost(cells, condition)
        if self.spent_s >= min(limit_s, self._limit_s or math.inf):
            return False
        least = min(self._rounds, LEAST_ROUNDS)
        return cost is None or self.spent_s + forks * cost.seconds(least) <= limit_s

    def _cost(self, cells: tuple[Cell, ...], condition: str) -> ForkCost | None:
        """Return what a fork of these cells takes, by the last fork of its condition, else of any; None before any."""
        over = list(self._over())
        alike = [found for found in over if found[1]["idle"] == condition] or over
        if not alike:
            return None
        number, line = alike[-1]
        took = self._context.resume_state.over[number]
        if "start_s" not in took or "round_s" not in took:
            return None
        plan, catalogue = self._context.plan, self._context.catalogue
        before = foretold([cell for cell in plan.cells if cell.id in set(line["cells"])], plan, catalogue)
        return foretold(cells, plan, catalogue).as_it_took(before, ForkCost(took["start_s"], took["round_s"]))

    def _over(self) -> list[tuple[int, ForkLine]]:
        """Return number and line of the forks that are over, in order."""
        state = self._context.resume_state
        return [(number, state.forks[number]) for number in sorted(state.over) if number in state.forks]

    def _alive(self, cells: tuple[Cell, ...]) -> tuple[Cell, ...]:
        resume_state = self._context.resume_state
        return tuple(
            cell for cell in cells if cell.id not in resume_state.cells and cell.stack not in resume_state.stacks
        )

    def _time(self, number: int) -> ForkTime | None:
        """Return what a fork may take; None: its rounds are not limited by time."""
        limit_s, now = self._limit_s, time.monotonic()
        short = limit_s is not None and limit_s < SHORT_S
        if limit_s is None or (short and number < len(self._context.plan.conditions)):
            return None
        forks = range(max(1, self._fewest - number), max(2, self._fewest - number + 1, self._planned - number + 1))
        latest = math.inf if short and number < self._fewest else self.latest
        return ForkTime(now, now + max(0.0, limit_s - self.spent_s), latest, forks)
