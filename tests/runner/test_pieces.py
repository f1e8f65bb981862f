"""What tables make of slices: a trial is their sum; what was watched or set aside counts for no rate."""

import json
import math
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any, cast

import hypothesis.strategies as some
import pytest
from hypothesis import HealthCheck, given, settings

from callbench.analysis.cells.read_results import RANKING_SQL
from callbench.model.cell import Cell, Load, Stack
from callbench.runner.plan import plan
from callbench.stats.load.rate import Drive, window_of
from callbench.store import record as store
from callbench.store.head import head
from callbench.store.record import Record
from callbench.store.record_writer import RecordWriter
from callbench.store.tables import QUERIES

KINDS = ("timeout", "closed", "refused")
SLICE = some.fixed_dictionaries(
    {
        "errors": some.dictionaries(some.sampled_from(KINDS), some.integers(1, 100)),
        "elapsed_ns": some.integers(1, 10**9),
        "buckets": some.dictionaries(some.integers(0, 3000), some.integers(1, 1000), min_size=1),
        "user_ns": some.integers(0, 10**9),
        "system_ns": some.integers(0, 10**9),
        "agree": some.booleans(),
    }
)


def done(one: dict[str, Any]) -> Drive:
    """A drive as the journal has it."""
    calls = sum(one["buckets"].values())
    histogram = {"count": calls, "sum_ns": str(calls * 7), "min_ns": min(one["buckets"]), "max_ns": 10**6}
    told = {
        "calls": calls,
        "errors": one["errors"],
        "elapsed_ns": one["elapsed_ns"],
        "window_ns": one["elapsed_ns"],
        "answered": calls,
        "in_flight": 1,
        "in_flight_part": 0.25,
        "timed": "each",
        "batch": 1,
        "latency": {**histogram, "buckets": sorted(one["buckets"].items())},
        "service": None,
        "lateness": None,
        "in_call_ns": str(calls * 7),
        "think_ns": "0",
        "gap_ns": "3",
        "processor": spent(one),
    }
    return cast("Drive", told)


def spent(one: dict[str, Any]) -> dict[str, Any]:
    start = {"user_ns": "100", "system_ns": "10"}
    return {
        "start": start,
        "end": {name: str(int(start[name]) + one[name]) for name in ("user_ns", "system_ns")},
    }


def plain(rate: float = 1000.0) -> dict[str, Any]:
    """A slice of a million calls at a rate."""
    elapsed = round(10**15 / rate)
    return {"errors": {}, "elapsed_ns": elapsed, "buckets": {700: 10**6}, "user_ns": 1, "system_ns": 1, "agree": True}


def round_(slices: Sequence[dict[str, Any]], *, kind: str = "round", number: int = 0, **more: Any) -> dict[str, Any]:
    """A line of a round: the first slice is the first cell's, and so on."""
    at = "2026-11-21T03:00:00.000Z"
    made = [
        {
            "trial": trial,
            "cell": f"c{trial + 1}",
            "watched": kind == "watched round",
            "started": at,
            "done": done(one),
            "counted": {"calls": {}, "processor": spent(one)},
            "backend": None,
            "agree": one["agree"],
        }
        for trial, one in enumerate(slices)
    ]
    place = {"fork": 0, "batch": 0, "round": number, "idle": "as it is", "started": at}
    return {"kind": kind, **place, "slices": made, "echoes": [], "references": [], **more}


def written(folder: Path, lines: Sequence[dict[str, Any]], cells: int = 2) -> Record:
    stacks = [Stack(f"a/x+{number}", "a", "x", f"{number}", "rust", "", "") for number in range(cells)]
    every = [Cell(f"c{number + 1}", "g", f"a/x+{number}", "Sum", {}, Load(1, 6, 1.0)) for number in range(cells)]
    record = json.dumps(plan.make_plan(every, stacks, 1).record()).encode()
    info = head("run", "S", {"study": "s", "seed": 1, "quick": False, "forks": 1, "rounds": 2})
    files = {"study.toml": b"", "plan.json": record, "environment.json": b"{}"}
    with RecordWriter.create(folder, info, files) as run:
        for line in lines:
            run.append(line)
    return Record(folder)


def rows(run: Record, sql: str) -> list[tuple[Any, ...]]:
    with run.connection() as connection:
        return connection.execute(sql).fetchall()


