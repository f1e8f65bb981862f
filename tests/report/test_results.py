"""Results are computed from the documented tables, with answers known by hand."""

import json
from pathlib import Path

import duckdb
import pytest

from callbench.analysis.cells import histograms
from callbench.analysis.cells.messages import Messages, MessageTimes, labels
from callbench.analysis.cells.read_results import ONE_FORK, RANKING_SQL, from_connection, read
from callbench.analysis.cells.results import Results
from callbench.analysis.run.tables import table_cell
from callbench.store.record import Record
from report.synthetic import write

TABLES = """
CREATE TABLE cells (cell VARCHAR, "group" VARCHAR, stack VARCHAR, adapter VARCHAR, message VARCHAR, channel VARCHAR,
    language VARCHAR, call VARCHAR, arguments VARCHAR, clients BIGINT, calls BIGINT, seconds DOUBLE, link VARCHAR,
    arrivals VARCHAR, target_per_s DOUBLE, think_ms DOUBLE);
CREATE TABLE trials (trial BIGINT, cell VARCHAR, fork BIGINT, start BIGINT, started TIMESTAMP, calls BIGINT,
    errors VARCHAR, error_count BIGINT, elapsed_ns BIGINT, window_ns BIGINT, slices BIGINT DEFAULT 1,
    window_calls DOUBLE, in_flight BIGINT, rate_per_s DOUBLE, timed VARCHAR, batch BIGINT, count BIGINT,
    sum_ns BIGINT, min_ns BIGINT, max_ns BIGINT, in_call_ns BIGINT, think_ns BIGINT,
    gap_ns BIGINT, clients BIGINT, user_ns BIGINT,
    system_ns BIGINT, server_user_ns BIGINT, server_system_ns BIGINT, agree BOOLEAN, unsteady VARCHAR DEFAULT '',
    pace DOUBLE DEFAULT 1.0, service_sum_ns BIGINT, service_min_ns BIGINT, service_max_ns BIGINT,
    lateness_sum_ns BIGINT, lateness_min_ns BIGINT, lateness_max_ns BIGINT);
CREATE TABLE histograms (trial BIGINT, name VARCHAR, bucket BIGINT, low_ns BIGINT, width_ns BIGINT, count BIGINT);
CREATE TABLE codecs (stack VARCHAR, message VARCHAR, "group" VARCHAR, call VARCHAR, arguments VARCHAR,
    direction VARCHAR, bytes DOUBLE, encode_ns DOUBLE, decode_ns DOUBLE);
CREATE TABLE excluded (stack VARCHAR, cell VARCHAR, fork BIGINT, why VARCHAR);
CREATE TABLE starts (fork BIGINT, start BIGINT, stack VARCHAR, start_s DOUBLE, verify_s DOUBLE, connect_s DOUBLE,
    connections BIGINT);
INSERT INTO cells VALUES
    ('c001', 'g', 'a/x+y', 'a', 'x', 'y', 'rust', 'Sum', '{"a":1,"b":2}', 1, 10, 0.1, 'loopback', 'closed', NULL, 0),
    ('c002', 'g', 'a/z+y', 'a', 'z', 'y', 'rust', 'Sum', '{"a":1,"b":2}', 1, 10, 0.1, 'loopback', 'closed', NULL, 0),
    ('c003', 'g', 'a/w+y', 'a', 'w', 'y', 'rust', 'Sum', '{"a":1,"b":2}', 1, 10, 0.1, 'loopback', 'closed', NULL, 0);
ALTER TABLE cells ADD COLUMN options VARCHAR;
ALTER TABLE cells ADD COLUMN ramp_up_ms DOUBLE DEFAULT 0;
INSERT INTO codecs VALUES
    ('a/x+inproc', 'x', 'g', 'Sum', '{}', 'request', 30, 1, 2),
    ('a/x+inproc', 'x', 'g', 'Sum', '{}', 'answer', 12, 3, 4),
    ('b/x+inproc', 'x', 'g', 'Sum', '{}', 'request', 900, 1, 2),
    ('b/x+inproc', 'x', 'g', 'Sum', '{}', 'answer', 700, 3, 4),
    ('b/z+inproc', 'z', 'g', 'Sum', '{}', 'request', 9, 1, 2),
    ('b/z+inproc', 'z', 'g', 'Sum', '{}', 'answer', 9, 3, 4);
INSERT INTO excluded VALUES ('a/w+y', NULL, 0, 'answered wrongly');
"""


