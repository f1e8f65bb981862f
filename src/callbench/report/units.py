"""Units of the statistics that a study can ask for."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Unit:
    """What a statistic is called, what it is measured in, and which way is better."""

    title: str
    name: str
    more_is_better: bool


UNITS = {
    "rate_per_s": Unit("rate", "calls/s", more_is_better=True),
    "mean_us": Unit("mean time of a call", "µs", more_is_better=False),
    "p50_us": Unit("median latency", "µs", more_is_better=False),
    "p90_us": Unit("latency, 90th percentile", "µs", more_is_better=False),
    "p99_us": Unit("latency, 99th percentile", "µs", more_is_better=False),
    "bytes": Unit("bytes of a call's two messages", "bytes", more_is_better=False),
}
