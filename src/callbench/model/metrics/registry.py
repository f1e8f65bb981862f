"""All metrics by name. What lists metrics anywhere takes them from here."""

from collections.abc import Mapping

from callbench.model.metrics import cold, cost, latency, messages, processes, rate, wire
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
# Of the starts of a stack; all others are of a cell.
COLD: Mapping[str, Metric] = {one.name: one for one in cold.METRICS}
METRICS: Mapping[str, Metric] = {one.name: one for group in GROUPS.values() for one in group}

# Those that a cell has a value of by itself: studies, JSON, CSV and the table `metrics` have them all.
VALUES: Mapping[str, Metric] = {name: one for name, one in METRICS.items() if one.asked is StudyUse.EVERYWHERE}
PERCENTILES: Mapping[str, float] = {name: one.share for name, one in METRICS.items() if one.share is not None}
# Those that calls must be timed one by one for.
TIMED_EACH = frozenset(
    name for name, one in METRICS.items() if one.combined in {Combination.HISTOGRAMS, Combination.GREATEST}
)
# What a doubt of a cell's time speaks against.
OF_TIME = frozenset({"rate_per_s", *(one.name for one in latency.METRICS)})
# What varies from fork to fork as rates do: only for these is a spread borrowed from other cells.
SHARED_SPREAD = frozenset(name for name, one in METRICS.items() if one.tested is RatioTest.SHARED)
# In the lists of every cell.
LISTED: Mapping[str, Metric] = {name: one for name, one in METRICS.items() if one.heading}


def available_metrics(*places: StudyUse) -> tuple[str, ...]:
    """Name the metrics that a study may ask for: everywhere, and in these places besides."""
    return tuple(name for name, one in METRICS.items() if one.asked in {StudyUse.EVERYWHERE, *places})
