"""How much of the processors other programs and the host used during slices, from their lines in the journal."""

from collections.abc import Iterable
from statistics import median

from callbench.stats.estimate.digits import percent
from callbench.store.lines.slices import TimedSlice

# So many of them are named.
MOST_NAMED = 3
# If other programs use this much more of the processors than before, they may have slowed down the calls.
OTHERS_INCREASE = 0.05


def others(line: TimedSlice) -> float | None:
    """Return the share of all processors' time used by other programs and the host; None if unknown.

    Args:
        line: the journal line of a slice.
    """
    seen = line["machine"]
    if not seen["known"] or not seen["elapsed_ns"]:
        return None
    free = seen["busy_ns"] + seen["steal_ns"] - seen["ours_ns"]
    return float(min(1.0, max(0.0, free / (seen["elapsed_ns"] * seen["processors"]))))


def median_others(lines: Iterable[TimedSlice]) -> float | None:
    """Return the median of that share over slices; None if unknown."""
    shares = [share for line in lines if (share := others(line)) is not None]
    return median(shares) if shares else None


def others_text(lines: Iterable[TimedSlice], before: float | None = None) -> str:
    """Return what other programs used, as a part of a sentence.

    Args:
        lines: the slices.
        before: the earlier median share, or None.
    """
    every = list(lines)
    share = median_others(every)
    if share is None:
        return "the share of other programs is unknown"
    then = "" if before is None else f", {percent(before)} before"
    total: dict[str, int] = {}
    for line in every:
        for name, ns in line["machine"]["most"]:
            total[name] = total.get(name, 0) + ns
    names = sorted(total, key=lambda name: -total[name])[:MOST_NAMED] if share >= OTHERS_INCREASE else []
    who = f" ({', '.join(names)})" if names else ""
    return f"other programs{who} took {percent(share)} of the processors during that time{then}"
