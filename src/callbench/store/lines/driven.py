"""What a drive came to, as lines have it: counts, times, and histograms. Sums of nanoseconds are decimal strings."""

from typing import Annotated, NotRequired, TypedDict

from callbench.store.lines.load import LoadGenerator
from callbench.store.typed import AS_IT_IS


class CpuSoFar(TypedDict):
    """Processor time of a process so far, in nanoseconds."""

    user_ns: str
    system_ns: str


class CpuAtEnds(TypedDict):
    """Processor time at the start and at the end."""

    start: CpuSoFar
    end: CpuSoFar


class StoredHistogram(TypedDict):
    """A histogram of nanoseconds: log-linear buckets, sparse: [index, count]."""

    count: int
    sum_ns: str
    min_ns: int
    max_ns: int
    buckets: Annotated[list[tuple[int, int]], AS_IT_IS]


class Driven(TypedDict):
    """A drive. What an echo is not asked for, or what a loop does not have, is missing or None.

    `window_ns` and what is answered or in flight at its end belong to the time that was asked for. `errors` has calls
    by kind, `intervals` has [nanoseconds, calls, errors] so far. `generators`: what each host did, if several drove.
    """

    calls: int
    errors: dict[str, int]
    error_messages: NotRequired[dict[str, str]]
    elapsed_ns: int
    window_ns: NotRequired[int | None]
    answered: NotRequired[int | None]
    in_flight: NotRequired[int | None]
    in_flight_part: NotRequired[float | None]
    timed: str
    batch: int
    latency: NotRequired[StoredHistogram | None]
    service: NotRequired[StoredHistogram | None]
    lateness: NotRequired[StoredHistogram | None]
    in_call_ns: NotRequired[str | None]
    think_ns: NotRequired[str | None]
    gap_ns: NotRequired[str | None]
    processor: CpuAtEnds
    threads: NotRequired[int]
    received_bytes: NotRequired[str | None]
    sent_bytes: NotRequired[str | None]
    generators: NotRequired[list[LoadGenerator]]
    intervals: NotRequired[Annotated[list[tuple[int, int, int]], AS_IT_IS]]


class StageTime(TypedDict):
    """A part of a server's own work: how often it was done, its time, and the size of its input.

    `processor_ns`: of its time, what it used of a processor; a wait has none.
    """

    times: int
    ns: str
    processor_ns: NotRequired[str]
    bytes: NotRequired[str]


class Counted(TypedDict):
    """What the server counted meanwhile: answers by call, its processor time, and the stages of its own work."""

    calls: dict[str, int]
    processor: NotRequired[CpuAtEnds | None]
    stages: NotRequired[Annotated[dict[str, StageTime], AS_IT_IS] | None]
