"""States, episodes and recovery, on servers whose recovery is known."""

import itertools

from hypothesis import given
from hypothesis import strategies as st

from callbench.analysis.stability.formatting import recovery_text
from callbench.stats.load.recovery import (
    MischiefVerdict,
    Recovery,
    Slice,
    State,
    episodes,
    recovery,
    slow_above,
    state_of,
    verdict,
    worst,
)

LIMIT_US = 1_000.0


def slices(well_at: float, length: float, gap: float, count: int) -> list[Slice]:
    """What is seen of a server that is slow until a moment: a slice within which it was slow is slow."""
    starts = [place * (length + gap) for place in range(count)]
    return [Slice(at, at + length, 10, {}, 5_000.0 if at < well_at else 100.0) for at in starts]


@given(st.floats(0, 50), st.floats(0.05, 2), st.floats(0, 0.5), st.integers(1, 5))
def test_the_moment_lies_in_the_interval_and_the_interval_is_a_slice_and_a_gap(
    well_at: float, length: float, gap: float, in_a_row: int
) -> None:
    count = int(well_at / (length + gap)) + in_a_row + 2
    found = recovery(slices(well_at, length, gap, count), 0.0, LIMIT_US, in_a_row)
    assert found is not None
    assert found.least_s <= well_at <= found.most_s + 1e-9
    assert found.most_s - found.least_s <= (length + gap) * (1 + 1e-9)


@given(st.floats(0, 50), st.floats(0.05, 2), st.integers(2, 6))
def test_who_is_not_well_often_enough_in_a_row_has_not_recovered(well_at: float, length: float, in_a_row: int) -> None:
    seen = slices(well_at, length, 0.0, int(well_at / length) + 60)
    sick = [Slice(one.start_s, one.end_s, 0, {"timeout": 1}) if place % in_a_row == 0 else one
            for place, one in enumerate(seen)]  # fmt: skip
    assert recovery(sick, 0.0, LIMIT_US, in_a_row) is None


def test_who_was_never_unwell_was_well_at_once() -> None:
    seen = slices(0.0, 0.5, 0.1, 10)
    assert recovery(seen, 0.0, LIMIT_US) == Recovery(0.0, 0.0)
    # The slice that contains the moment says nothing about what came after it.
    found = recovery(seen, 0.2, LIMIT_US)
    assert found is not None
    assert (found.least_s, round(found.most_s, 9)) == (0.0, 0.4)


STATES = [
    (Slice(0, 1, 10, {}, 100.0), State.WELL),
    (Slice(0, 1, 10, {}, 2_000.0), State.SLOW),
    (Slice(0, 1, 10, {"timeout": 1}, 100.0), State.FAILING),
    (Slice(0, 1, 10, {"wrong-answer": 1, "timeout": 9}, 100.0), State.WRONG),
    (Slice(0, 1, 0, {"status": 5}), State.WRONG),
    (Slice(0, 1, 0, {"refused": 5, "timeout": 1}), State.REFUSING),
    (Slice(0, 1, 0, {"reset": 1}), State.REFUSING),
    (Slice(0, 1, 0, {"timeout": 2}), State.HUNG),
    (Slice(0, 1, 0, {"refused": 5}, dead=True), State.DEAD),
    # One process of several: the others answer.
    (Slice(0, 1, 10, {}, 100.0, dead=True), State.WELL),
]


def test_states_are_distinguished() -> None:
    for seen, state in STATES:
        assert state_of(seen, LIMIT_US) is state, seen
    assert state_of(STATES[1][0]) is State.WELL  # Without a limit for slow calls.
    assert worst([seen for seen, _ in STATES], LIMIT_US) is State.DEAD
    assert worst([], LIMIT_US) is State.WELL


def test_a_slice_in_which_nobody_called_says_nothing() -> None:
    """A busy machine gave a client no turn for 0.1 s, and a soak failed with `it hung`."""
    idle, well = Slice(3, 3.1, 0, {}), slices(0.0, 0.5, 0.1, 3)
    assert [episode.state for episode in episodes([*well, idle])] == [State.WELL]
    assert verdict([*well, idle], LIMIT_US) is MischiefVerdict.SURVIVED
    assert recovery([*well[:2], idle], 0.0, LIMIT_US) is None
    hung = Slice(3, 4, 0, {"timeout": 2})
    assert [episode.slices for episode in episodes([hung, idle, hung])] == [2]


@given(st.lists(st.sampled_from(STATES)))
def test_episodes_lose_no_slice_no_error_and_no_second(seen: list[tuple[Slice, State]]) -> None:
    every = [
        Slice(place, place + 1, one.calls, one.errors, one.latency_us, dead=one.dead)
        for place, (one, _) in enumerate(seen)
    ]
    found = episodes(every, LIMIT_US)
    assert sum(one.slices for one in found) == len(every)
    assert sum(sum(one.errors.values()) for one in found) == sum(sum(one.errors.values()) for one in every)
    assert [one.state for one in found for _ in range(one.slices)] == [state for _, state in seen]
    assert all(one.state is not other.state for one, other in itertools.pairwise(found))
    assert all(one.end_s == other.start_s for one, other in itertools.pairwise(found))


@given(st.lists(st.sampled_from(STATES), min_size=1))
def test_a_verdict_is_never_better_than_any_slice(seen: list[tuple[Slice, State]]) -> None:
    order = list(MischiefVerdict)
    every = [one for one, _ in seen]
    assert order.index(verdict(every, LIMIT_US)) == max(order.index(verdict([one], LIMIT_US)) for one in every)
    assert (verdict(every, LIMIT_US) is MischiefVerdict.SURVIVED) == all(state is State.WELL for _, state in seen)
    assert (verdict(every, LIMIT_US) is MischiefVerdict.DIED) == any(state is State.DEAD for _, state in seen)


@given(st.floats(0.1, 1e7), st.floats(1.01, 100))
def test_what_is_slow_is_so_many_times_slower_and_a_millisecond_at_least(before_us: float, within: float) -> None:
    limit = slow_above(before_us, within)
    assert limit >= within * before_us
    assert limit >= before_us + 999
    assert limit in {within * before_us, before_us + 1_000}


def test_a_recovery_is_written_as_one_answer() -> None:
    """A backlog of 2 s that no call met was "immediately (within 2.01 s)"."""
    assert recovery_text(Recovery(0.0, 2.01), 10.0) == "within 2.01 s"
    assert recovery_text(Recovery(0.5, 1.0), 10.0) == "after 0.50 to 1.00 s"
    assert recovery_text(None, 10.0) == "not within 10.0 s"
