"""A rate that is "at most" may be lower: it never wins, and what it reaches is not shown to be the fastest."""

import itertools
from dataclasses import replace

import numpy as np
import pytest

from callbench.analysis.cells.results import AT_MOST, Result
from callbench.analysis.judge.claims import Verdict
from callbench.analysis.run.obstacles import Reason, _unranked
from callbench.analysis.run.tables import table_cell
from callbench.report.sections.ranking import _sheet
from report.test_choice import at, result
from report.test_lower_bounds import claimed, table_of

WHY = "a call took 300 ms, and slices took 20 ms"
SPREAD = (1.0, 0.99, 1.02, 0.98, 1.01)


def bound(stack: str, rates: tuple[float, ...]) -> Result:
    """A cell whose slow calls its slices cut off."""
    return replace(result(stack, rates), doubts=(f"{AT_MOST}{WHY}",))


def test_it_never_wins_and_the_next_is_not_shown_to_be_the_fastest() -> None:
    _, (one,) = table_of(result("a/x", at(100)), result("a/y", at(50)), bound("a/z", at(120)))
    assert one.best is None
    assert not one.shown
    assert "z over tcp has at most 120" in one.sure


def test_clearly_below_it_is_slower() -> None:
    _, (one,) = table_of(result("a/x", at(100)), result("a/y", at(50)), bound("a/z", at(9)))
    assert one.best is not None
    assert one.best.id == "a/x"
    assert one.shown
    assert one.sure == "shown; without a rank: z over tcp has at most 9.00"
    assert (one.shown, one.sure_in_short) == (True, "shown")


def test_it_is_ahead_of_none_and_says_so() -> None:
    table, _ = table_of(result("a/x", at(100)), result("a/y", at(50)), bound("a/z", at(900)))
    rows = _sheet("g", table).rows
    assert [(row[0], row[1], row[4]) for row in rows] == [("a/x", "1", "a/z (≤)"), ("a/y", "2", "a/z (≤)")]


def test_its_table_cell_and_its_reason_name_it() -> None:
    one = bound("a/z", at(900))
    assert table_cell(one, "rate_per_s").text.startswith("≤ 9")
    assert list(one.whys) == [WHY]
    assert _unranked(one) is Reason.CUT


def test_a_claim_is_decided_only_in_the_way_that_it_can_decide() -> None:
    fast, slow = result("a/x", at(200)), result("a/y", at(100, SPREAD))
    at_most_fast, at_most_slow = bound("a/x", at(200)), bound("a/y", at(100, SPREAD))
    assert claimed(at_most_fast, slow, 1.5) is Verdict.UNDECIDED
    assert claimed(at_most_fast, slow, 3.0) is Verdict.FAILS
    assert claimed(fast, at_most_slow, 1.5) is Verdict.HOLDS
    assert claimed(fast, at_most_slow, 3.0) is Verdict.UNDECIDED


@pytest.mark.parametrize("seed", range(40))
def test_no_winner_is_named_that_it_reaches(seed: int) -> None:
    random = np.random.default_rng(seed)
    cells = []
    for place in range(int(random.integers(2, 9))):
        stack, forks = f"a/m{place}", int(random.integers(1, 6))
        rates = tuple(random.lognormal(random.normal(5, 1), random.choice([0.01, 0.1, 0.5]), forks))
        cells.append(bound(stack, rates) if random.random() < 0.4 else result(stack, rates))
    _, found = table_of(*cells)
    bounds = [one for one in cells if one.at_most]
    for choice, other in itertools.product([one for one in found if one.best is not None], bounds):
        assert choice.best is not None
        assert choice.best.rate is not None
        assert other.rate is not None
        assert other.rate.high is not None
        assert choice.best.rate.low is not None
        assert not choice.best.at_most
        assert other.rate.high < choice.best.rate.low
