"""The choice from values by fork: what it says where, and what must not change it."""

import math

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from callbench.analysis.advice.choice import AdviceVerdict, choose
from callbench.stats.decide.best import best_by_place, least_of

# Other programs may keep the machine busy.
_PATIENT = settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])

MARGIN, ERROR = 0.05, math.log1p(0.02)
Values = dict[str, dict[int, float]]


def values(means: dict[str, float], noise: float = 0.002, forks: int = 8, seed: int = 1) -> Values:
    random = np.random.default_rng(seed)
    drift = np.exp(random.normal(0, 0.3, forks))
    return {
        name: {fork: float(mean * drift[fork] * np.exp(random.normal(0, noise))) for fork in range(forks)}
        for name, mean in means.items()
    }


@pytest.mark.parametrize(
    ("means", "today", "verdict", "leave"),
    [
        ({"a": 1.0, "b": 1.2, "c": 2.0}, "", AdviceVerdict.CHOOSE, False),
        ({"a": 1.0, "b": 1.2, "c": 2.0}, "b", AdviceVerdict.CHOOSE, True),
        ({"a": 1.0, "b": 1.2, "c": 2.0}, "a", AdviceVerdict.STAY, False),
        ({"a": 1.0, "b": 1.005, "c": 2.0}, "", AdviceVerdict.EITHER, False),
        ({"a": 1.0, "b": 1.005, "c": 2.0}, "c", AdviceVerdict.EITHER, True),
        ({"a": 1.0, "b": 1.005, "c": 2.0}, "b", AdviceVerdict.STAY, False),
        ({"a": 1.0}, "", AdviceVerdict.CHOOSE, False),
        ({"a": 1.0}, "a", AdviceVerdict.STAY, False),
        ({}, "", AdviceVerdict.NONE, False),
    ],
)
def test_what_is_said_where(means: dict[str, float], today: str, verdict: AdviceVerdict, leave: bool) -> None:
    found = choose(values(means), today, MARGIN, ERROR)
    assert (found.verdict, found.leave) == (verdict, leave)


def test_what_varies_much_decides_nothing() -> None:
    found = choose(values({"a": 1.0, "b": 1.1}, noise=0.3), "b", MARGIN, ERROR)
    assert found.verdict is AdviceVerdict.UNDECIDED


def test_the_least_is_chosen_where_no_other_can_be_better_by_more_than_matters() -> None:
    """One is 4 % more, give or take 4: it may be as good, or worse by 8, so the first loses nothing."""
    steps = {fork: (-1) ** fork for fork in range(8)}
    logs = {"a": dict.fromkeys(steps, 0.0), "b": {fork: 0.04 + 0.03 * step for fork, step in steps.items()},
            "c": {fork: 0.005 + 0.002 * step for fork, step in steps.items()}}  # fmt: skip
    known = {name: {fork: math.exp(log) for fork, log in own.items()} for name, own in logs.items()}
    found = choose(known, "", MARGIN, ERROR)
    assert found.comparison is not None
    beside = {rival.name: rival for rival in found.comparison.others}
    assert [beside["b"].behind, beside["b"].equivalent, beside["b"].no_better] == [False, False, True]
    assert (found.verdict, set(found.leaders)) == (AdviceVerdict.EITHER, {"a", "c"})


@pytest.mark.parametrize("means", [{"a": 1.0, "b": 1.06, "c": 1.06, "d": 1.2}, {"a": 1.0, "b": 1.051}])
def test_what_is_chosen_loses_more_than_matters_in_at_most_5_percent(means: dict[str, float]) -> None:
    """All but `a` cost more than the margin: naming another is wrong. Of 400 at 5 %, more than 31 have 1 %."""
    wrong, decided = 0, 0
    for seed in range(400):
        found = choose(values(means, noise=0.05, forks=5, seed=seed), "", MARGIN, 0.0)
        named = {AdviceVerdict.CHOOSE: [found.best], AdviceVerdict.EITHER: list(found.leaders)}.get(found.verdict, [])
        wrong += found.verdict is not AdviceVerdict.UNDECIDED and found.best != "a"
        decided += "a" in named
    assert wrong <= 31
    assert decided > 0


