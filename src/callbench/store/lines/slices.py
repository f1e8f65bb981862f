"""A slice of calls of a soak, an overload or a torture: the statistics of a short drive."""

from typing import NotRequired, Required, TypedDict

from callbench.store.lines.sides import MachineUse
from callbench.store.typed import Amount, Buckets, Count

Percentiles = TypedDict(
    "Percentiles",
    {"p50_us": Amount, "p90_us": Amount, "p99_us": Amount, "p99.9_us": Amount, "max_us": Amount},
    total=False,
)
LatencyFigures = TypedDict(
    "LatencyFigures",
    {
        "mean": Required[Amount],
        "min": Required[Amount],
        "p50": Amount | None,
        "p75": Amount | None,
        "p90": Amount | None,
        "p99": Amount | None,
        "p99.9": Amount | None,
        "p99.99": Amount | None,
        "max": Required[Amount],
        "unknown": dict[str, str],
    },
    total=False,
)
LatencyFigures.__doc__ = "Times in microseconds. `unknown`: why a percentile has no value, by its name."
Percentiles.__doc__ = "Percentiles and the longest call, in microseconds. A slice without right answers has none."


class SummedHistogram(TypedDict):
    """Histograms of nanoseconds, added up. A drive of its own has the sum as a text."""

    count: Count
    sum_ns: Count | str
    min_ns: Count
    max_ns: Count
    buckets: Buckets


class EndpointCounts(TypedDict):
    """An endpoint of several: its calls, and the time that clients spent in them, in seconds."""

    name: str
    calls: Count
    errors: dict[str, Count]
    in_call_s: Amount
    histogram_ns: SummedHistogram | None


class EndpointResult(EndpointCounts):
    """The same with what follows from it: its part of the time in calls, and the times of right answers."""

    time_share: Amount | None
    latency_us: LatencyFigures | None


class SliceFigures(Percentiles):
    """What a drive came to.

    `seconds`: to the last end. `window`: calls, nanoseconds, and calls in flight at its end. `last_answer_s`: since the
    start; None without one. `processor_us`: of the client. `unserved`: clients that failed and got no right answer.
    `sent_again`: calls that were sent twice, as the server had closed their connection. `starved`: hosts whose
    generator did not get the processors that it needed. `spent_s`: seconds of all clients in calls and in thinking,
    also beyond the window. A slice in which no call could begin has neither window nor processor time.
    """

    calls: Count
    errors: dict[str, Count]
    error_messages: dict[str, str]
    seconds: Amount
    window: NotRequired[tuple[Amount, Count, Count]]
    last_answer_s: Amount | None
    processor_us: NotRequired[Count]
    sum_ns: NotRequired[Count]
    min_ns: NotRequired[Count]
    max_ns: NotRequired[Count]
    buckets: NotRequired[Buckets]
    unserved: NotRequired[Count]
    sent_again: NotRequired[Count]
    spent_s: NotRequired[Amount]
    endpoints: NotRequired[list[EndpointCounts]]
    starved: NotRequired[list[str]]


class TimedSlice(SliceFigures):
    """A slice in its test: when it began, and what used the machine meanwhile. `dead`: the server had ended."""

    at_s: Amount
    dead: bool
    machine: MachineUse
