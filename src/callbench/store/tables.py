"""The tables of a run, as queries over its journal and its plan. docs/reference/run-folder.md explains each column.

They read `planned`, the plan, and what pieces.py makes of the journal.
"""

from callbench.model.cell import CLOSED
from callbench.model.metrics.readings import READINGS
from callbench.store.columns import UNIT, WIRE_FIGURES, is_one_client, uncut_calls, window_calls, window_ns

_CELLS = """
    SELECT c.id AS cell, c."group", c.stack, s.adapter, s.message, s.channel, s.language, c.call,
           CAST(c.arguments AS VARCHAR) AS arguments, CAST(c.options AS VARCHAR) AS options,
           c.clients, c.calls, c.seconds, c.link, coalesce(c.arrivals, 'closed') AS arrivals,
           c.rate_per_s AS target_per_s, coalesce(c.think_ns, 0) / 1e6 AS think_ms,
           coalesce(c.ramp_up_ns, 0) / 1e6 AS ramp_up_ms, coalesce(c.idle, 'as it is') AS idle,
           CASE WHEN json_keys(c.wire) = [] THEN NULL ELSE CAST(c.wire AS VARCHAR) END AS wire
    FROM (SELECT unnest(cells) AS c FROM planned)
    JOIN (SELECT unnest(stacks) AS s FROM planned) ON s.id = c.stack
    ORDER BY cell
"""


def _summed(name: str) -> str:
    """The sums of a histogram over the slices of a trial; nothing if a slice was timed in batches."""
    whole = f"bool_or(done.{name} IS NULL)"
    parts = (("count", "sum"), ("sum_ns", "sum"), ("min_ns", "min"), ("max_ns", "max"))
    return ", ".join(
        f"CASE WHEN {whole} THEN NULL ELSE CAST({how}(done.{name}.{part}) AS BIGINT) END AS {name}_{part}"
        for part, how in parts
    )


def _used(of: str, before: str) -> str:
    """Processor time of a side over the slices of a trial."""
    return ", ".join(
        f"CAST(sum({of}.processor.end.{kind} - {of}.processor.start.{kind}) AS BIGINT) AS {before}{kind}"
        for kind in ("user_ns", "system_ns")
    )


_WINDOW_CALLS = window_calls("done")
_WINDOW_NS = window_ns("done")
_RATE = f"({_WINDOW_CALLS}) / ({_WINDOW_NS} / 1e9)"
_IN_FLIGHT = f"CASE WHEN {is_one_client('done')} THEN 0 ELSE coalesce(done.in_flight, 0) END"
_WINDOW = f"{_WINDOW_NS} AS window_ns, CAST({_WINDOW_CALLS} AS DOUBLE) AS window_calls, {_IN_FLIGHT} AS in_flight"

# No more than the time of all calls allows, however short the slices are.
_IS_CLOSED = f"coalesce(c.arrivals, '{CLOSED}') = '{CLOSED}'"
_UNCUT = f"({uncut_calls('c.clients', _IS_CLOSED)})"

