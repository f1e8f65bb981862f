"""A slice of calls of a soak, an overload or a torture: the statistics of a short drive."""

from typing import Annotated, NotRequired, TypedDict

from callbench.store.lines.sides import MachineUse
from callbench.store.typed import AS_IT_IS

Percentiles = TypedDict(
    "Percentiles",
    {"p50_us": float, "p90_us": float, "p99_us": float, "p99.9_us": float, "max_us": float},
    total=False,
)
LatencyFigures = TypedDict(
    "LatencyFigures",
    {
        "mean": float,
        "min": float,
        "p50": float | None,
        "p75": float | None,
        "p90": float | None,
        "p99": float | None,
        "p99.9": float | None,
        "p99.99": float | None,
        "max": float,
        "unknown": dict[str, str],
    },
    total=False,
)
LatencyFigures.__doc__ = "Times in microseconds. `unknown`: why a percentile has no value, by its name."
Percentiles.__doc__ = "Percentiles and the longest call, in microseconds. A slice without right answers has none."


class SummedHistogram(TypedDict):
    """Histograms of nanoseconds, added up. A drive of its own has the sum as a text."""

    count: int
    sum_ns: int | str
    min_ns: int
    max_ns: int
    buckets: Annotated[list[tuple[int, int]], AS_IT_IS]


class EndpointCounts(TypedDict):
    """An endpoint of several: its calls, and the time that clients spent in them, in seconds."""

    name: str
    calls: int
    errors: dict[str, int]
    in_call_s: float
    histogram_ns: SummedHistogram | None


class EndpointResult(EndpointCounts):
    """The same with what follows from it: its part of the time in calls, and the times of right answers."""

    time_share: float | None
    latency_us: LatencyFigures | None


class SliceFigures(Percentiles):
    """What a drive came to.

    `seconds`: to the last end. `window`: calls, nanoseconds, and calls in flight at its end. `last_answer_s`: since the
    start; None without one. `processor_us`: of the client. `unserved`: clients that failed and got no right answer.
    `sent_again`: calls that were sent twice, as the server had closed their connection. `starved`: hosts whose
    generator did not get the processors that it needed. A slice in which no call could begin has neither window nor
    processor time.
    """

    calls: int
    errors: dict[str, int]
    error_messages: dict[str, str]
    seconds: float
    window: NotRequired[tuple[float, int, int]]
    last_answer_s: float | None
    processor_us: NotRequired[int]
    sum_ns: NotRequired[int]
    min_ns: NotRequired[int]
    max_ns: NotRequired[int]
    buckets: NotRequired[Annotated[list[tuple[int, int]], AS_IT_IS]]
    unserved: NotRequired[int]
    sent_again: NotRequired[int]
    endpoints: NotRequired[list[EndpointCounts]]
    starved: NotRequired[list[str]]


class TimedSlice(SliceFigures):
    """A slice in its test: when it began, and what used the machine meanwhile. `dead`: the server had ended."""

    at_s: float
    dead: bool
    machine: MachineUse
