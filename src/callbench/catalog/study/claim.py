"""The comparisons of a claim: ratios and their thresholds."""

from collections.abc import Mapping
from dataclasses import dataclass

from callbench.catalog.study.report_parts import NO_DIFFERENCE, ClaimPart, ComparePart


@dataclass(frozen=True)
class ClaimedRatio:
    """One ratio and its allowed range.

    Attributes:
        label: what is compared, in words.
        over: conditions of the cells in the numerator; their values are multiplied.
        under: conditions of the cells in the denominator.
        low: the ratio must be above it (0: no limit).
        high: the ratio must be below it (infinity: no limit).
        statistic: the metric, if it differs from the claim's.
        under_statistic: the metric of the denominator, if it differs again.
        optional: whether the claim is judged without it if a cell is missing.
        margin: the share by which the ratio may pass its threshold and mean no more than the threshold itself.
        root: the root of the ratio: the number of ratios for a geometric mean, 1 for the product.
    """

    label: str
    over: tuple[Mapping[str, str], ...]
    under: tuple[Mapping[str, str], ...]
    low: float
    high: float
    statistic: str | None = None
    under_statistic: str | None = None
    root: int = 1
    optional: bool = False
    margin: float = 0.0

    @property
    def bounds(self) -> tuple[float, float]:
        """Its range."""
        return self.low, self.high


def comparisons(claim: ClaimPart) -> list[ClaimedRatio]:
    """Return the comparisons of a claim, in the order of the file."""
    return [comparison(part) for part in claim.compare]


def comparison(part: ComparePart) -> ClaimedRatio:
    """Return one comparison."""
    low, high = part.between or (part.above or 0.0, part.below or float("inf"))
    over, under = (tuple(cell.conditions() for cell in side) for side in (part.over, part.under))
    root = len(part.over) if part.mean else 1
    return ClaimedRatio(
        label=part.label,
        over=over,
        under=under,
        low=low,
        high=high,
        statistic=part.statistic,
        under_statistic=part.under_statistic,
        root=root,
        optional=part.optional,
        margin=_margin(part),
    )


def _margin(part: ComparePart) -> float:
    """Return the margin of a comparison: its own, or that of a claim that two things differ."""
    if part.margin is not None:
        return part.margin
    return NO_DIFFERENCE if 1.0 in (part.above, part.below) and part.under else 0.0