def test_neither_a_move_nor_staying_is_shown() -> None:
    found = choose(values({"a": 1.0, "b": 1.035}, noise=0.02), "b", MARGIN, ERROR)
    assert (found.verdict, found.leave) == (AdviceVerdict.UNDECIDED, False)


def test_one_fork_decides_nothing() -> None:
    found = choose(values({"a": 1.0, "b": 9.0}, forks=1), "", MARGIN, ERROR)
    assert (found.verdict, found.best) == (AdviceVerdict.UNDECIDED, "a")


def test_what_runs_today_and_is_no_candidate_is_left_out() -> None:
    found = choose(values({"a": 1.0, "b": 1.3}), "gone", MARGIN, ERROR)
    assert (found.verdict, found.leave, found.moves) == (AdviceVerdict.CHOOSE, False, None)


_MEANS = st.lists(st.floats(0.5, 2.0), min_size=2, max_size=6)


@_PATIENT
@given(_MEANS, st.floats(0.001, 1000.0), st.integers(0, 1000))
def test_a_unit_and_the_order_of_names_change_nothing(means: list[float], factor: float, seed: int) -> None:
    one = values({f"s{place}": mean for place, mean in enumerate(means)}, noise=0.03, seed=seed)
    other = {name: {fork: value * factor for fork, value in one[name].items()} for name in reversed(one)}
    for today in ("", "s0"):
        first, second = choose(one, today, MARGIN, ERROR), choose(other, today, MARGIN, ERROR)
        assert (first.verdict, first.best, first.leave) == (second.verdict, second.best, second.leave)


@_PATIENT
@given(_MEANS, st.integers(0, 1000))
def test_what_a_fork_does_to_all_changes_nothing(means: list[float], seed: int) -> None:
    one = values({f"s{place}": mean for place, mean in enumerate(means)}, noise=0.03, seed=seed)
    other = {name: {fork: value * (1 + fork) for fork, value in own.items()} for name, own in one.items()}
    assert choose(one, "", MARGIN, ERROR).verdict is choose(other, "", MARGIN, ERROR).verdict


@_PATIENT
@given(_MEANS, st.integers(0, 1000), st.floats(0.0, 0.2))
def test_each_place_of_a_map_is_decided_as_a_single_one(means: list[float], seed: int, shift: float) -> None:
    one = values({f"s{place}": mean for place, mean in enumerate(means)}, noise=0.05, seed=seed)
    logs = np.log(np.array([list(own.values()) for own in one.values()]))[:, :, None]
    place = int(best_by_place(logs, 0.05, 0.0, shift).winners[0])
    single = least_of(one, 0.05, 0.0, shift)
    assert (f"s{place}" if place >= 0 else "") == (single.name if single.shown else "")


@_PATIENT
@given(_MEANS, st.integers(0, 1000))
def test_each_place_of_a_map_is_tied_as_a_single_one(means: list[float], seed: int) -> None:
    one = values({f"s{place}": mean for place, mean in enumerate(means)}, noise=0.005, seed=seed)
    logs = np.log(np.array([list(own.values()) for own in one.values()]))[:, :, None]
    margin = math.log1p(MARGIN)
    found, single = best_by_place(logs, 0.05, margin, 0.01), least_of(one, 0.05, margin, 0.01)
    assert (bool(found.tied[0]) or found.winners[0] >= 0) == single.safe
    equivalent = {other.name for other in single.others if other.equivalent}
    assert equivalent <= {f"s{place}" for place in np.flatnonzero(found.within[:, 0])}


@pytest.mark.parametrize(
    ("worth", "verdict"),
    [(0.0, AdviceVerdict.CHOOSE), (20.0, AdviceVerdict.CHOOSE), (150.0, AdviceVerdict.STAY), (1e6, AdviceVerdict.STAY)],
)
def test_a_large_share_of_little_is_no_reason_to_move(worth: float, verdict: AdviceVerdict) -> None:
    """From 193.5 a month to 93.5: by half, and by 100."""
    found = choose(values({"a": 93.5, "b": 193.5}), "b", MARGIN, ERROR, worth=worth)
    assert found.verdict is verdict
    assert found.leave is (verdict is AdviceVerdict.CHOOSE)