_TIMES = ("in_call_ns", "think_ns", "gap_ns")
_SIDES_OF = (("done", ""), ("counted", "server_"), ("backend", "backend_"))
_TRIALS = f"""
    WITH kept AS (SELECT *, {_WINDOW_NS} AS w_ns, {_WINDOW_CALLS} AS w_calls FROM pieces WHERE NOT watched),
    summed AS (
    SELECT trial, cell, fork, any_value(start) AS start, any_value(batch) AS batch, min(started) AS started,
           count(*) AS slices, CAST(sum(done.calls) AS BIGINT) AS calls,
           CAST(sum(coalesce(list_sum(map_values(done.errors)), 0)) AS BIGINT) AS error_count,
           CAST(sum(done.elapsed_ns) AS BIGINT) AS elapsed_ns, CAST(sum(w_ns) AS BIGINT) AS window_ns,
           CAST(sum(w_calls) AS DOUBLE) AS window_calls,
           CAST(sum({_IN_FLIGHT}) AS BIGINT) AS in_flight,
           min(done.timed) AS timed, max(done.batch) AS batch_calls,
           {", ".join(_summed(name) for name in ("latency", "service", "lateness"))},
           {", ".join(f"CAST(sum(done.{name}) AS BIGINT) AS {name}" for name in _TIMES)},
           {", ".join(_used(of, before) for of, before in _SIDES_OF)},
           CAST(sum(done.received_bytes) AS BIGINT) AS received_bytes, bool_and(agree) AS agree
    FROM kept GROUP BY trial, cell, fork),
    failed AS (
    SELECT trial, CAST(to_json(map_from_entries(list((kind, calls)))) AS VARCHAR) AS errors
    FROM (
        SELECT trial, e.key AS kind, CAST(sum(e.value) AS BIGINT) AS calls
        FROM (SELECT trial, unnest(map_entries(done.errors)) AS e FROM kept) GROUP BY ALL ORDER BY ALL)
    GROUP BY trial)
    SELECT trial, s.cell, s.fork, coalesce(s.start, 0) AS start, s.started, slices, s.calls,
           coalesce(failed.errors, '{{}}') AS errors, error_count, elapsed_ns, window_ns,
           {_UNCUT} AS window_calls, in_flight, {_UNCUT} / (window_ns / 1e9) AS rate_per_s,
           timed, batch_calls AS batch, latency_count AS count, latency_sum_ns AS sum_ns,
           latency_min_ns AS min_ns, latency_max_ns AS max_ns,
           service_sum_ns, service_min_ns, service_max_ns, lateness_sum_ns, lateness_min_ns, lateness_max_ns,
           in_call_ns, think_ns, gap_ns, c.clients AS clients, user_ns, system_ns, server_user_ns, server_system_ns,
           backend_user_ns, backend_system_ns, received_bytes, agree,
           coalesce(nullif(warmth.unsteady, ''), late.why, '') AS unsteady, coalesce(pace, 1.0) AS pace
    FROM summed s
    JOIN (SELECT c.id AS cell, c.clients AS clients, c.arrivals AS arrivals
          FROM (SELECT unnest(cells) AS c FROM planned)) c USING (cell)
    LEFT JOIN failed USING (trial) LEFT JOIN warmth USING (trial) LEFT JOIN late USING (trial)
    LEFT JOIN paces ON paces.fork = s.fork AND paces.batch = s.batch
    ORDER BY trial
"""  # noqa: S608 - our own names

# A bucket's bounds are the contract's: width 1 below 256, then 128 buckets an octave.
_HISTOGRAMS = """
    SELECT trial, name, bucket,
           CASE WHEN bucket < 128 THEN bucket ELSE (128 + bucket % 128) << (bucket // 128 - 1)::INT END AS low_ns,
           CASE WHEN bucket < 128 THEN 1 ELSE 1::BIGINT << (bucket // 128 - 1)::INT END AS width_ns,
           count
    FROM buckets
    ORDER BY trial, name, bucket
"""

# Of a trial in slices: what had been made when each of them was over.
_INTERVALS = """
    SELECT trial, point[1] AS at_ns, point[2] AS calls, point[3] AS errors
    FROM (SELECT trial, unnest(done.intervals) AS point FROM pieces WHERE NOT sliced)
    UNION ALL
    SELECT trial, CAST(sum(done.elapsed_ns) OVER so_far AS BIGINT), CAST(sum(done.calls) OVER so_far AS BIGINT),
           CAST(sum(coalesce(list_sum(map_values(done.errors)), 0)) OVER so_far AS BIGINT)
    FROM pieces WHERE sliced AND NOT watched WINDOW so_far AS (PARTITION BY trial ORDER BY "round")
    ORDER BY trial, at_ns
"""

_CODECS = """
    SELECT stack, message, "group", call, CAST(arguments AS VARCHAR) AS arguments, side.direction AS direction,
           side.figures.bytes AS bytes, side.figures.encode_ns AS encode_ns, side.figures.decode_ns AS decode_ns
    FROM (
        SELECT *, unnest([
            {'direction': 'request', 'figures': request},
            {'direction': 'answer', 'figures': answer}]) AS side
        FROM lines WHERE kind = 'codec')
    ORDER BY message, "group", direction DESC
"""

_BASELINES = """
    SELECT fork, start, cells, stack, CAST(options AS VARCHAR) AS options, request_bytes, answer_bytes,
           done.calls AS calls, done.elapsed_ns AS elapsed_ns, done.batch AS batch,
           done.in_call_ns / done.calls / 1e3 AS mean_us
    FROM lines WHERE kind = 'baseline' AND done.calls > 0
    UNION ALL
    SELECT fork, NULL, e.cells, e.stack, CAST(e.options AS VARCHAR), e.request_bytes, e.answer_bytes,
           CAST(sum(e.done.calls) AS BIGINT), CAST(sum(e.done.elapsed_ns) AS BIGINT), max(e.done.batch),
           sum(e.done.in_call_ns) / sum(e.done.calls) / 1e3
    FROM echo_slices WHERE len(e.cells) > 0 AND e.done.calls > 0 GROUP BY ALL
    ORDER BY ALL
"""

