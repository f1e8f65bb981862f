"""What a run's many ratios say together of how much one of them varies from fork to fork.

A run has few forks and many pairs. Student's interval of one pair from three forks is wide since its spread is known so
badly, not since it is large; but how such spreads lie is known well, from all pairs together. Smyth, "Linear models and
empirical Bayes methods for assessing differential expression in microarray experiments", Statistical Applications in
Genetics and Molecular Biology 3(1), 2004: the variances of the pairs are taken to be drawn from a scaled inverse
chi-square distribution, whose scale and degrees of freedom are estimated from their logarithms (his section 6.2); each
pair's own variance is then drawn towards that scale, and its test has the degrees of freedom of both.
"""

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

import numpy as np

from callbench.stats.estimate.contrast import fork_ratios
from callbench.stats.estimate.logratio import LogRatio

# Rates by fork.
Rates = Mapping[int, float]

# A ratio that did not vary at all has no logarithm of its variance; nor is a clock so exact.
_LEAST_VARIANCE = 1e-10
# Fewer pairs say nothing of how variances lie.
FEWEST = 8
# However alike the variances look, no more is lent than that many forks would bring.
MOST_FREEDOM = 20.0


@dataclass(frozen=True)
class Prior:
    """How the variances of a run's log-ratios lie.

    Attributes:
        variance: of a log-ratio of two cells, from fork to fork: the scale.
        freedom: how many degrees of freedom knowing it is worth; 0: nothing.
    """

    variance: float
    freedom: float

    def moderated(self, difference: LogRatio, cells: float = 2) -> LogRatio:
        """Draw a ratio's variance towards the scale.

        Args:
            difference: estimated from its forks alone, each of them a ratio.
            cells: how many it is the ratio of: each brings its own share of the variance.
        """
        if not self.freedom or difference.freedom <= 0:
            return difference
        own = difference.error**2 * difference.count
        freedom = self.freedom + difference.freedom
        variance = (self.freedom * self.variance * cells / 2 + difference.freedom * own) / freedom
        return replace(difference, error=math.sqrt(variance / difference.count), freedom=freedom)


NONE = Prior(0.0, 0.0)


def prior(differences: Sequence[Sequence[float]]) -> Prior:
    """Estimate how variances lie.

    Args:
        differences: of logarithms, one sequence a pair, one value a fork; pairs with fewer than two are passed over.
    """
    samples = [np.asarray(sample, dtype=float) for sample in differences if len(sample) > 1]
    return prior_of_variances(
        [float(sample.var(ddof=1)) for sample in samples], [len(sample) - 1 for sample in samples]
    )


def prior_of_rates(cells: Iterable[Rates]) -> Prior:
    """Learn how a rate varies from fork to fork, from all cells of a run together."""
    return prior([[math.log(rate) for rate in rates.values()] for rates in cells])


def prior_of_ratios(rankings: Iterable[Sequence[Rates]]) -> Prior:
    """Learn how the ratio of two cells of one ranking varies: of each cell to the one before it."""
    pairs = (pair for mine in rankings for pair in pairwise(mine))
    return prior([[math.log(ratio) for ratio in fork_ratios([one], [other])] for one, other in pairs])


def prior_of_variances(estimated: Sequence[float], freedom_of_each: Sequence[float]) -> Prior:
    """Estimate how variances lie, each of which was estimated with so many degrees of freedom."""
    from scipy import special  # noqa: PLC0415 - see callbench.stats.estimate.student

    if len(estimated) < FEWEST:
        return NONE
    freedoms = np.asarray(freedom_of_each, dtype=float)
    variances = np.maximum(estimated, _LEAST_VARIANCE)
    logs = np.log(variances) - special.digamma(freedoms / 2) + np.log(freedoms / 2)
    excess = float(logs.var(ddof=1) - special.polygamma(1, freedoms / 2).mean())
    freedom = min(MOST_FREEDOM, 2 * _inverse_trigamma(excess)) if excess > 0 else MOST_FREEDOM
    return Prior(float(np.exp(logs.mean() + special.digamma(freedom / 2) - np.log(freedom / 2))), freedom)


def _inverse_trigamma(value: float) -> float:
    """Find where the trigamma function has a value, by Newton's steps as Smyth's appendix has them."""
    from scipy import special  # noqa: PLC0415 - see callbench.stats.estimate.student

    if value > 1e7:
        return 1 / math.sqrt(value)
    root = 0.5 + 1 / value
    for _ in range(50):
        trigamma = float(special.polygamma(1, root))
        step = trigamma * (1 - trigamma / value) / float(special.polygamma(2, root))
        root += step
        if -step / root < 1e-8:
            break
    return root
