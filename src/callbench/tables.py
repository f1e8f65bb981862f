"""The tables of a run, as queries over its journal and its plan. docs/reference/run-folder.md explains each column.

`lines` is the journal and `planned` the plan, both read with the types below: what DuckDB reads it checks.
"""

_HISTOGRAM = "STRUCT(count BIGINT, sum_ns BIGINT, min_ns BIGINT, max_ns BIGINT, buckets BIGINT[][])"
_CPU = "STRUCT(user_ns BIGINT, system_ns BIGINT)"
_BOTH_ENDS = f'STRUCT("start" {_CPU}, "end" {_CPU})'
_CODEC = "STRUCT(bytes DOUBLE, encode_ns DOUBLE, decode_ns DOUBLE)"
_COUNTS = "MAP(VARCHAR, BIGINT)"
_STAGES = "MAP(VARCHAR, STRUCT(times BIGINT, ns BIGINT, processor_ns BIGINT, octets BIGINT))"
_THREAD = "STRUCT(name VARCHAR, threads BIGINT, run_ns BIGINT, wait_ns BIGINT, busiest_ns BIGINT)"
_SIDE = (
    "STRUCT(side VARCHAR, cpus BIGINT[], processes BIGINT, user_ns BIGINT, system_ns BIGINT, run_ns BIGINT,"
    f" wait_ns BIGINT, neighbour_ns BIGINT, threads {_THREAD}[])"
)
_GAPS = 'STRUCT(cpu BIGINT, looks BIGINT, gaps BIGINT, gap_ns BIGINT, longest_ns BIGINT, "first" BOOLEAN)'

# A row a phase and direction: callbench.wire.counts has the same names.
_WIRE_FIGURES = (
    *("packets", "link", "ip", "tcp", "tcp_options", "payload", "retransmitted", "turns"),
    *(
        f"{kind}_{what}"
        for what in ("packets", "headers")
        for kind in ("data", "retransmissions", "acknowledgements", "set_up", "tear_down")
    ),
    *("tls_records", "tls_headers", "tls_application", "tls_handshake"),
)
_WIRE_ROW = (
    "STRUCT(phase VARCHAR, direction VARCHAR, connections DOUBLE, "
    + ", ".join(f"{name} DOUBLE" for name in _WIRE_FIGURES)
    + ")"
)
_POINT = "STRUCT(grid VARCHAR, value VARCHAR, to_server BIGINT, to_client BIGINT, payload BIGINT)"
_MOMENT = (
    "STRUCT(processes BIGINT, threads BIGINT, resident_bytes BIGINT, unique_bytes BIGINT, proportional_bytes BIGINT,"
    " files BIGINT, voluntary BIGINT, involuntary BIGINT, user_ms BIGINT, system_ms BIGINT,"
    " minor_faults BIGINT, major_faults BIGINT)"
)
_WATCHED = (
    f'STRUCT(side VARCHAR, "begin" {_MOMENT}, "end" {_MOMENT}, rest {_MOMENT}, heap_bytes BIGINT, peak_bytes BIGINT,'
    " peak_threads BIGINT, threads_made BIGINT, threads_ended BIGINT, processes_made BIGINT, processes_ended BIGINT,"
    " samples BIGINT[][])"
)

_COLD = (
    "STRUCT(cell VARCHAR, call VARCHAR, calls_before BIGINT, first_call_ns BIGINT, first_second_calls BIGINT,"
    " thousand_calls_ns BIGINT, errors BIGINT, driven_ns BIGINT)"
)

