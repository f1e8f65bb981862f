"""What another run on this machine can differ by, in the comparisons of an advice: it goes beyond its own run."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from callbench.stats.estimate.logratio import LogRatio
from callbench.stats.estimate.run_spread import UNKNOWN, RunSpread, widened


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
