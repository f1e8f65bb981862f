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
        pairs = [(cell.attributes["channel"], cell.attributes["message"]) for cell in cells]
        apart = len(set(pairs)) < len(pairs)
        logs: dict[str, list[float]] = {}
        for cell in cells:
            if cell.rate:
                logs.setdefault(_row(cell, apart), []).append(math.log(cell.rate.middle))
        return cls(tuple(sorted(logs, key=lambda name: -sum(logs[name]) / len(logs[name]))), apart)

    def row(self, cell: Result) -> str:
        """The row of a cell."""
        return _row(cell, self.apart)


def _row(cell: Result, apart: bool) -> str:
    return cell.attributes["stack" if apart else "channel"]