JOURNAL_COLUMNS = {
    "kind": "VARCHAR",
    "trial": "BIGINT",
    "block": "BIGINT",
    "visit": "BIGINT",
    "cell": "VARCHAR",
    "stack": "VARCHAR",
    "started": "TIMESTAMP",
    "done": (
        f"STRUCT(calls BIGINT, errors {_COUNTS}, elapsed_ns BIGINT, window_ns BIGINT, answered BIGINT,"
        " in_flight BIGINT, in_flight_part DOUBLE, timed VARCHAR, batch BIGINT,"
        f" latency {_HISTOGRAM}, service {_HISTOGRAM}, lateness {_HISTOGRAM},"
        f" in_call_ns BIGINT, think_ns BIGINT, gap_ns BIGINT, processor {_BOTH_ENDS},"
        " received_octets BIGINT, intervals BIGINT[][])"
    ),
    "counted": f"STRUCT(calls {_COUNTS}, processor {_BOTH_ENDS}, stages {_STAGES})",
    "behind": f"STRUCT(calls {_COUNTS}, processor {_BOTH_ENDS})",
    "traffic": "STRUCT(elapsed_ns BIGINT, ways STRUCT(direction VARCHAR, octets BIGINT, packets BIGINT,"
    " line_octets BIGINT, rate_bps BIGINT)[])",
    "agree": "BOOLEAN",
    "warm_up": "BIGINT[][]",
    "warmed": (
        "STRUCT(compiles BOOLEAN, steady BOOLEAN, ended VARCHAR, why VARCHAR, seconds DOUBLE, calls BIGINT,"
        f" limit_s DOUBLE, before_s DOUBLE, compiler_ns {_COUNTS}, collector_ns {_COUNTS})"
    ),
    "unsteady": "VARCHAR",
    "cold": _COLD,
    "processors": (
        "STRUCT(elapsed_ns BIGINT, seen_ns BIGINT, own_ns BIGINT, steal_ns BIGINT, processors BIGINT,"
        f" busy_ns {_COUNTS}, sides {_SIDE}[])"
    ),
    "gaps": f"STRUCT(watched_ns BIGINT, cost_ns BIGINT, processors {_GAPS}[])",
    "spoiled": "VARCHAR",
    "repeated": "BOOLEAN",
    "hello": (
        "STRUCT(runtime VARCHAR, libraries JSON, clock STRUCT(name VARCHAR, resolution_ns DOUBLE, reading_ns DOUBLE))"
    ),
    "burnt": "VARCHAR",
    "burn_ns": "BIGINT",
    "share": "DOUBLE",
    "pairs": "BIGINT[][]",
    "place": "VARCHAR",
    "canary": "STRUCT(calls BIGINT, elapsed_ns BIGINT, p50_ns BIGINT, p99_ns BIGINT)",
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
    "met": "STRUCT(calls BIGINT[], errors BIGINT[], elapsed_ns BIGINT[])",
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
    "blocks": "BIGINT",
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
    "processes": f"STRUCT(load_ms BIGINT, rest_ms BIGINT, sides {_WATCHED}[])",
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
        " arrivals VARCHAR, rate_per_s DOUBLE, think_ns BIGINT, ramp_up_ns BIGINT, wire JSON)[]"
    ),
}

_CELLS = """
    SELECT c.id AS cell, c."group", c.stack, s.adapter, s.message, s.channel, s.language, c.call,
           CAST(c.arguments AS VARCHAR) AS arguments, CAST(c.options AS VARCHAR) AS options,
           c.clients, c.calls, c.seconds, c.link, coalesce(c.arrivals, 'closed') AS arrivals,
           c.rate_per_s AS target_per_s, coalesce(c.think_ns, 0) / 1e6 AS think_ms,
           coalesce(c.ramp_up_ns, 0) / 1e6 AS ramp_up_ms,
           CASE WHEN json_keys(c.wire) = [] THEN NULL ELSE CAST(c.wire AS VARCHAR) END AS wire
    FROM (SELECT unnest(cells) AS c FROM planned)
    JOIN (SELECT unnest(stacks) AS s FROM planned) ON s.id = c.stack
    ORDER BY cell
"""

