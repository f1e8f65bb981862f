"""Results are reckoned from the documented tables, with answers known by hand."""

from pathlib import Path

import duckdb
import pytest

from callbench.results import RANKING_SQL, Results, from_connection, read
from callbench.store import Run
from report.synthetic import write

TABLES = """
CREATE TABLE cells (cell VARCHAR, "group" VARCHAR, stack VARCHAR, adapter VARCHAR, message VARCHAR, channel VARCHAR,
    language VARCHAR, call VARCHAR, arguments VARCHAR, clients BIGINT, calls BIGINT, seconds DOUBLE, link VARCHAR);
CREATE TABLE trials (trial BIGINT, cell VARCHAR, block BIGINT, visit BIGINT, started TIMESTAMP, calls BIGINT,
    errors VARCHAR, error_count BIGINT, elapsed_ns BIGINT, rate_per_s DOUBLE, timed VARCHAR, batch BIGINT, count BIGINT,
    sum_ns BIGINT, min_ns BIGINT, max_ns BIGINT, in_call_ns BIGINT, think_ns BIGINT, clients BIGINT, user_ns BIGINT,
    system_ns BIGINT, server_user_ns BIGINT, server_system_ns BIGINT, agree BOOLEAN);
CREATE TABLE histograms (trial BIGINT, name VARCHAR, bucket BIGINT, low_ns BIGINT, width_ns BIGINT, count BIGINT);
CREATE TABLE codecs (message VARCHAR, "group" VARCHAR, call VARCHAR, arguments VARCHAR, direction VARCHAR, bytes DOUBLE,
    encode_ns DOUBLE, decode_ns DOUBLE);
CREATE TABLE excluded (stack VARCHAR, cell VARCHAR, block BIGINT, why VARCHAR);
CREATE TABLE visits (block BIGINT, visit BIGINT, stack VARCHAR, start_s DOUBLE, verify_s DOUBLE, connect_s DOUBLE,
    connections BIGINT);
INSERT INTO cells VALUES
    ('c001', 'g', 'a/x+y', 'a', 'x', 'y', 'rust', 'Sum', '{"a":1,"b":2}', 1, 10, 0.1, 'loopback'),
    ('c002', 'g', 'a/z+y', 'a', 'z', 'y', 'rust', 'Sum', '{"a":1,"b":2}', 1, 10, 0.1, 'loopback'),
    ('c003', 'g', 'a/w+y', 'a', 'w', 'y', 'rust', 'Sum', '{"a":1,"b":2}', 1, 10, 0.1, 'loopback');
INSERT INTO codecs VALUES ('x', 'g', 'Sum', '{}', 'request', 30, 1, 2), ('x', 'g', 'Sum', '{}', 'answer', 12, 3, 4);
INSERT INTO excluded VALUES ('a/w+y', NULL, 0, 'answered wrongly');
"""


def trial(
    connection: "duckdb.DuckDBPyConnection", number: int, cell: str, block: int, calls: int, **more: object
) -> None:
    row = {
        "trial": number,
        "cell": cell,
        "block": block,
        "calls": calls,
        "errors": "{}",
        "error_count": 0,
        "elapsed_ns": 1_000_000_000,
        "batch": 1,
        "in_call_ns": 900_000_000,
        "agree": True,
        **more,
    }
    names, marks = ", ".join(row), ", ".join("?" * len(row))
    connection.execute(f"INSERT INTO trials ({names}) VALUES ({marks})", list(row.values()))  # noqa: S608 - our own names


@pytest.fixture
def results() -> Results:
    with duckdb.connect() as connection:
        connection.execute(TABLES)
        trial(connection, 0, "c001", 0, 100, count=100, sum_ns=1_000_000, min_ns=10_000, max_ns=10_050)
        trial(connection, 1, "c001", 1, 400, count=400, sum_ns=8_000_000, min_ns=20_000, max_ns=20_080)
        trial(connection, 2, "c002", 0, 1000, batch=64, errors='{"timeout":2}', error_count=2)
        trial(connection, 3, "c002", 1, 0, errors='{"timeout":1,"closed":3}', error_count=4, agree=False)
        connection.execute(
            "INSERT INTO histograms VALUES (0, 'latency', 0, 9984, 64, 100), (1, 'latency', 0, 19968, 128, 400)"
        )
        connection.execute("INSERT INTO histograms VALUES (1, 'service', 0, 1, 1, 400)")
        return from_connection(connection)


def test_rates_are_a_geometric_mean_over_blocks(results: Results) -> None:
    rate = results.cells[0].rate
    assert rate is not None
    assert rate.middle == pytest.approx(200)
    assert rate.blocks == 2


def test_percentiles_come_from_all_trials_together(results: Results) -> None:
    latency = results.cells[0].latency
    assert latency.percentiles is not None
    assert latency.percentiles["p50"] == pytest.approx(20.03, rel=0.004)
    assert results.cells[0].by_block["p50_us"][0] == pytest.approx(10.015, rel=0.004)
    assert latency.mean == pytest.approx(18.0)
    assert latency.max == pytest.approx(20.08)


def test_a_batch_has_a_mean_and_no_percentiles(results: Results) -> None:
    one = results.cells[1]
    assert one.batched
    assert one.latency.percentiles is None
    assert one.latency.mean == pytest.approx(900_000 / 1002)


def test_errors_are_counted_by_kind_and_a_block_without_an_answer_gives_no_rate(results: Results) -> None:
    one = results.cells[1]
    assert one.errors == {"timeout": 3, "closed": 3}
    assert one.blocks == 1
    assert not one.agree


def test_what_was_not_measured_says_why(results: Results) -> None:
    one = results.cells[2]
    assert (one.rate, one.excluded, one.trials) == (None, "answered wrongly", 0)


def test_bytes_are_those_of_both_messages(results: Results) -> None:
    assert results.cells[0].by_block["bytes"] == {0: 42.0, 1: 42.0}


def test_the_rankings_query_gives_what_is_ranked(tmp_path: Path) -> None:
    run = Run(write(tmp_path / "run", only=("native/soap+tcp", "native/bin+tcp")))
    found = read(run)
    with run.connection() as connection:
        rows = connection.execute(RANKING_SQL).fetchall()
    assert len(rows) == sum(one.blocks for one in found.cells)
    assert {round(row[-1], 6) for row in rows} == {
        round(rate, 6) for one in found.cells for rate in one.by_block["rate_per_s"].values()
    }
