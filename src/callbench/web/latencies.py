"""The view that lays the latencies of chosen cells of a run over each other, as `callbench report --latency` does."""

from collections.abc import Sequence
from functools import lru_cache
from urllib.parse import urlencode

from pydantic import BaseModel, ValidationError
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from callbench.model.errors import BadInput
from callbench.stats.estimate.digits import BOUNDS, figure
from callbench.store.shelf import Shelf
from callbench.web.program import KeptAnswers, shell
from callbench.web.reports import Reports, state_of
from callbench.web.views import framed, view

# As many as the chart has colours.
MOST_CELLS = 8
# By what the cells can be sorted, and how its column is headed.
_TIMES = {"p50_us": "p50, µs", "p99_us": "p99, µs", "p999_us": "p99.9, µs"}
SORTS = {"": "as measured", "rate_per_s": "calls/s", **_TIMES}


class ShownValue(BaseModel):
    """A value of a cell with the upper end of its interval, as `callbench show RUN --json` prints it."""

    value: float | None
    high: float | None = None
    bound: str = ""


class ShownCell(BaseModel):
    """What this view needs of a cell that `callbench show RUN --json` prints."""

    cell: str
    stack: str
    group: str
    clients: int
    link: str
    metrics: dict[str, ShownValue]

    @property
    def name(self) -> str:
        """Its stack, its call, and its load and link if they are not the plainest."""
        clients = f", {self.clients} clients" if self.clients != 1 else ""
        link = f", over {self.link}" if self.link != "loopback" else ""
        return f"{self.stack}, {self.group}{clients}{link}"

    @property
    def timed(self) -> bool:
        """Whether it has percentiles, so that it can be drawn."""
        return "p50_us" in self.metrics

    def text(self, metric: str) -> str:
        """Write a value as the tables of the report do: with the digits that its interval leaves it; "" without one."""
        shown = self.metrics.get(metric)
        if shown is None or shown.value is None:
            return ""
        return BOUNDS[shown.bound] + figure(shown.value, None if shown.high is None else shown.high / shown.value - 1)

    def fits(self, words: str) -> bool:
        """Return whether its name has each of the words."""
        return all(word in self.name.casefold() for word in words.casefold().split())


class _ShownRun(BaseModel):
    cells: list[ShownCell]


class Latencies:
    """What the addresses `/records/NAME/latency` answer."""

    def __init__(self, shelf: Shelf, reports: Reports) -> None:
        """Show cells of the runs of a folder."""
        self._shelf, self._reports, self._answers = shelf, reports, KeptAnswers()

    def routes(self) -> Sequence[Route]:
        """Return the addresses."""
        return (
            Route("/records/{name}/latency", self._choose),
            Route("/records/{name}/latency/page", self._page),
        )

    def _choose(self, request: Request) -> Response:
        name, asked = request.path_params["name"], request.query_params
        path = self._shelf.path(name)
        words, sort = asked.get("q", "").strip(), asked.get("sort", "")
        shown_run = self._answers.text(["show", str(path), "--json"], state_of(path))
        every = listed(_cells_in(shown_run), sort if sort in SORTS else "")
        ticked = set(asked.getlist("cell"))
        # What is ticked stays in the list, or the next click would lose it.
        shown = [cell for cell in every if cell.cell in ticked or cell.fits(words)]
        drawn = [cell.cell for cell in shown if cell.timed and (cell.cell in ticked or asked.get("all") == "yes")]
        few = 0 < len(drawn) <= MOST_CELLS
        return view(
            "latencies",
            {
                "name": name,
                "words": words,
                "sort": sort,
                "sorts": SORTS,
                "times": _TIMES,
                "cells": shown,
                "more": len(every) - len(shown),
                "drawn": drawn,
                "most": MOST_CELLS,
                "shell": shell(["report", str(path), f"--latency={','.join(drawn)}"]) if few else "",
                "page": f"/latency/page?{urlencode([('cell', cell) for cell in drawn])}" if few else "",
            },
        )

    def _page(self, request: Request) -> Response:
        path = self._shelf.path(request.path_params["name"])
        cells = request.query_params.getlist("cell")
        return framed(request, lambda: self._reports.written(path, [f"--latency={','.join(cells)}"]))


@lru_cache(maxsize=8)
def _cells_in(text: str) -> Sequence[ShownCell]:
    """Return the cells of a run. The newest few are kept: each click asks for them again."""
    try:
        return _ShownRun.model_validate_json(text).cells
    except ValidationError as failure:
        raise BadInput("only a run has cells: choose one in Records") from failure


def listed(cells: Sequence[ShownCell], sort: str) -> Sequence[ShownCell]:
    """Return the cells of a run as the table has them.

    Args:
        cells: of the run.
        sort: one of `SORTS`; times rise, rates fall, and what has no value comes last.
    """
    falls = sort == "rate_per_s"
    return sorted(cells, key=lambda cell: _place(cell.metrics.get(sort), falls=falls)) if sort else cells


def _place(metric: ShownValue | None, *, falls: bool) -> float:
    value = None if metric is None else metric.value
    if value is None:
        return float("inf")
    return -value if falls else value
