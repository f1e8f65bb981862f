"""Percentiles over time: each of as many seconds as it takes to know it, and every call in one of them."""

import pytest

from callbench.stats.estimate.histogram import Buckets, index_of
from callbench.stats.load.latency_over_time import LatencyOverTime, Stretch, percentile_us

SECOND = 10**9


def bucket(ms: float) -> int:
    return index_of(round(ms * 1e6))


def near(stretches: list[Stretch], *expected: tuple[float, float, float]) -> None:
    assert [(stretch.begin_s, stretch.end_s) for stretch in stretches] == [found[:2] for found in expected]
    # A bucket knows its values to 1/256.
    assert [stretch.us for stretch in stretches] == pytest.approx([found[2] for found in expected], rel=1 / 256)


def test_a_percentile_waits_for_the_calls_that_it_needs() -> None:
    over_time = LatencyOverTime()
    # 100 calls a second: p99 needs 368, the median 6.
    for second in range(1, 6):
        over_time.add(second * SECOND + SECOND // 10, [(bucket(second), 99), (bucket(50), 1)])
    every = [(bucket(second), 99) for second in range(1, 6)] + [(bucket(50), 5)]
    found = over_time.stretches(every, 5 * SECOND)
    near(found["p50"], *((second - 1, second, second * 1e3) for second in range(1, 6)))
    near(found["p99"], (0, 4, 4e3))


def test_what_was_not_handed_over_came_last() -> None:
    over_time = LatencyOverTime()
    over_time.add(SECOND + SECOND // 10, [(bucket(1), 10)])
    found = over_time.stretches([(bucket(1), 10), (bucket(7), 20)], 2 * SECOND + SECOND // 2)
    near(found["p50"], (0, 1, 1e3), (1, 2.5, 7e3))
    assert found["p99"] == []


def test_a_drive_without_reports_has_no_times_over_time() -> None:
    assert LatencyOverTime().stretches([(bucket(1), 1000)], SECOND) == {"p50": [], "p99": []}


def test_hosts_that_report_the_same_second_are_one() -> None:
    over_time = LatencyOverTime()
    for at_ns in (SECOND + SECOND // 10, SECOND + SECOND // 5):
        over_time.add(at_ns, [(bucket(3), 5)])
    near(over_time.stretches([(bucket(3), 10)], SECOND)["p50"], (0, 1, 3e3))


def test_a_long_load_has_longer_parts_and_loses_no_call() -> None:
    over_time = LatencyOverTime(most=4)
    for second in range(1, 12):
        over_time.add(second * SECOND + SECOND // 10, [(bucket(second), 400)])
    every = [(bucket(second), 400) for second in range(1, 12)]
    found = over_time.stretches(every, 11 * SECOND)["p99"]
    near(found, (0, 4, 4e3), (4, 8, 8e3), (8, 12, 11e3))


def test_a_percentile_of_too_few_calls_is_not_known() -> None:
    assert percentile_us({bucket(2): 5}, 0.5) is None
    known = percentile_us({bucket(2): 6}, 0.5)
    assert known == pytest.approx(Buckets.of({bucket(2): 6}).percentiles([0.5])[0] / 1e3)
