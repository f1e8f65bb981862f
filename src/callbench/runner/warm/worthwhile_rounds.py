"""How many rounds a fork is worth whose runtimes were warmed up for it: a warm-up that is paid for is used."""

import math

# The variance of a slice's rate over that of a fork's: 9.0 and 9.4 in two runs of 60 cells, before a fork's mean is
# taken.
_SLICE_OVER_FORK = 9.0
# However long the warm-up was, more rounds hardly narrow an interval that is taken over forks.
MOST_ROUNDS = 60


def worthwhile_rounds(planned: int, warm_up_s: float, round_s: float) -> int:
    """Compute the rounds of a fork that give the narrowest interval for the time of a run.

    With one start and n rounds, a fork costs w + n r and its mean has the variance f + s / n. The variance of the mean
    of all forks of a given time is least for n = sqrt(w / r * s / f) (Cochran, "Sampling techniques", 3rd edition,
    1977, section 10.6, on the optimum size of a subsample).

    Args:
        planned: the least number of rounds.
        warm_up_s: seconds in which runtimes that compile were warmed up for the fork; 0: there are none.
        round_s: seconds that a round takes.
    """
    if warm_up_s <= 0 or round_s <= 0:
        return planned
    return max(planned, min(MOST_ROUNDS, round(math.sqrt(warm_up_s / round_s * _SLICE_OVER_FORK))))
