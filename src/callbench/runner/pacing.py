"""How many forks there are and how long each is: until everything is decided, or until the time is over."""

import time

from callbench.model.cell import Cell
from callbench.runner.context import Asked, Context
from callbench.runner.openness import still_open

# Where the time is over before the planned forks are: fewer than two have no interval.
FEWEST = 2
# The last fork is not begun where less than this share of one is left.
WORTH_BEGINNING = 0.6


class Pacing:
    """Says what the next fork is to do.

    A run goes on until everything that it was made for is decided, or until its time is over. In its planned forks
    every cell takes part; what is decided then takes no part in further ones.
    """

    def __init__(self, of: Context) -> None:
        """Reads what run.json says."""
        self._of = of
        info = of.run.info
        self._rounds = int(info["rounds"])
        self._limit_s: float | None = info.get("limit_s")
        self._exact = bool(info.get("exact"))
        self._began = time.monotonic()
        self._before_s = of.past.fork_seconds
        self._last_s: dict[str, float] = {}

    @property
    def spent_s(self) -> float:
        """Time spent on forks so far, in seconds, over all sessions of the run."""
        return self._before_s + time.monotonic() - self._began

    def asked(self, number: int) -> Asked | None:
        """What a fork is to do; None where there are to be no more."""
        plan = self._of.plan
        begun = self._of.past.forks.get(number)
        condition = plan.condition_of(number)
        if begun is not None:
            by_id = {cell.id: cell for cell in plan.cells}
            cells = tuple(by_id[id_] for id_ in begun["cells"] if id_ in by_id)
            return Asked(
                number, str(begun["idle"]), cells, int(begun["rounds"]), bool(begun["watch"]), self._until(number)
            )
        planned = number < plan.forks * len(plan.conditions)
        least = number < FEWEST * len(plan.conditions)
        if not (planned if self._exact else least or self._time_left(condition)):
            return None
        cells = plan.cells_under(condition)
        if not planned:
            # Who was left out decides nothing any more: forks without a cell would go on until the time is over.
            wanted = still_open(self._of.run, plan) & {cell.id for cell in self._alive(plan.timed)}
            cells = tuple(cell for cell in cells if cell.id in wanted)
            if not wanted:
                return None
        watch = number < (1 if self._of.quick else len(plan.conditions))
        return Asked(number, condition, self._alive(cells), self._rounds, watch, self._until(number))

    def took(self, asked: Asked, seconds: float) -> None:
        """A fork took so long."""
        self._last_s[asked.condition] = seconds

    def _alive(self, cells: tuple[Cell, ...]) -> tuple[Cell, ...]:
        past = self._of.past
        return tuple(cell for cell in cells if cell.id not in past.cells and cell.stack not in past.stacks)

    def _time_left(self, condition: str) -> bool:
        if self._limit_s is None:
            return False
        left_s = self._limit_s - self.spent_s
        return left_s > WORTH_BEGINNING * self._last_s.get(condition, 0.0)

    def _until(self, number: int) -> float | None:
        """When the fork's rounds are to end, on the monotonic clock; the first of each condition are whole."""
        if self._limit_s is None or number < len(self._of.plan.conditions):
            return None
        return time.monotonic() + max(0.0, self._limit_s - self.spent_s)