@given(some.lists(SLICE, min_size=1, max_size=5))
@settings(max_examples=10, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_a_trial_has_the_sums_of_its_slices(
    tmp_path_factory: pytest.TempPathFactory, slices: list[dict[str, Any]]
) -> None:
    run = written(tmp_path_factory.mktemp("run") / "r", [round_([one], number=at) for at, one in enumerate(slices)])
    ((calls, errors, elapsed, window, in_flight, rate, agree),) = rows(
        run, "SELECT calls, errors, elapsed_ns, window_calls, in_flight, rate_per_s, agree FROM trials"
    )
    drives = [done(one) for one in slices]
    assert calls == sum(one["calls"] for one in drives)
    assert Counter(json.loads(errors)) == sum((Counter(one["errors"]) for one in slices), Counter())
    assert elapsed == sum(one["elapsed_ns"] for one in drives)
    # A quarter of each call in flight lay within, less what of it was waiting.
    assert window == pytest.approx(sum(window_of(one).calls for one in drives))
    assert window >= calls
    assert in_flight == sum(window_of(one).in_flight for one in drives)
    assert rate == pytest.approx(window / elapsed * 1e9)
    assert agree == all(one["agree"] for one in slices)
    used = [sum(one[name] for one in slices) for name in ("user_ns", "system_ns")]
    assert rows(run, "SELECT user_ns, system_ns, server_user_ns, server_system_ns FROM trials") == [(*used, *used)]
    buckets = sum((Counter(one["buckets"]) for one in slices), Counter[int]())
    assert dict(rows(run, "SELECT bucket, count FROM histograms WHERE name = 'latency'")) == buckets
    assert rows(run, "SELECT count, sum_ns, min_ns, slices FROM trials") == [
        (calls, calls * 7, min(buckets), len(slices))
    ]
    # What had been made when each of them was over.
    assert rows(run, "SELECT calls FROM intervals ORDER BY at_ns DESC LIMIT 1") == [(calls,)]


def test_what_was_watched_or_set_aside_counts_for_no_rate(tmp_path: Path) -> None:
    sides = [{"side": "server", "cpus": [0], "processes": 1, "run_ns": 5}]
    watched = round_([plain(10.0)], kind="watched round")
    watched["slices"][0]["processors"] = {"elapsed_ns": 10, "steal_ns": 0, "processors": 2, "sides": sides}
    lines = [watched, round_([plain(99.0)], kind="repeated round"), round_([plain(1000.0)])]
    run = written(tmp_path / "r", lines)
    assert rows(run, "SELECT calls, rate_per_s, slices FROM trials") == [(10**6, pytest.approx(1000.0), 1)]
    assert rows(run, "SELECT sum(count) FROM histograms") == [(10**6,)]
    # What the probes saw of its sides is its trial's.
    assert rows(run, "SELECT trial, side, run_ns FROM sides") == [(0, "server", 5)]
    kinds = rows(run, "SELECT kind FROM rounds ORDER BY kind")
    assert kinds == [("repeated round",), ("round",), ("watched round",)]


def test_what_the_probes_saw_of_processes_stands_beside_the_calls_that_they_saw(tmp_path: Path) -> None:
    """What a call takes was its watched slice's switches by the calls of all other slices."""
    watched = round_([{**plain(), "buckets": {700: 1000}}], kind="watched round")
    side = {"side": "server", "begin": {"voluntary": 5}, "end": {"voluntary": 2005}, "peak_threads": 3}
    watched["slices"][0]["processes"] = {"load_ms": 20, "sides": [side]}
    run = written(tmp_path / "r", [watched, round_([plain()])])
    assert rows(run, "SELECT calls, voluntary, threads_peak FROM processes") == [(1000, 2000, 3)]
    assert rows(run, "SELECT calls FROM trials") == [(10**6,)]


def test_a_slice_that_was_timed_in_batches_leaves_its_trial_without_percentiles(tmp_path: Path) -> None:
    batched = round_([plain()], number=1)
    batched["slices"][0]["done"]["latency"] = None
    run = written(tmp_path / "r", [round_([plain()]), batched])
    assert rows(run, "SELECT calls, count, sum_ns FROM trials") == [(2 * 10**6, None, None)]


def reference(rate: float) -> dict[str, Any]:
    ran = plain(rate)
    return {"stack": "native/bin+tcp", "call": "Sum", "done": {**done(ran), "latency": None, "in_flight_part": 0.0}}


@given(some.floats(0.2, 5.0), some.floats(0.2, 5.0))
@settings(max_examples=6, deadline=None)
def test_what_was_driven_in_different_batches_is_reported_by_the_pace_of_each(
    tmp_path_factory: pytest.TempPathFactory, fast: float, truth: float
) -> None:
    """The second batch met a machine that was so much faster, also for the stack that both drove."""
    first = round_([plain(1000.0)], references=[reference(500.0)])
    second = round_([plain(1000.0), plain(1000.0 * fast * truth)], batch=1, references=[reference(500.0 * fast)])
    del second["slices"][0]
    run = written(tmp_path_factory.mktemp("run") / "r", [first, second])
    paces = dict(rows(run, "SELECT cell, pace FROM trials"))
    weights = {"c1": len(first["slices"]), "c2": len(second["slices"])}
    assert paces["c2"] / paces["c1"] == pytest.approx(fast)
    # A batch has the weight of its slices, so the pace of the fork is that of the larger one.
    assert math.prod(paces[cell] ** slices for cell, slices in weights.items()) == pytest.approx(1.0)
    rates = {row[3]: row[5] for row in rows(run, RANKING_SQL)}
    assert rates["a/x+1"] / rates["a/x+0"] == pytest.approx(truth, rel=1e-5)


def test_a_batch_alone_needs_no_pace(tmp_path: Path) -> None:
    assert rows(written(tmp_path / "r", [round_([plain()])]), "SELECT pace FROM trials") == [(1.0,)]


def test_what_was_not_steady_says_so_from_either_line(tmp_path: Path) -> None:
    warm = {"kind": "warmed", "fork": 0, "start": 0, "trial": 0, "cell": "c1", "warm_up": [], "unsteady": "too soon"}
    late = {"kind": "unsteady", "fork": 0, "batch": 0, "stack": "a/x+1", "trials": [1], "why": "the compiler was busy"}
    run = written(tmp_path / "r", [warm, round_([plain(), plain()]), late])
    assert rows(run, "SELECT unsteady FROM trials ORDER BY trial") == [("too soon",), ("the compiler was busy",)]


def test_who_did_not_keep_still_stands_in_a_table(tmp_path: Path) -> None:
    units = [{"unit": "a/x+0 over loopback", "stack": "a/x+0", "idle_share": 0.4, "paused": True}]
    over = {"kind": "batch over", "fork": 0, "batch": 0, "units": units}
    run = written(tmp_path / "r", [round_([plain()]), over])
    assert rows(run, "SELECT fork, batch, stack, idle_share, paused FROM units") == [(0, 0, "a/x+0", 0.4, True)]


@pytest.mark.parametrize("late", [True, False])
def test_a_journal_read_in_parts_gives_the_same_tables(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, *, late: bool
) -> None:
    """Slices in which a compiler was active do not count; a line at the end, in another part, says so."""
    warm = {"kind": "warmed", "fork": 0, "start": 0, "trial": 0, "cell": "c1", "warm_up": [[1, 2]], "unsteady": ""}
    compiling = round_([plain(3000.0), plain(4000.0)], number=1)
    for one in compiling["slices"]:
        one["compiler_ns"] = one["done"]["elapsed_ns"]
    lines = [warm, round_([plain(), plain(7.0)], references=[reference(5.0)]), compiling]
    if late:
        lines.append({"kind": "unsteady", "fork": 0, "batch": 0, "stack": "a/x+0", "trials": [0], "why": "it compiled"})
    whole = written(tmp_path / "whole", lines)
    parts = written(tmp_path / "parts", lines)
    whole.parquet()
    monkeypatch.setattr(store, "_PART_BYTES", 1)
    parts.parquet()
    for name in QUERIES:
        assert rows(parts, f"SELECT * FROM {name}") == rows(whole, f"SELECT * FROM {name}"), name  # noqa: S608 - ours
    assert rows(parts, "SELECT trial, slices FROM trials") == [(0, 2 if late else 1), (1, 1)]
    counts = "SELECT trial, sum(count) FROM histograms GROUP BY trial ORDER BY trial"
    assert rows(parts, counts) == [(0, 2 * 10**6 if late else 10**6), (1, 10**6)]
