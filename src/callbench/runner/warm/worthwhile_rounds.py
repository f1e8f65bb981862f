"""How many rounds a fork is worth whose runtimes were warmed up for it: a warm-up that is paid for is used."""

import math

from callbench.stats.estimate import student

# The variance of a slice's rate over that of a fork's: 9.0 and 9.4 in two runs of 60 cells, before a fork's mean is
# taken.
_SLICE_OVER_FORK = 9.0
# However long the warm-up was, more rounds hardly narrow an interval that is taken over forks.
MOST_ROUNDS = 60
# A fork has so many at least, unless the study plans fewer: one round says nothing of how slices vary.
LEAST_ROUNDS = 2
# What all ratios of a run say of how one varies, in degrees of freedom: a cautious value.
_SHARED_FREEDOM = 4
_QUANTILE = 0.975
# A run may take so much longer than its limit: what was begun is worth ending.
OVER = 1.1


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


def rounds_in_time(most: int, start_s: float, round_s: float, time_s: float, forks: range) -> int:
    """Compute the rounds of a fork if it and further forks like it share a given time.

    Each possible number of forks leaves room for a number of rounds. Taken is the one with the narrowest interval: few
    forks have a wide one, and so have few rounds of each.

    Args:
        most: rounds of a fork if there is time for all of them.
        start_s: seconds of a fork until its first round.
        round_s: seconds of a round, above 0.
        time_s: seconds for all of these forks.
        forks: how many there may be.

    Returns:
        The rounds of each fork. If there is no time for as many forks as there must be, the least number; or, if they
        would take longer than the time and a tenth of it, the rounds of a single one.
    """
    least = min(most, LEAST_ROUNDS)
    if forks.start * (start_s + least * round_s) > OVER * time_s:
        return max(least, min(most, int((time_s - start_s) / round_s)))
    best, narrowest = least, math.inf
    for count in forks:
        rounds = min(most, int((time_s / count - start_s) / round_s))
        if rounds < least:
            break
        reach = student.quantile(_QUANTILE, count - 1 + _SHARED_FREEDOM)
        width = reach * math.sqrt((1 + _SLICE_OVER_FORK / rounds) / count)
        if width < narrowest:
            best, narrowest = rounds, width
    return best
