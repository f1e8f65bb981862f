"""All metrics by name. What lists metrics anywhere takes them from here."""

from collections.abc import Mapping

from callbench.model.metrics import cold, cost, held, latency, messages, processes, rate, wire
from callbench.model.metrics.metric import Combination, Metric, RatioTest, StudyUse

# In the order in which tables, formats and the reference page have them.
GROUPS: Mapping[str, tuple[Metric, ...]] = {
    "Rate": rate.METRICS,
    "Latency": latency.METRICS,
    "Processor time": cost.METRICS,
    "Messages": messages.METRICS,
    "Processes": processes.METRICS,
    "Wire": wire.METRICS,
}
# Of the starts of a stack, and of a server's records; all others are of a cell.
COLD: Mapping[str, Metric] = {metric.name: metric for metric in cold.METRICS}
HELD: Mapping[str, Metric] = {metric.name: metric for metric in held.METRICS}
METRICS: Mapping[str, Metric] = {metric.name: metric for group in GROUPS.values() for metric in group}

# Those that a cell has a value of by itself: studies, JSON, CSV and the table `metrics` have them all.
VALUES: Mapping[str, Metric] = {name: metric for name, metric in METRICS.items() if metric.asked is StudyUse.EVERYWHERE}
PERCENTILES: Mapping[str, float] = {name: metric.share for name, metric in METRICS.items() if metric.share is not None}
# Those that are followed from record to record.
FOLLOWED: Mapping[str, Metric] = {**VALUES, **HELD}
# Those that calls must be timed one by one for.
TIMED_EACH = frozenset(
    name for name, metric in METRICS.items() if metric.combined in {Combination.HISTOGRAMS, Combination.GREATEST}
)
# What a doubt of a cell's time speaks against.
OF_TIME = frozenset({"rate_per_s", *(metric.name for metric in latency.METRICS)})
# What varies from fork to fork as rates do: only for these is a spread borrowed from other cells.
SHARED_SPREAD = frozenset(name for name, metric in METRICS.items() if metric.tested is RatioTest.SHARED)
# In the lists of every cell.
LISTED: Mapping[str, Metric] = {name: metric for name, metric in METRICS.items() if metric.heading}


def available_metrics(*places: StudyUse) -> tuple[str, ...]:
    """Name the metrics that a study may ask for: everywhere, and in these places besides."""
    return tuple(name for name, metric in METRICS.items() if metric.asked in {StudyUse.EVERYWHERE, *places})
