"""Virtual slowdown: how long a side is kept busy, for which cells, and what follows from the pairs."""

import random
from typing import Any

import pytest

from callbench.analysis.cells.validity import SlowedSide, slowed_rates
from callbench.model.cell import Cell, Load
from callbench.runner.plan.plan import Plan
from callbench.runner.run.slowdown import SAMPLE, burn_ns, choose_cells, rates_of
from callbench.stats.estimate.interval import geometric_mean

CELLS = tuple(Cell(f"c{number:03d}", "g", "a/b", "Sum", {}, Load(1, 10, 0.1)) for number in range(9))
OPEN = Cell("c009", "g", "a/b", "Sum", {}, Load(4, 10, 0.1, "poisson", 100.0))
WHOLE = Cell("c010", "g", "a/b", "Sum", {}, Load(1, 10, 0.1), watch=True)
PLAN = Plan((), (*CELLS, OPEN, WHOLE), 3)
RATES = {cell.id: 1000.0 for cell in PLAN.cells}


def test_five_percent_of_what_a_side_can_do_is_burnt() -> None:
    assert burn_ns(1000, 1, 8) == 50_000
    assert burn_ns(1000, 4, 2) == 100_000
    assert burn_ns(1e12, 1, 1) == 1


def test_a_few_cells_are_chosen_at_random_all_on_demand_and_none_that_is_whole_or_follows_a_schedule() -> None:
    sample = choose_cells(PLAN, RATES, 1, every=False, spent_s=1000)
    assert len(sample) == SAMPLE
    assert choose_cells(PLAN, RATES, 1, every=False, spent_s=1000) == sample
    assert len(choose_cells(PLAN, RATES, 1, every=False, spent_s=60)) == 1
    assert choose_cells(PLAN, RATES, 1, every=False, spent_s=49) == []
    assert choose_cells(PLAN, RATES, 1, every=True, spent_s=0) == list(CELLS)
    assert choose_cells(PLAN, {"c004": 5.0}, 1, every=True, spent_s=0) == [CELLS[4]]


def round_line(kind: str, calls: int) -> dict[str, Any]:
    """A round with a slice of one second."""
    used = {"user_ns": "0", "system_ns": "0"}
    both = {"start": used, "end": used}
    done = {"calls": calls, "errors": {}, "elapsed_ns": 10**9, "timed": "each", "batch": 1, "processor": both}
    seen = {"started": "now", "done": done, "counted": None, "backend": None, "agree": None}
    place = {"fork": 0, "batch": 0, "round": 0, "idle": "as it is", "started": "now", "echoes": [], "references": []}
    return {"kind": kind, **place, "slices": [{"cell": "c1", "trial": 1, "watched": False, **seen}]}


def test_rates_are_taken_over_all_slices_that_count() -> None:
    lines = [
        round_line("round", 100),
        round_line("watched round", 100),
        round_line("repeated round", 100),
        round_line("round", 300),
        {"kind": "note"},
    ]
    assert rates_of(lines) == ({"c1": 200.0}, 2.0)


@pytest.mark.parametrize(("truth", "follows"), [(1 / 1.05, True), (1.0, False), (0.975, None)])
def test_whether_the_rate_follows_is_read_from_pairs_on_a_drifting_machine(truth: float, follows: bool | None) -> None:
    dice = random.Random(5)  # noqa: S311 - noise to be repeated, not a secret
    pairs = []
    for step in range(40):
        plain = 1000 * (1 + step / 20)
        slow = plain * truth * dice.lognormvariate(0, 0.01)
        pairs.append((round(plain), 20_000_000, round(slow), 20_000_000))
    found = SlowedSide("server", 50, 0.05, geometric_mean(slowed_rates(pairs)))
    assert found.follows is follows
    assert found.sentence().startswith("server +5 % → rate")


def test_a_slice_without_calls_says_nothing() -> None:
    assert slowed_rates([(0, 1, 5, 1), (10, 2, 9, 2)]) == [0.9]
