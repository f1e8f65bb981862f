"""When a cell with a requested precision ends: one rule for planning forks and for writing the reason."""

from dataclasses import dataclass
from enum import StrEnum


class StopReason(StrEnum):
    """Why a cell ended."""

    PRECISE = "precise"
    BUDGET = "budget"
    FORKS = "forks"
    OUT = "excluded"
    NOTHING = "no value"


@dataclass(frozen=True)
class PrecisionTarget:
    """What was asked of a run.

    Attributes:
        until: the half-width of the 95 % interval that ends a cell, as a share.
        budget_s: the time to spend in seconds; None: the study's, and no more than `most_forks`.
        most_forks: a cell that is not precise after that many is ended where no one named a time.
    """

    until: float
    budget_s: float | None = None
    most_forks: int = 50


@dataclass(frozen=True)
class CellPrecision:
    """Where a cell is.

    Attributes:
        width: half of its 95 % interval as a share; None if there is none.
        forks: how many have measured it.
        excluded: whether it was given up.
    """

    width: float | None
    forks: int
    excluded: bool = False


def why_ended(now: CellPrecision, aim: PrecisionTarget) -> StopReason | None:
    """Explain why a cell needs no more forks; None if it needs them, time apart.

    An interval looked at again and again until it is narrow covers a little less than it says, the less so the more
    forks were made before the first look: this is Chow and Robbins' procedure ("On the asymptotic theory of
    fixed-width sequential confidence intervals for the mean", Annals of Mathematical Statistics 36(2), 1965), whose
    first look comes after the planned forks.
    """
    if now.excluded:
        return StopReason.OUT
    if not now.forks:
        return StopReason.NOTHING
    if now.width is not None and now.width <= aim.until:
        return StopReason.PRECISE
    if aim.budget_s is None and now.forks >= aim.most_forks:
        return StopReason.FORKS
    return None
