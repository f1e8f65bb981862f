"""Whether a busy neighbour disturbed a trial: a pure judgement of what was seen beside it."""

from dataclasses import dataclass

from callbench.stats.estimate.digits import percent

# Shares of the trial's time. Below them a neighbour moves a rate by less than two trials differ anyway.
GAPS = 0.02
STEAL = 0.05
NEIGHBOURS = 0.10
WAITING = 0.05
# Without precedence over ordinary threads, a late wake-up may be the measured processes' own doing.
GAPS_UNSURE = 0.10


@dataclass(frozen=True)
class TrialConditions:
    """What was seen beside one trial; None: it could not be seen.

    Attributes:
        gap_share: share of the time in which the worst processor of a side was not run at all.
        sure: whether the gap detector ran before every ordinary thread.
        steal_share: share of the machine's processor time that its host gave to others.
        neighbour_share: share of the time of the worse side's processors that others took: neither side, nor us.
        wait_share: share of the time in which the worse side's threads wanted a processor and waited for it.
    """

    gap_share: float | None = None
    sure: bool = True
    steal_share: float | None = None
    neighbour_share: float | None = None
    wait_share: float | None = None


def why_disturbed(beside: TrialConditions) -> str:
    """Explain why a trial is disturbed, or nothing.

    Waiting for a processor alone is no sign of a neighbour: sixty-four clients on one processor wait for each other.
    It counts together with a neighbour who took processor time.
    """
    if beside.gap_share is not None and beside.gap_share > (GAPS if beside.sure else GAPS_UNSURE):
        return f"a processor stood still for {percent(beside.gap_share, 1)} of the time"
    if beside.steal_share is not None and beside.steal_share > STEAL:
        return f"the host gave {percent(beside.steal_share, 1)} of the processor time to others"
    neighbours, waited = beside.neighbour_share or 0.0, beside.wait_share or 0.0
    if neighbours > NEIGHBOURS and waited > WAITING:
        taken, wait = percent(neighbours, 1), percent(waited, 1)
        return f"other processes took {taken} of a side's processors, which waited {wait} of the time"
    return ""
