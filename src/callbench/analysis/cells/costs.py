"""What a call costs in processor time, each side and user and system apart, from the stored trials."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from callbench.analysis.cells.table_rows import ProcessorColumn, TrialRow
from callbench.stats.estimate.processor_time import TICK_NS, ForkUse, ProcessorTime, step_of, together

Costs = Mapping[str, ProcessorTime]
# Of each side, the columns of a user's time and of the system's.
PROCESSOR_COLUMNS: Mapping[str, tuple[ProcessorColumn, ProcessorColumn]] = {
    "client": ("user_ns", "system_ns"),
    "server": ("server_user_ns", "server_system_ns"),
    "backend": ("backend_user_ns", "backend_system_ns"),
}
# A kernel that counts by ticks says which part of the time was a user's by the ticks that it saw.
WINE = "wineserver_us"


@dataclass(frozen=True)
class Cost:
    """Processor time of a cell.

    Attributes:
        by_statistic: by the name that a study asks for it: `client_user_us` ... `server_cpu_us`, `backend_cpu_us`,
            `cpu_us` for both sides together. A backend's only where something stands behind the server; it is not among
            what both sides cost together. Nor is that of Wine's server, `wineserver_us`, which works for both.
    """

    by_statistic: Costs = field(default_factory=dict)

    def ns(self, statistic: str) -> int:
        """Return the nanoseconds of all trials together, 0 if they are not known."""
        spent = self.by_statistic.get(statistic)
        return sum(piece.ns for piece in spent.pieces.values()) if spent else 0


def cost(trials: Sequence[TrialRow], *, in_process: bool) -> Cost:
    """Add up a cell's trials, right or wrong calls alike.

    Args:
        trials: their times are None if a side did not tell.
        in_process: whether one process plays both sides: what it used is the client's.
    """
    found: dict[str, ProcessorTime | None] = {}
    sides = ["client"] if in_process else list(PROCESSOR_COLUMNS)
    for side in sides:
        names = PROCESSOR_COLUMNS[side]
        for kind, name in zip(("user", "system"), names, strict=True):
            found[f"{side}_{kind}_us"] = _spent(trials, [name], TICK_NS)
        found[f"{side}_cpu_us"] = _spent(trials, names, None)
    both = [found[f"{side}_cpu_us"] for side in sides if side != "backend"]
    known = [side for side in both if side is not None]
    found["cpu_us"] = together(known) if known else None
    if any(row["wineserver_ns"] for row in trials):
        found[WINE] = _spent(trials, ["wineserver_ns"], None)
    return Cost({name: spent for name, spent in found.items() if spent is not None})


def _spent(trials: Sequence[TrialRow], columns: Sequence[ProcessorColumn], step: int | None) -> ProcessorTime | None:
    """Add up columns by fork; where no step is given, the one that the values tell."""
    seen: dict[int, list[tuple[int, int]]] = {}
    for row in trials:
        spent, calls = [row[column] for column in columns], row["calls"] + row["error_count"]
        known = [ns for ns in spent if ns is not None]
        if calls and len(known) == len(spent):
            seen.setdefault(row["fork"], []).append((sum(known), calls))
    if not seen:
        return None
    own = step or step_of(ns for pairs in seen.values() for ns, _ in pairs)
    return ProcessorTime(
        {
            fork: ForkUse(sum(ns for ns, _ in pairs), own * len(pairs), sum(calls for _, calls in pairs))
            for fork, pairs in seen.items()
        }
    )
