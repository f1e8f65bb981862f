"""The journal and the plan as tables are made of them: each member with its type. What DuckDB reads it checks."""

from callbench.model.metrics.readings import READINGS
from callbench.stats.load.rate import ADDS_UP

SUMS = "count BIGINT, sum_ns BIGINT, min_ns BIGINT, max_ns BIGINT"
_HISTOGRAM = f"STRUCT({SUMS}, buckets BIGINT[][])"
_CPU = "STRUCT(user_ns BIGINT, system_ns BIGINT)"
_BOTH_ENDS = f'STRUCT("start" {_CPU}, "end" {_CPU})'
_CODEC = "STRUCT(bytes DOUBLE, encode_ns DOUBLE, decode_ns DOUBLE)"
_COUNTS = "MAP(VARCHAR, BIGINT)"
_STAGES = "MAP(VARCHAR, STRUCT(times BIGINT, ns BIGINT, processor_ns BIGINT, bytes BIGINT))"
_THREAD = "STRUCT(name VARCHAR, threads BIGINT, run_ns BIGINT, wait_ns BIGINT, busiest_ns BIGINT)"
_SIDE = (
    "STRUCT(side VARCHAR, cpus BIGINT[], processes BIGINT, user_ns BIGINT, system_ns BIGINT, run_ns BIGINT,"
    f" wait_ns BIGINT, neighbour_ns BIGINT, threads {_THREAD}[])"
)
_GAPS = "STRUCT(cpu BIGINT, wakeups BIGINT, gaps BIGINT, gap_ns BIGINT, longest_ns BIGINT, realtime BOOLEAN)"

# A row a phase and direction.
WIRE_FIGURES = (
    *("packets", "link", "ip", "tcp", "tcp_options", "payload", "retransmitted", "turns"),
    *(
        f"{kind}_{what}"
        for what in ("packets", "headers")
        for kind in ("data", "retransmissions", "acknowledgements", "set_up", "tear_down")
    ),
    *("tls_records", "tls_headers", "tls_tags", "tls_application", "tls_handshake"),
)
_WIRE_ROW = (
    "STRUCT(phase VARCHAR, direction VARCHAR, connections DOUBLE, "
    + ", ".join(f"{name} DOUBLE" for name in WIRE_FIGURES)
    + ")"
)
_POINT = "STRUCT(grid VARCHAR, value VARCHAR, to_server BIGINT, to_client BIGINT, payload BIGINT)"
_MOMENT = f"STRUCT({', '.join(f'{reading.name} {reading.type}' for reading in READINGS)})"
_WATCHED = (
    f'STRUCT(side VARCHAR, "begin" {_MOMENT}, "end" {_MOMENT}, rest {_MOMENT}, heap_bytes BIGINT, peak_bytes BIGINT,'
    " peak_threads BIGINT, threads_made BIGINT, threads_ended BIGINT, processes_made BIGINT, processes_ended BIGINT,"
    " samples BIGINT[][])"
)

_GENERATOR = (
    "STRUCT(host VARCHAR, clients BIGINT, calls BIGINT, errors BIGINT, late_start_ns BIGINT, clock_bound_ns BIGINT,"
    " driver_busy DOUBLE, host_busy DOUBLE, late DOUBLE)"
)
_COLD = (
    "STRUCT(cell VARCHAR, call VARCHAR, calls_before BIGINT, first_call_ns BIGINT, first_second_calls BIGINT,"
    " thousand_calls_ns BIGINT, errors BIGINT, driven_ns BIGINT)"
)


def _done(histogram: str) -> str:
    """What a drive came to, with histograms of a type."""
    return (
        f"STRUCT(calls BIGINT, errors {_COUNTS}, elapsed_ns BIGINT, window_ns BIGINT, answered BIGINT,"
        " in_flight BIGINT, in_flight_part DOUBLE, timed VARCHAR, batch BIGINT,"
        f" latency {histogram}, service {histogram}, lateness {histogram},"
        f" in_call_ns BIGINT, think_ns BIGINT, gap_ns BIGINT, processor {_BOTH_ENDS},"
        f" received_bytes BIGINT, intervals BIGINT[][], generators {_GENERATOR}[])"
    )


