"""Whole distributions of latency, laid over each other: a chart, and a table that says the same in words."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import groupby

from callbench.analysis.cells.histograms import HISTOGRAMS_SQL
from callbench.analysis.cells.results import Result
from callbench.analysis.metrics.latency_curves import LatencyCurve
from callbench.analysis.wording.naming import conditions_of, named
from callbench.report.charts.chart import chart
from callbench.report.charts.latency_curve import Quantile, latency_curve
from callbench.report.text.section import Chart, Sheet
from callbench.stats.estimate.digits import figure
from callbench.stats.estimate.digits import share as share_text
from callbench.stats.estimate.interval import Interval
from callbench.stats.estimate.percentile_calls import fewest_calls, percentile_name

ABOUT = (
    "So many of the calls took no longer. A band is the 95 % interval over the forks. A curve ends where its calls are"
    f" too few: p99.9 needs {fewest_calls(0.999):,} in a fork, p99.99 {fewest_calls(0.9999):,}."
)
_WITHOUT = "Without a curve, since calls were too few, or too short to be timed one by one: "
_WRITTEN = (0.5, 0.9, 0.99, 0.999, 0.9999)
_LONGER, _SHORTER, _OVERLAP = "longer", "shorter", "overlap"
NOTE = "Longer and shorter: the intervals lie apart. Overlap: they do not tell the two apart."


def distributions(id_: str, title: str, cells: Sequence[Result], known: Mapping[str, LatencyCurve]) -> Chart | None:
    """Draw the latencies of chosen cells; None if none of them has a curve.

    Args:
        id_: the anchor of the chart.
        title: what it is called.
        cells: the chosen ones, at most `MOST_CURVES`; the others are compared with the first.
        known: their curves, by id.
    """
    curves = [known[cell.id] for cell in cells if cell.id in known and len(known[cell.id].points) > 1]
    if not curves:
        return None
    names = _names(cells)
    drawn = {names[curve.cell.id]: [_quantile(at, value) for at, value in curve.points.items()] for curve in curves}
    missing = [name for name in names.values() if name not in drawn]
    about = f"{ABOUT} {_WITHOUT}{', '.join(missing)}." if missing else ABOUT
    made = chart(id_, title, about, latency_curve(drawn), HISTOGRAMS_SQL)
    return made and replace(made, sheets=[_sheet(names, curves)])


def _names(cells: Sequence[Result]) -> dict[str, str]:
    """Name each cell, by its id: by its stack or its call alone where those differ and all else is alike."""
    stacks = {cell.id: cell.attributes["stack"] for cell in cells}
    calls = {cell.id: conditions_of(cell) for cell in cells}
    for names, alike in ((stacks, calls), (calls, stacks)):
        if len(set(names.values())) == len(cells) and len(set(alike.values())) == 1:
            return names
    whole = {cell.id: named(cell) for cell in cells}
    return whole if len(set(whole.values())) == len(cells) else {id_: f"{name} ({id_})" for id_, name in whole.items()}


def _quantile(share: float, value: Interval) -> Quantile:
    low, high = (value.middle if end is None else end for end in (value.low, value.high))
    return Quantile(share, value.middle / 1e3, low / 1e3, high / 1e3)


def _sheet(names: Mapping[str, str], curves: Sequence[LatencyCurve]) -> Sheet:
    first, *others = curves
    columns = ["", *map(percentile_name, _WRITTEN)]
    rows = [[names[curve.cell.id], *(_value(curve, share) for share in _WRITTEN)] for curve in curves]
    if not others:
        return Sheet("Latency, µs", columns, rows)
    columns.append(f"beside {names[first.cell.id]}")
    for row, text in zip(rows, ["", *(beside(curve, first) for curve in others)], strict=True):
        row.append(text)
    return Sheet("Latency, µs", columns, rows, NOTE)


def _value(curve: LatencyCurve, share: float) -> str:
    known = curve.points.get(share)
    if known is not None:
        return f"{figure(known.middle, known.half_width)} {share_text(known.half_width)}".strip()
    # Two forks must have them, or the only one.
    return "few calls" if curve.calls[-2:][0] < fewest_calls(share) else "varies"


def beside(curve: LatencyCurve, first: LatencyCurve) -> str:
    """Say from which percentile to which a cell's calls take longer than another's: `longer p1 to p99, overlap p99.5`.

    They do where both intervals lie apart, and nowhere else.
    """
    common = [share for share in first.points if share in curve.points]
    said = [(_apart(curve.points[share], first.points[share]), percentile_name(share)) for share in common]
    parts = []
    for word, together in groupby(said, lambda pair: pair[0]):
        marks = [mark for _, mark in together]
        parts.append(f"{word} {marks[0]}{f' to {marks[-1]}' if len(marks) > 1 else ''}")
    return ", ".join(parts)


def _apart(value: Interval, other: Interval) -> str:
    if value.low is None or value.high is None or other.low is None or other.high is None:
        return "no interval"
    if value.low > other.high:
        return _LONGER
    return _SHORTER if value.high < other.low else _OVERLAP
