"""A call's time in echoes: of the echo of its own batch, whatever pace the machine had there; of none over a link."""

import duckdb
import pytest

from callbench.analysis.cells.echo_multiples import read

# Two forks: in the second, the machine was half as fast while these cells were driven as in the whole of it.
TABLES = """
CREATE TABLE cells AS SELECT * FROM (VALUES
    ('near', 'g', 'n/m+tcp', 'm', 'loopback'), ('many', 'g', 'n/x+tcp', 'x', 'loopback'),
    ('far', 'g', 'n/m+tcp', 'm', 'lan100')) AS t(cell, "group", stack, message, link);
CREATE TABLE codecs AS SELECT 'm' AS message, 'g' AS "group", 'n/m+tcp' AS stack, side AS direction,
    16.0 AS bytes, 1.0 AS encode_ns, 1.0 AS decode_ns FROM (VALUES ('request'), ('answer')) AS s(side);
CREATE TABLE baselines AS SELECT * FROM (VALUES
    (0, ['near'], 16, 16, 10.0), (1, ['near'], 16, 16, 20.0)) AS t(fork, cells, request_bytes, answer_bytes, mean_us);
CREATE TABLE echoes AS SELECT * FROM (VALUES (0, 100, 1e5), (1, 100, 5e4)) AS t(fork, calls, rate_per_s);
CREATE TABLE trials AS SELECT cell, fork, pace, '' AS unsteady
    FROM cells, (VALUES (0, 1.0), (1, 0.5)) AS f(fork, pace);
"""


def test_a_call_of_three_echoes_is_that_in_a_batch_of_any_pace() -> None:
    with duckdb.connect() as connection:
        connection.execute(TABLES)
        # 30 and 60 microseconds were measured; at the pace of the whole fork both are 30.
        found = read(connection, {name: {0: 30.0, 1: 30.0} for name in ("near", "far")} | {"many": {0: 30.0, 1: 60.0}})
    assert found["near"] == pytest.approx({0: 3.0, 1: 3.0})
    assert found["many"] == pytest.approx({0: 3.0, 1: 3.0}), "the small echo over TCP stands for one of its own"
    assert "far" not in found, "its time is the link's, which no echo on this machine varies with"
