"""What a study can ask of a cell's server: memory around a load, threads, how much it answered, and decoded."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import duckdb

# By cell, then name, then block.
Found = dict[str, dict[str, dict[int, float]]]

# A stack whose one process plays both sides has no server of its own to look at, yet it is what serves.
PROCESSES_SQL = """
SELECT cell, block, avg(resident_begin) / 1048576 AS memory_begin_mib, max(resident_peak) / 1048576 AS memory_peak_mib,
       avg(resident_end) / 1048576 AS memory_end_mib, avg(resident_rest) / 1048576 AS memory_rest_mib,
       sum(resident_end - resident_begin) / sum(processes.calls) AS memory_per_call_bytes,
       max(threads_peak) AS threads_peak, sum(threads_made) / sum(processes.calls) AS threads_made_per_call
FROM processes JOIN trials USING (trial)
WHERE side NOT IN ('client', 'backend') AND processes.calls > 0 GROUP BY cell, block ORDER BY cell, block"""
# Of calls made, or of those asked for where the server died: nothing is known of how many were tried then.
ANSWERED_SQL = """
SELECT cell, block, min(share) AS answered_share
FROM (
    SELECT cell, block, calls / (calls + error_count) AS share FROM trials WHERE calls + error_count > 0
    UNION ALL
    SELECT cell, block, least(answered / cells.calls, 1) FROM deaths JOIN cells USING (cell))
WHERE share IS NOT NULL GROUP BY cell, block ORDER BY cell, block"""
DECODED_SQL = """
SELECT cell, block, sum(octets) / sum(times) AS decoded_bytes
FROM stages WHERE stage = 'decode' AND times > 0 GROUP BY cell, block ORDER BY cell, block"""
# What nothing was answered of has a ratio too.
_LEAST_SHARE = 1e-9


def read(connection: "duckdb.DuckDBPyConnection") -> Found:
    """Reckon every cell's, from the run's tables.

    Memory is resident memory in MiB; what a call adds to it, in bytes, has no figure where it shrank. What was not
    looked at, or was none at all, has none either: figures are compared as ratios.
    """
    found: Found = {}
    for query in (PROCESSES_SQL, ANSWERED_SQL, DECODED_SQL):
        cursor = connection.execute(query)
        names = [column[0] for column in cursor.description or []][2:]
        for cell, block, *values in cursor.fetchall():
            for name, value in zip(names, values, strict=True):
                least = _LEAST_SHARE if name == "answered_share" else 0.0
                if value is not None and (figure := max(float(value), least)) > 0:
                    found.setdefault(cell, {}).setdefault(name, {})[block] = figure
    return found
