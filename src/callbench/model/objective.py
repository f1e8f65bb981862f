"""What a knee must still meet: "p99 under 5 ms"."""

import math
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from callbench.stats.load.rate import Drive

_WORDS = re.compile(
    r"(mean|max|p[0-9]{1,2}(?:\.[0-9]{1,6})?)(?: under | ?<=? ?)([0-9]+(?:\.[0-9]+)?|\.[0-9]+) ?(us|[µμ]s|ms|s)"
)
# The micro sign, and the Greek letter.
_MICROSECONDS = {"us": 1.0, "µs": 1.0, "μs": 1.0, "ms": 1e3, "s": 1e6}
EXAMPLE = '"p99 under 5 ms"'


@dataclass(frozen=True)
class Objective:
    """A latency that is not to be passed.

    Attributes:
        text: as it was written.
        share: 0.99 of p99, 1 of max; None of the mean.
        limit_us: microseconds.
    """

    text: str
    share: float | None
    limit_us: float

    def value_us(self, done: "Drive") -> float:
        """Compute the value that is compared with the limit from a drive's answer; infinite if there is none.

        A call that failed counts as one that never ended: it lies beyond every other.
        """
        from callbench.stats.estimate.histogram import Buckets  # noqa: PLC0415 - statistics are slow to load

        histogram = done.get("latency")
        errors = sum(done["errors"].values())
        if not histogram or not histogram["count"]:
            return math.inf
        if self.share is None:
            return math.inf if errors else int(histogram["sum_ns"]) / histogram["count"] / 1e3
        count = histogram["count"]
        rank = max(1, math.ceil(self.share * (count + errors) * (1 - 1e-12)))
        if rank > count:
            return math.inf
        buckets = Buckets.of({int(index): int(number) for index, number in histogram["buckets"]})
        return buckets.percentiles([rank / count], histogram["min_ns"], histogram["max_ns"])[0] / 1e3


def parse(text: str) -> Objective:
    """Read an objective.

    Raises:
        ValueError: it is not one; the sentence says what one looks like.
    """
    words = _WORDS.fullmatch(" ".join(text.split()))
    if words is None:
        raise ValueError(
            f'is "{text}": it must be a figure and a time, as {EXAMPLE}; "<" is the same as "under";'
            " figures are mean, p50 ... p99.99, max"
        )
    name, number, unit = words.groups()
    # Rounded: 99.9 / 100 is not 0.999, and whoever looks for p99.9 must find it.
    share = {"mean": None, "max": 1.0}.get(name) if name in ("mean", "max") else round(float(name[1:]) / 100, 8)
    limit_us = float(number) * _MICROSECONDS[unit]
    if limit_us <= 0 or share == 0:
        raise ValueError(f'is "{text}": the figure and the time must be above 0')
    return Objective(" ".join(text.split()), share, limit_us)