_DONE = _done(_HISTOGRAM)
# Without its buckets, which are nearly all of what a slice takes in memory.
DONE_SUMS = _done(f"STRUCT({SUMS})")
_COUNTED = f"STRUCT(calls {_COUNTS}, processor {_BOTH_ENDS}, stages {_STAGES})"
_BACKEND = f"STRUCT(calls {_COUNTS}, processor {_BOTH_ENDS})"
_TRAFFIC_SEEN = (
    "STRUCT(elapsed_ns BIGINT, ways STRUCT(direction VARCHAR, bytes BIGINT, packets BIGINT,"
    " line_bytes BIGINT, rate_bps BIGINT)[])"
)
_PROCESSORS = (
    "STRUCT(elapsed_ns BIGINT, seen_ns BIGINT, own_ns BIGINT, steal_ns BIGINT, processors BIGINT,"
    f" busy_ns {_COUNTS}, sides {_SIDE}[])"
)
_GAPS_SEEN = f"STRUCT(watched_ns BIGINT, cost_ns BIGINT, processors {_GAPS}[])"
_PROCESSES_SEEN = f"STRUCT(load_ms BIGINT, rest_ms BIGINT, sides {_WATCHED}[])"
# What a slice has, and what a whole trial has; a slice of a run is one of many of its trial.
MEASURED = {
    "trial": "BIGINT",
    "cell": "VARCHAR",
    "started": "TIMESTAMP",
    "done": _DONE,
    "counted": _COUNTED,
    "backend": _BACKEND,
    "traffic": _TRAFFIC_SEEN,
    "agree": "BOOLEAN",
    "processors": _PROCESSORS,
    "gaps": _GAPS_SEEN,
    "processes": _PROCESSES_SEEN,
    "disturbed": "VARCHAR",
}
_SLICE = (
    "STRUCT("
    + ", ".join(f'"{name}" {kind}' for name, kind in MEASURED.items())
    + ", resume_ns BIGINT, compiler_ns BIGINT, absence_ns BIGINT"
    + ", repeated STRUCT(calls BIGINT, elapsed_ns BIGINT, absence_ns BIGINT)[])"
)


def _echo(done: str) -> str:
    """A slice of a raw echo, with a drive of a type."""
    return (
        "STRUCT(stack VARCHAR, options JSON, request_bytes BIGINT, answer_bytes BIGINT, cells VARCHAR[],"
        f" started TIMESTAMP, done {done}, p50_ns BIGINT, p99_ns BIGINT)"
    )


_ECHO = _echo(_DONE)
ECHO_SUMS = _echo(DONE_SUMS)
_REFERENCE = f"STRUCT(stack VARCHAR, call VARCHAR, done {_DONE})"
UNIT = "STRUCT(unit VARCHAR, stack VARCHAR, idle_share DOUBLE, paused BOOLEAN)"

JOURNAL_COLUMNS = {
    **MEASURED,
    "kind": "VARCHAR",
    "fork": "BIGINT",
    "batch": "BIGINT",
    "round": "BIGINT",
    "idle": "VARCHAR",
    "whole": "BOOLEAN",
    "slices": f"{_SLICE}[]",
    "echoes": f"{_ECHO}[]",
    "references": f"{_REFERENCE}[]",
    "units": "JSON",
    "trials": "BIGINT[]",
    "start": "BIGINT",
    "stack": "VARCHAR",
    "warm_up": "BIGINT[][]",
    "warmed": (
        "STRUCT(compiles BOOLEAN, steady BOOLEAN, ended VARCHAR, why VARCHAR, seconds DOUBLE, calls BIGINT,"
        f" limit_s DOUBLE, before_s DOUBLE, compiler_ns {_COUNTS}, collector_ns {_COUNTS})"
    ),
    "unsteady": "VARCHAR",
    "cold": _COLD,
    # Of a step, the slices that were repeated, as a slice has them; of others, whether they were repeated.
    "repeated": "JSON",
    "hello": (
        "STRUCT(runtime VARCHAR, libraries JSON, clock STRUCT(name VARCHAR, resolution_ns DOUBLE, reading_ns DOUBLE),"
        " hosts JSON)"
    ),
    "slowed_side": "VARCHAR",
    "burn_ns": "BIGINT",
    "share": "DOUBLE",
    "pairs": "BIGINT[][]",
    "place": "VARCHAR",
    "echo": "STRUCT(calls BIGINT, elapsed_ns BIGINT, p50_ns BIGINT, p99_ns BIGINT)",
    "why": "VARCHAR",
    "start_s": "DOUBLE",
    "verify_s": "DOUBLE",
    "connect_s": "DOUBLE",
    "link": "VARCHAR",
    "connections": "BIGINT",
    "message": "VARCHAR",
    "group": "VARCHAR",
    "call": "VARCHAR",
    "arguments": "JSON",
    "payloads": "BIGINT",
    "request": _CODEC,
    "answer": _CODEC,
    "options": "JSON",
    "other": "VARCHAR",
    "knee": "VARCHAR",
    "step": "BIGINT",
    "along": "VARCHAR",
    "level": "DOUBLE",
    "clients": "BIGINT",
    "value_us": "DOUBLE",
    "reached_per_s": "DOUBLE",
    "holds": "BOOLEAN",
    "asked": "DOUBLE",
    "reached": "DOUBLE",
    "neighbours": "BIGINT",
    "forks": "BIGINT",
    "request_bytes": "BIGINT",
    "answer_bytes": "BIGINT",
    "cells": "VARCHAR[]",
    "request_payload": "BIGINT",
    "answer_payload": "BIGINT",
    "accounts": f"{_WIRE_ROW}[]",
    "exact": "BOOLEAN",
    "counts": "DOUBLE[]",
    "lost": "BIGINT",
    "points": f"{_POINT}[]",
    "over": "VARCHAR",
    "reused": "BOOLEAN",
    "how": "VARCHAR",
    "answered": "BIGINT",
    "since_start": "BIGINT",
    "again": "BOOLEAN",
}