# As stats/rate.py has it: of a record that does not tell the window it is the whole drive.
_WINDOW_CALLS = "CASE WHEN done.window_ns IS NULL THEN done.calls ELSE done.answered + done.in_flight_part END"
_WINDOW_NS = "coalesce(done.window_ns, done.elapsed_ns)"
_RATE = f"({_WINDOW_CALLS}) / ({_WINDOW_NS} / 1e9)"
_WINDOW = (
    f"{_WINDOW_NS} AS window_ns, CAST({_WINDOW_CALLS} AS DOUBLE) AS window_calls,"
    " coalesce(done.in_flight, 0) AS in_flight"
)

_TRIALS = f"""
    SELECT trial, cell, block, visit, started, done.calls AS calls,
           CAST(to_json(done.errors) AS VARCHAR) AS errors,
           CAST(coalesce(list_sum(map_values(done.errors)), 0) AS BIGINT) AS error_count,
           done.elapsed_ns AS elapsed_ns, {_WINDOW}, {_RATE} AS rate_per_s,
           done.timed AS timed, done.batch AS batch,
           done.latency.count AS count, done.latency.sum_ns AS sum_ns,
           done.latency.min_ns AS min_ns, done.latency.max_ns AS max_ns,
           done.service.sum_ns AS service_sum_ns, done.service.min_ns AS service_min_ns,
           done.service.max_ns AS service_max_ns, done.lateness.sum_ns AS lateness_sum_ns,
           done.lateness.min_ns AS lateness_min_ns, done.lateness.max_ns AS lateness_max_ns,
           done.in_call_ns AS in_call_ns, done.think_ns AS think_ns, done.gap_ns AS gap_ns, c.clients AS clients,
           done.processor.end.user_ns - done.processor.start.user_ns AS user_ns,
           done.processor.end.system_ns - done.processor.start.system_ns AS system_ns,
           counted.processor.end.user_ns - counted.processor.start.user_ns AS server_user_ns,
           counted.processor.end.system_ns - counted.processor.start.system_ns AS server_system_ns,
           behind.processor.end.user_ns - behind.processor.start.user_ns AS backend_user_ns,
           behind.processor.end.system_ns - behind.processor.start.system_ns AS backend_system_ns,
           done.received_octets AS received_octets, agree, coalesce(unsteady, '') AS unsteady
    FROM lines
    JOIN (SELECT c.id AS cell, c.clients AS clients FROM (SELECT unnest(cells) AS c FROM planned)) c USING (cell)
    WHERE kind = 'trial'
    ORDER BY trial
"""  # noqa: S608 - our own names

# A bucket's bounds are the contract's: width 1 below 256, then 128 buckets an octave.
_HISTOGRAMS = """
    WITH named AS (
        SELECT trial, unnest([
            {'name': 'latency', 'buckets': done.latency.buckets},
            {'name': 'service', 'buckets': done.service.buckets},
            {'name': 'lateness', 'buckets': done.lateness.buckets}]) AS h
        FROM lines WHERE kind = 'trial'
    ), sparse AS (SELECT trial, h.name AS name, unnest(h.buckets) AS pair FROM named)
    SELECT trial, name, pair[1] AS bucket,
           CASE WHEN pair[1] < 128 THEN pair[1] ELSE (128 + pair[1] % 128) << (pair[1] // 128 - 1)::INT END AS low_ns,
           CASE WHEN pair[1] < 128 THEN 1 ELSE 1::BIGINT << (pair[1] // 128 - 1)::INT END AS width_ns,
           pair[2] AS count
    FROM sparse
    ORDER BY trial, name, bucket
"""

_INTERVALS = """
    SELECT trial, point[1] AS at_ns, point[2] AS calls, point[3] AS errors
    FROM (SELECT trial, unnest(done.intervals) AS point FROM lines WHERE kind = 'trial')
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

_FLOORS = """
    SELECT block, visit, cells, stack, CAST(options AS VARCHAR) AS options, request_bytes, answer_bytes,
           done.calls AS calls, done.elapsed_ns AS elapsed_ns, done.batch AS batch,
           done.in_call_ns / done.calls / 1e3 AS mean_us
    FROM lines WHERE kind = 'floor' AND done.calls > 0
    ORDER BY visit, options, request_bytes, answer_bytes
