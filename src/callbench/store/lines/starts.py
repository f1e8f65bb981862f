"""Lines of a start of a stack: how long it took, how each cell was warmed up, and that a process ended too early."""

from typing import Literal, NotRequired, TypedDict


class AdapterClock(TypedDict):
    """An adapter's clock: its resolution and the cost of a reading, in nanoseconds."""

    name: str
    resolution_ns: float
    reading_ns: float


class HelloRecord(TypedDict):
    """What the processes of a start say of themselves: the client's `hello`, with the server's libraries.

    `hosts`: by the name of each host, the adapters that ran there, with versions and runtimes. Missing on one machine.
    """

    contract: int
    adapter: str
    language: str
    version: str
    runtime: str
    libraries: dict[str, str]
    clock: AdapterClock
    features: list[str]
    hosts: NotRequired[dict[str, list[str]]]


class ColdRecord(TypedDict):
    """The first calls of a client and a server that have both just started.

    `calls_before`: calls that were needed before the first of them. A figure is None where too few calls succeeded.
    """

    cell: str
    call: str
    calls_before: int
    first_call_ns: int | None
    first_second_calls: int | None
    thousand_calls_ns: int | None
    errors: int
    driven_ns: int


class StartRecord(TypedDict):
    """How a stack was started, connected and verified, in seconds.

    `connections`: how many are open; None if that is not known. `cold`: None if no first calls were measured.
    """

    start_s: float
    connect_s: float
    verify_s: float
    connections: int | None
    cold: ColdRecord | None
    hello: HelloRecord


class StartLine(StartRecord):
    """A stack was started. The number of the start is unique in the run."""

    kind: Literal["start"]
    fork: int
    start: int
    stack: str
    link: str


class WarmUpRecord(TypedDict):
    """How a warm-up went: `callbench.runner.measure.warm_up.WarmUp`, without its pieces.

    `seconds` and `calls` are of all pieces. Times of compilers and collectors are by side.
    """

    compiles: bool
    steady: bool | None
    ended: str
    why: str
    limit_s: float
    before_s: float
    compiler_ns: dict[str, int]
    collector_ns: dict[str, int]
    seconds: float
    calls: int


class WarmedCell(TypedDict):
    """A warm-up, piece by piece: [calls, nanoseconds, nanoseconds of the compiler].

    `unsteady`: why what follows does not count, or "".
    """

    warm_up: list[tuple[int, int, int]]
    warmed: WarmUpRecord
    unsteady: str


class WarmedLine(WarmedCell):
    """A cell was warmed up, in a fork and on a start."""

    kind: Literal["warmed"]
    fork: int
    start: int | None
    trial: int
    cell: str


class DiedLine(TypedDict):
    """A process of a stack ended while a cell was driven.

    `answered`: right answers of the trial; None if they are not known. `since_start`: those since the process began.
    `again`: whether the cell is tried again.
    """

    kind: Literal["death"]
    fork: int
    start: int | None
    stack: str
    trial: int
    cell: str
    answered: int | None
    how: str | None
    since_start: int
    again: bool
    why: str
