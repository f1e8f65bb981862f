"""The load loop's own time is taken off the rate of one client: known calls, known loop, known answer."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from callbench.analysis.cells.read_results import read
from callbench.analysis.cells.results import Result
from callbench.analysis.run.rankings import rankings
from callbench.analysis.run.subject import subject
from callbench.analysis.run.tables import table_cell
from callbench.stats.load.bottleneck import Limit
from callbench.store.record import Record
from report.synthetic import write

CALL_NS, CALLS = 50_000, 2_000
STACKS = ("native/bin+supertcp", "native/soap+supertcp")


def run_of(folder: Path, change: Callable[[dict[str, Any]], None]) -> Record:
    """A run whose every call takes 50 us, with what is changed of each drive."""
    write(folder, only=STACKS)
    lines = []
    for line in (folder / "journal.jsonl").read_text().splitlines():
        record = json.loads(line)
        if record["kind"] == "trial":
            done = record["done"]
            done |= {"calls": CALLS, "in_call_ns": str(CALLS * CALL_NS), "timed": "each", "batch": 1, "intervals": []}
            done["latency"] = {
                "count": CALLS, "sum_ns": str(CALLS * CALL_NS), "min_ns": CALL_NS, "max_ns": CALL_NS,
                "buckets": [[1000, CALLS]],
            }  # fmt: skip
            done |= {"window_ns": None}
            change(record)
            done["elapsed_ns"] = CALLS * CALL_NS + int(done["gap_ns"] or 0)
        lines.append(json.dumps(record))
    (folder / "journal.jsonl").write_text("\n".join(lines) + "\n")
    return Record(folder)


def loops(ns: int, jitter: int = 0) -> Callable[[dict[str, Any]], None]:
    """A loop that takes so long for each call, and a little more in each further fork."""

    def change(record: dict[str, Any]) -> None:
        record["done"]["gap_ns"] = str(CALLS * (ns + jitter * (record["fork"] - 1)))

    return change


def cells_of(record: Record) -> list[Result]:
    return [one for one in read(record).cells if one.rate is not None]


@pytest.mark.parametrize("loop_ns", [200, 4_000, 9_000, 45_000])
def test_the_rate_is_that_of_the_calls_alone_whatever_the_loop_takes(tmp_path: Path, loop_ns: int) -> None:
    """Each call takes 50 us, so one client makes 20,000 a second, were there no loop."""
    found = cells_of(run_of(tmp_path / "run", loops(loop_ns, jitter=loop_ns // 20)))
    assert found
    for one in found:
        assert one.rate is not None
        assert one.rate.middle == pytest.approx(1e9 / CALL_NS, rel=1e-6)
        assert one.loop is not None
        assert one.loop.us.middle == pytest.approx(loop_ns / 1e3, rel=0.01)
        assert not one.at_least
        assert one.ranked
        assert one.verdict is not None
        assert one.verdict.limit is Limit.SERIAL


def test_what_is_taken_off_is_said_with_its_interval(tmp_path: Path) -> None:
    one = cells_of(run_of(tmp_path / "run", loops(4_000, jitter=40)))[0]
    about = table_cell(one, "rate_per_s").about
    assert "the load loop's own time, 4.00 µs of 54.00 (3.90 to 4.10), is" in about
    assert about.count("is taken off") == 1


def test_a_loop_that_takes_more_than_the_calls_leaves_no_certainty(tmp_path: Path) -> None:
    record = run_of(tmp_path / "run", loops(60_000))
    found = cells_of(record)
    assert all(one.at_least and one.loop is None for one in found)
    assert all(one.rate and one.rate.middle == pytest.approx(1e9 / 110_000, rel=1e-6) for one in found)
    assert not any(one.ranked for one in rankings(subject(record)))


def test_a_kit_that_does_not_count_its_loop_keeps_its_rate(tmp_path: Path) -> None:
    def change(record: dict[str, Any]) -> None:
        record["done"]["gap_ns"] = None

    found = cells_of(run_of(tmp_path / "run", change))
    assert all(one.loop is None and not one.at_least for one in found)


def test_a_loop_within_batches_is_not_known_apart(tmp_path: Path) -> None:
    def change(record: dict[str, Any]) -> None:
        loops(4_000)(record)
        record["done"] |= {"timed": "batch", "batch": 16, "latency": None}

    assert all(one.loop is None for one in cells_of(run_of(tmp_path / "run", change)))