"""

_EXCLUDED = "SELECT DISTINCT stack, cell, block, why FROM lines WHERE kind = 'excluded' ORDER BY block, stack, cell"

_VISITS = """
    SELECT block, visit, stack, coalesce(link, 'loopback') AS link, start_s, verify_s, connect_s, connections,
           hello.runtime AS runtime, CAST(hello.libraries AS VARCHAR) AS libraries, hello.clock.name AS clock,
           hello.clock.resolution_ns AS resolution_ns, hello.clock.reading_ns AS reading_ns
    FROM lines WHERE kind = 'visit' ORDER BY block, visit
"""

# What was seen beside a trial, the spoiled ones too: their line has another kind, so they count nowhere else.
_SPOILED = f"""
    SELECT trial, cell, block, started, kind = 'trial' AS counted, coalesce(repeated, false) AS repeated,
           spoiled AS why, {_RATE} AS rate_per_s
    FROM lines
    WHERE kind = 'spoiled' OR (kind = 'trial' AND (spoiled <> '' OR repeated))
    ORDER BY trial, counted
"""  # noqa: S608 - our own names

_SIDES = """
    SELECT trial, s.side AS side, len(s.cpus) AS cpus, s.processes AS processes, p.elapsed_ns AS elapsed_ns,
           p.steal_ns / (p.elapsed_ns * p.processors) AS steal_share, s.user_ns AS user_ns, s.system_ns AS system_ns,
           s.run_ns AS run_ns, s.wait_ns AS wait_ns, s.neighbour_ns AS neighbour_ns, p.seen_ns AS seen_ns,
           list_max(list_transform(s.threads, lambda x: x.busiest_ns)) AS busiest_ns
    FROM (
        SELECT trial, processors AS p, unnest(processors.sides) AS s
        FROM lines WHERE kind = 'trial' AND processors.elapsed_ns > 0 AND processors.processors > 0)
    ORDER BY trial, side
"""

_THREADS = """
    SELECT trial, side, t.name AS name, t.threads AS threads, t.run_ns AS run_ns, t.wait_ns AS wait_ns,
           t.busiest_ns AS busiest_ns
    FROM (
        SELECT trial, s.side AS side, unnest(s.threads) AS t
        FROM (SELECT trial, unnest(processors.sides) AS s FROM lines WHERE kind = 'trial'))
    ORDER BY trial, side, name
"""

_GAPS_QUERY = """
    SELECT trial, g.cpu AS cpu, watched_ns, g.looks AS looks, g.gaps AS gaps, g.gap_ns AS gap_ns,
           g.longest_ns AS longest_ns, g."first" AS "first"
    FROM (
        SELECT trial, gaps.watched_ns AS watched_ns, unnest(gaps.processors) AS g
        FROM lines WHERE kind = 'trial')
    ORDER BY trial, cpu
"""

_CANARIES = """
    SELECT block, place, started, canary.calls AS calls, canary.calls / (canary.elapsed_ns / 1e9) AS rate_per_s,
           canary.p50_ns / 1e3 AS p50_us, canary.p99_ns / 1e3 AS p99_us
    FROM lines WHERE kind = 'canary'
    ORDER BY started
"""

_SLOWDOWNS = """
    SELECT cell, stack, burnt AS side, burn_ns, share, piece AS pair, four[1] AS plain_calls, four[2] AS plain_ns,
           four[3] AS slow_calls, four[4] AS slow_ns, why
    FROM (
        SELECT cell, stack, burnt, burn_ns, share, why, unnest(coalesce(pairs, [[NULL]])) AS four,
               generate_subscripts(coalesce(pairs, [[NULL]]), 1) - 1 AS piece
        FROM lines WHERE kind = 'slowdown')
    ORDER BY cell, side, pair
