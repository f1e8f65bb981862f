"""Amounts of an advice in words."""

import math

import pytest

from callbench.report.advice.amounts import less, more
from callbench.stats.estimate.logratio import LogRatio


@pytest.mark.parametrize(
    ("ratio", "error", "expected"),
    [
        (1.12, 0.01, "12 % more (10 to 14 %)"),
        (1.00001, 0.0004, "up to 0.1 % more or less"),
        (0.99999, 0.004, "up to 0.8 % more or less"),
        (0.9, 0.004, "10.0 % less (9.3 to 10.7 %)"),
        (3.0, 0.01, "3.00 times as much (2.94 to 3.06)"),
    ],
)
def test_more(ratio: float, error: float, expected: str) -> None:
    assert more(LogRatio(math.log(ratio), error, 1000, 1001), 0.95) == expected


def test_less() -> None:
    assert less(LogRatio(math.log(0.57), 0.02, 1000, 1001), 0.95).startswith("43 % less (41 to ")
