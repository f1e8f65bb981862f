"""What more forks would settle: of the comparisons that a run left undecided, which ones in a given time."""

from collections.abc import Sequence
from dataclasses import dataclass

from callbench.stats.estimate.logratio import LogRatio
from callbench.stats.estimate.power import MOST_FORKS, forks_needed


@dataclass(frozen=True)
class Forecast:
    """What so much more time would bring.

    Attributes:
        forks: how many more would be made.
        settled: of each comparison, whether they would do.
    """

    forks: int
    settled: Sequence[bool]


def more_forks(difference: LogRatio, level: float, most: int = MOST_FORKS) -> int | None:
    """Compute how many more forks would tell two things apart, about: 1 or more; None if no sensible number would.

    As `power.forks_needed` has it, for the ratio 1: the truth is taken to lie if it was estimated, with the spread
    that the forks had.

    Args:
        difference: estimated from the forks that were made.
        level: of the two-sided test, after its correction for the other pairs.
        most: forks in all, beyond which a number is none.
    """
    needed = forks_needed(difference, abs(difference.log), level, most)
    return None if needed is None else max(1, needed - difference.count)


def forecast(needed: Sequence[int | None], fork_s: float, seconds: float) -> Forecast:
    """Name which comparisons would be settled in that many more seconds.

    Args:
        needed: how many more forks each takes; None: none would do.
        fork_s: how long a fork takes, above 0.
        seconds: how much time there is.
    """
    forks = int(seconds / fork_s)
    return Forecast(forks, [more is not None and more <= forks for more in needed])
