"""What a run's tables say of precision: why each cell ended."""

from collections.abc import Sequence
from dataclasses import dataclass

from callbench.store.run import Run

ENDINGS_SQL = "SELECT cell, why, asked, reached, blocks FROM endings ORDER BY cell NULLS LAST"


@dataclass(frozen=True)
class Ended:
    """Why a cell ended.

    Attributes:
        asked: the half-width of its interval that was asked for, as a share.
        reached: that which it had.
    """

    cell: str | None
    why: str
    asked: float | None
    reached: float | None
    blocks: int | None


@dataclass(frozen=True)
class Told:
    """What a run tells of its precision."""

    endings: Sequence[Ended]


def told(run: Run) -> Told:
    """Read it from a run.

    Raises:
        BadInput: the run is damaged.
    """
    if run.info.get("until") is None and run.info.get("budget_s") is None:
        return Told(())
    with run.connection() as connection:
        return Told([Ended(*row) for row in connection.execute(ENDINGS_SQL).fetchall()])
