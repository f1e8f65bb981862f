"""What the tables of a run have of each cell, fork and trial: the types of rows, and the queries of trials."""

from typing import Literal, TypedDict

from callbench.stats.load.side_shares import SideReading


class CellRow(TypedDict):
    """A cell as it was planned.

    Attributes:
        arguments: of its call, as JSON text; None if it has none.
        options: of its stack, as JSON text.
        target_per_s: the rate that was asked for, None in a closed loop.
    """

    cell: str
    group: str
    stack: str
    adapter: str
    message: str
    channel: str
    language: str
    call: str
    arguments: str | None
    options: str | None
    clients: int
    arrivals: str
    link: str
    target_per_s: float | None
    think_ms: float
    ramp_up_ms: float


class ForkRow(TypedDict):
    """The sums of a cell's trials in one fork; times in nanoseconds.

    Attributes:
        loop_ns: the load loop's own time, None if it was not counted.
        count: calls that were timed one by one, None if they were timed in batches; `sum_ns` is theirs.
        service_sum_ns: of an open loop, from the real start of each call; `lateness` likewise.
        batch: how many calls were timed together at the most.
        agree: whether client and server counted the same, None if the server did not count.
        pace: how fast the machine was, beside the whole fork.
    """

    cell: str
    fork: int
    calls: int
    elapsed_ns: int
    error_count: int
    window_calls: float
    window_ns: int
    in_flight: int
    loop_ns: int | None
    in_call_ns: int | None
    count: int | None
    sum_ns: int | None
    min_ns: int | None
    max_ns: int | None
    service_sum_ns: int | None
    service_min_ns: int | None
    service_max_ns: int | None
    lateness_sum_ns: int | None
    lateness_min_ns: int | None
    lateness_max_ns: int | None
    batch: int | None
    trials: int
    agree: bool | None
    slices: int | None
    pace: float


TRIALS_SQL = """
SELECT trials.trial, trials.cell, trials.fork, trials.unsteady, trials.clients, trials.calls, error_count,
       elapsed_ns, window_ns, window_calls, in_call_ns,
       think_ns, gap_ns, count, sum_ns, user_ns, system_ns, server_user_ns, server_system_ns,
       backend_user_ns, backend_system_ns, lateness.late AS late, wine.run_ns AS wineserver_ns
FROM trials LEFT JOIN (
    SELECT trial, sum(count) FILTER (low_ns >= 1000000) / sum(count) AS late
    FROM histograms WHERE name = 'lateness' GROUP BY trial) lateness USING (trial)
LEFT JOIN (
    SELECT trial, sum(run_ns) AS run_ns FROM threads WHERE name LIKE 'wineserver%' GROUP BY trial) wine USING (trial)
ORDER BY trial"""


class TrialRow(TypedDict):
    """A trial's sums over its slices, and what its sides said of themselves; times in nanoseconds.

    Attributes:
        unsteady: why it does not count, or "".
        count: calls that were timed one by one, None if they were timed in batches; `sum_ns` is theirs.
        late: share of the arrivals that the generator was late for, None in a closed loop.
        wineserver_ns: what Wine's server ran, None where there is none.
    """

    trial: int
    cell: str
    fork: int
    unsteady: str
    clients: int
    calls: int
    error_count: int
    elapsed_ns: int
    window_ns: int
    window_calls: float
    in_call_ns: int | None
    think_ns: int | None
    gap_ns: int | None
    count: int | None
    sum_ns: int | None
    user_ns: int | None
    system_ns: int | None
    server_user_ns: int | None
    server_system_ns: int | None
    backend_user_ns: int | None
    backend_system_ns: int | None
    late: float | None
    wineserver_ns: int | None


# What its columns of processor time are called.
ProcessorColumn = Literal[
    "user_ns",
    "system_ns",
    "server_user_ns",
    "server_system_ns",
    "backend_user_ns",
    "backend_system_ns",
    "wineserver_ns",
]


SIDES_SQL = "SELECT * FROM sides ORDER BY trial, side"


class SideRow(SideReading):
    """What was seen of the processes of one side of a trial.

    Attributes:
        side: `client`, `server`, `backend`, or `both` where one process plays both.
        steal_share: of the processors' time, what the hypervisor gave to others.
    """

    trial: int
    side: str
    steal_share: float


