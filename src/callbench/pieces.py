"""What the tables of a run are made of: slices and trials, how they were warmed up, echoes, and paces of batches."""

from callbench.journal_columns import MEASURED
from callbench.stats.warmed import BUSY

# What everything else is made of: a row a slice, or a whole trial; those that were watched count for no rate, nor do
# those in which a compiler was at work, but for trials that do not count at all: what was seen of them is shown.
_PIECES = f"""
    SELECT trial, cell, block, visit, 0 AS "round", NULL::BIGINT AS batch, false AS watched, false AS sliced,
           {", ".join(name for name in MEASURED if name not in ("trial", "cell"))}, repeated
    FROM lines WHERE kind = 'trial'
    UNION ALL
    SELECT s.trial, s.cell, fork AS block, NULL AS visit, "round", batch,
           kind = 'watched round' OR (
               coalesce(s.compiler_ns, 0) > {BUSY} * s.done.elapsed_ns
               AND s.trial NOT IN (SELECT unnest(trials) FROM lines WHERE kind = 'unsteady')) AS watched,
           NOT coalesce(whole, false) AS sliced,
           {", ".join(f"s.{name}" for name in MEASURED if name not in ("trial", "cell"))}, false AS repeated
    FROM (
        SELECT kind, fork, "round", batch, whole, unnest(slices) AS s
        FROM lines WHERE kind IN ('round', 'watched round'))
"""  # noqa: S608 - our own names

# How each trial was warmed up, and why it does not count, if so.
_WARMTH = """
    SELECT trial, cell, block, visit, warm_up, warmed, coalesce(unsteady, '') AS unsteady
    FROM lines WHERE kind IN ('trial', 'warmed')
"""
_LATE = """
    SELECT trial, any_value(why) AS why
    FROM (SELECT unnest(trials) AS trial, why FROM lines WHERE kind = 'unsteady') GROUP BY trial
"""
_ECHOES = """
    SELECT fork AS block, batch, "round", unnest(echoes) AS e FROM lines WHERE kind = 'round'
"""
# How fast the machine was in each batch beside the whole of its fork, by the stacks that every batch drives.
_PACES = """
    WITH seen AS (
        SELECT fork AS block, batch, r.stack AS stack,
               sum(coalesce(r.done.answered + r.done.in_flight_part, r.done.calls))
               / sum(coalesce(r.done.window_ns, r.done.elapsed_ns)) AS rate
        FROM (SELECT fork, batch, unnest("references") AS r FROM lines WHERE kind = 'round')
        GROUP BY ALL HAVING rate > 0)
    SELECT block, batch, exp(avg(ln(rate) - of_fork)) AS pace
    FROM (SELECT *, avg(ln(rate)) OVER (PARTITION BY block, stack) AS of_fork FROM seen)
    GROUP BY ALL
"""
# Made before the tables, which are made of them; none of them is kept.
PARTS = {"pieces": _PIECES, "warmth": _WARMTH, "late": _LATE, "echo_slices": _ECHOES, "paces": _PACES}
