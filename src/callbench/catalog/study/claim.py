"""A claim's comparisons: ratios, and what each is held against."""

from collections.abc import Mapping
from dataclasses import dataclass

from callbench.catalog.study.shown import ClaimPart, ComparePart


@dataclass(frozen=True)
class Comparison:
    """One ratio and the range it is held against.

    Attributes:
        label: what is compared, in words.
        over: conditions of the cells whose statistics are multiplied above the line.
        under: the same below the line.
        low: the ratio must lie above it (0: no bound).
        high: the ratio must lie below it (infinity: no bound).
        statistic: what is taken of the cells, where it is not the claim's statistic.
        under_statistic: what is taken of those below the line, where that is something else again.
        optional: whether the claim is judged without it where a cell is missing.
        root: which root of the ratio is taken: the number of ratios whose geometric mean is meant, 1 for the product.
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


def comparisons(claim: ClaimPart) -> list[Comparison]:
    """Give every comparison of a claim, in the order of the file."""
    return [comparison(part) for part in claim.compare]


def comparison(part: ComparePart) -> Comparison:
    """Give one comparison."""
    low, high = part.between or (part.above or 0.0, part.below or float("inf"))
    over, under = (tuple(cell.conditions() for cell in side) for side in (part.over, part.under))
    root = len(part.over) if part.mean else 1
    statistics = part.statistic, part.under_statistic
    return Comparison(part.label, over, under, low, high, *statistics, root, part.optional)
