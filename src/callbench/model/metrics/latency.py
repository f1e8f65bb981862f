"""How long a call takes."""

from callbench.model.metrics.metric import Better, Combination, Metric, RatioTest

# The time of a call as a multiple of the raw echo of its rounds.
ECHOES = "echoes"
_BATCHES = "No value if calls are timed in batches."


def _percentile(name: str, share: float, title: str, heading: str = "") -> Metric:
    """Declare a percentile of the latency."""
    return Metric(
        name=f"{name}_us",
        title=title,
        unit="µs",
        about=_BATCHES,
        better=Better.LOWER,
        combined=Combination.HISTOGRAMS,
        heading=heading,
        share=share,
    )


METRICS = (
    Metric(
        name="mean_us",
        title="mean time of a call",
        unit="µs",
        about="In an open loop, from the moment at which the call was due.",
        better=Better.LOWER,
        tested=RatioTest.SHARED,
        heading="mean µs",
        wide=True,
    ),
    Metric(
        name=ECHOES,
        title="mean time of a call in echoes of its rounds",
        unit="echoes",
        about="In raw echoes of the same sizes. Comparable between hours and machines. There is none over a link.",
        better=Better.LOWER,
        heading="echoes",
    ),
    _percentile("p50", 0.5, "median latency", "p50 µs"),
    _percentile("p90", 0.9, "latency, 90th percentile"),
    _percentile("p99", 0.99, "latency, 99th percentile", "p99 µs"),
    _percentile("p999", 0.999, "latency, 99.9th percentile"),
    Metric(
        name="max_us",
        title="greatest latency",
        unit="µs",
        about=f"The more calls are made, the greater it is. {_BATCHES}",
        better=Better.LOWER,
        combined=Combination.GREATEST,
    ),
)
