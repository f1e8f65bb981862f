"""What a run's tables say of precision: why each cell ended, and what the play-off decided."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from callbench.precision.playoff import Contest, Rule, contest
from callbench.store import Run

ENDINGS_SQL = "SELECT cell, why, asked, reached, blocks FROM endings ORDER BY cell NULLS LAST"
MEETINGS_SQL = """
SELECT cell, other, neighbours, list(ratio ORDER BY started) AS ratios
FROM meetings WHERE agree AND calls > 0 AND other_calls > 0 GROUP BY ALL ORDER BY cell, other"""


@dataclass(frozen=True)
class Ended:
    """Why a cell ended; with no cell, why the play-off did.

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
    contests: Sequence[Contest]


def told(run: Run) -> Told:
    """Read it from a run.

    Raises:
        BadInput: the run is damaged.
    """
    if run.info.get("until") is None and run.info.get("budget_s") is None:
        return Told((), ())
    with run.connection() as connection:
        endings = [Ended(*row) for row in connection.execute(ENDINGS_SQL).fetchall()]
        meetings = connection.execute(MEETINGS_SQL).fetchall()
    return Told(endings, _contests(meetings, Rule(margin=run.info.get("until") or Rule.margin)))


def _contests(rows: Sequence[Any], rule: Rule) -> list[Contest]:
    """Decide every pair again from its meetings, as the run did."""
    return [contest((cell, other), ratios, int(neighbours), rule) for cell, other, neighbours, ratios in rows]
