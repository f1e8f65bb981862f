"""Lines of a search for a capacity: the loads that were tried, and the end of the server."""

from typing import Literal, NotRequired, TypedDict

from callbench.store.lines.notes import NoteLine
from callbench.store.lines.of_kind import LineTypes
from callbench.store.lines.slices import EndpointResult, LatencyFigures
from callbench.store.typed import Amount, Count, Positive, Whole


class SideRecord(TypedDict):
    """Shares of the processors of a side: what it used, its busiest thread, waited for, and what others used.

    None: it could not be seen.
    """

    busy: Amount | None
    thread: Amount | None
    waited: Amount | None
    neighbours: Amount | None


class EvidenceRecord(TypedDict):
    """What was seen of both sides, and of the server behind the server if there is one.

    The other members are those of `callbench.stats.load.bottleneck.Evidence`.
    """

    clients: Count
    in_process: bool
    paced: NotRequired[bool]
    loop: NotRequired[Amount | None]
    lateness: NotRequired[Amount | None]
    steal: NotRequired[Amount | None]
    together: NotRequired[bool]
    link: NotRequired[Amount | None]
    driver: NotRequired[bool]
    apart: NotRequired[bool]
    loop_taken: NotRequired[bool]
    lacked: NotRequired[str]
    client: SideRecord | None
    server: SideRecord | None
    backend: SideRecord | None


class LoadedRecord(TypedDict):
    """What a load came to, as the record of a load has it, without what is large."""

    clients: Count
    rate_per_s: Amount
    calls: Count
    clients_unserved: NotRequired[Count | None]
    latency_us: NotRequired[LatencyFigures | None]
    service_us: NotRequired[LatencyFigures | None]
    endpoints: NotRequired[list[EndpointResult] | None]


class LoadOutcome(TypedDict):
    """What a load came to.

    `value_us`: what it had of what the objective limits. `load` and `evidence` are None if the driver could not make
    it. `processors`: of the server.
    """

    holds: bool
    value_us: Amount | None
    errors: dict[str, Count]
    error_messages: NotRequired[str]
    load: LoadedRecord | None
    evidence: EvidenceRecord | None
    processors: NotRequired[Count | None]


class TriedLoad(LoadOutcome):
    """A load that was tried: of so many clients or calls a second, when it began, and how long it took."""

    level: Positive
    at_s: Amount
    seconds: Amount


class AloneLine(TypedDict):
    """Along the rate: calls of one client, before all loads. They wait for nobody.

    `mean_us`: of their times. `variation`: their variance over the square of their mean.
    """

    kind: Literal["alone"]
    calls: Count
    mean_us: Amount
    variation: Amount


class StepLine(TriedLoad):
    """A usual load, of the coarse search, of a crossing, or of the level that was asked for (a phase below 0)."""

    kind: Literal["step"]
    phase: Whole


class ProofLine(TriedLoad):
    """A longer load near the lower end of the interval."""

    kind: Literal["proof"]


class LossLine(TypedDict):
    """The server ended under a load."""

    kind: Literal["death"]
    level: Amount
    how: str
    why: str


TriedLine = StepLine | ProofLine
CapacityRecordLine = AloneLine | StepLine | ProofLine | LossLine | NoteLine
CAPACITY_LINES: LineTypes[CapacityRecordLine] = LineTypes("a capacity", CapacityRecordLine)
