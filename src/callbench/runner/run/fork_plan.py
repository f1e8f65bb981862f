"""The number and length of forks: until everything is decided, or until the time is over."""

import time

from callbench.model.cell import Cell
from callbench.runner.plan.estimate import FEWEST
from callbench.runner.plan.undecided_cells import undecided_cells
from callbench.runner.run.context import Context, ForkTask

# The last fork does not begin if less than this share of its duration is left.
WORTH_BEGINNING = 0.6


class ForkPlanner:
    """Plans the next fork.

    A run continues until everything is decided, or until its time is over. Every cell takes part in the planned forks;
    later forks contain only undecided cells.
    """

    def __init__(self, context: Context) -> None:
        """Read the settings in record.json."""
        self._context = context
        length = context.requested.length
        self._rounds, self._limit_s, self._exact = length.rounds, length.limit_s, length.exact
        self._began = time.monotonic()
        self._before_s = context.resume_state.fork_seconds
        self._last_s: dict[str, float] = {}

    @property
    def spent_s(self) -> float:
        """Seconds spent on forks so far, over all sessions of the run."""
        return self._before_s + time.monotonic() - self._began

    def next_fork(self, number: int) -> ForkTask | None:
        """Return the work of a fork; None if there are no more forks."""
        plan = self._context.plan
        started = self._context.resume_state.forks.get(number)
        condition = plan.condition_of(number)
        if started is not None:
            by_id = {cell.id: cell for cell in plan.cells}
            cells = tuple(by_id[id_] for id_ in started["cells"] if id_ in by_id)
            return ForkTask(number, started["idle"], cells, started["rounds"], started["watch"], self._until(number))
        planned = number < plan.forks * len(plan.conditions)
        least = number < FEWEST * len(plan.conditions)
        if not (planned if self._exact else least or self._time_left(condition)):
            return None
        cells = plan.cells_under(condition)
        if not planned:
            # Excluded cells decide nothing. Without this, forks without cells would continue until the time is over.
            undecided = undecided_cells(self._context.run, plan) & {cell.id for cell in self._alive(plan.timed)}
            cells = tuple(cell for cell in cells if cell.id in undecided)
            if not undecided:
                return None
        watch = number < (1 if self._context.quick else len(plan.conditions))
        return ForkTask(number, condition, self._alive(cells), self._rounds, watch, self._until(number))

    def fork_finished(self, fork_task: ForkTask, seconds: float) -> None:
        """Store the duration of a fork."""
        self._last_s[fork_task.condition] = seconds

    def left_s(self, number: int) -> float:
        """Return the seconds that the planned forks after one still take, as the last fork of each condition took."""
        plan = self._context.plan
        planned = range(number + 1, plan.forks * len(plan.conditions))
        usual_s = max(self._last_s.values(), default=0.0)
        seconds = sum(self._last_s.get(plan.condition_of(later), usual_s) for later in planned)
        return seconds if self._limit_s is None else min(seconds, max(0.0, self._limit_s - self.spent_s))

    def _alive(self, cells: tuple[Cell, ...]) -> tuple[Cell, ...]:
        resume_state = self._context.resume_state
        return tuple(
            cell for cell in cells if cell.id not in resume_state.cells and cell.stack not in resume_state.stacks
        )

    def _time_left(self, condition: str) -> bool:
        if self._limit_s is None:
            return False
        left_s = self._limit_s - self.spent_s
        return left_s > WORTH_BEGINNING * self._last_s.get(condition, 0.0)

    def _until(self, number: int) -> float | None:
        """Return when the rounds must end, on the monotonic clock. The first fork of each condition has no limit."""
        if self._limit_s is None or number < len(self._context.plan.conditions):
            return None
        return time.monotonic() + max(0.0, self._limit_s - self.spent_s)
