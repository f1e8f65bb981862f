"""Amounts of an advice as people read them: with no more digits than their interval supports."""

import math

from callbench.stats.estimate.difference import Difference
from callbench.stats.estimate.digits import at_place, end, figure, given, last_place
from callbench.stats.estimate.interval import Interval
from callbench.stats.estimate.logratio import LogRatio

# From this ratio on, a factor is written instead of a share.
_FACTOR = 2


def amount(difference: Difference | None, unit: str = "") -> str:
    """Write an amount with its interval: `5,490 EUR (5,480 to 5,500)`. Nothing where there is none."""
    if difference is None:
        return ""
    after = f" {unit}" if unit else ""
    if difference.low is None or difference.high is None:
        return f"{figure(difference.middle)}{after} (no interval)"
    reach = max(difference.high - difference.middle, difference.middle - difference.low)
    if reach <= 1e-9 * max(1.0, abs(difference.middle)):
        return f"{figure(difference.middle, 1e-4)}{after}"
    # No more than four digits, however narrow the interval is.
    place = max(last_place(reach, 0.2), math.floor(math.log10(max(abs(difference.middle), reach))) - 3)
    low, middle, high = (at_place(value, place) for value in (difference.low, difference.middle, difference.high))
    return f"{middle}{after} ({low} to {high})"


def known_end(difference: Difference, unit: str = "", *, at_most: bool = True) -> str:
    """Write the end that is known of an amount: `at most 5,500 EUR`."""
    known = difference.high if at_most else difference.low
    value = figure(difference.middle if known is None else known, 0.01)
    return f"at {'most' if at_most else 'least'} {value}{f' {unit}' if unit else ''}"


def bounded(text: str, own: bool, beside: bool) -> str:
    """Write how much more one is than another, or less, where values are upper bounds.

    Args:
        text: as it is where both values are their bounds.
        own: whether the value of the one is an upper bound.
        beside: whether that of the other is. Of two bounds nothing follows.
    """
    if own and beside:
        return ""
    return f"at most {text}" if own else f"at least {text}" if beside else text


def less(difference: LogRatio, confidence: float) -> str:
    """Write by how much one is less than another, from the log of one over the other: `43 % less (40 to 46 %)`."""
    return times_less(difference.interval(confidence))


def more(difference: LogRatio, confidence: float) -> str:
    """Write by how much one is more than another: `12 % more (10 to 14 %)`; above twice as much, as a factor."""
    return times_more(difference.interval(confidence))


def times_less(times: Interval) -> str:
    """Write a ratio, decided with its interval, as `less` does."""
    return _share(times, "less", "more")


def times_more(times: Interval) -> str:
    """Write a ratio, decided with its interval, as `more` does."""
    if times.middle > _FACTOR:
        low, high = (_end(times, bound) for bound in (times.low, times.high))
        return f"{figure(times.middle, times.half_width)} times as much ({low} to {high})"
    return _share(times, "more", "less")


def _end(times: Interval, value: float | None) -> str:
    return end(times.middle if value is None else value, times.middle, times.half_width)


def _share(times: Interval, word: str, other: str) -> str:
    shares = sorted(
        100 * (bound - 1) * (1 if word == "more" else -1) for bound in (times.low, times.high) if bound is not None
    )
    value = 100 * (times.middle - 1) * (1 if word == "more" else -1)
    if value < 0:
        value, shares, word = -value, sorted(-bound for bound in shares), other
    digits = 0 if shares and shares[-1] - shares[0] >= 4 else 1
    low, high = shares if len(shares) == 2 else (value, value)
    if round(value, digits) == 0 and low <= 0 <= high:
        most = max(10.0**-digits, -low, high)
        return f"up to {most:.{digits}f} % more or less"
    return f"{value:.{digits}f} % {word} ({low:.{digits}f} to {high:.{digits}f} %)"


def payload(size: float) -> str:
    """Write a size: `2.3 KB`, as 1,000 bytes are."""
    for unit, scale in (("GB", 1e9), ("MB", 1e6), ("KB", 1e3)):
        if size >= scale:
            return f"{size / scale:.2g} {unit}" if size < 100 * scale else f"{size / scale:.0f} {unit}"
    return f"{size:.0f} bytes"


def along(value: float, unit: str) -> str:
    """Write a place on an axis of a map."""
    if unit == "bytes":
        return payload(value)
    if unit == "Mbit/s" and value >= 1000:
        return f"{value / 1000:.2g} Gbit/s"
    return f"{given(float(f'{value:.2g}'))} {unit}"
