"""How many calls a percentile needs, and where it lies: from order statistics, whatever the times' distribution is.

Of n calls, the number below the percentile with the share q is binomial, B(n, q). So the calls of rank r and s, in
order of their times, enclose it with the probability P(r <= B < s) (David and Nagaraja, "Order Statistics", 3rd
edition, 2003, section 7.1; with trials that are independent). Two ends with at most (1 - C)/2 beyond each exist from

    n >= ln((1 - C)/2) / ln(max(q, 1 - q))

on: with fewer calls even the greatest of them lies below the percentile too often. At C = 95 %, p50 needs 6, p90 36,
p99 368 and p99.9 3,688 calls. A percentile of fewer is the greatest time or nearly so, under another name.
"""

import math
from collections.abc import Sequence

from callbench.stats.estimate.histogram import Buckets
from callbench.stats.estimate.interval import CONFIDENCE


def fewest_calls(share: float, confidence: float = CONFIDENCE) -> int:
    """Return from how many calls on a percentile has an interval with two ends.

    Args:
        share: 0.99 of p99; above 0 and below 1.
        confidence: of the interval.
    """
    return math.ceil(math.log((1 - confidence) / 2) / math.log(max(share, 1 - share)))


def few_calls(share: float, forks: Sequence[int], confidence: float = CONFIDENCE) -> str:
    """Say that there are too few calls for a percentile: `p99 needs about 368 calls in each fork, they have 9 to 12`.

    Args:
        share: 0.99 of p99.
        forks: how many calls each of them has; of one, no fork is named.
        confidence: of the interval that they are needed for.
    """
    needed = fewest_calls(share, confidence)
    least, most, wanted = min(forks), max(forks), f"{percentile_name(share)} needs about {needed:,} calls"
    if len(forks) == 1:
        return f"{wanted}, there are {least:,}"
    return f"{wanted} in each fork, they have {f'{least:,} to {most:,}' if most > least else f'{least:,}'}"


def alike_calls(share: float, calls: int, independent: float, confidence: float) -> str:
    """Say that calls resemble each other too much for a percentile, as those of a queue do.

    Args:
        share: 0.99 of p99.
        calls: that were made.
        independent: how many independent ones say as much.
        confidence: of the interval that they are needed for.
    """
    few = f"{calls:,} calls say as much as {max(1, round(independent)):,} independent ones"
    return (
        f"calls resemble each other, so {few}, and {percentile_name(share)} needs {fewest_calls(share, confidence):,}"
    )


def percentile_name(share: float) -> str:
    """Return the name of a percentile: `p99.9` for 0.999."""
    return f"p{share * 100:g}"


def percentile_ends(buckets: Buckets, share: float) -> tuple[float, float] | None:
    """Return between which times a percentile lies, in ns; None from too few calls.

    Args:
        buckets: the histogram of independent calls.
        share: 0.99 of p99.
    """
    from scipy import special  # noqa: PLC0415 - see callbench.stats.estimate.student

    count = int(buckets.counts.sum())
    if count < fewest_calls(share):
        return None
    beyond = (1 - CONFIDENCE) / 2
    # The greatest rank r with P(B < r) <= beyond, and the least rank s with P(B >= s) <= beyond.
    low, high = int(special.bdtrik(beyond, count, share)) + 1, int(special.bdtrik(1 - beyond, count, share)) + 2
    while low > 1 and special.bdtr(low - 1, count, share) > beyond:
        low -= 1
    while high > 1 and special.bdtr(high - 2, count, share) >= 1 - beyond:
        high -= 1
    ends = buckets.percentiles([max(low, 1) / count, min(high, count) / count])
    return ends[0], ends[1]
