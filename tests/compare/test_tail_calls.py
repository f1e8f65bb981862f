"""A comparison drives slow calls until their p99 can be compared, within a bound."""

import math

import pytest

from callbench.model.cell import Cell, Load, Stack
from callbench.runner.compare.execution import ComparisonRequest
from callbench.runner.compare.fork import MOST_TIMES, Amount, _PairDrive


def driven(seconds: float, calls: tuple[int | None, int | None]) -> _PairDrive:
    """A cell that was driven for so long, both sides together; None: calls were timed in batches."""
    cell, stack = Cell("c1", "g", "a/x+y", "Sum", {}, Load(1, 4, 0.5)), Stack("a/x+y", "a", "x", "y", "rust", "", "")
    one = _PairDrive((cell, cell), (stack, stack))
    for task, count in zip(one.tasks, calls, strict=True):
        task.spent_ns = round(seconds / 2 * 1e9)
        task.latency = None if count is None else {100: count // 2, 200: count - count // 2}
    return one


@pytest.mark.parametrize(
    ("seconds", "calls", "enough"),
    [
        (0.4, (1_000, 1_000), False),
        (0.6, (74, 74), True),
        (0.6, (74, 73), False),
        (0.6, (24, 24), False),
        # They would be too few after four times the seconds too.
        (0.6, (20, 20), True),
        (0.5 * MOST_TIMES, (73, 73), True),
        (0.6, (None, None), True),
    ],
)
def test_a_fork_ends_with_its_seconds_and_its_calls(
    seconds: float, calls: tuple[int | None, int | None], enough: bool
) -> None:
    assert driven(seconds, calls).has_enough(Amount(0.5, 74)) is enough


@pytest.mark.parametrize(("threshold", "calls"), [(0.1, 736), (None, 0), (math.inf, 0)])
def test_calls_are_needed_where_a_p99_is_judged(threshold: float | None, calls: int) -> None:
    assert ComparisonRequest("a", "b", p99_threshold=threshold).tail_calls == calls
