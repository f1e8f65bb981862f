"""Decisions of precision and play-off on simulated stacks whose truth is known."""

import hypothesis.strategies as some
import numpy as np
import pytest
from hypothesis import given

from callbench.precision.playoff import Contest, Outcome, Pair, Rule, contest, looks, next_pair, order
from callbench.precision.stopping import Aim, Why, chosen, ended, reached

MEETING = 0.03  # how far the log of a meeting's ratio lies from the truth, one second of slices on a shared machine


def played(truth: dict[str, float], seed: int, most: int = 4000) -> tuple[list[str], list[Contest], int]:
    """Play a whole play-off off. Gives the ranking, its contests, and how many meetings it took."""
    random = np.random.default_rng(seed)
    estimates = {cell: rate * float(random.lognormal(0, 0.05)) for cell, rate in truth.items()}
    meetings: dict[Pair, list[float]] = {}
    for number in range(most):
        contests = [contest(pair, ratios, len(truth) - 1, Rule()) for pair, ratios in meetings.items()]
        pair = next_pair([estimates], {}, contests)
        if pair is None:
            return order(estimates, contests), contests, number
        ratio = truth[pair[0]] / truth[pair[1]] * float(random.lognormal(0, MEETING))
        meetings.setdefault(pair, []).append(ratio)
    pytest.fail(f"still undecided after {most} meetings")


def test_what_differs_is_ranked_and_what_is_equal_ties() -> None:
    truth = {"a": 100.0, "b": 100.0, "c": 110.0, "d": 150.0, "e": 400.0, "f": 92.0}
    right = 0
    for seed in range(30):
        ranked, contests, _ = played(truth, seed)
        outcomes = {frozenset(one.pair): one.outcome for one in contests}
        told = ranked[:3] == ["e", "d", "c"] and set(ranked[3:5]) == {"a", "b"} and ranked[5] == "f"
        right += told and outcomes[frozenset("ab")] is Outcome.TIED
    assert right >= 27  # at a level of 5 %, 1.5 of 30 may be wrong


def test_the_time_goes_to_those_who_are_near() -> None:
    _, contests, total = played({"a": 100.0, "b": 101.5, "c": 1000.0, "d": 2000.0}, 1)
    met = {frozenset(one.pair): one.meetings for one in contests}
    assert met[frozenset("ab")] > met[frozenset("bc")]
    assert met[frozenset("cd")] == 6
    assert sum(met.values()) == total


def test_pairs_that_blocks_have_parted_do_not_meet() -> None:
    estimates = {"a": 1.0, "b": 2.0, "c": 4.0}
    assert next_pair([estimates], {("b", "a"): True, ("b", "c"): True}, []) is None
    assert next_pair([estimates], {("b", "a"): True}, []) == ("c", "b")
    assert next_pair([], {}, []) is None


def test_a_pair_that_parts_against_the_ranking_changes_places() -> None:
    lost = Contest(("a", "b"), 6, None, Outcome.SLOWER)
    assert order({"a": 3.0, "b": 2.0, "c": 1.0}, [lost]) == ["b", "a", "c"]
    circle = [lost, Contest(("c", "b"), 6, None, Outcome.FASTER), Contest(("a", "c"), 6, None, Outcome.FASTER)]
    assert sorted(order({"a": 3.0, "b": 2.0, "c": 1.0}, circle)) == ["a", "b", "c"]


def test_looks_are_few() -> None:
    assert looks(5) == []
    assert looks(30) == [6, 9, 13, 19, 28]


RATES = some.dictionaries(some.integers(0, 30), some.floats(90, 110), max_size=12)


@given(some.dictionaries(some.sampled_from("abcdef"), RATES), some.sets(some.sampled_from("abc")))
def test_a_cell_ends_exactly_when_it_is_precise_or_out(rates: dict[str, dict[int, float]], excluded: set[str]) -> None:
    found = ended(rates, excluded, Aim(until=0.02))
    for cell, mine in rates.items():
        width = reached(mine)
        if cell in excluded:
            assert found[cell].why is Why.OUT
        else:
            assert (cell in found) == (width is not None and width <= 0.02)


def test_without_a_budget_blocks_end_it() -> None:
    rates = {"a": {block: 100.0 * (1 + block % 2) for block in range(50)}}
    assert ended(rates, (), Aim(until=0.02))["a"].why is Why.BLOCKS
    assert ended(rates, (), Aim(until=0.02, budget_s=60)) == {}


def test_where_time_runs_out_the_least_precise_go_on() -> None:
    rates = {
        "a": {0: 100.0, 1: 101.0, 2: 100.0},
        "b": {0: 100.0, 1: 150.0, 2: 90.0},
        "c": {0: 100.0, 1: 110.0, 2: 104.0},
        "d": {0: 100.0},
    }
    assert chosen(rates, rates, 1.0, None) == ["a", "b", "c", "d"]
    assert chosen(rates, rates, 1.0, 4.0) == ["a", "b", "c", "d"]
    assert chosen(rates, rates, 1.0, 2.5) == ["b", "d"]
    assert chosen(rates, ["a", "c"], 1.0, 1.5) == ["c"]
    assert chosen(rates, rates, 1.0, 0.5) == []
