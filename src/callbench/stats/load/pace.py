"""Whether an open loop kept the rate that was asked of it, and whose fault it was where it did not."""

from callbench.stats.estimate.digits import figure, given
from callbench.stats.estimate.interval import Interval
from callbench.stats.load.rate import Window

# The share of its target that a rate must reach, wherever a rate is asked for: in a run, a knee, a load, an overload.
# A schedule has exactly the arrivals that were asked for, Poisson's too. Where a time ends it, chance leaves a few of
# them after it, and they count as begun (`due`). What is short else is one call of a hundred, the fewest that a trial's
# percentile is made of, or a hundredth of its time to get going; more than that is a rate that someone did not keep.
REACHED = 0.99
# A rate that falls short by so much has been missed, however wide the interval of a few unequal forks.
SURELY_MISSED = 0.9
# What a machine with other things to do can be late by, in microseconds, before it is called the generator's fault.
FORGIVEN_US = 1_000.0


def reached_per_s(calls: int, elapsed_ns: float, mean_service_ns: float, window: Window, due: float = 0.0) -> float:
    """Compute the rate at which calls were begun: the time that the last one took is no part of it.

    The k-th of n calls at rate r is due at k / r, so the last one begins at n / r and ends a service time later. In a
    short trial that time would make every target look missed. Where an answer takes much longer than the mean, what was
    begun within the window says it instead: with n of them the next was due at its end or after it. Neither says more
    than was begun, so the larger of the two holds.

    Args:
        calls: answered rightly.
        elapsed_ns: to the last of their ends.
        mean_service_ns: from the real start of a call to its end.
        window: of the same drive; its calls in flight had been begun.
        due: how many calls of a random schedule were to be due within the time, on average: all that were due have
            been made, so a time that was kept is missed by none. 0: as many as were made.
    """
    whole = max(calls, due) / (max(elapsed_ns - mean_service_ns, 1.0) / 1e9)
    if not window.in_flight:
        return whole
    begun = min(calls, window.calls + window.in_flight)
    return max(whole, begun / (window.ns / 1e9))


def missed(target_per_s: float, reached: Interval, lateness_p99_us: float, latency_p99_us: float) -> str | None:
    """Explain why a value is not one of the rate asked for, or give None.

    Args:
        target_per_s: the rate asked for.
        reached: what was reached, with its interval over the forks.
        lateness_p99_us: how late the generator itself began a call, 99th percentile.
        latency_p99_us: from the intended start, 99th percentile.
    """
    highest = reached.middle if reached.high is None else reached.high
    late = lateness_p99_us > max(FORGIVEN_US, latency_p99_us / 2)
    blame = f"the generator itself was late, by {figure(lateness_p99_us)} µs at the 99th percentile"
    if highest < REACHED * target_per_s or reached.middle < SURELY_MISSED * target_per_s:
        short = f"{figure(reached.middle, reached.half_width)} of {given(target_per_s)} calls/s were reached"
        return f"{short}: {blame if late else 'every client was waiting for an answer when calls were due'}"
    return blame if late else None
