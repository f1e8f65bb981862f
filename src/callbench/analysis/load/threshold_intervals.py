"""Where the true value of a load's metric can lie: what decides whether a condition of `--fail-if` is shown."""

from math import sqrt

from callbench.adapter.contract import Done, Histogram
from callbench.stats.estimate.calls_together import calls_together, mean_reach
from callbench.stats.estimate.histogram import Buckets
from callbench.stats.estimate.interval import quantile
from callbench.stats.estimate.parts_of_time import parts_of, rate_reach
from callbench.stats.estimate.share import binomial
from callbench.stats.load.rate import window_of

CONFIDENCE = 0.99
"""A condition at the true value itself is then undecided in 99 of 100 loads: a gate is asked many times."""

# A limit so many times the slowest call is not near to anything that was seen.
FAR = 3.0

# Who refuses calls (a rate limit, a full queue) refuses several in a row. Where fewer than so many tenths of an open
# loop had failures, or none did, they do not show how many: failures are taken to come by fours at least. Simulated at
# their true share were rate limits and queues of 400 calls/s: without this, up to 21 % of the loads were decided.
_SHOW_BURSTS, _BURST = 4, 4.0

Ends = tuple[float, float]


def of_errors(done: Done) -> Ends:
    """Return between which shares the share of failed calls lies."""
    failed = sum(done["errors"].values())
    ended = failed + done["calls"]
    if not ended:
        return 0.0, 1.0
    together = _failures_together(done)
    return _share(failed / together, ended / together)


def _failures_together(done: Done) -> float:
    """Return by what factor the failures say less than as many independent ones, at least 1."""
    parts = parts_of(done["intervals"], window_of(done).ns)
    errors, calls = ([], []) if parts is None else (parts.errors, parts.calls)
    together = calls_together(errors, [sum(both) for both in zip(errors, calls, strict=True)], CONFIDENCE)
    shown = sum(failed > 0 for failed in errors) >= _SHOW_BURSTS
    return together if shown or not _is_open(done) else max(together, _BURST)


def is_assumed(done: Done, metric: str) -> bool:
    """Whether nothing shows how calls of an open loop resemble each other, so that they count as independent.

    The interval then knows nothing of a queue. A loop of less than two seconds has no tenths of latencies, one of less
    than about a second none of failures. The rate alone is never taken so.
    """
    if not _is_open(done) or metric == "rate":
        return False
    return parts_of(done["intervals"], window_of(done).ns) is None if metric == "errors" else not done.get("parts")


def _is_open(done: Done) -> bool:
    return done["lateness"] is not None


def of_rate(done: Done, rate_per_s: float) -> Ends:
    """Return between which calls/s the rate lies. One call more or fewer may always be within the time."""
    window = window_of(done)
    if not window.ns:
        return 0.0, float("inf")
    parts, seconds = parts_of(done["intervals"], window.ns), window.ns / 1e9
    if parts is not None:
        reach = rate_reach(parts, CONFIDENCE) + 1 / seconds
        return max(0.0, rate_per_s - reach), rate_per_s + reach
    # Too short for parts: as if calls ended at random, which is more than they usually vary.
    from scipy import special  # noqa: PLC0415 - see callbench.stats.estimate.student

    beyond, calls = (1 - CONFIDENCE) / 2, rate_per_s * seconds
    low = float(special.gammaincinv(calls, beyond)) if calls else 0.0
    return low / seconds, float(special.gammaincinv(calls + 1, 1 - beyond)) / seconds


def of_mean(done: Done, histogram: Histogram) -> Ends:
    """Return between which microseconds the mean latency lies."""
    buckets, count = Buckets.of(dict(histogram["buckets"])), int(histogram["count"])
    mean = int(histogram["sum_ns"]) / count
    if count < 2:
        return 0.0, float("inf")
    _, deviation_ns = buckets.mean_and_deviation()
    reach = quantile(count - 1, CONFIDENCE) * deviation_ns / sqrt(count) * sqrt(_alike(done, histogram))
    if parts := done.get("parts"):
        of_parts = mean_reach([int(part["sum_ns"]) for part in parts], [part["count"] for part in parts], CONFIDENCE)
        reach = max(reach, of_parts)
    return max(0.0, mean - reach) / 1e3, (mean + reach) / 1e3


def independent_calls(done: Done, histogram: Histogram, share: float, limit_us: float) -> float:
    """Return how many independent calls say as much of a percentile as those of the histogram.

    In an open loop, its tenths show how calls resemble each other: at the percentile as measured, and at the limit.
    Beyond a limit that no call reached, nothing is seen of that; the slowest calls that there are stand for it. A limit
    of three times the slowest call is beyond what a queue may have had in store: at the limit itself, M/M/1 with up to
    90 % of its capacity in use and 1,000 calls or more was never so far below, in 400 simulated loads of 5 and 10 s.

    Args:
        done: the driver's report.
        histogram: of the latency.
        share: 0.99 of p99.
        limit_us: that the percentile is compared with.
    """
    if limit_us * 1e3 >= FAR * histogram["max_ns"]:
        return float(histogram["count"])
    count, parts = int(histogram["count"]), [Buckets.of(dict(part["buckets"])) for part in done.get("parts", ())]
    if not parts:
        return count / _alike(done, histogram)
    [own_ns] = Buckets.of(dict(histogram["buckets"])).percentiles([share])
    calls = [int(part.counts.sum()) for part in parts]
    levels = ([int(part.counts[part.lows > level].sum()) for part in parts] for level in (own_ns, limit_us * 1e3))
    return count / max(calls_together(above, calls, CONFIDENCE) for above in levels)


def share_above(histogram: Histogram, limit_us: float, independent: float) -> Ends:
    """Return between which shares the share of calls above a limit lies.

    Calls in the bucket of the limit count as above for the greater end, and as below for the smaller one.

    Args:
        histogram: of the latency.
        limit_us: the limit.
        independent: how many independent calls say as much, from `independent_calls`.
    """
    buckets, count, limit_ns = Buckets.of(dict(histogram["buckets"])), int(histogram["count"]), limit_us * 1e3
    alike = count / independent
    above = int(buckets.counts[buckets.lows > limit_ns].sum())
    reaching = int(buckets.counts[buckets.lows + buckets.widths > limit_ns].sum())
    return _share(above / alike, count / alike)[0], _share(reaching / alike, count / alike)[1]


def _share(count: float, of: float) -> Ends:
    return binomial(count, of, CONFIDENCE)


def _alike(done: Done, histogram: Histogram) -> float:
    """Return by what factor calls say less than as many independent ones, at least 1.

    In a closed loop the mean time of a call is the clients over the rate, so the tenths of the time show how much it
    varies. Clients that rest after errors do not show that, nor does an open loop without parts: such calls are taken
    as independent.
    """
    window = window_of(done)
    hidden = _is_open(done) or done["errors"]
    parts = None if hidden else parts_of(done["intervals"], window.ns)
    if parts is None or not window.per_s:
        return 1.0
    mean = int(histogram["sum_ns"]) / histogram["count"]
    _, deviation_ns = Buckets.of(dict(histogram["buckets"])).mean_and_deviation()
    alone = quantile(10**6, CONFIDENCE) * deviation_ns / sqrt(histogram["count"])
    clients = round(window.per_s * mean / 1e9)
    return max(1.0, (rate_reach(parts, CONFIDENCE, clients) / window.per_s / (alone / mean)) ** 2) if alone else 1.0
