"""What of a call is a processor waking up: the same cell with idle states as the machine has them, and held."""

from dataclasses import dataclass

from callbench.analysis.cells.results import Result, Results
from callbench.model.cell import AS_IS, HELD
from callbench.stats.estimate.interval import CONFIDENCE, Interval
from callbench.stats.estimate.logratio import unpaired


@dataclass(frozen=True)
class WakeUp:
    """One cell in both conditions.

    Attributes:
        cell: with idle states held.
        as_is_cell: the same in the machine's own condition.
        as_is: its mean time in the machine's own condition, in microseconds.
        held: likewise with idle states held.
        times: as it is over held, with its interval; None from fewer than two forks of either.
    """

    cell: Result
    as_is_cell: Result
    as_is: Interval
    held: Interval
    times: Interval | None

    @property
    def share(self) -> float:
        """The share of a call in the machine's own condition that holding idle states saves; 0 where it saves none."""
        return max(0.0, 1 - self.held.middle / self.as_is.middle)


def wake_ups(conditions: dict[str, Results]) -> list[WakeUp]:
    """Compare the conditions cell by cell, in the order of the run; nothing if it has one alone.

    The two were measured in different forks, in turn: their ratio is of means, not of pairs.
    """
    if not {AS_IS, HELD} <= conditions.keys():
        return []
    own = {_key(cell): cell for cell in conditions[AS_IS].cells}
    found = []
    for cell in conditions[HELD].cells:
        other = own.get(_key(cell))
        held, as_is = cell.interval("mean_us"), other.interval("mean_us") if other is not None else None
        if other is not None and held is not None and as_is is not None:
            found.append(WakeUp(cell, other, as_is, held, _times(other, cell)))
    return found


def _times(as_is: Result, held: Result) -> Interval | None:
    over, under = (list(cell.by_fork.get("mean_us", {}).values()) for cell in (as_is, held))
    return unpaired(over, under).interval(CONFIDENCE) if min(len(over), len(under)) > 1 else None


def _key(cell: Result) -> tuple[str, ...]:
    named = ("group", "stack", "clients", "link", "arrivals", "rate")
    return (*(cell.attributes[name] for name in named), str(cell.arguments), str(cell.options))
