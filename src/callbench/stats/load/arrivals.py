"""Gaps between the arrivals of an open loop: a circle of them, whose mean is exactly the gap asked for."""

import numpy as np

Gaps = np.ndarray[tuple[int], np.dtype[np.uint64]]


def constant(rate_per_s: float, count: int) -> Gaps:
    """Return `count` gaps in ns, all alike except for rounding: the k-th arrival is due at k / rate, to the nanosecond.

    Args:
        rate_per_s: arrivals a second, above 0.
        count: how many, from 1 to 2^20.
    """
    return _between(np.arange(count + 1, dtype=np.float64) * (1e9 / rate_per_s))


def poisson(rate_per_s: float, count: int, seed: int | list[int]) -> Gaps:
    """Return `count` random gaps in ns: a Poisson process of which `count` arrivals come in `count` / rate seconds.

    Exponential gaps divided by their sum. Given how many arrivals a Poisson process has in an interval, they lie in it
    like that many independent uniform numbers in order (Kingman, "Poisson Processes", 1993, section 2.4). Their
    spacings are exponentials over their sum (Pyke, "Spacings", Journal of the Royal Statistical Society B 27(3), 1965).
    So chance decides when calls come, not how many. A short trial is not offered 10 % more than requested.

    Args:
        rate_per_s: arrivals a second, above 0.
        count: how many, from 1 to 2^20.
        seed: decides the gaps.
    """
    sums = np.cumsum(np.random.default_rng(seed).standard_exponential(count), dtype=np.float64)
    due = np.zeros(count + 1, dtype=np.float64)
    due[1:] = sums * (count * 1e9 / rate_per_s / sums[-1])
    return _between(due)


def _between(moments_ns: "np.ndarray[tuple[int], np.dtype[np.float64]]") -> Gaps:
    """Round the moments, not the gaps, so that rounding does not add up."""
    return np.diff(np.rint(moments_ns)).astype(np.uint64)


def due_ns(gaps: Gaps, count: int) -> "np.ndarray[tuple[int], np.dtype[np.int64]]":
    """Return when the first `count` arrivals are due in ns since the start, the gaps replayed in a circle."""
    return np.cumsum(np.resize(gaps, count).astype(np.int64))
