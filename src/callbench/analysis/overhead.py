"""Tax: what a stack takes over the floor of its channel, and how much of it is writing and reading its messages."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from callbench.analysis import echo_multiples
from callbench.analysis.echo_multiples import SIZES_SQL
from callbench.analysis.results import Result
from callbench.stats.contrast import block_ratios
from callbench.stats.difference import Difference, mean, paired
from callbench.stats.interval import Interval, geometric_mean
from callbench.stats.ladder import on_cross
from callbench.store.run import Run

# An interval that reaches further than this above its middle, as a share, holds every sum.
WIDE = 0.5

Times = Mapping[tuple[int, int], float]


@dataclass(frozen=True)
class Parts:
    """A cell's messages without a channel: octets of both, and what writing and reading both takes, in microseconds."""

    request_bytes: float
    answer_bytes: float
    codec_us: float


@dataclass(frozen=True)
class Tax:
    """One cell's mean time of a call, taken apart, in microseconds.

    Attributes:
        time: the whole.
        floor: a raw echo of its sizes over its channel.
        tax: time less floor, within the blocks.
        times: time over floor, within the blocks.
        codec_us: encoding and decoding of both messages, on both sides.
        rest: what of the tax is not the codec; below 0 where floor and codec are more than the whole.
        adds_up: whether floor and codec lie within the interval of the whole; None where it has none, or one so wide
            that anything would.
    """

    cell: Result
    time: Interval
    floor: Interval
    tax: Difference
    times: Interval
    codec_us: float
    rest: Difference
    adds_up: bool | None


def read(run: Run, results: Iterable[Result]) -> list[Tax]:
    """Take apart every cell that has a floor, in the order of the results.

    Raises:
        BadInput: the run is damaged.
    """
    with run.connection() as connection:
        floors = echo_multiples.floors(connection)
        parts = {cell: Parts(*rest) for cell, *rest in connection.execute(SIZES_SQL).fetchall()}
    found = (taken_apart(one, floors[one.id], parts[one.id]) for one in results if one.id in floors.keys() & parts)
    return [one for one in found if one is not None]


def taken_apart(cell: Result, floors: Mapping[int, Times], parts: Parts) -> Tax | None:
    """Take one cell apart.

    Args:
        cell: with its mean time by block.
        floors: by block, the times of its channel's echoes by sizes of request and answer, in microseconds.
        parts: its messages.

    Returns:
        None where no block has both the cell and its floor.
    """
    times = cell.by_block.get("mean_us", {})
    floor = {
        block: time
        for block, echoes in floors.items()
        if block in times and (time := on_cross(echoes, parts.request_bytes, parts.answer_bytes)) is not None
    }
    if not floor:
        return None
    # Over the blocks that have a floor, so that the parts and the whole are of the same blocks.
    whole = geometric_mean([times[block] for block in sorted(floor)])
    under = geometric_mean([floor[block] for block in sorted(floor)])
    tax = mean(paired(times, floor))
    adds_up = None
    if whole.low is not None and whole.high is not None and (whole.half_width or 0.0) <= WIDE:
        adds_up = whole.low <= under.middle + parts.codec_us <= whole.high
    ratio = geometric_mean(block_ratios([times], [floor]))
    return Tax(cell, whole, under, tax, ratio, parts.codec_us, tax.less(parts.codec_us), adds_up)
