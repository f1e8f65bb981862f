"""The ranking during a run."""

import pytest

from callbench.model.cell import AS_IS, HELD, Cell, Load
from callbench.runner.live.live_ranking import LiveRanking


def _cell(number: int, stack: str, group: str = "Sum", idle: str = AS_IS, clients: int = 1) -> Cell:
    return Cell(f"c{number:03d}", group, stack, "Sum", {}, Load(clients, 1, 1.0), idle=idle)


def test_the_fastest_comes_first_and_its_spread_once_there_are_three_slices() -> None:
    ranking = LiveRanking([_cell(1, "native/a"), _cell(2, "native/b"), _cell(3, "native/c")], AS_IS)
    for calls in (100, 110):
        ranking.add_slice("c001", calls, 10**9)
        ranking.add_slice("c002", 10 * calls, 10**9)
    (line,) = ranking.lines(10)
    assert (line.name, line.stacks) == ("Sum", 2)
    assert [place.split()[0] for place in line.places] == ["native/b", "native/a"]
    assert not any("±" in place for place in line.places)
    ranking.add_slice("c002", 1_050, 10**9)
    assert "±" in ranking.lines(10)[0].places[0]


def test_other_conditions_and_slices_without_an_answer_are_passed_over() -> None:
    ranking = LiveRanking([_cell(1, "native/a"), _cell(2, "native/b", idle=HELD)], AS_IS)
    ranking.add_slice("c002", 100, 10**9)
    ranking.add_slice("c001", 0, 10**9)
    assert ranking.lines(10) == []


def test_groups_with_several_stacks_come_first_where_room_is_short() -> None:
    cells = [
        _cell(1, "native/a", "alone"),
        _cell(2, "native/a"),
        _cell(3, "native/b"),
        _cell(4, "native/a", clients=50),
    ]
    ranking = LiveRanking(cells, AS_IS)
    for cell in cells:
        ranking.add_slice(cell.id, 100, 10**9)
    assert [line.name for line in ranking.lines(2)] == ["Sum", "alone"]
    assert [line.name for line in ranking.lines(9)] == ["Sum", "alone", "Sum, 50 clients"]


def test_a_rate_that_the_loop_limits_is_at_least_and_comes_first_where_it_reaches_the_first_place() -> None:
    ranking = LiveRanking([_cell(number, f"native/{name}", clients=2) for number, name in enumerate("abcde")], AS_IS)
    rates = {"c000": 1000, "c001": 900, "c002": 800, "c003": 700, "c004": 100}
    for cell, calls in rates.items():
        ranking.add_slice(cell, calls, 10**9, loop_ns=4 * 10**8 if cell in {"c001", "c004"} else 10**7)
    (line,) = ranking.lines(10)
    assert line.places == ["native/a 1,000", "native/b ≥ 900", "native/c 800"]
    ranking.add_slice("c001", 2000, 10**9, loop_ns=4 * 10**8)
    assert ranking.lines(10)[0].places[0].startswith("native/b ≥ ")


def test_the_loops_own_time_is_taken_off_the_rate_of_one_client() -> None:
    ranking = LiveRanking([_cell(0, "native/a")], AS_IS)
    ranking.add_slice("c000", 800, 10**9, loop_ns=2 * 10**8)
    assert ranking.lines(10)[0].places == ["native/a 1,000"]


def test_a_stack_is_apart_where_its_interval_does_not_meet_the_firsts() -> None:
    ranking = LiveRanking([_cell(number, f"native/{name}") for number, name in enumerate("abc")], AS_IS)
    for number, rates in enumerate([(990, 1000, 1010), (980, 1000, 1015), (490, 500, 510)]):
        for calls in rates:
            ranking.add_slice(f"c{number:03d}", calls, 10**9)
    (group,) = ranking.standing()["rankings"]
    assert [(one["stack"], one["apart"]) for one in group["stacks"]] == [
        ("native/a", False),
        ("native/b", False),
        ("native/c", True),
    ]
    assert group["open"] == 1
    # Logarithms of 990, 1000 and 1010: their standard deviation is 0.0100002, and twice it over the root of 3 0.01155.
    first = group["stacks"][0]
    assert first["rate_per_s"] == pytest.approx(999.967, abs=1e-3)
    assert first["low_per_s"] is not None
    assert first["high_per_s"] is not None
    assert first["high_per_s"] / first["rate_per_s"] == pytest.approx(1.011614, abs=1e-5)
    assert first["low_per_s"] * first["high_per_s"] == pytest.approx(first["rate_per_s"] ** 2)


def test_a_ranking_that_is_long_says_what_it_leaves_out() -> None:
    cells = [_cell(number, f"native/{number}", group=f"g{number % 50}") for number in range(50 * 25)]
    ranking = LiveRanking(cells, AS_IS)
    for cell in cells:
        ranking.add_slice(cell.id, 100, 10**9)
    standing = ranking.standing()
    assert (len(standing["rankings"]), standing["more_rankings"]) == (40, 10)
    assert {(len(one["stacks"]), one["more"]) for one in standing["rankings"]} == {(20, 5)}
