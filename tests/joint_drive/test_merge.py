"""Drives of several generators are added up exactly: as if one histogram had seen all calls."""

import math
import random
from typing import Any, cast

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from callbench.adapter.contract import Done, DriveInterval
from callbench.adapter.drive_check import Asked, drive_error
from callbench.adapter.joint_drive.merge import GeneratorDrive, added_interval, common_window, merged_done
from callbench.analysis.load.threshold_values import evaluate
from callbench.analysis.load.thresholds import ThresholdResult, parse
from callbench.model.errors import AdapterFailure
from callbench.stats.estimate.histogram import Buckets, index_of
from callbench.stats.load.rate import window_of
from known.driving import poisson
from lindley import latencies

WINDOW_NS = 1_000_000_000
SHARES = (0.5, 0.9, 0.99, 0.999)
times_of_one = st.lists(st.integers(1_000, 50_000_000), min_size=1, max_size=20)
times_of_all = st.lists(times_of_one, min_size=1, max_size=5)


def histogram(times: list[int]) -> dict[str, Any]:
    counts: dict[int, int] = {}
    for one in times:
        counts[index_of(one)] = counts.get(index_of(one), 0) + 1
    return {
        "count": len(times),
        "sum_ns": str(sum(times)),
        "min_ns": min(times, default=0),
        "max_ns": max(times, default=0),
        "buckets": sorted(counts.items()),
    }


def drive(times: list[int], clients: int = 1, window_ns: int = WINDOW_NS, **members: Any) -> Done:
    """A closed loop whose calls all ended within its window."""
    elapsed = window_ns
    done: dict[str, Any] = {
        "calls": len(times),
        "errors": {},
        "elapsed_ns": elapsed,
        "window_ns": window_ns,
        "answered": len(times),
        "in_flight": 0,
        "in_flight_part": 0.0,
        "timed": "each",
        "batch": 1,
        "latency": histogram(times),
        "service": None,
        "lateness": None,
        "in_call_ns": str(sum(times)),
        "think_ns": "0",
        "gap_ns": str(clients * elapsed - sum(times)),
        "processor": {"start": {"user_ns": "5", "system_ns": "7"}, "end": {"user_ns": "105", "system_ns": "17"}},
        "threads": 1,
        "intervals": [(window_ns, len(times), 0)],
    }
    return cast("Done", done | members)


def parts_of(lists: list[list[int]], starts: list[float] | None = None) -> list[GeneratorDrive]:
    begun = starts or [0.0] * len(lists)
    return [GeneratorDrive(1, start, drive(times)) for times, start in zip(lists, begun, strict=True)]


@given(times_of_all)
def test_percentiles_are_those_of_one_histogram_of_all_calls(lists: list[list[int]]) -> None:
    total = merged_done(parts_of(lists))
    every = [one for times in lists for one in times]
    one = histogram(every)
    assert total["latency"] is not None
    assert {**total["latency"], "buckets": [tuple(pair) for pair in total["latency"]["buckets"]]} == one
    own = Buckets.of(dict(total["latency"]["buckets"])).percentiles(SHARES)
    assert own == Buckets.of(dict(one["buckets"])).percentiles(SHARES)


@given(times_of_all)
def test_what_is_added_up_can_be_true(lists: list[list[int]]) -> None:
    """By the check that each drive of an adapter passes, Little's law among it."""
    total = merged_done(parts_of(lists))
    asked = Asked(len(lists), 1, WINDOW_NS, "each", open=False, took_ns=2 * WINDOW_NS)
    assert drive_error(asked, total, [DriveInterval(*sums, None) for sums in total["intervals"]]) is None
    assert total["calls"] == total["answered"] == sum(map(len, lists))
    assert int(total["processor"]["end"]["user_ns"]) == 100 * len(lists)


@given(times_of_all, st.randoms(use_true_random=False))
def test_the_order_of_the_hosts_changes_nothing(lists: list[list[int]], chance: Any) -> None:
    shuffled = list(lists)
    chance.shuffle(shuffled)
    assert merged_done(parts_of(lists)) == merged_done(parts_of(shuffled))


