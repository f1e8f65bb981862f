"""Which cells are driven more often: those whose slices scatter more than others' within a fork."""

import math
import random

from hypothesis import given
from hypothesis import strategies as st

from callbench.model.cell import Cell, Load
from callbench.runner.drive.scatter import SHARE, ForkRates


def cell(name: str, *, rate_per_s: float | None = None) -> Cell:
    arrivals = "closed" if rate_per_s is None else "poisson"
    return Cell(name, "g", "a/m+tcp", "Sum", {}, Load(1, 1, 0.01, arrivals=arrivals, rate_per_s=rate_per_s))


def filled(spreads: dict[str, float], *, forks: int = 3, slices: int = 3) -> ForkRates:
    """Cells whose slices scatter by so much within forks; forks themselves differ by much more."""
    dice = random.Random(1)  # noqa: S311 - figures, no secret
    scatter = ForkRates()
    for fork in range(forks):
        for name, spread in spreads.items():
            of_fork = dice.gauss(0.0, 1.0)
            for _ in range(slices):
                scatter.add_slice(cell(name), fork, 1000 * math.exp(of_fork + dice.gauss(0.0, spread)), 0.02)
    return scatter


def test_those_that_scatter_most_within_forks() -> None:
    spreads = {f"c{number}": 0.02 for number in range(30)} | {"loud": 0.5, "louder": 0.7}
    assert filled(spreads).most_scattered(spreads) == {"loud", "louder"}


def test_none_if_nothing_was_driven_twice_in_a_fork() -> None:
    spreads = {"a": 0.02, "b": 0.02, "loud": 2.0}
    assert filled(spreads, slices=1).most_scattered(spreads) == set()
    assert ForkRates().most_scattered(spreads) == set()


def test_only_cells_that_are_requested() -> None:
    spreads = {f"c{number}": 0.02 for number in range(30)} | {"loud": 0.5}
    assert filled(spreads).most_scattered([name for name in spreads if name != "loud"]) == set()


@given(st.dictionaries(st.text(min_size=1, max_size=4), st.floats(0.001, 1.0), max_size=40))
def test_never_more_than_their_share(spreads: dict[str, float]) -> None:
    most = filled(spreads, forks=2, slices=2).most_scattered(spreads)
    assert len(most) <= SHARE * len(spreads)
    assert most <= spreads.keys()


def test_what_takes_long_or_has_a_schedule_is_not_driven_more_often() -> None:
    spreads = {f"c{number}": 0.02 for number in range(30)}
    scatter = filled(spreads)
    for fork, rate in enumerate([1.0, 900.0, 1.0, 900.0]):
        scatter.add_slice(cell("long"), fork // 2, rate, 1.0)
        scatter.add_slice(cell("open", rate_per_s=10.0), fork // 2, rate, 0.02)
        scatter.add_slice(cell("nothing"), fork // 2, 0.0, 0.02)
    assert scatter.most_scattered([*spreads, "long", "open", "nothing"]) == set()