PLAN_COLUMNS = {
    "stacks": "STRUCT(id VARCHAR, adapter VARCHAR, message VARCHAR, channel VARCHAR, language VARCHAR)[]",
    "cells": (
        'STRUCT(id VARCHAR, "group" VARCHAR, stack VARCHAR, call VARCHAR, arguments JSON, options JSON,'
        " clients BIGINT, calls BIGINT, seconds DOUBLE, link VARCHAR,"
        " arrivals VARCHAR, rate_per_s DOUBLE, think_ns BIGINT, ramp_up_ns BIGINT, wire JSON, idle VARCHAR)[]"
    ),
}


def is_one_client(done: str) -> str:
    """Return whether one client was driven that does nothing but calls, as SQL, decided as in stats/load/rate.py."""
    spent = f"{done}.in_call_ns + coalesce({done}.gap_ns, 0)"
    return (
        f"({done}.in_call_ns IS NOT NULL AND {done}.lateness IS NULL AND coalesce({done}.think_ns, 0) = 0"
        f" AND {spent} <= {ADDS_UP} * {done}.elapsed_ns)"
    )


def window_ns(done: str) -> str:
    """Return the length of a drive's window as SQL, computed as in stats/load/rate.py."""
    return (
        f"CASE WHEN {done}.window_ns IS NULL OR {is_one_client(done)} THEN {done}.elapsed_ns ELSE {done}.window_ns END"
    )


def window_calls(done: str) -> str:
    """Return the calls of a drive's window as SQL, computed as in stats/load/rate.py.

    Args:
        done: an expression for the drive; one without a window is whole.
    """
    times = f"coalesce({done}.service, {done}.latency)"
    # Where no call can be answered within the window, another case is taken before this one.
    rate = f"({done}.answered / nullif({done}.window_ns - {times}.min_ns, 0))"
    waiting = f"2 * {rate} * ({times}.sum_ns / {times}.count - {times}.min_ns)"
    worked = f"greatest(0, least({done}.in_flight_part - {waiting}, {rate} * {times}.min_ns))"
    whole = f"{done}.calls / {done}.elapsed_ns * {done}.window_ns"
    return (
        f"CASE WHEN {done}.window_ns IS NULL OR {is_one_client(done)} THEN {done}.calls"
        f" WHEN coalesce({times}.count, 0) = 0 THEN {done}.answered + {done}.in_flight_part"
        f" WHEN {times}.min_ns >= {done}.window_ns THEN {whole} ELSE {done}.answered + {worked} END"
    )


def uncut_calls(clients: str, closed: str) -> str:
    """Return the calls of several drives' windows as SQL, computed as by `uncut` of stats/load/rate.py.

    The window of a single client is whole already.

    It needs the sums `window_calls`, `window_ns`, `calls`, `in_call_ns` and `think_ns` of the drives.

    Args:
        clients: an expression for the number of clients.
        closed: likewise for whether their loop is closed.
    """
    most = f"{clients} * calls / (in_call_ns + coalesce(think_ns, 0)) * window_ns"
    several = f"{clients} > 1 AND {closed} AND in_call_ns > 0"
    return f"CASE WHEN {several} THEN least(window_calls, {most}) ELSE window_calls END"
