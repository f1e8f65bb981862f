"""Tax: what a stack takes over the baseline of its channel, and how much of it is writing and reading its messages."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from callbench.analysis.cells import echo_multiples
from callbench.analysis.cells.echo_multiples import SIZES_SQL
from callbench.analysis.cells.results import Result
from callbench.stats.estimate.contrast import fork_ratios
from callbench.stats.estimate.difference import Difference, mean, paired
from callbench.stats.estimate.interval import Interval, geometric_mean
from callbench.stats.wire.ladder import on_cross
from callbench.store.record import Record

# An interval that reaches further than this above its middle, as a share, holds every sum.
WIDE = 0.5

Times = Mapping[tuple[int, int], float]


@dataclass(frozen=True)
class MessageCost:
    """A cell's messages without a channel: bytes of both, and what writing and reading both takes, in microseconds."""

    request_bytes: float
    answer_bytes: float
    codec_us: float


@dataclass(frozen=True)
class CallOverhead:
    """One cell's mean time of a call, taken apart, in microseconds.

    Attributes:
        time: the whole.
        baseline: a raw echo of its sizes over its channel.
        overhead: time less baseline, within the forks.
        times: time over baseline, within the forks.
        codec_us: encoding and decoding of both messages, on both sides.
        rest: what of the overhead is not the codec; below 0 where baseline and codec are more than the whole.
        adds_up: whether baseline and codec lie within the interval of the whole; None if it has none, or one so wide
            that anything would.
    """

    cell: Result
    time: Interval
    baseline: Interval
    overhead: Difference
    times: Interval
    codec_us: float
    rest: Difference
    adds_up: bool | None


def read(run: Record, results: Iterable[Result]) -> list[CallOverhead]:
    """Take apart every cell that has a baseline, in the order of the results.

    Raises:
        BadInput: the run is damaged.
    """
    with run.connection() as connection:
        baselines = echo_multiples.echo_times(connection)
        parts = {cell: MessageCost(*rest) for cell, *rest in connection.execute(SIZES_SQL).fetchall()}
    overheads = (
        split(result, baselines[result.id], parts[result.id])
        for result in results
        if result.id in baselines.keys() & parts
    )
    return [overhead for overhead in overheads if overhead is not None]


def split(cell: Result, baselines: Mapping[int, Times], parts: MessageCost) -> CallOverhead | None:
    """Take one cell apart.

    Args:
        cell: with its mean time by fork.
        baselines: by fork, the times of its channel's echoes by sizes of request and answer, in microseconds.
        parts: its messages.

    Returns:
        None if no fork has both the cell and its baseline.
    """
    times = cell.by_fork.get("mean_us", {})
    baseline = {
        fork: time
        for fork, echoes in baselines.items()
        if fork in times and (time := on_cross(echoes, parts.request_bytes, parts.answer_bytes)) is not None
    }
    if not baseline:
        return None
    # Over the forks that have a baseline, so that the parts and the whole are of the same forks.
    whole = geometric_mean([times[fork] for fork in sorted(baseline)])
    under = geometric_mean([baseline[fork] for fork in sorted(baseline)])
    overhead = mean(paired(times, baseline))
    adds_up = None
    if whole.low is not None and whole.high is not None and (whole.half_width or 0.0) <= WIDE:
        adds_up = whole.low <= under.middle + parts.codec_us <= whole.high
    ratio = geometric_mean(fork_ratios([times], [baseline]))
    return CallOverhead(
        cell=cell,
        time=whole,
        baseline=under,
        overhead=overhead,
        times=ratio,
        codec_us=parts.codec_us,
        rest=overhead.less(parts.codec_us),
        adds_up=adds_up,
    )