_EXCLUDED = "SELECT DISTINCT stack, cell, fork, why FROM lines WHERE kind = 'excluded' ORDER BY fork, stack, cell"

_STARTS = """
    SELECT fork, start, stack, coalesce(link, 'loopback') AS link, start_s, verify_s, connect_s, connections,
           hello.runtime AS runtime, CAST(hello.libraries AS VARCHAR) AS libraries, hello.clock.name AS clock,
           hello.clock.resolution_ns AS resolution_ns, hello.clock.reading_ns AS reading_ns,
           CAST(hello.hosts AS VARCHAR) AS hosts
    FROM lines WHERE kind = 'start' ORDER BY fork, start
"""

# What was seen beside a trial, the disturbed ones too: their line has another kind, so they count nowhere else.
_DISTURBED = f"""
    SELECT trial, cell, fork, started, kind = 'trial' AS counted, coalesce(repeated, false) AS repeated,
           disturbed AS why, {_RATE} AS rate_per_s
    FROM (
        SELECT kind, trial, cell, fork, started, done, TRY_CAST(repeated AS BOOLEAN) AS repeated, disturbed
        FROM lines WHERE kind = 'disturbed'
        UNION ALL
        SELECT 'trial', trial, cell, fork, started, done, repeated, disturbed FROM pieces WHERE NOT watched)
    WHERE kind = 'disturbed' OR (kind = 'trial' AND (disturbed <> '' OR repeated))
    ORDER BY trial, counted
"""  # noqa: S608 - our own names

_SIDES = """
    SELECT trial, s.side AS side, len(s.cpus) AS cpus, s.processes AS processes, p.elapsed_ns AS elapsed_ns,
           p.steal_ns / (p.elapsed_ns * p.processors) AS steal_share, s.user_ns AS user_ns, s.system_ns AS system_ns,
           s.run_ns AS run_ns, s.wait_ns AS wait_ns, s.neighbour_ns AS neighbour_ns, p.seen_ns AS seen_ns,
           list_max(list_transform(s.threads, lambda x: x.busiest_ns)) AS busiest_ns
    FROM (
        SELECT trial, processors AS p, unnest(processors.sides) AS s
        FROM pieces WHERE processors.elapsed_ns > 0 AND processors.processors > 0)
    ORDER BY trial, side
"""

_THREADS = """
    SELECT trial, side, t.name AS name, t.threads AS threads, t.run_ns AS run_ns, t.wait_ns AS wait_ns,
           t.busiest_ns AS busiest_ns
    FROM (
        SELECT trial, s.side AS side, unnest(s.threads) AS t
        FROM (SELECT trial, unnest(processors.sides) AS s FROM pieces))
    ORDER BY trial, side, name
"""

_GAPS_QUERY = """
    SELECT trial, g.cpu AS cpu, watched_ns, g.wakeups AS wakeups, g.gaps AS gaps, g.gap_ns AS gap_ns,
           g.longest_ns AS longest_ns, g.realtime AS realtime
    FROM (
        SELECT trial, gaps.watched_ns AS watched_ns, unnest(gaps.processors) AS g FROM pieces)
    ORDER BY trial, cpu
"""

_ECHOES = """
    SELECT fork, place, started, echo.calls AS calls, echo.calls / (echo.elapsed_ns / 1e9) AS rate_per_s,
           echo.p50_ns / 1e3 AS p50_us, echo.p99_ns / 1e3 AS p99_us
    FROM lines WHERE kind = 'echo'
    UNION ALL
    SELECT fork, 'round ' || ("round" + 1), e.started, e.done.calls, e.done.calls / (e.done.elapsed_ns / 1e9),
           e.p50_ns / 1e3, e.p99_ns / 1e3
    FROM echo_slices WHERE len(e.cells) = 0 AND e.done.elapsed_ns > 0
    ORDER BY started
"""

_SLOWDOWNS = """
    SELECT cell, stack, slowed_side AS side, burn_ns, share, piece AS pair, four[1] AS plain_calls, four[2] AS plain_ns,
           four[3] AS slow_calls, four[4] AS slow_ns, why
    FROM (
        SELECT cell, stack, slowed_side, burn_ns, share, why, unnest(coalesce(pairs, [[NULL]])) AS four,
               generate_subscripts(coalesce(pairs, [[NULL]]), 1) - 1 AS piece
        FROM lines WHERE kind = 'slowdown')
    ORDER BY cell, side, pair
"""

_WARM_UPS = """
    SELECT trial, piece, pair[1] AS calls, pair[2] AS elapsed_ns, pair[3] AS compiler_ns
    FROM (
        SELECT trial, unnest(warm_up) AS pair, generate_subscripts(warm_up, 1) - 1 AS piece FROM warmth)
    ORDER BY trial, piece
"""

