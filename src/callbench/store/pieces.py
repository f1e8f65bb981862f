"""What the tables of a run are made of: slices and trials, how they were warmed up, echoes, and paces of batches.

A journal is read in parts, since a slice with its histograms takes a multiple of its line in memory.
"""

from callbench.stats.steady.warmed import BUSY
from callbench.store.columns import DONE_SUMS, ECHO_SUMS, MEASURED, window_calls

_OWN = [name for name in MEASURED if name not in {"trial", "cell", "done"}]
_BUSY = f"coalesce(s.compiler_ns, 0) > {BUSY} * s.done.elapsed_ns"
_SLICES = """
        SELECT kind, fork, "round", batch, whole, unnest(slices) AS s
        FROM part WHERE kind IN ('round', 'watched round')"""

# What everything else is made of: a row a slice, or a whole trial. Those that were watched count for no rate; whether
# those do in which a compiler was at work is known at the end of the journal.
_SEEN = f"""
    SELECT trial, cell, fork, start, 0 AS "round", NULL::BIGINT AS batch, false AS beside, false AS busy,
           false AS sliced, {", ".join(_OWN)}, CAST(done AS {DONE_SUMS}) AS done,
           TRY_CAST(repeated AS BOOLEAN) AS repeated
    FROM part WHERE kind = 'trial'
    UNION ALL
    SELECT s.trial, s.cell, fork, NULL AS start, "round", batch, kind = 'watched round' AS beside,
           {_BUSY} AS busy, NOT coalesce(whole, false) AS sliced,
           {", ".join(f"s.{name}" for name in _OWN)}, CAST(s.done AS {DONE_SUMS}) AS done, false AS repeated
    FROM ({_SLICES})
"""  # noqa: S608 - our own names

# Histograms are summed as they are read. There are millions of these rows: their numbers are as short as they can be.
_SEEN_BUCKETS = f"""
    WITH drives AS (
        SELECT trial, false AS busy, done FROM part WHERE kind = 'trial'
        UNION ALL
        SELECT s.trial, {_BUSY} AS busy, s.done AS done FROM ({_SLICES}) WHERE kind = 'round'),
    lists AS (
        SELECT trial, busy, unnest([1::TINYINT, 2, 3]) AS place,
               unnest([done.latency.buckets, done.service.buckets, done.lateness.buckets]) AS list
        FROM drives),
    pairs AS (SELECT trial, busy, place, unnest(list) AS pair FROM lists)
    SELECT trial, busy, place, pair[1]::INTEGER AS bucket, CAST(sum(pair[2]) AS BIGINT) AS count
    FROM pairs GROUP BY ALL
"""  # noqa: S608 - our own names

# All other lines, without what lies in the tables below.
_LINES = f"""
    SELECT * EXCLUDE (slices, echoes, "references") REPLACE (CAST(done AS {DONE_SUMS}) AS done), len(slices) AS slices
    FROM part WHERE kind NOT IN ('trial', 'warmed')
"""  # noqa: S608 - our own names

# How each trial was warmed up, and why it does not count, if so.
_WARMTH = """
    SELECT trial, cell, fork, start, warm_up, warmed, coalesce(unsteady, '') AS unsteady
    FROM part WHERE kind IN ('trial', 'warmed')
"""
_ECHOES = f"""
    SELECT fork, batch, "round", CAST(e AS {ECHO_SUMS}) AS e
    FROM (SELECT fork, batch, "round", unnest(echoes) AS e FROM part WHERE kind = 'round')
"""  # noqa: S608 - our own names
_REFERENCES = f"""
    SELECT fork, batch, r.stack AS stack, {window_calls("r.done")} AS calls,
           coalesce(r.done.window_ns, r.done.elapsed_ns) AS ns
    FROM (SELECT fork, batch, unnest("references") AS r FROM part WHERE kind = 'round')
"""  # noqa: S608 - our own names
# Filled from one part of the journal after the other, which is the table `part`.
BY_PART = {
    "lines": _LINES,
    "seen": _SEEN,
    "seen_buckets": _SEEN_BUCKETS,
    "warmth": _WARMTH,
    "echo_slices": _ECHOES,
    "reference_slices": _REFERENCES,
}

_LATE = """
    SELECT trial, any_value(why) AS why
    FROM (SELECT unnest(trials) AS trial, why FROM lines WHERE kind = 'unsteady') GROUP BY trial
"""
# How fast the machine was in each batch beside the whole of its fork, by the stacks that every batch drives. A batch
# has the weight of its slices: were a few cells in a batch of their own worth as much as hundreds in another, the noise
# of their few references would move all of those alike, and forks would seem to differ.
_PACES = """
    WITH rates AS (
        SELECT fork, batch, stack, sum(calls) / sum(ns) AS rate FROM reference_slices GROUP BY ALL HAVING rate > 0),
    weights AS (SELECT fork, batch, sum(slices) AS weight FROM lines WHERE kind = 'round' GROUP BY ALL),
    weighted AS (SELECT *, ln(rate) AS log FROM rates JOIN weights USING (fork, batch) WHERE weight > 0)
    SELECT fork, batch, exp(avg(log - of_fork)) AS pace
    FROM (SELECT *, sum(weight * log) OVER of_stack / sum(weight) OVER of_stack AS of_fork
          FROM weighted WINDOW of_stack AS (PARTITION BY fork, stack))
    GROUP BY ALL
"""
# Of trials that do not count at all, what was seen of them is shown, compiler and all.
_LEFT_OUT = "busy AND trial NOT IN (SELECT trial FROM late)"
_PIECES = f"SELECT * EXCLUDE (beside, busy), beside OR ({_LEFT_OUT}) AS watched FROM seen"  # noqa: S608 - our own names
_BUCKETS = f"""
    SELECT trial, ['latency', 'service', 'lateness'][place] AS name, bucket::BIGINT AS bucket,
           CAST(sum(count) AS BIGINT) AS count
    FROM seen_buckets WHERE NOT ({_LEFT_OUT}) GROUP BY ALL
"""  # noqa: S608 - our own names
# Made of those once the journal is read; what the tables are made of is these, `lines`, `warmth` and `echo_slices`.
PARTS = {"late": _LATE, "paces": _PACES}
VIEWS = {"pieces": _PIECES, "buckets": _BUCKETS}
