"""What a run's tables say of precision: why each cell ended."""

from collections.abc import Sequence
from dataclasses import dataclass

from callbench.store.record import Record
from callbench.store.requested.run import RequestedRun

ENDINGS_SQL = "SELECT cell, why, asked, reached, forks FROM endings ORDER BY cell NULLS LAST"


@dataclass(frozen=True)
class CellEnding:
    """Why a cell ended.

    Attributes:
        asked: the half-width of its interval that was asked for, as a share.
        reached: that which it had.
    """

    cell: str | None
    why: str
    asked: float | None
    reached: float | None
    forks: int | None


@dataclass(frozen=True)
class PrecisionSummary:
    """What a run tells of its precision."""

    endings: Sequence[CellEnding]


def precision_summary(run: Record) -> PrecisionSummary:
    """Read it from a run.

    Raises:
        BadInput: the run is damaged.
    """
    requested = run.requested(RequestedRun)
    if requested.until is None and requested.budget_s is None:
        return PrecisionSummary(())
    with run.connection() as connection:
        return PrecisionSummary([CellEnding(*row) for row in connection.execute(ENDINGS_SQL).fetchall()])
