"""The latencies of one cell by percentile, as a picture of some hundred bytes: a page has one for each of its cells.

A chart of Vega has several kilobytes and takes a tenth of a second, which a thousand cells cannot have.
"""

import math
from collections.abc import Sequence

from markupsafe import Markup

from callbench.analysis.metrics.latency_curves import LatencyCurve
from callbench.report.charts.path_data import shorter

# Closer ones would be less than a pixel apart, or are in the chart of chosen cells.
SHOWN = (0.01, 0.3, 0.5, 0.75, 0.9, 0.95, 0.99, 0.995, 0.999, 0.9999)
WIDTH, HEIGHT = 300, 80


def small_curve(curve: LatencyCurve) -> Markup:
    """Draw it: a line, and its interval as a band; "" of fewer than two percentiles.

    Both ways are logarithmic. To the right, each rarer call has as much room as the one before, and p99.99 is the end.
    Upwards, the picture is as high as the cell's own times reach, so its shape is seen and no height is compared.
    """
    points = {share: curve.points[share] for share in SHOWN if share in curve.points}
    if len(points) < 2:
        return Markup()
    lows = [value.middle if value.low is None else value.low for value in points.values()]
    highs = [value.middle if value.high is None else value.high for value in points.values()]
    # An interval may reach down to nothing.
    least = min(max(low, value.middle / 10) for low, value in zip(lows, points.values(), strict=True))
    room = math.log(max(highs) / least) or 1.0

    def placed(times: Sequence[float]) -> list[tuple[int, int]]:
        return [
            (_x(share), round(HEIGHT * (1 - math.log(max(time, least) / least) / room)))
            for share, time in zip(points, times, strict=True)
        ]

    band = _path([*placed(lows), *reversed(placed(highs))])
    line = _path(placed([value.middle for value in points.values()]))
    # It has its size from the page, and is narrower than a phone.
    return Markup('<svg><path d="{}z"/><path d="{}"/></svg>').format(band, line)


def _x(share: float) -> int:
    return round(WIDTH * math.log(1 - share) / math.log(1 - SHOWN[-1]))


def _path(corners: Sequence[tuple[int, int]]) -> str:
    return shorter("M" + "L".join(f"{x},{y}" for x, y in corners))
