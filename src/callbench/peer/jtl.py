"""What Apache JMeter wrote of its samples, a .jtl file of comma-separated values, as pure functions."""

import csv
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from callbench.errors import BadInput

# What a run of ours asks JMeter to write, in its own order; it would write fifteen columns more.
COLUMNS = ("timeStamp", "elapsed", "responseCode", "success")
_TRUE = "true"


@dataclass(frozen=True)
class Sample:
    """One call.

    Attributes:
        start_ms: when it began, by the wall clock.
        elapsed_ms: how long it took; JMeter has no finer times.
        code: the status, or the sentence that JMeter has instead of one.
        right: whether the answer was as expected.
    """

    start_ms: int
    elapsed_ms: int
    code: str
    right: bool

    @property
    def end_ms(self) -> int:
        """When it was answered."""
        return self.start_ms + self.elapsed_ms


@dataclass(frozen=True)
class Window:
    """The samples that ended within a time.

    Attributes:
        calls: answered rightly.
        rate_per_s: of those.
        median_ms: of those, between the whole milliseconds; None without any.
        mean_ms: likewise.
        errors: those answered otherwise, by code, most first.
    """

    calls: int
    rate_per_s: float
    median_ms: float | None
    mean_ms: float | None
    errors: Mapping[str, int]


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
            start, elapsed, code, success = (row[place] for place in at)
            found.append(Sample(int(start), int(elapsed), code, success == _TRUE))
        except (IndexError, ValueError) as failure:
            raise BadInput(f"JMeter's results, line {number}, are no sample: {','.join(row)[:80]}") from failure
    return found


def window(samples: Sequence[Sample], begin_ms: int, end_ms: int) -> Window:
    """What ended from `begin_ms` on and before `end_ms`.

    Raises:
        ValueError: the time is empty.
    """
    if end_ms <= begin_ms:
        raise ValueError(f"a window from {begin_ms} to {end_ms} ms is empty")
    within = [sample for sample in samples if begin_ms <= sample.end_ms < end_ms]
    times = Counter(sample.elapsed_ms for sample in within if sample.right)
    calls = times.total()
    return Window(
        calls,
        calls / (end_ms - begin_ms) * 1e3,
        median(times),
        sum(ms * count for ms, count in times.items()) / calls if calls else None,
        dict(Counter(sample.code for sample in within if not sample.right).most_common()),
    )


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