_STEADINESS = """
    SELECT trial, cell, fork, start, warmed.compiles AS compiles, warmed.steady AS steady, warmed.ended AS ended,
           warmed.why AS why, warmed.seconds AS seconds, warmed.before_s AS before_s, warmed.limit_s AS limit_s,
           warmed.calls AS calls,
           coalesce(warmed.compiler_ns['client'], warmed.compiler_ns['both']) AS client_compiler_ns,
           warmed.compiler_ns['server'] AS server_compiler_ns,
           coalesce(warmed.collector_ns['client'], warmed.collector_ns['both']) AS client_collector_ns,
           warmed.collector_ns['server'] AS server_collector_ns,
           unsteady
    FROM warmth WHERE warmed IS NOT NULL ORDER BY trial
"""

# Of a stack that was just started: before anything else was called, except for what `calls_before` counts.
_COLD_QUERY = """
    SELECT fork, start, stack, coalesce(link, 'loopback') AS link, cold.cell AS cell, cold.call AS call,
           cold.calls_before AS calls_before, cold.first_call_ns AS first_call_ns,
           cold.first_second_calls AS first_second_calls, cold.thousand_calls_ns AS thousand_calls_ns,
           cold.errors AS errors, cold.driven_ns AS driven_ns
    FROM lines WHERE kind = 'start' AND cold IS NOT NULL ORDER BY fork, start
"""

_ENDINGS = "SELECT cell, why, asked, reached, forks FROM lines WHERE kind = 'ended' ORDER BY cell"

# A channel without packets has one row that says only what data the call has.
_WIRE = f"""
    SELECT cell, stack, "group", request_payload, answer_payload, exact, counts, lost,
           row.phase AS phase, row.direction AS direction, row.connections AS connections,
           {", ".join(f"row.{name} AS {name}" for name in WIRE_FIGURES)}
    FROM (
        SELECT *, unnest(CASE WHEN len(accounts) = 0 THEN [NULL] ELSE accounts END) AS row
        FROM lines WHERE kind = 'ledger')
    ORDER BY cell, phase, direction DESC
"""  # noqa: S608 - our own names

_SWEEPS = """
    SELECT cell, stack, "group", over, reused, point.grid AS grid, place, point.value AS value,
           point.to_server AS to_server, point.to_client AS to_client, point.payload AS payload
    FROM (
        SELECT *, unnest(points) AS point, generate_subscripts(points, 1) AS place FROM lines WHERE kind = 'sweep')
    ORDER BY cell, grid, place
"""

_READ = ", ".join(f"{how} AS {name}" for reading in READINGS for name, how in reading.columns.items())


def _peak(name: str, sampled: str) -> str:
    """The greatest that was seen of a reading: by the samples, or by a moment that they missed."""
    return f'greatest(s.{sampled}, s."begin".{name}, s."end".{name}, s.rest.{name})'


# By the calls of what was watched, a slice of its own where a trial is in slices: it is not among the trial's calls.
_PROCESSES = f"""
    WITH sides AS (
        SELECT trial, done.calls AS calls, processes.load_ms AS load_ms, processes.rest_ms AS rest_ms,
               unnest(processes.sides) AS s
        FROM pieces)
    SELECT trial, s.side AS side, calls, load_ms, rest_ms, {_READ},
           s.processes_made AS processes_made, s.processes_ended AS processes_ended,
           {_peak("threads", "peak_threads")} AS threads_peak,
           s.threads_made AS threads_made, s.threads_ended AS threads_ended,
           {_peak("resident_bytes", "peak_bytes")} AS resident_peak, s.heap_bytes AS heap_bytes
    FROM sides ORDER BY trial, side
"""  # noqa: S608 - our own names

_PROCESS_SAMPLES = """
    WITH sides AS (SELECT trial, unnest(processes.sides) AS s FROM pieces),
         points AS (SELECT trial, s.side AS side, unnest(s.samples) AS p FROM sides)
    SELECT trial, side, p[1] AS at_ms, p[2] AS resident_bytes, p[3] AS threads, p[4] AS processes,
           p[5] AS user_ms, p[6] AS system_ms
    FROM points ORDER BY trial, side, at_ms
"""

