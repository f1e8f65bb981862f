"""Where stacks stand in a chart: a row a channel, a line a message; a row each where two would share a place."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

from callbench.analysis.cells.results import Result


@dataclass(frozen=True)
class ChartRows:
    """The rows of a chart.

    Attributes:
        rows: from the top, the fastest first, by the geometric mean of their rates.
        apart: whether each stack has a row of its own.
    """

    rows: tuple[str, ...]
    apart: bool

    @classmethod
    def of(cls, cells: Sequence[Result]) -> "ChartRows":
        """Place the cells of one chart."""
        pairs = [(one.attributes["channel"], one.attributes["message"]) for one in cells]
        apart = len(set(pairs)) < len(pairs)
        logs: dict[str, list[float]] = {}
        for one in cells:
            if one.rate:
                logs.setdefault(_row(one, apart), []).append(math.log(one.rate.middle))
        return cls(tuple(sorted(logs, key=lambda name: -sum(logs[name]) / len(logs[name]))), apart)

    def row(self, one: Result) -> str:
        """The row of a cell."""
        return _row(one, self.apart)


def _row(one: Result, apart: bool) -> str:
    return one.attributes["stack" if apart else "channel"]
