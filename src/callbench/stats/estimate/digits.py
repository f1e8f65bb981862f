"""No more digits than a value's interval supports."""

import math
from decimal import Decimal

MOST_DIGITS = 4
# What stands before a value that is a bound.
BOUNDS = {"": "", "at least": "≥ ", "at most": "≤ "}
WITHOUT_INTERVAL = 2
# Shares: an interval below the first is arithmetic's noise about one value, one beyond the second tells nothing.
_NOISE = 1e-9
_TELLING = 99
# Per cent: below the first, one digit is written; below the second, only that it is less. Nothing rounds to 0.
_TENTH, _HUNDREDTH = 0.05, 0.005


def last_place(value: float, half_width: float | None) -> int:
    """Find the last decimal position that a value's uncertainty leaves it: 2 for hundreds, -1 for tenths.

    "The last significant value in any stated answer should usually be of the same order of magnitude (in the same
    decimal position) as the uncertainty": Taylor, "An Introduction to Error Analysis", 2nd edition, 1997, section 2.2.
    One digit more is kept where the uncertainty begins with a 1, as he advises there. At least one digit and at most
    four; two without an interval.

    Args:
        value: the value, not 0.
        half_width: half of its interval as a share of it, or None.
    """
    leading = math.floor(math.log10(abs(value)))
    if half_width is None:
        return leading - WITHOUT_INTERVAL + 1
    if half_width <= 0:
        return leading - MOST_DIGITS + 1
    uncertainty = half_width * abs(value)
    last = math.floor(math.log10(uncertainty))
    if uncertainty < 2 * 10.0**last:
        last -= 1
    return min(leading, max(last, leading - MOST_DIGITS + 1))


def at_place(value: float, last: int) -> str:
    """Write a value to a decimal position, thousands apart."""
    return f"{round(value, -last):,.{max(0, -last)}f}"


def figure(value: float, half_width: float | None = None) -> str:
    """Write a value with as many digits as its interval supports: `12,300`, `0.52`. A count that never varied: whole.

    Args:
        value: the value.
        half_width: half of its interval as a share of it, or None.
    """
    if value == 0 or not math.isfinite(value):
        return f"{value:g}"
    if half_width is not None and half_width < _NOISE and abs(value - round(value)) < _NOISE * abs(value):
        return f"{value:,.0f}"
    return at_place(value, last_place(value, half_width))


def given(value: float) -> str:
    """Write a number as a person gave it, thousands apart and never as a power of ten: `1,000,000`, `0.04`, `2.5`."""
    return f"{Decimal(f'{value:.12g}').normalize():,f}" if math.isfinite(value) else f"{value:g}"


def short_figure(value: float, half_width: float | None = None) -> str:
    """Write a value in few characters, where its interval does not stand beside it: `9.8M`, `105k`, `2,400`.

    It has no more digits than its interval supports, but two at least: of two that tie, 175k and 180k, the lower one is
    not to be read as 200k.

    Args:
        value: the value.
        half_width: half of its interval as a share of it, or None.
    """
    if value == 0 or not math.isfinite(value):
        return figure(value)
    place = min(last_place(value, half_width), last_place(value, None))
    rounded = round(value, -place)
    for unit, least, size in (("M", 1e6, 1e6), ("k", 1e4, 1e3)):
        if rounded >= least:
            return f"{rounded / size:.3g}{unit}"
    return at_place(value, place)


def end(value: float, middle: float, half_width: float | None) -> str:
    """Write an end of an interval to the decimal position of its middle, with two digits where it lies below that.

    Args:
        value: the end.
        middle: the value that the interval belongs to.
        half_width: half of the interval as a share of it, or None.
    """
    if middle == 0:
        # No call of 50 failed: 0 %, and up to 10. Zero has no decimal place of its own.
        return figure(value)
    last = last_place(middle, half_width)
    return figure(value) if abs(value) < 10.0**last else at_place(value, last)


def tells(half_width: float | None) -> bool:
    """Return whether an interval says anything of its value: not where it reaches a hundred times the value."""
    return half_width is not None and half_width < _TELLING


def share(half_width: float | None) -> str:
    """Write an interval's half-width as a share: `± 4 %`, `± 0.4 %`, or `×÷ 3.1` where it passes the value itself.

    Where it rounds to no more than a hundredth of a per cent, that is written: only what is exact has 0.
    One of more than a hundred times is `×÷ > 100`: how much more says nothing of the value.

    Nothing is written if there is no interval.
    """
    if half_width is None or half_width < 0:
        return ""
    if half_width >= 1:
        return f"×÷ {1 + half_width:.2g}" if half_width < _TELLING else "×÷ > 100"
    if half_width < _NOISE:
        return "± 0 %"
    hundredths = half_width * 100
    if hundredths < _TENTH:
        return f"± {hundredths:.1g} %" if hundredths >= _HUNDREDTH else "± under 0.01 %"
    return f"± {hundredths:.1f} %" if hundredths < 1 else f"± {hundredths:.0f} %"


def percent(value: float, digits: int = 0, *, sign: bool = False) -> str:
    """Write a share of 1 in per cent: `12 %`, `0.4 %`, `+3 %`."""
    return f"{value * 100:{'+' if sign else ''}.{digits}f} %"