CLIENT_HOSTS_SQL = """
SELECT cell, host, sum(late_start_ns) / sum(client_hosts.elapsed_ns) AS missed,
       sum(driver_busy * client_hosts.elapsed_ns) / sum(client_hosts.elapsed_ns) AS driver_busy,
       sum(host_busy * client_hosts.elapsed_ns) / sum(client_hosts.elapsed_ns) AS host_busy,
       coalesce(sum(late * client_hosts.calls) / sum(client_hosts.calls), 0.0) AS late
FROM client_hosts JOIN trials USING (trial) GROUP BY ALL ORDER BY cell, host"""


class ClientHostRow(TypedDict):
    """What one of several hosts of clients did for a cell: shares of the time, or of its arrivals (`late`).

    Attributes:
        missed: of the time, what went by before its orders came.
    """

    cell: str
    host: str
    missed: float
    driver_busy: float
    host_busy: float
    late: float


TRAFFIC_SQL = "SELECT * FROM traffic ORDER BY trial, direction"


class TrafficRow(TypedDict):
    """What crossed a link during a trial, in one direction.

    Attributes:
        line_bytes: with what the link counts beside the frames.
        rate_bps: of the link, None if it has none.
    """

    trial: int
    direction: str
    bytes: int
    line_bytes: int
    rate_bps: int | None


# Those of the window: what follows is the wait for the last answers. Its last line comes a little after it is over.
INTERVALS_SQL = """
SELECT trial, at_ns, intervals.calls FROM intervals JOIN trials USING (trial)
WHERE at_ns <= window_ns + 20000000 ORDER BY trial, at_ns"""


class IntervalRow(TypedDict):
    """How many calls of a trial had been answered at a time."""

    trial: int
    at_ns: int
    calls: int


WARM_UPS_SQL = "SELECT trial, calls, elapsed_ns FROM warm_ups ORDER BY trial, piece"


class WarmUpRow(TypedDict):
    """A piece of what was driven before a trial."""

    trial: int
    calls: int
    elapsed_ns: int


DISTURBED_SQL = "SELECT * FROM disturbed ORDER BY trial, counted"


class DisturbedRow(TypedDict):
    """A trial that something disturbed, or the one made in its place."""

    trial: int
    cell: str
    fork: int
    counted: bool
    repeated: bool
    why: str | None
    rate_per_s: float | None


SLOWDOWNS_SQL = """
SELECT cell, side, burn_ns, share, plain_calls, plain_ns, slow_calls, slow_ns
FROM slowdowns WHERE side IS NOT NULL ORDER BY cell, side, pair"""


class SlowdownRow(TypedDict):
    """A pair of slices of a cell: as it is, and with one side slower by a known burn."""

    cell: str
    side: str
    burn_ns: int
    share: float
    plain_calls: int
    plain_ns: int
    slow_calls: int
    slow_ns: int


STARTED_SQL = """
SELECT stack, adapter, max(connections) AS connections, any_value(runtime) AS runtime,
       any_value(libraries) AS libraries, any_value(clock) AS clock, min(resolution_ns) AS resolution_ns,
       min(reading_ns) AS reading_ns, max(client_threads) AS client_threads, max(server_threads) AS server_threads
FROM starts LEFT JOIN (
    SELECT stack, any_value(adapter) AS adapter,
           max(threads) FILTER (side NOT IN ('server', 'backend')) AS client_threads,
           max(threads) FILTER (side = 'server') AS server_threads
    FROM (SELECT trial, side, sum(threads) AS threads FROM threads GROUP BY ALL)
    JOIN trials USING (trial) JOIN cells USING (cell) GROUP BY stack) counted USING (stack)
GROUP BY stack, adapter ORDER BY min(start)"""
# Of runs on several machines: the adapters of each host, as JSON texts by its name.
ADAPTERS_OF_HOSTS_SQL = "SELECT DISTINCT hosts FROM starts WHERE hosts IS NOT NULL ORDER BY hosts"
ECHOES_SQL = "SELECT * FROM echoes ORDER BY started"


class EchoRow(TypedDict):
    """The raw echo at one place of a fork."""

    fork: int
    place: str
    rate_per_s: float | None
    p50_us: float | None
    p99_us: float | None