# The sums of a server that tells where its own time went.
_STAGES_QUERY = """
    SELECT trial, cell, fork, stage.key AS stage, CAST(sum(stage.value.times) AS BIGINT) AS times,
           CAST(sum(stage.value.ns) AS BIGINT) AS ns, CAST(sum(stage.value.processor_ns) AS BIGINT) AS processor_ns,
           CAST(sum(stage.value.bytes) AS BIGINT) AS bytes
    FROM (SELECT trial, cell, fork, unnest(map_entries(counted.stages)) AS stage FROM pieces WHERE NOT watched)
    GROUP BY ALL ORDER BY trial, stage
"""

# Of trials over a link: what crossed it, by direction.
_TRAFFIC = """
    SELECT trial, way.direction AS direction, CAST(sum(elapsed_ns) AS BIGINT) AS elapsed_ns,
           CAST(sum(way.bytes) AS BIGINT) AS bytes, CAST(sum(way.packets) AS BIGINT) AS packets,
           CAST(sum(way.line_bytes) AS BIGINT) AS line_bytes, max(way.rate_bps) AS rate_bps
    FROM (
        SELECT trial, traffic.elapsed_ns AS elapsed_ns, unnest(traffic.ways) AS way FROM pieces WHERE NOT watched)
    GROUP BY ALL ORDER BY trial, direction
"""

# Of trials that several hosts of clients drove: what each did, with shares of the time of all slices.
_CLIENT_HOSTS = """
    SELECT trial, g.host AS host, CAST(max(g.clients) AS BIGINT) AS clients, count(*) AS slices,
           CAST(sum(g.calls) AS BIGINT) AS calls, CAST(sum(g.errors) AS BIGINT) AS error_count,
           CAST(sum(ns) AS BIGINT) AS elapsed_ns, CAST(sum(greatest(0, g.late_start_ns)) AS BIGINT) AS late_start_ns,
           max(g.clock_bound_ns) AS clock_bound_ns, sum(g.driver_busy * ns) / sum(ns) AS driver_busy,
           sum(g.host_busy * ns) / sum(ns) AS host_busy, coalesce(sum(g.late * g.calls) / sum(g.calls), 0.0) AS late
    FROM (SELECT trial, done.elapsed_ns AS ns, unnest(done.generators) AS g FROM pieces WHERE NOT watched)
    GROUP BY ALL ORDER BY trial, host
"""

_DEATHS = """
    SELECT fork, start, trial, cell, stack, how, answered, since_start, again, why
    FROM lines WHERE kind = 'death' ORDER BY start, trial
"""

_STEPS = f"""
    SELECT knee, cell, stack, fork, step, along, level, clients, done.calls AS calls,
           CAST(coalesce(list_sum(map_values(done.errors)), 0) AS BIGINT) AS error_count, done.elapsed_ns AS elapsed_ns,
           {_WINDOW},
           reached_per_s, value_us, holds, coalesce(unsteady, '') AS unsteady
    FROM lines WHERE kind = 'step' ORDER BY knee, cell, fork, step
"""  # noqa: S608 - our own names

# Every round that was driven: those that the echo had repeated are marked as repeated.
_ROUNDS = """
    SELECT fork, batch, "round", idle, started, kind, slices
    FROM lines WHERE kind IN ('round', 'watched round', 'repeated round') ORDER BY started
"""
# What each stack did of a processor while it was alive and others were driven, and whether it was stopped then.
_UNITS = f"""
    SELECT fork, batch, u.unit AS unit, u.stack AS stack, u.idle_share AS idle_share, u.paused AS paused
    FROM (SELECT fork, batch, unnest(CAST(units AS {UNIT}[])) AS u FROM lines WHERE kind = 'batch over')
    ORDER BY fork, batch, unit
"""  # noqa: S608 - our own names

QUERIES = {
    "rounds": _ROUNDS,
    "units": _UNITS,
    "steps": _STEPS,
    "cells": _CELLS,
    "trials": _TRIALS,
    "histograms": _HISTOGRAMS,
    "intervals": _INTERVALS,
    "codecs": _CODECS,
    "baselines": _BASELINES,
    "processes": _PROCESSES,
    "process_samples": _PROCESS_SAMPLES,
    "stages": _STAGES_QUERY,
    "traffic": _TRAFFIC,
    "client_hosts": _CLIENT_HOSTS,
    "deaths": _DEATHS,
    "excluded": _EXCLUDED,
    "starts": _STARTS,
    "disturbed": _DISTURBED,
    "sides": _SIDES,
    "threads": _THREADS,
    "gaps": _GAPS_QUERY,
    "echoes": _ECHOES,
    "warm_ups": _WARM_UPS,
    "steadiness": _STEADINESS,
    "cold": _COLD_QUERY,
    "slowdowns": _SLOWDOWNS,
    "endings": _ENDINGS,
    "wire": _WIRE,
    "sweeps": _SWEEPS,
}
