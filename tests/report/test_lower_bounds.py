"""A rate that is "at least" may be any higher one: no stack that it reaches is named the fastest, anywhere."""

import itertools
import json
from dataclasses import replace
from typing import TYPE_CHECKING, Any, cast

import numpy as np
import pytest

from callbench.analysis.advice.choice import AdviceVerdict as Advised
from callbench.analysis.advice.choice import choose
from callbench.analysis.cells.results import AT_LEAST, Result, Results
from callbench.analysis.judge.claims import Verdict, compared
from callbench.analysis.run.rankings import Ranking, rankings
from callbench.catalog.study.claim import ClaimedRatio
from callbench.report.export import json as as_json
from callbench.report.sections.ranking import _sheet
from callbench.report.studies.thesis.conclusion import RowCost, _first
from callbench.report.text.choice import NOT_KNOWN, RankingChoice, choices, sheet
from report.test_choice import Asked, at, result

if TYPE_CHECKING:
    from callbench.analysis.run.subject import Subject
    from callbench.catalog.study import Study


def bound(stack: str, rates: tuple[float, ...], **attributes: str) -> Result:
    """A cell whose rate Callbench itself limited."""
    return replace(result(stack, rates, **attributes), doubts=(f"{AT_LEAST}the load loop itself took 14 %",))


def table_of(*cells: Result, inside: tuple[str, ...] = ()) -> tuple[Ranking, list[RankingChoice]]:
    about = Asked(*inside)
    about.results = Results(cells, [], [])
    (table,) = rankings(cast("Subject", about))
    return table, choices(cast("Subject", about), [table])


def test_a_lower_bound_above_the_fastest_with_a_rank_refutes_it() -> None:
    """The main job named JSON at 17,900 calls/s the fastest, above a table with two rates of 43,000 and more."""
    cells = [
        result("native/json+library", at(17_900)),
        result("native/json+inproc", at(15_000)),
        bound("native/bin+library", at(45_000)),
        bound("native/bin+inproc", at(43_000)),
    ]
    _, (one,) = table_of(*cells)
    assert one.best is None
    assert not one.shown
    (row,) = sheet([one]).rows
    assert row[1:5] == (NOT_KNOWN, "", "", "")
    assert "bin over library has at least 45,0" in row[5]
    assert "json over library, the fastest with a rank" in one.in_words()
    assert as_json._choice(one)["stack"] is None
    assert as_json._choice(one)["reached_by"] == ["native/bin+library", "native/bin+inproc"]


def test_a_lower_bound_that_touches_the_interval_of_the_fastest_refutes_it_too() -> None:
    wide = (0.7, 1.2, 0.9, 1.4, 1.0)
    _, (one,) = table_of(result("a/x", at(100)), result("a/y", at(50)), bound("a/z", at(95, wide)))
    assert one.best is None


def test_a_lower_bound_clearly_below_is_named_and_nothing_is_shown_against_it() -> None:
    _, (one,) = table_of(result("a/x", at(100)), result("a/y", at(50)), bound("a/z", at(9)))
    assert one.best is not None
    assert one.best.id == "a/x"
    assert not one.shown
    assert one.sure.startswith("shown; without a rank: z over tcp has at least 9")
    assert (one.shown, one.sure_in_short) == (False, "shown, of those with a rank")


def test_bounds_of_another_kind_do_not_refute() -> None:
    cells = [result("a/x+tcp", at(100)), result("a/y+tcp", at(50)), bound("a/x+inproc", at(900))]
    _, found = table_of(*cells, result("a/y+inproc", at(800)), inside=("a/x+inproc", "a/y+inproc"))
    assert [(one.kind, one.best and one.best.id) for one in found] == [
        ("between processes", "a/x+tcp"),
        ("in one process", None),
    ]


def test_a_bound_counts_in_the_ranks_of_what_it_is_ahead_of_and_has_none_itself() -> None:
    table, _ = table_of(result("a/x", at(100)), result("a/y", at(50)), bound("a/z", at(900)))
    assert [(table.ranked[one.index].id, one.rank) for one in table.standings] == [("a/x", 2), ("a/y", 3)]
    behind, _ = table_of(result("a/x", at(100)), result("a/y", at(50)), bound("a/z", at(9)))
    rows = _sheet("g", behind).rows
    assert [(row[0], row[1], row[4]) for row in rows] == [("a/x", "1", "a/z (≥)"), ("a/y", "2", "a/z (≥)")]


