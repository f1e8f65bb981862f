"""What a rate that is "at least" refutes: the true one may be any higher rate, so what it reaches is not the fastest.

One that is "at most" refutes what it reaches too: it may be that rate. It is never the fastest itself. A lower bound
lies clearly below another rate where their intervals do not touch and the paired ratio is shown to be below 1.
Everything else is a rate that the bound reaches, and one fork shows nothing.
"""

from collections.abc import Iterable

from callbench.analysis.cells.results import Result, Results
from callbench.stats.estimate.interval import Interval


def reaching(results: Results, result: Result, others: Iterable[Result]) -> list[Result]:
    """Return those of the others whose rate is a bound, lower or upper, that reaches the rate of the one."""
    return [other for other in others if (other.at_least or other.at_most) and _reaches(results, other, result)]


def _reaches(results: Results, bound: Result, result: Result) -> bool:
    if bound.rate is None or result.rate is None or not is_below(bound.rate, result.rate):
        return True
    ratio = results.ratio(bound, result)
    return ratio is None or ratio.high is None or ratio.high >= 1


def is_below(lower: Interval, upper: Interval) -> bool:
    """Return whether the whole of one interval lies below the other."""
    return lower.high is not None and upper.low is not None and lower.high < upper.low
