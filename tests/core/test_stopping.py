"""The rule by which a cell with a requested precision ends."""

import pytest

from callbench.analysis.precision.stopping import CellPrecision, PrecisionTarget, StopReason, why_ended


@pytest.mark.parametrize(
    ("now", "budget_s", "why"),
    [
        (CellPrecision(0.02, 3), None, StopReason.PRECISE),
        (CellPrecision(0.02, 50), None, StopReason.PRECISE),
        (CellPrecision(0.021, 49), None, None),
        (CellPrecision(0.021, 50), None, StopReason.FORKS),
        (CellPrecision(0.021, 50), 600.0, None),
        (CellPrecision(None, 1), None, None),
        (CellPrecision(None, 0), None, StopReason.NOTHING),
        (CellPrecision(0.01, 3, excluded=True), None, StopReason.OUT),
    ],
)
def test_it_ends_when_precise_given_up_or_after_as_many_forks_as_there_may_be(
    now: CellPrecision, budget_s: float | None, why: StopReason | None
) -> None:
    assert why_ended(now, PrecisionTarget(0.02, budget_s)) is why
