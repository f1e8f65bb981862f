"""The fairness card of a stack, as a plan keeps it: what its manifest says, of all levels together.

`callbench.catalog.manifest.Card` is what a file may say of it, and checks that.
"""

from collections.abc import Mapping, Sequence
from typing import Any, Literal, NotRequired, TypedDict

from callbench.stats.wire.link import Wires


class FormatFacts(TypedDict):
    """What is known of a message: whether people can read it, in which languages it has a kept library, who says so."""

    text: bool
    languages: NotRequired[Sequence[str]]
    source: str


class LostFacts(TypedDict):
    """What a client's library does if its server is killed, or its connection cut, during a call."""

    killed: str
    cut: str
    back: NotRequired[bool]


class ReferenceFacts(TypedDict):
    """The call that a reference stack makes in every batch of a run."""

    call: str
    arguments: Mapping[str, object]


class ExternalTable(TypedDict, total=False):
    """How an external server is started, or where it runs: `callbench.catalog.external.External`.

    `refused` says why a host does not start it.
    """

    start: Sequence[str]
    url: str
    path: str
    ready_seconds: float
    environment: Mapping[str, str]
    folder: str
    pid: int
    refused: str


class RequestTable(TypedDict, total=False):
    """How the load driver calls a server: `callbench.model.request.Request`."""

    protocol: str
    call: str
    select: Sequence[str]
    path: str
    script: Mapping[str, object]
    method: str
    headers: Sequence[tuple[str, str]]
    body: str
    body_file: str
    body_hex: str
    variables: bool
    expect_status: Sequence[int]
    expect_body: str
    expect_body_file: str
    expect_body_hex: str
    expect_json: Mapping[str, object]
    expect_path: Sequence[str]
    expect_match: str
    expect_schema: Mapping[str, object]
    expect_schema_file: str
    keep_alive: bool
    streams: int
    threads: int
    timeout_s: float
    certificates: str
    insecure: bool
    max_body_bytes: int
    max_head_bytes: int


class StackCard(TypedDict, total=False):
    """What is said of a stack; each member as `callbench.catalog.manifest.Card` describes it.

    Those of a mixed stack may be texts that have both sides' values.
    """

    about: str
    server_model: str
    clients: str
    region: str
    connections_per_client: int
    waits: str
    nagle: str
    tuning: str
    protocol: str
    roles: Literal["both", "server-only", "client-only", "in-process"]
    request: RequestTable
    external: ExternalTable
    counts: bool
    backend: str
    name_server: str
    options: Mapping[str, object]
    note: str
    when_lost: LostFacts
    explains: Mapping[str, str]
    slow: str
    stand_in: str
    own: Literal[True, "only"]
    compiles: bool
    busy_us: float
    closes_idle_s: float
    slice_ms: float
    reach: Literal["host"]
    callers: str
    tls: bool
    format: FormatFacts
    coding: Literal["gzip", "zstd"]
    dissector: str
    usual_in: Sequence[Literal["service", "advice"]]
    message_options: Sequence[str]
    no_echo_with: Sequence[str]
    times_codec: bool
    reference: ReferenceFacts
    example: str
    curl: str


class PlannedStack(TypedDict):
    """A stack as plan.json has it: `callbench.model.cell.Stack`."""

    id: str
    adapter: str
    message: str
    channel: str
    language: str
    library: str
    version: str
    card: StackCard
    lacks: Mapping[str, str]
    why_not: str | None
    instrument: bool


class SweepOfCell(TypedDict, total=False):
    """How an argument is swept while bytes are counted; empty: it is not.

    Attributes:
        over: its name.
        grid: its values: sizes, or types.
        fine: up to which size every one is counted.
        most: of how many values.
    """

    over: str
    grid: Sequence[Any]
    fine: int
    most: int


class PlannedCell(TypedDict, total=False):
    """A cell as plan.json has it, with its load: `callbench.model.cell.Cell`; one of a comparison has a name."""

    id: str
    name: str
    group: str
    groups: Sequence[str]
    stack: str
    call: str
    arguments: Mapping[str, Any]
    clients: int
    calls: int
    seconds: float
    link: str
    options: Mapping[str, Any]
    timed: bool
    wire: SweepOfCell | None
    watch: bool
    fresh: bool
    restart: bool
    idle: str


class PlannedPair(TypedDict, total=False):
    """Two stacks that are compared, and their cells; `in_turn`: whether they live at the same time."""

    a: PlannedStack
    b: PlannedStack
    cells: Sequence[PlannedCell]
    in_turn: bool


class UnplannedCells(TypedDict):
    """Cells that a peer cannot drive, and why."""

    why: str
    cells: Sequence[str]


class PlanRecord(TypedDict, total=False):
    """plan.json: of a run stacks and cells; of a comparison pairs; of a peer's run cells, and those left out."""

    stacks: Sequence[PlannedStack]
    cells: Sequence[PlannedCell]
    links: Wires
    forks: int
    conditions: Sequence[str]
    pairs: Sequence[PlannedPair]
    left_out: Sequence[UnplannedCells]


# The stacks of a plan by id.
PlannedStacks = Mapping[str, PlannedStack]


def card_of(stacks: PlannedStacks, stack: str) -> StackCard:
    """What the card of a planned stack says; nothing of one that the plan does not have, such as an echo."""
    planned = stacks.get(stack)
    return planned["card"] if planned else {}
