"""What disturbs a trial, and what does not."""

import pytest

from callbench.stats.steady.disturbance import TrialConditions, why_disturbed

TABLE = [
    (TrialConditions(), ""),
    (TrialConditions(gap_share=0.01, steal_share=0.01, neighbour_share=0.05, wait_share=0.9), ""),
    (TrialConditions(gap_share=0.03), "a processor stood still for 3.0 % of the time"),
    (TrialConditions(gap_share=0.03, sure=False), ""),
    (TrialConditions(gap_share=0.11, sure=False), "stood still"),
    (TrialConditions(steal_share=0.06), "the host gave 6.0 % of the processor time to others"),
    (TrialConditions(neighbour_share=0.4, wait_share=0.01), ""),
    (TrialConditions(neighbour_share=0.0, wait_share=0.9), ""),
    (TrialConditions(neighbour_share=0.4, wait_share=0.3), "other processes took 40.0 % of a side's processors"),
]


@pytest.mark.parametrize(("beside", "says"), TABLE)
def test_it_is_reported(beside: TrialConditions, says: str) -> None:
    told = why_disturbed(beside)
    assert says in told
    assert bool(told) is bool(says)