"""

_WARM_UPS = """
    SELECT trial, piece, pair[1] AS calls, pair[2] AS elapsed_ns, pair[3] AS compiler_ns
    FROM (
        SELECT trial, unnest(warm_up) AS pair, generate_subscripts(warm_up, 1) - 1 AS piece
        FROM lines WHERE kind = 'trial')
    ORDER BY trial, piece
"""

_STEADINESS = """
    SELECT trial, cell, block, visit, warmed.compiles AS compiles, warmed.steady AS steady, warmed.ended AS ended,
           warmed.why AS why, warmed.seconds AS seconds, warmed.before_s AS before_s, warmed.limit_s AS limit_s,
           warmed.calls AS calls,
           coalesce(warmed.compiler_ns['client'], warmed.compiler_ns['both']) AS client_compiler_ns,
           warmed.compiler_ns['server'] AS server_compiler_ns,
           coalesce(warmed.collector_ns['client'], warmed.collector_ns['both']) AS client_collector_ns,
           warmed.collector_ns['server'] AS server_collector_ns,
           coalesce(unsteady, '') AS unsteady
    FROM lines WHERE kind = 'trial' AND warmed IS NOT NULL ORDER BY trial
"""

# Of a stack that was just started: before anything else was called, but for what `calls_before` counts.
_COLD_QUERY = """
    SELECT block, visit, stack, coalesce(link, 'loopback') AS link, cold.cell AS cell, cold.call AS call,
           cold.calls_before AS calls_before, cold.first_call_ns AS first_call_ns,
           cold.first_second_calls AS first_second_calls, cold.thousand_calls_ns AS thousand_calls_ns,
           cold.errors AS errors, cold.driven_ns AS driven_ns
    FROM lines WHERE kind = 'visit' AND cold IS NOT NULL ORDER BY block, visit
"""

_ENDINGS = "SELECT cell, why, asked, reached, blocks FROM lines WHERE kind = 'ended' ORDER BY cell"

_MEETINGS = """
    SELECT cell, other, started, met.calls[1] AS calls, met.calls[2] AS other_calls,
           met.elapsed_ns[1] AS elapsed_ns, met.elapsed_ns[2] AS other_elapsed_ns,
           (met.calls[1] / met.elapsed_ns[1]) / (met.calls[2] / met.elapsed_ns[2]) AS ratio,
           neighbours, agree
    FROM lines WHERE kind = 'meeting' ORDER BY cell, other, started
"""

# A channel without packets has one row that says only what data the call has.
_WIRE = f"""
    SELECT cell, stack, "group", request_payload, answer_payload, exact, counts, lost,
           row.phase AS phase, row.direction AS direction, row.connections AS connections,
           {", ".join(f"row.{name} AS {name}" for name in _WIRE_FIGURES)}
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

_PROCESSES = """
    WITH sides AS (
        SELECT trial, processes.load_ms AS load_ms, processes.rest_ms AS rest_ms, unnest(processes.sides) AS s
        FROM lines WHERE kind = 'trial')
    SELECT trial, s.side AS side, load_ms, s.begin.processes AS processes_begin, s.end.processes AS processes_end,
           s.processes_made AS processes_made, s.processes_ended AS processes_ended,
           s.begin.threads AS threads_begin,
           greatest(s.peak_threads, s.begin.threads, s.end.threads, s.rest.threads) AS threads_peak,
           s.end.threads AS threads_end,
           s.threads_made AS threads_made, s.threads_ended AS threads_ended,
           s.begin.resident_bytes AS resident_begin,
           greatest(s.peak_bytes, s.begin.resident_bytes, s.end.resident_bytes, s.rest.resident_bytes) AS resident_peak,
           s.end.resident_bytes AS resident_end,
           s.begin.unique_bytes AS unique_begin, s.end.unique_bytes AS unique_end,
           s.begin.proportional_bytes AS proportional_begin, s.end.proportional_bytes AS proportional_end,
           s.heap_bytes AS heap_bytes, s.begin.files AS files_begin, s.end.files AS files_end,
           s.end.voluntary - s.begin.voluntary AS voluntary, s.end.involuntary - s.begin.involuntary AS involuntary,
           s.end.user_ms - s.begin.user_ms AS user_ms, s.end.system_ms - s.begin.system_ms AS system_ms,
           s.end.minor_faults - s.begin.minor_faults AS minor_faults,
           s.end.major_faults - s.begin.major_faults AS major_faults,
           rest_ms, s.rest.resident_bytes AS resident_rest, s.rest.unique_bytes AS unique_rest,
           s.rest.threads AS threads_rest, s.rest.files AS files_rest
    FROM sides ORDER BY trial, side
"""

