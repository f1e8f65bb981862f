"""Every cell's mean time as a multiple of the echo of its own rounds: what carries over to another hour and machine."""

from collections.abc import Mapping
from typing import TYPE_CHECKING

from callbench.catalog.reach import LOOPBACK
from callbench.stats.wire.ladder import on_cross

if TYPE_CHECKING:
    import duckdb

BASELINES_SQL = """
SELECT cell, fork, request_bytes, answer_bytes, exp(avg(ln(mean_us))) AS mean_us
FROM (SELECT unnest(cells) AS cell, fork, request_bytes, answer_bytes, mean_us FROM baselines)
GROUP BY ALL ORDER BY ALL"""
SIZES_SQL = """
SELECT cells.cell, request.bytes AS request_bytes, answer.bytes AS answer_bytes,
       (request.encode_ns + request.decode_ns + answer.encode_ns + answer.decode_ns) / 1e3 AS codec_us
FROM cells
JOIN codecs request ON request.message = cells.message AND request."group" = cells."group"
     AND split_part(request.stack, '/', 1) = split_part(cells.stack, '/', 1) AND request.direction = 'request'
JOIN codecs answer ON answer.message = cells.message AND answer."group" = cells."group"
     AND split_part(answer.stack, '/', 1) = split_part(split_part(cells.stack, ':', -1), '/', 1)
     AND answer.direction = 'answer'
ORDER BY cells.cell"""
# A cell of many clients, or in Wine, has no echo of its own. It is given in multiples of the small one over TCP. Not
# so one over a link, whose time is the link's: the echo varied by 17 % from fork to fork, and such cells by 1 %.
NEAR_SQL = f"SELECT cell FROM cells WHERE link = '{LOOPBACK}'"  # noqa: S608 - our own names
# Times are of the same pace in all batches. An echo of its own is of the batch of its cell, so it has that pace.
PACES_SQL = "SELECT cell, fork, exp(avg(ln(pace))) AS pace FROM trials WHERE unsteady = '' GROUP BY cell, fork"
YARDSTICK_SQL = """
SELECT fork, sum(calls) / sum(calls / rate_per_s) AS rate_per_s FROM echoes WHERE rate_per_s > 0 GROUP BY fork"""

# By cell, then fork: times by sizes of request and answer, in microseconds.
Floors = Mapping[str, Mapping[int, Mapping[tuple[int, int], float]]]


def echo_times(connection: "duckdb.DuckDBPyConnection") -> Floors:
    """Read the echoes of each cell by fork."""
    found: dict[str, dict[int, dict[tuple[int, int], float]]] = {}
    for cell, fork, request, answer, mean_us in connection.execute(BASELINES_SQL).fetchall():
        found.setdefault(cell, {}).setdefault(fork, {})[request, answer] = mean_us
    return found


def read(
    connection: "duckdb.DuckDBPyConnection", times: Mapping[str, Mapping[int, float]]
) -> dict[str, dict[int, float]]:
    """Compute them by cell and fork.

    Args:
        connection: to the run's tables.
        times: the mean time of a call by cell and fork, in microseconds, at the same pace in all batches.
    """
    own = echo_times(connection)
    sizes = {cell: (request, answer) for cell, request, answer, _ in connection.execute(SIZES_SQL).fetchall()}
    yardstick = {fork: 1e6 / rate for fork, rate in connection.execute(YARDSTICK_SQL).fetchall() if rate}
    near = {cell for (cell,) in connection.execute(NEAR_SQL).fetchall()}
    paces = {(cell, fork): pace for cell, fork, pace in connection.execute(PACES_SQL).fetchall()}
    found: dict[str, dict[int, float]] = {}
    for cell, by_fork in times.items():
        mine = {fork: on_cross(echoes, *sizes[cell]) for fork, echoes in own.get(cell, {}).items() if cell in sizes}
        under = {fork: time * paces.get((cell, fork), 1.0) for fork, time in mine.items() if time}
        if not under and cell in near:
            under = yardstick
        multiples = {fork: time / under[fork] for fork, time in by_fork.items() if under.get(fork)}
        if multiples:
            found[cell] = multiples
    return found
