"""Which cells are precise enough, and which go on: pure decisions over rates by block."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from enum import StrEnum

from callbench.stats.interval import geometric_mean

Rates = Mapping[int, float]


class Why(StrEnum):
    """Why a cell ended."""

    PRECISE = "precise"
    BUDGET = "budget"
    BLOCKS = "blocks"
    OUT = "excluded"


@dataclass(frozen=True)
class Aim:
    """What was asked of a run.

    Attributes:
        until: the half-width of the 95 % interval that ends a cell, as a share; None: as many blocks as planned.
        budget_s: the time to spend in seconds; None: no limit but that of blocks.
        most_blocks: a cell that is not precise after so many is ended without a budget.
    """

    until: float | None = None
    budget_s: float | None = None
    most_blocks: int = 50


@dataclass(frozen=True)
class Ending:
    """Why a cell ended, and what it had reached by then.

    Attributes:
        reached: half of its 95 % interval as a share; None where there is none.
    """

    cell: str
    why: Why
    reached: float | None
    blocks: int


def reached(rates: Rates) -> float | None:
    """Give half of a cell's 95 % interval as a share, or None from fewer than two blocks."""
    return geometric_mean(list(rates.values())).half_width if len(rates) > 1 else None


def ended(rates: Mapping[str, Rates], excluded: Collection[str], aim: Aim) -> dict[str, Ending]:
    """Say which cells need no more blocks, budget apart.

    An interval looked at again and again until it is narrow covers a little less than it says, the less so the more
    blocks were made before the first look: this is Chow and Robbins' procedure ("On the asymptotic theory of
    fixed-width sequential confidence intervals for the mean", Annals of Mathematical Statistics 36(2), 1965), whose
    first look comes after the planned blocks.
    """
    found: dict[str, Ending] = {}
    for cell, mine in rates.items():
        width = reached(mine)
        if cell in excluded:
            found[cell] = Ending(cell, Why.OUT, width, len(mine))
        elif aim.until is not None and width is not None and width <= aim.until:
            found[cell] = Ending(cell, Why.PRECISE, width, len(mine))
        elif aim.budget_s is None and len(mine) >= aim.most_blocks:
            found[cell] = Ending(cell, Why.BLOCKS, width, len(mine))
    return found