def steady(start: float, window_ns: int = WINDOW_NS) -> GeneratorDrive:
    """One call each millisecond."""
    calls = window_ns // 1_000_000
    intervals = [(at * 100_000_000, at * 100, 0) for at in range(1, window_ns // 100_000_000 + 1)]
    return GeneratorDrive(1, start, drive([500_000] * calls, window_ns=window_ns, intervals=intervals))


def test_only_the_time_in_which_all_drove_counts() -> None:
    """A generator that begins 0.25 s late shortens the window; each rate stays what it was."""
    parts = [steady(0.0), steady(250_000_000.0)]
    assert common_window(parts) == (250_000_000.0, 1_000_000_000.0)
    total = merged_done(parts)
    assert total["window_ns"] == 750_000_000
    assert total["answered"] == 1_500
    assert window_of(total).per_s == pytest.approx(2_000)
    # All calls keep their times.
    assert total["calls"] == 2_000
    assert total["elapsed_ns"] == 1_250_000_000


def test_one_that_ends_early_ends_the_window_of_all() -> None:
    total = merged_done([steady(0.0), steady(0.0, 400_000_000)])
    assert (total["window_ns"], total["answered"]) == (400_000_000, 800)


def test_generators_that_never_drove_together_have_no_rate() -> None:
    with pytest.raises(AdapterFailure, match="never drove at the same time: give the load more --seconds"):
        merged_done([steady(0.0), steady(2e9)])


def test_a_slice_without_a_common_time_counts_for_no_rate() -> None:
    """Beside one that has it, nothing changes; the times of its calls are kept."""
    nothing = merged_done([steady(0.0), steady(2e9)], or_none=True)
    assert (nothing["window_ns"], nothing["answered"], nothing["calls"]) == (1, 0, 2_000)
    something = merged_done([steady(0.0), steady(0.0)], or_none=True)
    windows = [window_of(done) for done in (nothing, something)]
    rate = sum(window.calls for window in windows) / sum(done["window_ns"] for done in (nothing, something)) * 1e9
    assert rate == pytest.approx(window_of(something).per_s, rel=1e-6)


def test_errors_messages_and_endpoints_are_kept() -> None:
    def endpoint(name: str, times: list[int], errors: dict[str, int]) -> dict[str, Any]:
        return {
            "name": name,
            "calls": len(times),
            "errors": errors,
            "in_call_ns": str(sum(times)),
            "latency": histogram(times) if times else None,
        }

    first = drive(
        [1_000, 2_000],
        errors={"timeout": 2},
        error_messages={"timeout": "first"},
        received_bytes="10",
        sent_bytes="100",
        unserved=1,
        sent_again=2,
        endpoints=[endpoint("/a", [1_000], {}), endpoint("/b", [2_000], {"timeout": 2})],
    )
    second = drive(
        [4_000],
        errors={"timeout": 1, "closed": 3},
        error_messages={"timeout": "second", "closed": "it closed"},
        received_bytes="5",
        sent_bytes="50",
        unserved=0,
        sent_again=3,
        endpoints=[endpoint("/a", [4_000], {"closed": 3}), endpoint("/b", [], {"timeout": 1})],
    )
    total = merged_done([GeneratorDrive(1, 0.0, first), GeneratorDrive(1, 0.0, second)])
    assert total["errors"] == {"timeout": 3, "closed": 3}
    assert total["error_messages"] == {"timeout": "first", "closed": "it closed"}
    assert (total["received_bytes"], total["sent_bytes"]) == ("15", "150")
    assert (total["unserved"], total["sent_again"]) == (1, 5)
    assert [(one["name"], one["calls"], one["errors"]) for one in total["endpoints"]] == [
        ("/a", 2, {"closed": 3}),
        ("/b", 1, {"timeout": 3}),
    ]


def test_a_generator_without_a_right_answer_takes_no_histogram_away() -> None:
    silent = drive([], latency=None, errors={"refused": 4})
    total = merged_done([GeneratorDrive(1, 0.0, silent), GeneratorDrive(1, 0.0, drive([3_000, 9_000]))])
    assert total["latency"] is not None
    assert (total["latency"]["count"], total["latency"]["min_ns"]) == (2, 3_000)


def test_reports_are_summed_as_they_were_known() -> None:
    """A report of one host has the last ones of the others; sums never go back."""
    slow = GeneratorDrive(1, 50.0, drive([1_000] * 3, intervals=[(100, 1, 0), (200, 3, 1)]))
    fast = GeneratorDrive(1, 0.0, drive([1_000] * 5, intervals=[(100, 2, 0), (200, 5, 0)]))
    assert merged_done([slow, fast])["intervals"] == [(100, 2, 0), (150, 3, 0), (200, 6, 0), (250, 8, 1)]


def test_intervals_of_hosts_add_up_by_kind_if_all_tell_kinds() -> None:
    first, second = DriveInterval(300, 5, 2, {"timeout": 2}), DriveInterval(200, 4, 3, {"timeout": 1, "reset": 2})
    assert added_interval([first, second]) == (200, 9, 5, {"timeout": 3, "reset": 2})
    assert added_interval([first, second._replace(kinds=None)]).kinds is None


def open_loop(tenths: list[list[int]], window_ns: int = 10 * WINDOW_NS) -> Done:
    """An open loop whose calls were due in these tenths; each began when it was due."""
    every = [time for tenth in tenths for time in tenth]
    members: dict[str, Any] = {"service": histogram(every), "lateness": histogram([0] * len(every)), "gap_ns": None}
    return drive(every, window_ns=window_ns, parts=[histogram(tenth) for tenth in tenths], **members)


@given(st.lists(st.lists(st.lists(st.integers(1_000, 50_000_000), max_size=5), min_size=10, max_size=10), min_size=2))
def test_the_tenths_of_an_open_loop_are_those_of_all_hosts(hosts: list[list[list[int]]]) -> None:
    total = merged_done([GeneratorDrive(1, 0.0, open_loop(tenths)) for tenths in hosts])
    together = [histogram([time for tenth in same for time in tenth]) for same in zip(*hosts, strict=True)]
    assert [{**part, "buckets": [tuple(pair) for pair in part["buckets"]]} for part in total["parts"]] == together
    asked = Asked(len(hosts), 1, 10 * WINDOW_NS, "each", open=True, took_ns=20 * WINDOW_NS)
    assert drive_error(asked, total, [DriveInterval(*sums, None) for sums in total["intervals"]]) is None


def test_without_tenths_of_each_host_there_are_none() -> None:
    whole, short = open_loop([[5_000]] * 10), drive([1_000], window_ns=10 * WINDOW_NS)
    assert "parts" not in merged_done([GeneratorDrive(1, 0.0, whole), GeneratorDrive(1, 0.0, short)])
    assert "parts" not in merged_done([GeneratorDrive(1, 0.0, short), GeneratorDrive(1, 0.0, short)])


def queue_by(hosts: int, seed: int) -> ThresholdResult:
    """Judge p99 at its true value, of M/M/1 at 80 % of 500 calls/s, driven by several hosts in turn for 10 s."""
    dice = random.Random(seed)  # noqa: S311 - to be repeated
    due_ns = np.rint(poisson(400.0, 10.0, dice) * 1e9).astype(np.int64)
    services_ns = np.rint([dice.expovariate(500.0) * 1e9 for _ in due_ns]).astype(np.int64)
    times, tenth = latencies(due_ns, services_ns), np.minimum(due_ns // WINDOW_NS, 9)
    each = []
    for host in range(hosts):
        own, within = times[host::hosts], tenth[host::hosts]
        each.append(GeneratorDrive(1, 0.0, open_loop([own[within == number].tolist() for number in range(10)])))
    done = merged_done(each)
    [judged] = evaluate([parse(f"p99 > {math.log(100) / 100 * 1e3:.6f} ms")], done, window_of(done).per_s)
    return judged


def test_a_queue_decides_as_little_by_several_hosts_as_by_one() -> None:
    """Without tenths, calls by several hosts counted as independent: 15 of these 20 were decided, each by chance."""
    assert [queue_by(3, seed) for seed in range(20)] == [queue_by(1, seed) for seed in range(20)]
    assert sum(not queue_by(3, seed).undecided for seed in range(20)) <= 1


def test_a_clock_that_gains_is_set_right() -> None:
    """A second of it is over before a second of the core's is, and so are the calls it counted in it."""
    gaining = GeneratorDrive(1, 0.0, drive([1_000] * 110, intervals=[(WINDOW_NS // 2, 55, 0)]), pace=1 / 1.25)
    even = GeneratorDrive(1, 0.0, drive([1_000] * 100, intervals=[(WINDOW_NS // 2, 50, 0)]))
    assert gaining.window_ends_ns == gaining.ends_ns == 0.8 * WINDOW_NS
    assert gaining.answered_until(0.4 * WINDOW_NS) == pytest.approx(55)
    total = merged_done([gaining, even])
    assert window_of(total).ns == 0.8 * WINDOW_NS
    assert total["answered"] == 110 + 80
    assert [at for at, _, _ in total["intervals"]] == [0.4 * WINDOW_NS, 0.5 * WINDOW_NS]
