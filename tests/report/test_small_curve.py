"""The small picture of a cell's latencies: its corners are the percentiles, on two logarithmic scales."""

import math
import re

from callbench.analysis.metrics.latency_curves import SHARES, LatencyCurve
from callbench.report.charts.small_curve import HEIGHT, SHOWN, WIDTH, small_curve
from callbench.stats.estimate.interval import Interval


def curve(**times: tuple[float, float | None, float | None]) -> LatencyCurve:
    """A curve by percentile: its value and the ends of its interval."""
    points = {float(name[1:]) / 10_000: Interval(*value, 3) for name, value in times.items()}
    return LatencyCurve(cell=None, points=points, calls=(1000,))  # type: ignore[arg-type]


def paths(svg: str) -> list[list[tuple[int, int]]]:
    """The corners of each path: from a place, each counted from the one before, some of them only across or down."""
    found = []
    for path in re.findall(r'd="M([^"z]*)z?"', svg):
        x, y = map(int, re.findall(r"-?\d+", re.split("[hlv]", path)[0]))
        corners = [(x, y)]
        for letter, numbers in re.findall("([hlv])([^hlv]*)", path):
            sizes = [int(number) for number in re.findall(r"-?\d+", numbers)]
            steps = zip(sizes[::2], sizes[1::2], strict=True) if letter == "l" else [(size, size) for size in sizes]
            for across, down in steps:
                x, y = x + (across if letter != "v" else 0), y + (down if letter != "h" else 0)
                corners.append((x, y))
        found.append(corners)
    return found


def test_its_corners_are_the_percentiles_and_their_intervals() -> None:
    made = curve(p5000=(10.0, 5.0, 20.0), p9900=(100.0, 50.0, 200.0), p9999=(1000.0, 500.0, 5000.0))
    band, line = paths(small_curve(made))
    across = [round(WIDTH * math.log10(rare) / 4) for rare in (2, 100, 10_000)]
    # Three decades from 5 to 5,000.
    assert line == [
        (x, round(HEIGHT * (1 - math.log10(time / 5) / 3))) for x, time in zip(across, (10, 100, 1000), strict=True)
    ]
    low, high = (5, 50, 500), (20, 200, 5000)
    corners = [*zip(across, low, strict=True), *reversed([*zip(across, high, strict=True)])]
    assert band == [(x, round(HEIGHT * (1 - math.log10(time / 5) / 3))) for x, time in corners]


def test_what_has_no_interval_or_reaches_down_to_nothing_is_drawn_too() -> None:
    band, line = paths(small_curve(curve(p5000=(10.0, None, None), p9000=(20.0, 0.0, 40.0))))
    assert {y for _, y in (*band, *line)} <= set(range(HEIGHT + 1))
    assert [y for _, y in paths(small_curve(curve(p5000=(7.0, None, None), p9000=(7.0, None, None))))[1]] == [
        HEIGHT
    ] * 2


def test_fewer_than_two_are_no_curve() -> None:
    assert not small_curve(curve(p5000=(10.0, None, None)))
    assert set(SHOWN) <= set(SHARES)