@pytest.mark.parametrize("seed", range(60))
def test_no_winner_is_named_that_a_lower_bound_reaches(seed: int) -> None:
    random = np.random.default_rng(seed)
    cells = []
    for place in range(int(random.integers(2, 9))):
        stack, forks = f"a/m{place}", int(random.integers(1, 6))
        rates = tuple(random.lognormal(random.normal(5, 1), random.choice([0.01, 0.1, 0.5]), forks))
        cells.append(bound(stack, rates) if random.random() < 0.4 else result(stack, rates))
    table, found = table_of(*cells)
    bounds = [one for one in cells if one.at_least]
    first = {table.ranked[one.index].id for one in table.standings if one.rank == 1 and not one.ties}
    named = [one.best for one in found if one.best is not None]
    named += [one for one in cells if one.id in first]
    for one, other in itertools.product(named, bounds):
        assert one.rate is not None
        assert other.rate is not None
        assert other.rate.high is not None
        assert one.rate.low is not None
        assert other.rate.high < one.rate.low
    for choice in found:
        assert not (choice.shown and bounds)
        assert json.dumps(as_json._choice(choice))
        if choice.best is None:
            assert sheet([choice]).rows[0][1] == NOT_KNOWN
    assert not any(each.index >= len(table.ranked) for each in table.standings)


def claimed(over: Result, under: Result, low: float, high: float = float("inf"), statistic: str = "rate_per_s") -> Any:
    part = ClaimedRatio("x over y", ({"stack": over.id},), ({"stack": under.id},), low, high)
    study = cast("Study", type("NoPublished", (), {"published": None})())
    with_times = [
        replace(one, by_fork={**one.by_fork, "mean_us": {f: 1e6 / r for f, r in one.by_fork["rate_per_s"].items()}})
        for one in (over, under)
    ]
    (found,) = compared(study, [part], statistic, Results(with_times, [], []))
    return found.verdict


def test_a_claim_is_decided_by_a_lower_bound_only_in_the_way_that_it_can_decide() -> None:
    fast, slow = result("a/x", at(200)), result("a/y", at(100, (1.0, 0.99, 1.02, 0.98, 1.01)))
    at_least_fast, at_least_slow = bound("a/x", at(200)), bound("a/y", at(100, (1.0, 0.99, 1.02, 0.98, 1.01)))
    assert claimed(fast, slow, 1.5) is Verdict.HOLDS
    assert claimed(at_least_fast, slow, 1.5) is Verdict.HOLDS
    assert claimed(fast, at_least_slow, 1.5) is Verdict.UNDECIDED
    assert claimed(fast, at_least_slow, 3.0) is Verdict.FAILS
    assert claimed(at_least_fast, slow, 3.0) is Verdict.UNDECIDED
    assert claimed(at_least_fast, slow, 1.5, 3.0) is Verdict.UNDECIDED
    assert claimed(at_least_slow, fast, 0.0, 0.9) is Verdict.UNDECIDED
    assert claimed(slow, at_least_fast, 0.0, 0.9) is Verdict.HOLDS
    # Times turn it round: a time that is an upper bound may be less.
    assert claimed(at_least_fast, slow, 0.0, 0.9, "mean_us") is Verdict.HOLDS
    assert claimed(fast, at_least_slow, 0.0, 0.9, "mean_us") is Verdict.UNDECIDED


def test_advice_names_nothing_that_an_upper_bound_of_a_time_reaches() -> None:
    values = {name: dict(enumerate(at(us))) for name, us in (("a", 10.0), ("b", 20.0), ("c", 40.0))}
    assert choose(values, "", 0.05, 0.0).verdict is Advised.CHOOSE
    # Forty is the most that it takes: that it is behind was not shown.
    assert choose(values, "", 0.05, 0.0, least={"c": {}}).verdict is Advised.UNDECIDED
    # What takes ten at most is ahead all the same.
    assert choose(values, "", 0.05, 0.0, least={"a": {}}).verdict is Advised.CHOOSE
    assert choose(values, "c", 0.05, 0.0, least={"c": {}}).verdict is Advised.UNDECIDED


def test_the_cheapest_row_over_a_link_is_not_one_that_an_upper_bound_reaches() -> None:
    def cost(ms: float, *, at_most: bool = False) -> RowCost:
        return RowCost(dict(enumerate(at(ms))), measured=True, predicted={}, at_most=at_most)

    assert _first({"a": cost(10), "b": cost(20)}, 0.05)[0] == "a"
    assert _first({"a": cost(10), "b": cost(20, at_most=True)}, 0.05)[0] == "a"
    refuted = _first({"a": cost(10), "b": cost(8, at_most=True)}, 0.05)
    assert refuted[0] == NOT_KNOWN
    assert "b takes at most 8" in refuted[4]
