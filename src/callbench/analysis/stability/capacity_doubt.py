"""Whether an overload test contradicts the capacity that it multiplied, whether that was searched for or given."""

from collections.abc import Sequence

from callbench.model.objective import Objective
from callbench.store.lines.overload import HalfLine


def doubt_at_half(before: Sequence[HalfLine], objective: Objective) -> str | None:
    """Say that the capacity is lower than supposed, or return None.

    Half of a capacity is held. So it is not the capacity if most of the seconds at half of it missed the objective, or
    if more of their calls failed than the objective allows.

    Args:
        before: the slices at half of the capacity, before all overloads. Those of old records are not judged.
        objective: what the capacity is defined by.
    """
    judged = [line for line in before if "holds" in line]
    missed = sum(not line["holds"] for line in judged)
    if missed * 2 > len(judged):
        return f"at half of it, {missed} of {len(judged)} seconds missed {objective.text}"
    failed = sum(sum(line["errors"].values()) for line in judged)
    calls = failed + sum(line["calls"] for line in judged)
    # A call that failed counts as one that never ended: the mean and the longest allow none.
    allowed = 0.0 if objective.share is None else 1 - objective.share
    if failed > allowed * calls:
        return f"at half of it, {failed:,} of {calls:,} calls failed"
    return None


def doubt_above(factor: float, held: bool | None, objective: Objective) -> str | None:
    """Say that the capacity is higher than supposed, for its multiple met the objective too; else return None."""
    return f"{factor:g} times as many calls met {objective.text} too" if held else None
