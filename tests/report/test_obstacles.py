"""Undecided and missing results, each with its reason, and what five more minutes would decide."""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, cast

import pytest

from callbench.analysis.cells.results import Excluded, Result, Results
from callbench.analysis.cells.unsteady import Unsteady
from callbench.analysis.judge.claims import ClaimComparison, ClaimResult, Verdict
from callbench.analysis.run.obstacles import Obstacle, ObstacleKind, Reason, obstacles
from callbench.analysis.run.rankings import Ranking
from callbench.analysis.run.subject import Subject, subject
from callbench.catalog.study.claim import ClaimedRatio
from callbench.report.text.more_time import OpenResults, open_results
from callbench.report.text.verdict import verdict as title_of
from callbench.stats.decide.decision import Outcome, RangeTest
from callbench.stats.decide.forecast import forecast
from callbench.stats.decide.ranking import standings
from callbench.stats.estimate.interval import geometric_mean
from callbench.stats.load.bottleneck import Limit
from callbench.stats.load.bottleneck import LimitVerdict as Bound
from callbench.store.record import Record
from report.synthetic import write
from report.test_choice import at, result

NOISY = (60.0, 160.0, 90.0, 130.0, 75.0)
OTHER = (100.0, 70.0, 140.0, 80.0, 110.0)
ALIKE = (1.01, 0.99, 1.0, 1.02, 0.97)


class About:
    """What obstacles ask of a subject."""

    every_name: dict[str, str] = {}  # noqa: RUF012 - never changed
    cards: dict[str, Any] = {}  # noqa: RUF012 - never changed

    def __init__(self, cells: list[Result], judged: list[ClaimResult], excluded: list[Excluded]) -> None:
        """Takes the cells, the claims and what was left out."""
        self.results = Results(cells, [], excluded)
        self.judged = judged


def found(
    *cells: Result, judged: tuple[ClaimResult, ...] = (), excluded: tuple[Excluded, ...] = (), link: str = "loopback"
) -> list[Obstacle]:
    own = [one for one in cells if one.ranked]
    table = Ranking("g", "1", link, cells, own, standings([one.by_fork["rate_per_s"] for one in own]))
    return obstacles(cast("Subject", About(list(cells), list(judged), list(excluded))), [table] if cells else [])


def limited(one: Result, limit: Limit) -> Result:
    return replace(one, verdict=Bound(limit, "why"))


def test_neighbours_that_cannot_be_distinguished_are_noisy() -> None:
    (one,) = found(result("a/x", NOISY), result("a/y", OTHER))
    assert (one.kind, one.reason, one.where) == (ObstacleKind.NEIGHBOURS, Reason.NOISY, "g")
    assert {"x over tcp", "y over tcp"} == set(one.about.split(" and "))
    assert one.detail.startswith("ratio ")
    assert one.timed


def test_neighbours_that_are_distinguished_are_no_obstacle() -> None:
    assert found(result("a/x", at(100)), result("a/y", at(50))) == []


def test_neighbours_whose_ratio_is_known_well_are_too_close() -> None:
    (one,) = found(result("a/x", at(100)), result("a/y", at(100, ALIKE)))
    assert one.reason is Reason.CLOSE


def test_what_is_likely_and_not_shown_among_so_many_has_too_few_forks() -> None:
    noise = ((1.0, 1.01, 0.99), (0.99, 1.0, 1.01), (1.01, 0.99, 1.0))
    rates = [tuple(100 * 1.06**place * one for one in noise[place % 3]) for place in range(12)]
    every = found(*(result(f"a/m{place}", own) for place, own in enumerate(rates)))
    assert {one.reason for one in every} == {Reason.FEW_FORKS}
    assert all(one.timed and one.more is not None for one in every)


def test_a_full_link_is_no_matter_of_time() -> None:
    cells = [
        limited(result(stack, rates, link="lan100"), Limit.LINK) for stack, rates in (("a/x", NOISY), ("a/y", OTHER))
    ]
    (one,) = found(*cells, link="lan100")
    assert (one.reason, one.where, one.more, one.timed) == (Reason.LINK, "g, over lan100", None, False)


def test_a_link_that_only_one_of_two_fills_is_not_the_reason() -> None:
    (one,) = found(limited(result("a/x", NOISY), Limit.LINK), limited(result("a/y", OTHER), Limit.SERIAL))
    assert one.reason is Reason.NOISY


def test_other_programs_and_trials_that_were_not_steady_are_named() -> None:
    (others,) = found(limited(result("a/x", NOISY), Limit.SHARED), result("a/y", OTHER))
    unsteady = replace(result("a/y", OTHER), unsteady=Unsteady(1, "its rate rose", 1.0))
    (waned,) = found(result("a/x", NOISY), unsteady)
    assert (others.reason, waned.reason) == (Reason.OTHERS, Reason.UNSTEADY)


def test_what_has_no_rank_is_listed_with_why() -> None:
    bound = limited(replace(result("a/z", at(9)), doubts=("at least: the driver",)), Limit.GENERATOR)
    differs = replace(result("a/w", at(9)), doubts=("client and server counted differently",), agree=False)
    gone = [Excluded("a/v", None, 0, "answered wrongly.")]
    every = found(result("a/x", at(100)), result("a/y", at(50)), bound, differs, excluded=tuple(gone))
    assert [(one.about, one.reason) for one in every] == [
        ("z over tcp", Reason.GENERATOR),
        ("w over tcp", Reason.DISAGREE),
        ("a/v", Reason.EXCLUDED),
    ]


