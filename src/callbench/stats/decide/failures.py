"""Whether one thing fails more of its calls than another: exact where calls fail one by one, wider where forks differ.

Counts are compared by Fisher's exact test ("On the interpretation of chi-square from contingency tables", Journal of
the Royal Statistical Society 85, 1922). It takes calls to fail independently of each other. Calls of one fork often do
not: one start that went wrong fails many at once. So counts are first divided by the design effect, which is by how
much the shares of the forks vary more than independent calls would (Rao and Scott, "A simple method for the analysis
of clustered binary data", Biometrics 48, 1992). It is at least 1, and the greater one of the two sides counts for both.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from callbench.stats.estimate.share import binomial

# What a share of failed calls may be, or a greater one be more, and mean nothing: one call of a thousand.
FAILURE_MARGIN = 0.001


@dataclass(frozen=True)
class CallCounts:
    """The calls of one side.

    Attributes:
        failed: a number a fork.
        right: those that were answered rightly, likewise.
    """

    failed: Sequence[int]
    right: Sequence[int]

    @cached_property
    def all_failed(self) -> int:
        """Those of all forks that failed."""
        return sum(self.failed)

    @cached_property
    def calls(self) -> int:
        """Those of all forks."""
        return self.all_failed + sum(self.right)

    @property
    def share(self) -> float:
        """The share that failed; 0 without calls."""
        return self.all_failed / self.calls if self.calls else 0.0

    def design_effect(self) -> float:
        """Compute by how much the share varies more than that of independent calls; 1 where it does not.

        Each fork counts with what it is off the common share, in calls (Rao and Scott 1992, equation 1).
        """
        forks = [(failed, failed + right) for failed, right in zip(self.failed, self.right, strict=True)]
        count, share = len(forks), self.share
        independent = self.calls * share * (1 - share)
        if count < 2 or independent <= 0:
            return 1.0
        off = sum((failed - share * calls) ** 2 for failed, calls in forks)
        return max(1.0, count / (count - 1) * off / independent)

    def least_share(self, level: float) -> float:
        """Compute how small a share of the calls fails at least, at that level, as the forks vary."""
        effect = self.design_effect()
        calls = max(1, round(self.calls / effect))
        return binomial(min(calls, round(self.all_failed / effect)), calls, 1 - level)[0]


@dataclass(frozen=True)
class FailedCalls:
    """The calls of A and of B."""

    a: CallCounts
    b: CallCounts

    @property
    def more(self) -> bool:
        """Whether a greater share of B's calls failed than of A's, shown or not."""
        return self.b.share > self.a.share

    @cached_property
    def _effective(self) -> tuple[tuple[int, int], tuple[int, int]]:
        """What the counts are worth as independent calls: failed and right, of A and of B."""
        effect = max(self.a.design_effect(), self.b.design_effect())
        a, b = (
            (round(counts.all_failed / effect), round((counts.calls - counts.all_failed) / effect))
            for counts in (self.a, self.b)
        )
        return a, b

    def p_value(self) -> float:
        """Compute the probability that B fails so many more by chance: one-sided; 1 where it does not fail more."""
        if not self.more:
            return 1.0
        # Loaded here: it takes half a second, and few calls fail.
        from scipy import stats  # noqa: PLC0415

        a, b = self._effective
        return float(stats.fisher_exact(np.array([b, a]), alternative="greater").pvalue)

    def most_more(self, level: float) -> float:
        """Compute how much greater B's share may be: the upper end of an interval of coverage 1 - level at least.

        From the ends of both shares' exact intervals, so it is wider than it need be.
        """
        ends = [binomial(failed, max(1, failed + right), 1 - level) for failed, right in self._effective]
        return ends[1][1] - ends[0][0]
