"""What Apache JMeter wrote of its samples, a .jtl file of comma-separated values, as pure functions."""

import csv
import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

from callbench.model.errors import BadInput

# What a run of ours asks JMeter to write, in its own order; it would write fourteen columns more.
COLUMNS = ("timeStamp", "elapsed", "responseCode", "threadName", "success")
_TRUE = "true"
# Of a window, as its steadiness is looked at.
_PIECES = 20


@dataclass(frozen=True)
class Sample:
    """One call.

    Attributes:
        start_ms: when it began, by the wall clock.
        elapsed_ms: how long it took; JMeter has no finer times.
        code: the status, or the sentence that JMeter has instead of one.
        thread: the client that made it; its group's name comes first.
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
class Seen:
    """What samples come to.

    Attributes:
        calls: answered rightly.
        begin_ms: when the window began, by the wall clock: with the first call, or the first thought before it.
        end_ms: when it ended.
        rate_per_s: those answered rightly within the window; one in flight at its end counts by its part, as of our
            driver (stats/rate.py).
        median_ms: of those, between the whole milliseconds; None without any.
        mean_ms: likewise.
        errors: those answered otherwise, by code, most first.
        gap_ms: from an answer to the same client's next call, without its thought: the mean; None where nobody called
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


def read(lines: Iterable[str]) -> list[Sample]:
    """The samples of a file, in the order in which they ended.

    Raises:
        BadInput: the file is not of the form that was asked for; the sentence names the line.
    """
    rows = csv.reader(lines)
    head = next(rows, None)
    missing = [column for column in COLUMNS if column not in (head or [])]
    if head is None or missing:
        raise BadInput(
            f"JMeter's results lack the columns {', '.join(missing)}: was the file written by `callbench peer`?"
        )
    at = [head.index(column) for column in COLUMNS]
    found = []
    for number, row in enumerate(rows, 2):
        try:
            start, elapsed, code, thread, success = (row[place] for place in at)
            found.append(Sample(int(start), int(elapsed), code, thread, success == _TRUE))
        except (IndexError, ValueError) as failure:
            raise BadInput(f"JMeter's results, line {number}, are no sample: {','.join(row)[:80]}") from failure
    return found


def seen(samples: Sequence[Sample], seconds: float, think_ms: float = 0.0, first_ms: float = 0.0) -> Seen:
    """Sum up the samples of a group of threads.

    Args:
        samples: all of them.
        seconds: how long the group was to call.
        think_ms: how long each client waited between an answer and its next call because it was told to.
        first_ms: how long the first of them was told to wait before its first call.

    Raises:
        ValueError: there is none.
    """
    if not samples:
        raise ValueError("no samples to sum up")
    begin = min(one.start_ms for one in samples) - first_ms
    end = begin + seconds * 1e3
    if not think_ms:
        # A peer that begins late ends early; of clients that think, nobody need be in a call at the end.
        end = min(end, max(one.end_ms for one in samples))
    within = math.fsum(_part_before(end, one) for one in samples if one.right)
    times = Counter(sample.elapsed_ms for sample in samples if sample.right)
    calls = times.total()
    return Seen(
        calls,
        math.floor(begin),
        math.ceil(end),
        within / max(end - begin, 1) * 1e3,
        median(times),
        sum(ms * count for ms, count in times.items()) / calls if calls else None,
        dict(Counter(sample.code for sample in samples if not sample.right).most_common()),
        _gap_ms(samples, think_ms),
    )


def rates(samples: Sequence[Sample], begin_ms: float, end_ms: float) -> list[float]:
    """Give the right answers a second, piece by piece of a window, but for the first, in which clients begin.

    Args:
        samples: in any order.
        begin_ms: when the window begins, by the wall clock; once all clients have begun.
        end_ms: when it ends.
    """
    piece_ms = (end_ms - begin_ms) / _PIECES
    if piece_ms <= 0:
        return []
    counts = [0] * _PIECES
    for one in samples:
        place = math.floor((one.end_ms - begin_ms) / piece_ms)
        if one.right and 0 <= place < _PIECES:
            counts[place] += 1
    return [count / piece_ms * 1e3 for count in counts[1:]]


def _part_before(end_ms: float, one: Sample) -> float:
    """Of a call: the part of its time before a moment."""
    if one.end_ms <= end_ms:
        return 1.0
    # What began after it may have taken none of JMeter's whole milliseconds.
    return max(0.0, end_ms - one.start_ms) / max(one.elapsed_ms, 1)


def _gap_ms(samples: Sequence[Sample], think_ms: float) -> float | None:
    """Both ends are cut to whole milliseconds, so a mean of many is right, and one by itself may be below 0."""
    by_thread: dict[str, list[Sample]] = {}
    for sample in sorted(samples, key=lambda one: one.start_ms):
        by_thread.setdefault(sample.thread, []).append(sample)
    gaps = [later.start_ms - one.end_ms - think_ms for mine in by_thread.values() for one, later in pairwise(mine)]
    return max(0.0, sum(gaps) / len(gaps)) if gaps else None


def median(times: Mapping[int, int]) -> float | None:
    """The median of times that are known to a whole millisecond.

    JMeter takes the difference of two clock readings that are cut to whole milliseconds, so that a time of v lies
    about v, as often above as below. Each value is spread evenly from v - 1/2 to v + 1/2, as in any grouped median.

    Args:
        times: how often each value was seen, in milliseconds.

    Returns:
        Milliseconds, never below 0; None where nothing was seen.
    """
    half = sum(times.values()) / 2
    before = 0
    for value in sorted(times):
        if times[value] and before + times[value] >= half:
            return max(0.0, value - 0.5 + (half - before) / times[value])
        before += times[value]
    return None
