"""Read Apache JMeter's results, a .jtl file with comma-separated values. Pure functions."""

import csv
import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

from callbench.model.errors import BadInput
from callbench.stats.load.rate import done_in_flight

# The columns that we request, in JMeter's order; by default it writes fourteen more.
COLUMNS = ("timeStamp", "elapsed", "responseCode", "threadName", "success")
_TRUE = "true"
# Pieces of a window in which the rate is compared.
_PIECES = 20


@dataclass(frozen=True)
class Sample:
    """One call.

    Attributes:
        start_ms: when it began, by the wall clock.
        elapsed_ms: its duration; JMeter has no finer times.
        code: the status, or JMeter's message instead of one.
        thread: the name of its client thread, which begins with the name of its group.
        right: whether the answer was as expected.
    """

    start_ms: int
    elapsed_ms: int
    code: str
    thread: str
    right: bool

    @property
    def end_ms(self) -> int:
        """When it was answered."""
        return self.start_ms + self.elapsed_ms


@dataclass(frozen=True)
class SampleSummary:
    """A summary of samples.

    Attributes:
        calls: successful calls.
        begin_ms: when the window began, by the wall clock: at the first call, or the first think time before it.
        end_ms: when it ended.
        rate_per_s: successful calls per second within the window. Calls in flight at its end count as in
            stats/load/rate.py.
        median_ms: of successful calls, interpolated within a millisecond; None without calls.
        mean_ms: of successful calls; None without calls.
        errors: failed calls by code, most frequent first.
        gap_ms: mean time from an answer to the same client's next call, without think time; None if no client called
            twice.
    """

    calls: int
    begin_ms: int
    end_ms: int
    rate_per_s: float
    median_ms: float | None
    mean_ms: float | None
    errors: Mapping[str, int]
    gap_ms: float | None


def read_samples(lines: Iterable[str]) -> list[Sample]:
    """Return the samples of a file, in the order in which they ended.

    Raises:
        BadInput: the file does not have the requested form; the sentence names the line.
    """
    rows = csv.reader(lines)
    head = next(rows, None)
    missing = [column for column in COLUMNS if column not in (head or [])]
    if head is None or missing:
        raise BadInput(
            f"JMeter's results lack the columns {', '.join(missing)}: was the file written by `callbench peer`?"
        )
    at = [head.index(column) for column in COLUMNS]
    samples = []
    for number, row in enumerate(rows, 2):
        try:
            start, elapsed, code, thread, success = (row[place] for place in at)
            samples.append(Sample(int(start), int(elapsed), code, thread, success == _TRUE))
        except (IndexError, ValueError) as failure:
            raise BadInput(f"line {number} of JMeter's results is not a sample: {','.join(row)[:80]}") from failure
    return samples


def summarize(
    samples: Sequence[Sample], seconds: float, think_ms: float = 0.0, first_think_ms: float = 0.0
) -> SampleSummary:
    """Summarize the samples of a group of threads.

    Args:
        samples: all of them.
        seconds: the requested duration of the group's calls.
        think_ms: the requested think time.
        first_think_ms: the requested wait of the first client before its first call.

    Raises:
        ValueError: there are no samples.
    """
    if not samples:
        raise ValueError("no samples to sum up")
    begin = min(sample.start_ms for sample in samples) - first_think_ms
    end = begin + seconds * 1e3
    if not think_ms:
        # A peer that begins late ends early. With think time, no call need be in progress at the end.
        end = min(end, max(sample.end_ms for sample in samples))
    times = Counter(sample.elapsed_ms for sample in samples if sample.right)
    calls = times.total()
    within = _calls_before(end, max(end - begin, 1), [sample for sample in samples if sample.right])
    return SampleSummary(
        calls=calls,
        begin_ms=math.floor(begin),
        end_ms=math.ceil(end),
        rate_per_s=within / max(end - begin, 1) * 1e3,
        median_ms=grouped_median(times),
        mean_ms=sum(ms * count for ms, count in times.items()) / calls if calls else None,
        errors=dict(Counter(sample.code for sample in samples if not sample.right).most_common()),
        gap_ms=_gap_ms(samples, think_ms),
    )


def rates_by_piece(samples: Sequence[Sample], begin_ms: float, end_ms: float) -> list[float]:
    """Return successful calls per second, piece by piece of a window.

    The first piece, in which clients begin, is left out.

    Args:
        samples: in any order.
        begin_ms: when the window begins, by the wall clock; all clients have begun by then.
        end_ms: when it ends.
    """
    piece_ms = (end_ms - begin_ms) / _PIECES
    if piece_ms <= 0:
        return []
    counts = [0] * _PIECES
    for sample in samples:
        place = math.floor((sample.end_ms - begin_ms) / piece_ms)
        if sample.right and 0 <= place < _PIECES:
            counts[place] += 1
    return [count / piece_ms * 1e3 for count in counts[1:]]


def _calls_before(end_ms: float, window_ms: float, right: Sequence[Sample]) -> float:
    """Return the calls of a window as stats/load/rate.py counts them."""
    answered = sum(call.end_ms <= end_ms for call in right)
    part = math.fsum(_part_before(end_ms, call) for call in right if call.end_ms > end_ms)
    if not right:
        return 0.0
    times_ns = [call.elapsed_ms * 1e6 for call in right]
    window_ns = round(window_ms * 1e6)
    return answered + done_in_flight(answered, window_ns, part, sum(times_ns) / len(times_ns), min(times_ns))


def _part_before(end_ms: float, sample: Sample) -> float:
    """Return the part of a call's time before a moment."""
    # A call that began after the moment may have a duration of 0 ms.
    return max(0.0, end_ms - sample.start_ms) / max(sample.elapsed_ms, 1)


def _gap_ms(samples: Sequence[Sample], think_ms: float) -> float | None:
    """Return the mean gap. Both ends are cut to whole milliseconds, so a single gap may be below 0."""
    by_thread: dict[str, list[Sample]] = {}
    for sample in sorted(samples, key=lambda sample: sample.start_ms):
        by_thread.setdefault(sample.thread, []).append(sample)
    gaps = [
        later.start_ms - earlier.end_ms - think_ms for mine in by_thread.values() for earlier, later in pairwise(mine)
    ]
    return max(0.0, sum(gaps) / len(gaps)) if gaps else None


def grouped_median(times: Mapping[int, int]) -> float | None:
    """Return the median of times that are known to a whole millisecond.

    JMeter subtracts two clock readings that are cut to whole milliseconds, so a time of v lies around v. Each value is
    spread evenly from v - 1/2 to v + 1/2, as in any grouped median.

    Args:
        times: how often each value occurs, in milliseconds.

    Returns:
        Milliseconds, never below 0; None without values.
    """
    half = sum(times.values()) / 2
    before = 0
    for value in sorted(times):
        if times[value] and before + times[value] >= half:
            return max(0.0, value - 0.5 + (half - before) / times[value])
        before += times[value]
    return None