def test_a_lower_bound_is_explained_without_a_second_colon() -> None:
    """The page had "Callbench itself was the limit: at least: the load loop itself took 12 %"."""
    doubted = replace(result("a/z", at(9)), doubts=("at least: the load loop itself took 12 % of the time",))
    bound = limited(doubted, Limit.GENERATOR)
    table = looked(*found(result("a/x", at(100)), result("a/y", at(50)), bound)).sheet()
    assert table is not None
    assert table.rows[0][1] == "Callbench itself was the limit: the load loop itself took 12 % of the time"


def judged(id_: str, verdict: Verdict, *needed: int | None, why: str = "") -> ClaimResult:
    part = ClaimedRatio("x over y", ({"stack": "a/x"},), ({"stack": "a/y"},), 1.0, float("inf"))
    ratio = None if why else geometric_mean((1.0, 1.5, 0.9))
    every = [
        ClaimComparison(
            replace(part, label=f"x over y, {more}"),
            verdict,
            ratio,
            None,
            why,
            0.0,
            RangeTest(Outcome.UNDECIDED, 1.0, 0.5, 3, more),
        )
        for more in needed
    ] or [ClaimComparison(part, verdict, ratio, None, why, 0.0)]
    return ClaimResult(id_, "", "", "rate_per_s", verdict, every, every[0])


@pytest.mark.parametrize(("needed", "more"), [((4,), 4), ((4, 9), 9), ((4, None), None)])
def test_an_undecided_claim_needs_what_the_slowest_of_its_comparisons_needs(
    needed: tuple[int | None, ...], more: int | None
) -> None:
    (one,) = found(judged=(judged("c", Verdict.UNDECIDED, *needed),))
    assert (one.kind, one.about, one.reason, one.more) == (ObstacleKind.CLAIM, "c", Reason.NOISY, more)
    # It stood beside the value of another, which needs fewer.
    assert one.detail.startswith(f"x over y, {more}: ")
    assert "threshold above 1" in one.detail


@pytest.mark.parametrize(
    ("outcomes", "title"),
    [
        ((Verdict.FAILS, Verdict.UNDECIDED), "Of 2 claims, 1 does not hold and 1 is undecided"),
        ((Verdict.HOLDS, Verdict.FAILS, Verdict.FAILS), "Of 3 claims, 1 holds and 2 do not"),
    ],
)
def test_a_title_has_its_verb_where_no_claim_holds(outcomes: Sequence[Verdict], title: str) -> None:
    assert title_of([judged("c", outcome) for outcome in outcomes], []) == title


def test_claims_without_figures_say_why_and_those_of_another_run_come_last() -> None:
    claims = [
        judged("away", Verdict.UNMEASURED, why="bin tcp was not part of this run"),
        judged("out", Verdict.UNMEASURED, why="bin tcp: excluded"),
        judged("cold", Verdict.UNMEASURED, why="bin tcp: not steady: its rate rose"),
        judged("held", Verdict.HOLDS),
    ]
    every = found(judged=tuple(claims))
    assert [(one.about, one.reason) for one in every] == [
        ("out", Reason.EXCLUDED),
        ("cold", Reason.UNSTEADY),
        ("away", Reason.NOT_HERE),
    ]


def looked(*obstacles_: Obstacle, fork_s: float = 30.0) -> OpenResults:
    return OpenResults(obstacles_, fork_s, forecast([one.more for one in obstacles_], fork_s, 300))


def pair(name: str, more: int | None) -> Obstacle:
    return Obstacle(ObstacleKind.NEIGHBOURS, name, "g", Reason.NOISY, "ratio 1.1", more)


def test_five_minutes_settle_what_has_room_in_them() -> None:
    claim = Obstacle(ObstacleKind.CLAIM, "c", "", Reason.NOISY, "r", 10)
    one = looked(claim, pair("a and b", 3), pair("b and c", 11), pair("c and d", None))
    assert one.in_words().startswith(
        "Five more minutes allow about 10 forks of 30 s each. They would decide 1 of 1 undecided claim and 1 of 3"
        " pairs of neighbours in rank"
    )
    table = one.sheet()
    assert table is not None
    assert [row[0] for row in table.rows] == ["claim: c", "g: a and b, and 2 more pairs"]
    assert [row[2] for row in table.rows] == ["would decide it", "would decide 1 of 3"]


def test_what_is_not_enough_says_how_much_is() -> None:
    rows = [looked(pair("a and b", more)).sheet() for more in (11, None)]
    told = [row.rows[0][2] for row in rows if row]
    assert told == ["not enough: about 11 more forks", "not enough: over 100 more forks"]


def test_a_fork_that_takes_longer_is_not_promised() -> None:
    assert looked(pair("a and b", 1), fork_s=400).in_words() == (
        "A fork took 400 s, so five more minutes are too short for another."
    )


def test_time_is_not_offered_where_it_is_of_no_use() -> None:
    one = looked(Obstacle(ObstacleKind.NEIGHBOURS, "a and b", "g", Reason.LINK, "ratio 1.0"))
    table = one.sheet()
    assert table is not None
    assert table.rows[0][2].startswith("time does not help: the link is the limit")
    assert one.in_words() == ""


def test_a_fork_takes_until_the_next_one_begins(tmp_path: Path) -> None:
    """The forks of the synthetic run begin every minute."""
    one = open_results(
        subject(Record(write(tmp_path / "run", only=("native/bin+supertcp", "native/soap+supertcp")))), []
    )
    assert one.fork_s == pytest.approx(60)
    assert one.sheet() is None
