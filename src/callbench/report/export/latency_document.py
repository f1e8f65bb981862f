"""The latencies of chosen cells of a run, as `callbench report RUN --latency CELL,... --format json` writes them."""

from typing import Annotated

from pydantic import BaseModel, Field


class LatencyPoint(BaseModel):
    """A percentile of a cell's calls, with the 95 % interval over the forks."""

    share: Annotated[float, Field(description="of the calls that take no longer; 0.99 for p99")]
    us: Annotated[float, Field(description="the time, in microseconds")]
    low_us: Annotated[float | None, Field(description="the lower end of the interval; null if there is none")]
    high_us: Annotated[float | None, Field(description="the upper end; null if there is none")]


class CellLatency(BaseModel):
    """The latencies of a cell."""

    cell: str
    stack: str
    name: Annotated[str, Field(description="its stack and its call, with load and link if they are not the plainest")]
    calls: Annotated[list[int], Field(description="that were timed, of each fork, the fewest first")]
    points: Annotated[
        list[LatencyPoint],
        Field(description="by percentile, as far as the calls are enough; empty if they were not timed one by one"),
    ]


class LatencyDocument(BaseModel):
    """The latencies of chosen cells, in the order in which they were named."""

    cells: list[CellLatency]
