"""How the values of an advice vary: from fork to fork, and from run to run, as an advice goes beyond its own run.

Only what was spent on this machine varies: a link's delay and bytes are the same in all. Values of stacks whose bytes
take long on a link hardly vary, and those of others do. So how a value varies from fork to fork is learned from what
was spent here, by all of them together, and counts for each by the share that this is of it.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from callbench.stats.estimate.contrast import ByBlock
from callbench.stats.estimate.logratio import LogRatio
from callbench.stats.estimate.prior import NONE, Prior, prior_of_ratios
from callbench.stats.estimate.run_spread import UNKNOWN, RunSpread, widened


@dataclass(frozen=True)
class Noise:
    """What is known of how values vary from fork to fork.

    Attributes:
        prior: of the parts that were spent on this machine.
        shares: what part of each candidate's value that is; without one, all of it.
    """

    prior: Prior = NONE
    shares: Mapping[str, float] = field(default_factory=dict)

    def moderated(self, names: tuple[str, str], ratio: LogRatio) -> LogRatio:
        """Draw the variance of a ratio of two candidates towards what is expected of it."""
        return self.prior.moderated(ratio, sum(self.shares.get(name, 1.0) ** 2 for name in names))


def noise_of(here: Mapping[str, ByBlock], shares: Mapping[str, float]) -> Noise:
    """Learn it from the parts that were spent on this machine, by candidate and fork: positive values."""
    return Noise(prior_of_ratios([list(here.values())]), shares)


@dataclass(frozen=True)
class BetweenRuns:
    """What is known of how values of candidates differ from run to run.

    Attributes:
        spread: as the runs of this machine say of rates.
        kinds: of each candidate, what it shares with those that differ alike.
        shares: what part of each candidate's value was spent on this machine: a link's delay and bytes differ not.
    """

    spread: RunSpread = UNKNOWN
    kinds: Mapping[str, str] = field(default_factory=dict)
    shares: Mapping[str, float] = field(default_factory=dict)

    def beyond(self, names: tuple[str, str], ratio: LogRatio) -> LogRatio:
        """Widen the ratio of two candidates; it stays as it is if nothing is known."""
        known = [(self.shares.get(name, 1.0), self.spread.of(self.kinds.get(name, ""))) for name in names]
        parts = [
            replace(part, added=part.added * share**2, between=part.between * share**2)
            for share, part in known
            if part is not None
        ]
        return widened(ratio, parts) if parts else ratio


ALONE = BetweenRuns()
"""Of a run that no other one lies beside."""