_PROCESS_SAMPLES = """
    WITH sides AS (SELECT trial, unnest(processes.sides) AS s FROM lines WHERE kind = 'trial'),
         points AS (SELECT trial, s.side AS side, unnest(s.samples) AS p FROM sides)
    SELECT trial, side, p[1] AS at_ms, p[2] AS resident_bytes, p[3] AS threads, p[4] AS processes,
           p[5] AS user_ms, p[6] AS system_ms
    FROM points ORDER BY trial, side, at_ms
"""

# The sums of a server that tells where its own time went.
_STAGES_QUERY = """
    SELECT trial, cell, block, stage.key AS stage, stage.value.times AS times, stage.value.ns AS ns,
           stage.value.processor_ns AS processor_ns, stage.value.octets AS octets
    FROM (
        SELECT trial, cell, block, unnest(map_entries(counted.stages)) AS stage
        FROM lines WHERE kind = 'trial')
    ORDER BY trial, stage
"""

# Of trials over a link: what crossed it, by direction.
_TRAFFIC = """
    SELECT trial, way.direction AS direction, elapsed_ns, way.octets AS octets, way.packets AS packets,
           way.line_octets AS line_octets, way.rate_bps AS rate_bps
    FROM (
        SELECT trial, traffic.elapsed_ns AS elapsed_ns, unnest(traffic.ways) AS way
        FROM lines WHERE kind = 'trial')
    ORDER BY trial, direction
"""

_DEATHS = """
    SELECT block, visit, trial, cell, stack, how, answered, since_start, again, why
    FROM lines WHERE kind = 'death' ORDER BY visit, trial
"""

_STEPS = f"""
    SELECT knee, cell, stack, block, step, along, level, clients, done.calls AS calls,
           CAST(coalesce(list_sum(map_values(done.errors)), 0) AS BIGINT) AS error_count, done.elapsed_ns AS elapsed_ns,
           {_WINDOW},
           reached_per_s, value_us, holds, coalesce(unsteady, '') AS unsteady
    FROM lines WHERE kind = 'step' ORDER BY knee, cell, block, step
"""  # noqa: S608 - our own names

QUERIES = {
    "steps": _STEPS,
    "cells": _CELLS,
    "trials": _TRIALS,
    "histograms": _HISTOGRAMS,
    "intervals": _INTERVALS,
    "codecs": _CODECS,
    "floors": _FLOORS,
    "processes": _PROCESSES,
    "process_samples": _PROCESS_SAMPLES,
    "stages": _STAGES_QUERY,
    "traffic": _TRAFFIC,
    "deaths": _DEATHS,
    "excluded": _EXCLUDED,
    "visits": _VISITS,
    "spoiled": _SPOILED,
    "sides": _SIDES,
    "threads": _THREADS,
    "gaps": _GAPS_QUERY,
    "canaries": _CANARIES,
    "warm_ups": _WARM_UPS,
    "steadiness": _STEADINESS,
    "cold": _COLD_QUERY,
    "slowdowns": _SLOWDOWNS,
    "endings": _ENDINGS,
    "meetings": _MEETINGS,
    "wire": _WIRE,
    "sweeps": _SWEEPS,
}
