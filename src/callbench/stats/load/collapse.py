"""Whether a server collapses under more calls than it can answer: what it still answers, beside its capacity."""

from dataclasses import dataclass

from callbench.stats.decide.decision import Outcome
from callbench.stats.estimate.digits import percent

# A capacity is known to within so much, so a share of it is too.
PRECISION = 0.1
# Less than this is a collapse, however fast it is answered.
LEAST_KEPT = 0.5
# Less than this is one if the median answer comes too late as well: hardly any of it is of use.
LEAST_KEPT_LATE = 0.8


@dataclass(frozen=True)
class Kept:
    """What was kept under an overload, judged.

    Attributes:
        text: a phrase without a full stop.
    """

    outcome: Outcome
    text: str


def kept_under_overload(share: float, late: bool) -> Kept:
    """Judge the share of the capacity that was answered rightly during an overload.

    Args:
        share: calls answered rightly a second, over the capacity.
        late: whether the median answer took longer than the objective allows, from the real start of its call.
    """
    least = LEAST_KEPT_LATE if late else LEAST_KEPT
    too_late = ", and the median answer came later than the objective allows" if late else ""
    if share * (1 + PRECISION) < least:
        return Kept(Outcome.FAILED, f"collapsed: it answered {percent(share)} of its capacity{too_late}")
    if share / (1 + PRECISION) < least:
        return Kept(Outcome.UNDECIDED, f"it answered {percent(share)} of its capacity, near {percent(least)}{too_late}")
    return Kept(Outcome.PASSED, f"it answered {percent(share)} of its capacity")
