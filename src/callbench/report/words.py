"""How ratios and verdicts are written, the same in every format."""

from callbench.claims import Verdict
from callbench.stats.digits import end, figure
from callbench.stats.interval import Interval

MARKS = {Verdict.HOLDS: "✓", Verdict.FAILS: "✗", Verdict.OPEN: "?", Verdict.UNMEASURED: "–"}  # noqa: RUF001 - a mark, not a minus
CLASSES = {Verdict.HOLDS: "holds", Verdict.FAILS: "fails", Verdict.OPEN: "open", Verdict.UNMEASURED: "unmeasured"}


def ratio_text(ratio: Interval | None) -> str:
    """Write a ratio with its interval: `1.72 (1.71 to 1.74)`."""
    if ratio is None:
        return ""
    middle = figure(ratio.middle, ratio.half_width)
    if ratio.low is None or ratio.high is None:
        return f"{middle} (one block)"
    low, high = (end(one, ratio.middle, ratio.half_width) for one in (ratio.low, ratio.high))
    return f"{middle} ({low} to {high})"


def published_text(ratio: float | None) -> str:
    """Write a ratio of published figures, which come without intervals, with three digits."""
    return "" if ratio is None else f"{ratio:.3g}"
