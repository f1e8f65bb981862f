"""Straight lines through counts."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np


@dataclass(frozen=True)
class FittedLine:
    """y = slope x + intercept, and how far the points lie from it.

    Attributes:
        residuals: what each point lies above the line, in the order given.
    """

    slope: float
    intercept: float
    residuals: tuple[float, ...]

    @property
    def greatest(self) -> float:
        """The greatest distance of a point from the line."""
        return max((abs(residual) for residual in self.residuals), default=0.0)


def fitted(xs: Sequence[float], ys: Sequence[float], *, intercept: float | None = None) -> FittedLine:
    """Fit a line by least squares: its slope is sum (x - mx)(y - my) / sum (x - mx)^2.

    Legendre, "Nouvelles méthodes pour la détermination des orbites des comètes", 1805, appendix. With an intercept
    given, as the thesis's table 6 takes the count at length 0 for it, slope = sum x (y - intercept) / sum x^2.

    Args:
        xs: at least two different ones, or one other than 0 with an intercept.
        ys: as many.
        intercept: where the line must begin; None: where the points say.

    Raises:
        ValueError: too few points, or all above the same x.
    """
    x, y = np.asarray(xs, dtype=float), np.asarray(ys, dtype=float)
    if len(x) != len(y):
        raise ValueError(f"{len(x)} xs and {len(y)} ys")
    middle, base = (float(x.mean()), float(y.mean())) if intercept is None and len(x) else (0.0, intercept or 0.0)
    spread = float(((x - middle) ** 2).sum())
    if not spread:
        raise ValueError("a line needs points above different x")
    slope = float(((x - middle) * (y - base)).sum()) / spread
    start = base - slope * middle
    return FittedLine(slope, start, tuple(float(residual) for residual in y - (slope * x + start)))
