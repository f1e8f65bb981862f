"""How sure a predicted percentile is: as sure as the measured ones over the same link allow."""

import math
from collections.abc import Sequence
from dataclasses import replace
from functools import partial

import pytest

from advice.simulated import Truth, record
from callbench.analysis.advice.checks import Check, checks, off_by
from callbench.analysis.advice.figures import Every, OverLink
from callbench.analysis.advice.savings import MEAN, CostLine, lines
from callbench.catalog.situation.link_text import link_of
from callbench.model.situation import Situation, SituationLink

LATER = 1.6
NAME = "office"
SITUATION = Situation([SituationLink(NAME, link_of("2ms,50mbit").wire, 1.0)])
TRUTHS = tuple(Truth(f"stack/{number}", 60.0 + 5 * number, 0.003, 200.0, 1.2) for number in range(5))


def _every(*, measured: bool) -> Every:
    """Five stacks; the tails of those that were measured over the link are longer than the model says."""
    found = record(TRUTHS, {"call": 500.0}, SITUATION, seed=3)
    if not measured:
        return {key: replace(one, over={}) for key, one in found.items()}
    return {key: replace(one, over={name: _later(over) for name, over in one.over.items()})
            for key, one in found.items()}  # fmt: skip


def _later(over: OverLink) -> OverLink:
    tails = {fork: LATER * us for fork, us in over.latency_us["p99_us"].items()}
    return replace(over, latency_us={**over.latency_us, "p99_us": tails})


def _line(every: Every, tested: Sequence[Check], name: str) -> CostLine:
    found = lines([every], SITUATION, ("stack/3", "stack/4"), {"call": 1.0}, {}, partial(off_by, tested))
    return next(one for one in found if one.name == f"{name} over {NAME}")


def _reach(one: CostLine) -> float:
    assert one.own.high is not None
    return one.own.high / one.own.middle - 1


def test_a_predicted_percentile_is_as_sure_as_the_measured_ones_allow() -> None:
    every = _every(measured=True)
    tested = checks(every.values(), SITUATION)
    found = _line(every, tested, "p99")
    assert found.predicted
    assert found.own.holds(found.own.middle * LATER)
    assert found.other is not None
    assert found.other.holds(found.other.middle * LATER)
    # The mean was right, so it stays narrow.
    assert _reach(_line(every, tested, MEAN)) < 0.1


def test_without_a_measured_cell_a_percentile_is_not_sure() -> None:
    every = _every(measured=False)
    # 2 ms more, of a link with a round trip of 2 ms.
    assert _reach(_line(every, [], "p99")) > 0.5
    assert _reach(_line(every, [], MEAN)) < 0.1


@pytest.mark.parametrize(
    ("figure", "us", "off"),
    [
        (MEAN, 4000.0, 0.05),
        ("p50", 4000.0, 0.05),
        ("p99", 4000.0, 0.55),
        ("p99.9", 200_000.0, 0.06),
        ("max", 1e9, 0.05),
    ],
)
def test_what_is_taken_where_nothing_was_measured(figure: str, us: float, off: float) -> None:
    assert off_by([], NAME, figure, us) == pytest.approx(math.log1p(off), rel=1e-3)
