"""Lines of a load: its intervals while it goes on, and its result."""

from typing import Annotated, Literal, NotRequired, TypedDict

from callbench.stats.load.bottleneck import Limit
from callbench.store.lines.notes import NoteLine
from callbench.store.lines.of_kind import LineTypes
from callbench.store.lines.sides import ProcessorsSeen, SideRead
from callbench.store.lines.slices import EndpointResult, LatencyFigures, SummedHistogram
from callbench.store.typed import AS_IT_IS, Amount, Count, Intervals, OneOf, Positive, Several

Arrivals = Literal["closed", "constant", "poisson"]


class ThresholdRecord(TypedDict):
    """A condition on the result.

    `value` and `limit` in microseconds or as a share; `undecided`: why the condition cannot be decided; `low` and
    `high`: the ends of the value's interval. `assumed`: that it is decided only if no call waits for another.
    `unserved`: how many clients got no right answer, if that makes it true.
    """

    fail_if: str
    value: Amount | None
    limit: Amount
    failed: bool
    undecided: NotRequired[str]
    low: NotRequired[Amount]
    high: NotRequired[Amount]
    assumed: NotRequired[bool]
    unserved: NotRequired[str]


class WaitingRecord(TypedDict):
    """Calls that were due and not done at half time and at the end."""

    middle: Amount
    end: Amount


class ServerUsed(TypedDict):
    """What the server used: milliseconds of processor time, and its readings before and after."""

    processor_ms: Count
    processors: Several
    begin: SideRead
    end: SideRead


class VerdictRecord(TypedDict):
    """What limited the rate, and why that is said."""

    limit: Annotated[str, OneOf(Limit)]
    why: str


class SentAgain(TypedDict, total=False):
    """Calls that were sent twice, as the server had closed their kept connection; missing if there were none."""

    sent_again: Count


class LoadGenerator(TypedDict):
    """What one host did of a load that several made.

    `started_ns`: its start on its own monotonic clock. `late_start_ns`: how late its order came. `clock_bound_ns`: how
    well its clock is known. `driver_busy` and `host_busy`: shares of the time. `late`: of its arrivals, the share that
    it was late for. `starved`: what it lacked, or "".
    """

    host: str
    clients: Count
    calls: Count
    errors: Count
    started_ns: NotRequired[int]
    late_start_ns: int
    clock_bound_ns: int
    driver_busy: Amount
    host_busy: Amount
    late: NotRequired[Amount]
    starved: str


class LoadGenerators(TypedDict, total=False):
    """What each of several hosts came to that made the load together."""

    generators: list[LoadGenerator]


class ServerDeath(TypedDict, total=False):
    """How the server ended during the load, if it did."""

    server_death: str


class LoadRecord(SentAgain, LoadGenerators, ServerDeath):
    """The result of a load, as `callbench load --json` prints it: `callbench.analysis.load.record`.

    Times in microseconds, by names such as `p99.9`. `intervals`: [nanoseconds, calls, errors] so far.
    `latency_over_time`: by percentile, stretches of [begin in s, end in s, microseconds].
    `errors_over_time`: by kind, [seconds, errors so far].
    """

    target: str
    url: str
    protocol: str
    clients: Count
    connections: Count
    threads: Count
    driver_processors: list[Count]
    arrivals: Arrivals
    rate_asked_per_s: Amount | None
    seconds: Positive
    stopped: str | None
    calls: Count
    calls_in_window: Amount
    in_flight: Amount
    last_answer_after_s: Amount
    rate_per_s: Amount
    rate_missed: bool
    backlog: WaitingRecord | None
    latency_us: LatencyFigures | None
    service_us: LatencyFigures | None
    lateness_us: LatencyFigures | None
    errors: dict[str, Count]
    clients_unserved: Count | None
    error_share: Amount
    thresholds: list[ThresholdRecord]
    failure: str | None
    error_messages: dict[str, str]
    client_processor_us_per_call: Amount | None
    server: ServerUsed | None
    server_unseen: str | None
    verdict: VerdictRecord
    processors: Annotated[ProcessorsSeen, AS_IT_IS]
    histogram_ns: SummedHistogram | None
    endpoints: list[EndpointResult] | None
    intervals: Intervals
    latency_over_time: NotRequired[Annotated[dict[str, list[tuple[float, float, float]]], AS_IT_IS]]
    errors_over_time: NotRequired[Annotated[dict[str, list[tuple[float, float]]], AS_IT_IS]]


class LoadResultLine(LoadRecord):
    """The result, once, at the end."""

    kind: Literal["result"]


class IntervalsLine(TypedDict):
    """The sums so far, [nanoseconds, calls, errors], at the end of each interval; about once a second."""

    kind: Literal["intervals"]
    intervals: Intervals


LoadLine = LoadResultLine | IntervalsLine | NoteLine
LOAD_LINES: LineTypes[LoadLine] = LineTypes("a load", LoadLine)
