"""No more digits than a figure's interval supports."""

import math

MOST_DIGITS = 4
WITHOUT_INTERVAL = 2


def rounded(value: float, half_width: float | None) -> tuple[float, int]:
    """Round a figure so that its last digit is of the order of its uncertainty.

    "The last significant figure in any stated answer should usually be of the same order of magnitude (in the same
    decimal position) as the uncertainty": Taylor, "An Introduction to Error Analysis", 2nd edition, 1997, section
    2.2. One digit more is kept where the
    uncertainty begins with a 1, as he advises there. At least one digit and at most four; two without an interval.

    Args:
        value: the figure.
        half_width: half of its interval as a share of it, or None.

    Returns:
        The rounded figure, and how many decimals to print.
    """
    if value == 0 or not math.isfinite(value):
        return value, 0
    leading = math.floor(math.log10(abs(value)))
    if half_width is None:
        last = leading - WITHOUT_INTERVAL + 1
    elif half_width <= 0:
        last = leading - MOST_DIGITS + 1
    else:
        uncertainty = half_width * abs(value)
        last = math.floor(math.log10(uncertainty))
        if uncertainty < 2 * 10.0**last:
            last -= 1
        last = min(leading, max(last, leading - MOST_DIGITS + 1))
    return round(value, -last), max(0, -last)


def figure(value: float, half_width: float | None = None) -> str:
    """Write a figure with thousands apart: `12,300`, `0.52`.

    Args:
        value: the figure.
        half_width: half of its interval as a share of it, or None.
    """
    near, decimals = rounded(value, half_width)
    return f"{near:,.{decimals}f}"


def share(half_width: float | None) -> str:
    """Write an interval's half-width as a share: `± 4 %`, `± 0.4 %`, or `factor 3.1` where it passes the figure itself.

    Nothing is written where there is no interval.
    """
    if half_width is None or half_width < 0:
        return ""
    if half_width >= 1:
        return f"factor {1 + half_width:.2g}" if half_width < 99 else f"factor {1 + half_width:,.0f}"
    percent = half_width * 100
    return f"± {percent:.1f} %" if percent < 1 else f"± {percent:.0f} %"
