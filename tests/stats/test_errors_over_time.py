"""Errors over time: sums at moments, so that none is lost however few moments are kept."""

from callbench.stats.load.errors_over_time import ErrorsOverTime, per_second

SECOND = 10**9


def test_a_moment_a_second_is_kept_and_the_end() -> None:
    over_time = ErrorsOverTime()
    for tenth in range(1, 26):
        over_time.add(tenth * SECOND // 10, {"timeout": tenth} if tenth > 10 else {})
    sums = over_time.sums({"timeout": 30, "closed": 2}, 3 * SECOND)
    assert sums == {"timeout": [(1, 0), (2, 20), (3, 30)], "closed": [(1, 0), (2, 0), (3, 2)]}
    assert per_second(sums["timeout"]) == [(0.5, 0), (1.5, 20), (2.5, 10)]


def test_a_long_load_has_longer_parts_and_loses_no_error() -> None:
    over_time = ErrorsOverTime(most=4)
    for second in range(1, 12):
        over_time.add(second * SECOND, {"reset": second})
    sums = over_time.sums({"reset": 11}, 11 * SECOND)
    assert sums == {"reset": [(4, 4), (8, 8), (11, 11)]}


def test_a_driver_that_tells_no_kinds_has_no_errors_over_time() -> None:
    over_time = ErrorsOverTime()
    assert over_time.sums({"timeout": 3}, SECOND) == {}
    over_time.add(SECOND, {})
    assert over_time.sums({"timeout": 3}, SECOND) == {}