def trial(
    connection: "duckdb.DuckDBPyConnection", number: int, cell: str, fork: int, calls: int, **more: object
) -> None:
    row = {
        "trial": number,
        "cell": cell,
        "fork": fork,
        "calls": calls,
        "errors": "{}",
        "error_count": 0,
        "elapsed_ns": 1_000_000_000,
        "window_ns": 1_000_000_000,
        "window_calls": float(calls),
        "in_flight": 0,
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
        # An open loop: 100 calls per second are requested; c004 reaches them, c005 makes 50.
        connection.execute(
            "INSERT INTO cells SELECT 'c004', 'o', stack, adapter, message, channel, language, call, arguments, 2, 100,"
            " 1.0, link, 'poisson', 100.0, 0, NULL, 0 FROM cells WHERE cell = 'c001'"
        )
        connection.execute("INSERT INTO cells SELECT 'c005', * EXCLUDE cell FROM cells WHERE cell = 'c004'")
        for number, (cell, calls) in enumerate((("c004", 100), ("c005", 50)), 4):
            both = {f"{name}_{end}_ns": ns for name, ns in (("service", 10), ("lateness", 2)) for end in ("min", "max")}
            sums = {"sum_ns": calls * 30, "service_sum_ns": calls * 10, "lateness_sum_ns": calls * 2}
            trial(connection, number, cell, 0, calls, count=calls, min_ns=30, max_ns=30, **sums, **both)
            for name, ns in (("latency", 30), ("service", 10), ("lateness", 2)):
                connection.execute(f"INSERT INTO histograms VALUES ({number}, '{name}', 0, {ns}, 1, {calls})")  # noqa: S608
        return from_connection(connection)


def test_rates_are_a_geometric_mean_over_forks(results: Results) -> None:
    rate = results.cells[0].rate
    assert rate is not None
    assert rate.middle == pytest.approx(200)
    assert rate.forks == 2


def test_percentiles_come_from_all_trials_together(results: Results) -> None:
    latency = results.cells[0].latency
    assert latency.percentiles is not None
    assert latency.percentiles["p50"] == pytest.approx(20.03, rel=0.004)
    assert results.cells[0].by_fork["p50_us"][0] == pytest.approx(10.015, rel=0.004)
    assert latency.mean == pytest.approx(18.0)
    assert latency.max == pytest.approx(20.08)


def test_a_batch_has_a_mean_and_no_percentiles(results: Results) -> None:
    one = results.cells[1]
    assert one.batched
    assert one.latency.percentiles is None
    assert one.latency.mean == pytest.approx(900_000 / 1002)


def test_errors_are_counted_by_kind_and_a_fork_without_an_answer_gives_no_rate(results: Results) -> None:
    one = results.cells[1]
    assert one.errors == {"timeout": 3, "closed": 3}
    assert one.forks == 1
    assert not one.agree


def test_what_was_not_measured_says_why(results: Results) -> None:
    one = results.cells[2]
    assert (one.rate, one.excluded, one.trials) == (None, "answered wrongly", 0)


def test_bytes_are_those_of_both_messages(results: Results) -> None:
    assert results.cells[0].by_fork["bytes"] == {0: 42.0, 1: 42.0}


def test_another_adapters_message_of_the_same_name_says_nothing_of_ones_own(results: Results) -> None:
    assert {"bytes", "codec_us"}.isdisjoint(results.cells[1].by_fork)


def test_the_messages_of_a_mixed_stack_are_each_sides_own(results: Results) -> None:
    written = MessageTimes(results.codecs)
    mixed = written.of("a/x+y:b/x+y", "x", "g")
    assert mixed == Messages(730.0, 10e-3)
    assert written.of("load/http1:b/x+y", "x", "g") is None
    assert labels(results.codecs) == {"a/x+inproc": "a x", "b/x+inproc": "b x", "b/z+inproc": "z"}


def test_the_rankings_query_gives_what_is_ranked(tmp_path: Path) -> None:
    run = Record(write(tmp_path / "run", only=("native/soap+supertcp", "native/bin+supertcp")))
    found = read(run)
    with run.connection() as connection:
        rows = connection.execute(RANKING_SQL).fetchall()
    assert len(rows) == sum(one.forks for one in found.cells)
    assert {round(row[-1], 6) for row in rows} == {
        round(rate, 6) for one in found.cells for rate in one.by_fork["rate_per_s"].values()
    }


def test_an_open_loop_has_latency_service_and_lateness(results: Results) -> None:
    kept = results.cells[3]
    assert kept.rate is not None
    assert kept.open_loop is not None
    assert kept.open_loop.missed is None
    three = [one.percentiles for one in (kept.latency, kept.open_loop.service, kept.open_loop.lateness)]
    assert [one["p90"] for one in three if one] == [0.03, 0.01, 0.002]
    assert all("p99" not in one for one in three if one), "of 100 calls, p99 is the greatest or nearly so"
    assert table_cell(kept, "p99_us").why == "few calls"
    assert table_cell(kept, "p99_us").about.endswith(": P99 needs about 368 calls, there are 100.")
    assert [kept.open_loop.service.mean, kept.open_loop.lateness.mean] == [0.01, 0.002]
    assert results.where({"rate": "100", "arrivals": "poisson"}) == results.cells[3:]
    assert results.cells[0].open_loop is None


def test_a_target_that_was_missed_is_no_result_of_that_rate(results: Results) -> None:
    short = results.cells[4]
    assert (short.rate, short.ranked, short.latency.percentiles, short.interval("p99_us")) == (None, False, None, None)
    assert short.open_loop is not None
    assert short.open_loop.missed is not None
    assert short.open_loop.missed in short.doubts
    assert table_cell(short, "rate_per_s").why == "not reached"
    # What was seen is still there, beside the reason.
    assert short.open_loop.reached is not None
    assert round(short.open_loop.reached.middle) == 50


def test_histograms_are_what_the_query_that_the_page_names_gives(tmp_path: Path) -> None:
    run = Record(write(tmp_path / "run", only=("native/soap+supertcp", "native/bin+supertcp")))
    with run.connection() as connection:
        read = histograms.read(connection)
        rows = connection.execute(histograms.HISTOGRAMS_SQL).fetchall()
    told = {
        (name, cell, fork, int(low), int(width), int(count))
        for (name, cell), by_fork in read.items()
        for fork, one in by_fork.items()
        for low, width, count in zip(one.lows, one.widths, one.counts, strict=True)
    }
    assert told == set(rows)


def test_cells_are_chosen_by_every_value_given_in_their_order(results: Results) -> None:
    conditions = {"group": "g", "channel": "y"}
    expected = [one.id for one in results.cells if conditions.items() <= one.attributes.items()]
    assert len(expected) > 1
    assert [one.id for one in results.where(conditions)] == expected
    assert results.where({**conditions, "message": "no such"}) == []
    assert [one.id for one in results.where({})] == [one.id for one in results.cells]


@pytest.mark.parametrize("alone", [True, False])
def test_a_cell_of_one_fork_has_no_rank_beside_cells_with_intervals(tmp_path: Path, *, alone: bool) -> None:
    """Java had rank 1 in a group, by one fork, in a tie with seven others."""
    folder = write(tmp_path / "run", only=("native/json+pipe", "native/soap+pipe"))
    journal = folder / "journal.jsonl"
    lines = [json.loads(line) for line in journal.read_text().splitlines()]
    few = {cell["id"] for cell in json.loads((folder / "plan.json").read_text())["cells"]}
    few = few if alone else {min(few)}
    kept = [line for line in lines if not (line["kind"] == "trial" and line["fork"] > 0 and line["cell"] in few)]
    journal.write_text("".join(json.dumps(line) + "\n" for line in kept))
    found = {one.id: one for one in read(Record(folder)).cells}
    assert all(found[cell].forks == 1 and found[cell].rate for cell in few)
    # Where all have but one fork, they are all in the same position.
    assert all((ONE_FORK in found[cell].doubts) is not alone for cell in few)
    assert all(one.ranked for one in found.values() if one.id not in few)
