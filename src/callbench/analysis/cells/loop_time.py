"""The load loop's own time, which the rate of one client is given without.

With one client that calls again at once, its time is that of its calls and that of the loop: the check of the answer,
the histogram, the next payload. The loop reads the clock around each call and counts what lies between two calls (the
contract's `gap_ns`), in the very slices that the rate comes from. So what it takes is known fork by fork, and the
interval of the rate without it holds its variation.

The clock reads once more within the timed region of each call. A call of fewer than 20 readings is timed in batches
instead, and what the loop takes within a batch is not known apart. Several clients share processors, so that their
loops' time cannot simply be taken off.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from callbench.analysis.cells.table_rows import CellRow, ForkRow
from callbench.stats.estimate.interval import Interval, geometric_mean
from callbench.stats.load.bottleneck import MOST_OF_ONE


@dataclass(frozen=True)
class LoopTime:
    """What the loop took of the time of one client.

    Attributes:
        shares: of the time of each fork.
        us: for each call, in microseconds.
        whole_us: the time from call to call, loop and all, in microseconds.
    """

    shares: Mapping[int, float]
    us: Interval
    whole_us: Interval


def loop_time(cell: CellRow, forks: Sequence[ForkRow]) -> LoopTime | None:
    """Compute what the loop took; None where it cannot be taken off.

    Args:
        cell: as the plan has it.
        forks: the sums of its trials, a row a fork, each with calls and time.
    """
    alone = cell["clients"] == 1 and cell["target_per_s"] is None and not cell["think_ms"]
    loops = {row["fork"]: row["loop_ns"] for row in forks if row["loop_ns"] and (row["batch"] or 1) <= 1}
    if not (alone and forks) or len(loops) < len(forks):
        return None
    if sum(loops.values()) > MOST_OF_ONE * sum(row["elapsed_ns"] for row in forks):
        return None
    made = {row["fork"]: row["calls"] + row["error_count"] for row in forks}
    return LoopTime(
        {row["fork"]: loops[row["fork"]] / row["elapsed_ns"] for row in forks},
        geometric_mean([loops[row["fork"]] / 1e3 / made[row["fork"]] for row in forks]),
        geometric_mean([row["elapsed_ns"] / 1e3 / made[row["fork"]] for row in forks]),
    )
