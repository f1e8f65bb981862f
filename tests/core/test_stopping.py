"""The rule by which a cell with a requested precision ends."""

import pytest

from callbench.analysis.precision.stopping import Aim, Reached, Why, why_ended


@pytest.mark.parametrize(
    ("now", "budget_s", "why"),
    [
        (Reached(0.02, 3), None, Why.PRECISE),
        (Reached(0.02, 50), None, Why.PRECISE),
        (Reached(0.021, 49), None, None),
        (Reached(0.021, 50), None, Why.FORKS),
        (Reached(0.021, 50), 600.0, None),
        (Reached(None, 1), None, None),
        (Reached(None, 0), None, Why.NOTHING),
        (Reached(0.01, 3, excluded=True), None, Why.OUT),
    ],
)
def test_it_ends_when_precise_given_up_or_after_as_many_forks_as_there_may_be(
    now: Reached, budget_s: float | None, why: Why | None
) -> None:
    assert why_ended(now, Aim(0.02, budget_s)) is why
